"""Vocabulary sets for tests: that of an aviation authority, and how a set comes into a graph."""

from __future__ import annotations

from typing import Any

import keepgraph
from keepgraph import store
from keepgraph.engine.vocabulary import definitions, sets

AVIATION: dict[str, Any] = {
    "name": "eccairs",
    "version": "4.2",
    "uri": "https://example.org/eccairs",
    "types": {
        "thing": {"abstract": True, "description": "Whatever there is."},
        "vehicle": {"parents": ["thing"], "abstract": True, "description": "A means of transport."},
        "aircraft": {
            "parents": ["vehicle"],
            "style": "title",
            "description": "A heavier-than-air flying machine with fixed or rotary wings",
            "alternative": ["Airplane", "Aeroplane"],
            "labels": {"de": "Flugzeug", "es": ["avión", "aeronave"]},
            "examples": ["Airbus A321neo"],
        },
        "balloon": {"parents": ["vehicle"], "description": "A lighter-than-air craft without an engine."},
        "occurrence": {
            "parents": ["happening"],
            "style": "title",
            "description": "An aviation safety occurrence or event",
        },
        "happening": {"parents": ["thing"], "description": "Something that happens at a time."},
        "occurrence_category": {"description": "A category of occurrences.", "style": "term"},
        "system_failure": {
            "parents": ["occurrence_category"],
            "description": "Failure of a system or component, other than the power plant.",
            "labels": {"en": "System/Component Failure or Malfunction (Non-Powerplant)"},
            "notation": "SCF-NP",
        },
        "pneumatic": {
            "parents": ["occurrence_category"],
            "description": "Bleed air, its ducts and valves.",
            "notation": "ATA 36",
        },
        "hydraulic_power": {"parents": ["occurrence_category"], "notation": "ATA 29"},
        "safety_recommendation": {"style": "statement", "description": "A recommendation of an investigation."},
        "airworthiness_directive": {"style": "reference", "description": "A directive that has to be complied with."},
        "aircraft_type": {"style": "title", "description": "A type of aircraft with a certificate."},
        "safety_investigation_authority": {"style": "title", "description": "Who investigates accidents."},
    },
    "predicates": {
        "stems_from": {
            "description": "The recommendation was made because of the occurrence.",
            "sources": ["safety_recommendation"],
            "targets": ["occurrence"],
            "sentence": "{subject} stems from {object}",
        },
        "supersedes": {
            "description": "The newer directive replaces the older one.",
            "sources": ["airworthiness_directive"],
            "targets": ["airworthiness_directive"],
            "flags": ["transitive", "acyclic"],
            "inverse": {"name": "superseded_by", "alternative": ["was replaced by directive"]},
        },
        "applies_to": {
            "description": "The directive is about the type.",
            "sources": ["airworthiness_directive"],
            "targets": ["aircraft_type"],
        },
        "involved_aircraft": {
            "description": "Aircraft involved in an occurrence",
            "sources": ["occurrence"],
            "targets": ["aircraft"],
        },
        "issues": {
            "description": "The authority makes the recommendation.",
            "sources": ["safety_investigation_authority"],
            "targets": ["safety_recommendation"],
        },
        "registered_as": {
            "description": "The registration of an aircraft.",
            "sources": ["aircraft"],
            "literal": "identifier",
            "flags": ["functional"],
        },
    },
}
"""In the words of its own, a part of what an authority declares."""


def add_set(graph: keepgraph.Graph, document: dict[str, Any]) -> None:
    """Add a vocabulary set to a graph."""
    with graph.database.write("test") as tx:
        sets.add(store.journal.begin_call(tx), definitions.from_document(document))
