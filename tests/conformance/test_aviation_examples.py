"""The examples of an aviation server's reference run on a graph whose vocabulary is declared as there."""

from __future__ import annotations

from typing import Any

import pytest

import keepgraph
from keepgraph.ml import language_identification
from vocabularies import add_set
from words import Caller, literal

LABELS = {
    "thing": {"abstract": True},
    "vehicle": {"parents": ["thing"], "abstract": True},
    "aircraft": {
        "parents": ["vehicle"],
        "style": "title",
        "description": "A heavier-than-air flying machine with fixed or rotary wings",
        "alternative": ["Airplane", "Aeroplane"],
    },
    "event": {},
    "occurrence": {"parents": ["event"], "description": "An aviation safety occurrence or event"},
    "aerodrome_general": {"style": "title"},
    "country": {"style": "title"},
    "manufacturer": {"style": "title"},
    "operator": {"style": "title"},
    "safety_recommendation": {"style": "statement"},
    "safety_investigation_authority": {"style": "title"},
    "aircraft_type": {"style": "title"},
    "airworthiness_directive": {"style": "reference"},
    "design_approval_holder": {"style": "title"},
    "system_failure": {
        "description": "A failure of a system or component other than the engine.",
        "notation": "SCF-NP",
        "alternative": ["System/Component Failure"],
    },
    "pneumatic_system": {"description": "Bleed air.", "notation": "ATA 36", "alternative": ["Pneumatic"]},
}
ENDS = {
    "involved_aircraft": ("occurrence", "aircraft"),
    "occurred_at": ("occurrence", "aerodrome_general"),
    "operated_by": ("aircraft", "operator"),
    "manufactured_by": ("aircraft", "manufacturer"),
    "stems_from": ("safety_recommendation", "occurrence"),
    "involves": ("occurrence", "aircraft"),
    "issues": ("safety_investigation_authority", "safety_recommendation"),
    "applies_to": ("airworthiness_directive", "aircraft_type"),
    "approved_by": ("airworthiness_directive", "design_approval_holder"),
    "supersedes": ("airworthiness_directive", "airworthiness_directive"),
}
DECLARED: dict[str, Any] = {
    "name": "eccairs",
    "version": "1",
    "types": {name: values for name, values in LABELS.items() if name != "event"},
    "predicates": {
        name: {"sources": [source], "targets": [target], "description": f"What {name.replace('_', ' ')} says."}
        for name, (source, target) in ENDS.items()
    },
}


@pytest.fixture
def call(graph: keepgraph.Graph) -> Caller:
    add_set(graph, DECLARED)
    call = Caller(graph)

    def record(subject: tuple[str, str], predicate: str, target: tuple[str, str]) -> None:
        call.record({"type": subject[0], "name": subject[1]}, predicate, {"type": target[0], "name": target[1]})

    record(("occurrence", "Barcelona-El Prat incident"), "involved_aircraft", ("aircraft", "Airbus A321neo"))
    record(("occurrence", "Cork runway excursion"), "involved_aircraft", ("aircraft", "ATR 72"))
    record(("occurrence", "Barcelona-El Prat incident"), "occurred_at", ("aerodrome_general", "LEBL"))
    record(("aircraft", "Airbus A321neo"), "manufactured_by", ("manufacturer", "Airbus"))
    record(
        ("safety_recommendation", "Inspect bleed valves"), "stems_from", ("occurrence", "Barcelona-El Prat incident")
    )
    record(("safety_investigation_authority", "CIAIAC"), "issues", ("safety_recommendation", "Inspect bleed valves"))
    record(("airworthiness_directive", "AD 2025-0096"), "supersedes", ("airworthiness_directive", "AD 2024-0011"))
    record(("airworthiness_directive", "AD 2025-0096"), "applies_to", ("aircraft_type", "A330"))
    call.record({"type": "safety_recommendation", "name": "Inspect bleed valves"}, "status", literal("Open"))
    return call


def entry(entries: list[dict[str, Any]], label: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["label"] == label)


def test_the_structure_has_each_class_with_its_ancestors_labels_and_ends(call):
    structure = call("get_ontology_structure")
    aircraft = entry(structure["entity_classes"], "Aircraft")
    involved = entry(structure["relationship_classes"], "INVOLVED_AIRCRAFT")

    assert "eccairs" in structure["ontology_graph"]
    assert aircraft["ontology_type"] == "class"
    assert aircraft["summary"] == "A heavier-than-air flying machine with fixed or rotary wings"
    assert (aircraft["alt_labels"], aircraft["inherits_from"]) == (["Airplane", "Aeroplane"], ["vehicle", "thing"])
    assert entry(structure["entity_classes"], "Occurrence")["inherits_from"] == ["event"]
    assert involved["ontology_type"] == "relationship_class"
    assert (involved["source_entity"], involved["target_entity"]) == (["occurrence"], ["aircraft"])
    assert {"name", "ontology_type", "summary", "alt_labels", "inherits_from", "examples"} <= aircraft.keys()


@pytest.mark.parametrize(("predicate", "ends"), ENDS.items())
def test_each_declared_constraint_is_told(call, predicate, ends):
    told = next(
        each
        for each in call("get_ontology_structure", set="eccairs")["relationship_classes"]
        if each["name"] == predicate
    )

    assert (told["source_entity"], told["target_entity"]) == ([ends[0]], [ends[1]])


def test_codes_are_decoded_into_terms_to_search_for(call):
    decoded = {
        node["notation"]: node["alt_labels"] for node in call("search_ontology", query="SCF-NP ATA 36")["nodes"][:2]
    }

    assert decoded == {"SCF-NP": ["System/Component Failure"], "ATA 36": ["Pneumatic"]}


def test_a_class_is_explored_with_its_relationships_and_parents(call):
    answer = call("explore_ontology", name="Aircraft")

    assert answer["relationships"]["outgoing"][0]["label"] == "MANUFACTURED_BY"
    assert "INVOLVED_AIRCRAFT" in [each["label"] for each in answer["relationships"]["incoming"]]
    assert [each["label"] for each in answer["hierarchy"]["parents"]] == ["Vehicle"]


def test_what_is_declared_and_missing_in_the_data_is_told(call):
    gaps = call("explore_ontology", name="Aircraft")["gaps"]

    assert {gap["word"] for gap in gaps if gap["kind"] == "relationship_never_used"} >= {"operated_by", "involves"}


def test_the_schema_has_labels_with_counts_and_types_with_patterns(call):
    schema = call("get_schema")

    assert schema["type"] == "schema"
    assert schema["node_labels"]["Occurrence"]["count"] == 2
    assert schema["relationship_types"]["STEMS_FROM"]["patterns"] == [["SafetyRecommendation", "Occurrence"]]
    assert schema["relationship_types"]["ISSUES"]["patterns"] == [
        ["SafetyInvestigationAuthority", "SafetyRecommendation"]
    ]


def test_the_profile_has_coverage_patterns_degrees_and_paths(call):
    profile = call("profile_graph")
    involved = profile["relationship_profiles"]["INVOLVED_AIRCRAFT"]

    assert profile["entity_profiles"]["Occurrence"]["count"] == 2
    assert profile["entity_profiles"]["Occurrence"]["properties"]["name"]["coverage"] == 1.0
    assert involved["count"] == 2
    assert involved["source_target_patterns"] == [["Occurrence", "Aircraft"]]
    assert involved["avg_out_degree"] == 1.0
    assert {"source": "Barcelona-El Prat incident", "target": "Airbus A321neo"} in involved["sample_paths"]
    assert involved["confirmed"]
    assert not profile["relationship_profiles"]["OPERATED_BY"]["confirmed"]
    assert "OPERATED_BY" in profile["ghost_relationships"]["declared_not_used"]


@pytest.mark.skipif(language_identification.unavailable_reason() is not None, reason="py3langid is not installed")
def test_the_profile_tells_fields_in_several_languages(call):
    for text in (
        "El 16 de julio el avión aterrizó sin el tren de morro en la pista de Barcelona",
        "On 2 January the aircraft left the runway during the landing roll in heavy rain",
        "L'équipage a interrompu le décollage après une alarme incendie du moteur gauche",
    ):
        call.record({"type": "occurrence", "name": text}, "about", literal("x"))
    profile = call("profile_graph")

    assert set(profile["entity_profiles"]["Occurrence"]["properties"]["name"]["detected_languages"]) == {
        "es",
        "en",
        "fr",
    }
    assert "Occurrence.name" in profile["language_summary"]["multilingual_fields"]


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        (
            "MATCH (o:Occurrence)-[:INVOLVED_AIRCRAFT]->(a:Aircraft)-[:MANUFACTURED_BY]->(m:Manufacturer) "
            "RETURN m.name AS manufacturer, count(DISTINCT o) AS occurrences ORDER BY occurrences DESC",
            ["manufacturer", "occurrences"],
        ),
        (
            "MATCH (sr:SafetyRecommendation)-[:STEMS_FROM]->(o:Occurrence) RETURN sr.name, o.name",
            ["sr.name", "o.name"],
        ),
        (
            "MATCH (newer:AirworthinessDirective)-[:SUPERSEDES]->(older:AirworthinessDirective) "
            "RETURN newer.name AS current_ad, older.name AS superseded_ad",
            ["current_ad", "superseded_ad"],
        ),
    ],
)
def test_its_queries_run_over_the_declared_words(call, query, columns):
    answer = call("run_cypher", query=query)

    assert answer["columns"] == columns
    assert answer["row_count"] == 1


def test_a_search_is_filtered_by_declared_types(call):
    answer = call("search", query="bleed valves", entity_types=["SafetyRecommendation"], edge_types=["STEMS_FROM"])

    assert [node["name"] for node in answer["nodes"]] == ["Inspect bleed valves"]
    assert {edge["name"] for edge in answer["edges"]} <= {"STEMS_FROM", "stems_from"}
