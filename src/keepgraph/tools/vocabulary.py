"""The vocabulary toolset: the words of the graph as an ontology, listed, searched, explored and extended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph import english, errors, store
from keepgraph.engine.analysis import ontology, ontology_exploration, ontology_search
from keepgraph.engine.analysis.ontology_exploration import OntologyExploration, SetSize
from keepgraph.engine.knowledge import proposed_facts
from keepgraph.engine.retrieval.search_request import EDGES, NODES
from keepgraph.engine.vocabulary import changes, graph_vocabulary
from keepgraph.english import count_noun
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import answer_shapes, brief_answers, ontology_answers, search_calls
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_CLASSES = 200
MAX_GROUPS = 30
MAX_WORDINGS_OF_GROUP = 5
MAX_CHARACTERS_OF_OTHER_PROJECTS = 600

MAX_CHARACTERS = 29_000
"""Of an answer about the structure for which no limit is given, whatever the vocabulary and what waits."""

MAX_CHARACTERS_OF_SETS = 3_000
MAX_CHARACTERS_OF_PROPOSALS = 11_000
MAX_CHARACTERS_OF_SHORT_CLASSES = 4_000

MAX_CHARACTERS_OF_EXTENSION = {
    "types": 3_000,
    "predicates": 3_000,
    "existing": 3_000,
    "overlaps": 6_000,
    "mapped": 12_000,
}
MAX_CHARACTERS_OF_WORDINGS = 1_500
"""Of the wordings that one mapping repeats in the answer of extend_vocabulary."""


@tool(Effect.READ)
def get_ontology_structure(
    tx: Tx, *, query: str = "", set: str | None = None, only_used: bool = False, limit: int | None = None
) -> dict[str, Any]:
    """List the entity types and predicates: parents, other wordings, what each connects, how often it is used.

    Most used first; without a limit, what does not fit is in more_classes, in short, or left out (truncated). Narrow it
    by words of a name, label or code (query), by a set, or to what is used; explore_ontology has all about one word.
    proposals are wordings for which extracted facts wait for a word
    (extend_vocabulary), by meaning.
    """
    structure = ontology_exploration.read(
        tx, query=query, set_name=set, only_used=only_used, limit=MAX_CLASSES if limit is None else limit
    )
    sets = [_describe_set(of_set) for of_set in structure.sets]
    lists = {
        "entity_classes": [ontology_answers.entry(entry, structure.usage) for entry in structure.entity_classes],
        "relationship_classes": [
            ontology_answers.entry(entry, structure.usage) for entry in structure.relationship_classes
        ],
    }
    totals = {"entity_classes": structure.entity_total, "relationship_classes": structure.relationship_total}
    proposals = _describe_proposals(tx, limit=limit)
    more: dict[str, Any] = {}
    if limit is None:
        sets = brief_answers.first(sets, room=MAX_CHARACTERS_OF_SETS)
        lists, more = _fit(lists, room=MAX_CHARACTERS - brief_answers.count_characters([sets, proposals]))
    return {
        "ontology_graph": ", ".join(of_set["name"] for of_set in sets),
        "sets": sets,
        **lists,
        **more,
        "totals": {**totals, "sets": len(structure.sets)},
        "truncated": any(totals[kind] > len(entries) for kind, entries in lists.items())
        or len(sets) < len(structure.sets),
        **proposals,
    }


@tool(Effect.READ)
def search_ontology(
    tx: Tx, *, query: str, search_mode: str = search_calls.COMBINED_MODE, reranker: str = "rrf", limit: int = 10
) -> dict[str, Any]:
    """Find types (nodes) and predicates (edges) of the vocabulary by name, other wording, code or meaning.

    A query may hold several codes or words. Each hit says why it was found.
    """
    if not graph_vocabulary.wording_key(query):
        raise errors.QueryRequired("the query has no letter and no digit")
    results = ontology_search.search(tx, query, reranker=reranker, limit=limit)
    kinds = search_calls.KINDS_BY_MODE[search_mode]
    used = ontology.of_graph(tx)
    nodes = results.entity_classes if NODES in kinds else ()
    edges = results.relationship_classes if EDGES in kinds else ()
    return {
        "message": f"Ontology: found {len(nodes)} types and {len(edges)} predicates",
        "nodes": [ontology_answers.hit(hit, used) for hit in nodes],
        "edges": [ontology_answers.hit(hit, used) for hit in edges],
        "communities": [],
        "truncated": {
            "nodes": bool(nodes) and results.entity_total > len(nodes),
            "edges": bool(edges) and results.relationship_total > len(edges),
        },
        "embedding": results.embedding_state,
    }


@tool(Effect.READ)
def explore_ontology(
    tx: Tx,
    *,
    name: str | None = None,
    node_name: str | None = None,
    node_uuid: str | None = None,
    depth: int = 2,
    limit: int = 20,
) -> dict[str, Any]:
    """Show all about a type or a predicate: relationships, hierarchy, neighbours, usage with examples, and gaps.

    Gaps: declared but never used, or used outside its ends. For an unknown word, center is null and candidates has near
    words.
    """
    name_or_id = node_uuid or name or node_name or ""
    if not graph_vocabulary.wording_key(name_or_id):
        raise errors.NameOrAliasRequired("nothing is named: give name, or node_name or node_uuid")
    resolution = ontology_exploration.resolve(tx, name_or_id)
    used = ontology.of_graph(tx)
    candidates = [ontology_answers.candidate(candidate, used) for candidate in resolution.candidates]
    if resolution.entry is None:
        near = f"; near are {', '.join(candidate['name'] for candidate in candidates)}" if candidates else ""
        return _describe_nothing() | {
            "message": f"Ontology: nothing is called “{name_or_id}”{near}",
            "candidates": candidates,
        }
    depth = min(depth, ontology_exploration.MAX_DEPTH)
    exploration = ontology_exploration.explore(tx, resolution.entry, depth=depth)
    others = [ontology_answers.brief(other, used) for other in resolution.others[:limit]]
    return _describe(exploration, limit=limit) | {
        "message": f"Ontology: {_summary(exploration)}{_note_of_inverse(exploration, name_or_id)}",
        "candidates": [],
        "same_wording": others,
    }


@tool(Effect.WRITE)
def extend_vocabulary(
    tx: Tx,
    *,
    types: Mapping[str, Any] | None = None,
    predicates: Mapping[str, Any] | None = None,
    map_wordings: Sequence[Mapping[str, Any]] = (),
    dismiss_wordings: Sequence[str] = (),
    dry_run: bool = False,
) -> dict[str, Any]:
    """Add entity types and predicates to the vocabulary, and map wordings for which proposed facts wait.

    First check whether a word says it already (search_ontology), and show the user the answer of dry_run: in a good
    vocabulary one thing has one word. Mapping a wording to a word makes facts of all that wait for it. `undo` reverts
    all of it.
    """
    if not (types or predicates or map_wordings or dismiss_wordings):
        raise errors.VocabularyInvalid("there is nothing to add", hint="Give types, predicates or wordings.")

    _refuse_mapped_and_dismissed(map_wordings, dismiss_wordings)

    maps_types = any("entity_type" in mapping for mapping in map_wordings)

    overlaps = [overlap for mapping in map_wordings for overlap in _overlaps(tx, mapping)]
    addition = changes.add(tx, types=types or {}, predicates=predicates or {})
    has_new_words = addition.types or addition.predicates or maps_types
    answer = {
        "types": list(addition.types),
        "predicates": list(addition.predicates),
        "existing": list(addition.existing),
        "overlaps": [
            *({"name": overlap.name, "existing": overlap.existing} for overlap in addition.overlaps),
            *overlaps,
        ],
        "mapped": [_map_wordings(tx, mapping) for mapping in map_wordings],
        "admitted": proposed_facts.admit_known(tx).admitted if has_new_words else 0,
        "dismissed": len(proposed_facts.dismiss(tx, dismiss_wordings).deleted) if dismiss_wordings else 0,
    }
    return {
        "message": _extension_message(answer, dry_run=dry_run),
        **answer,
        **_cut_extension(answer),
        "dry_run": dry_run,
    }


def _refuse_mapped_and_dismissed(mappings: Sequence[Mapping[str, Any]], dismissed: Sequence[str]) -> None:
    """
    Raises:
        errors.VocabularyInvalid: a wording is both mapped and dismissed.
    """
    keys = {
        graph_vocabulary.wording_key(wording)
        for mapping in mappings
        if "predicate" in mapping
        for wording in mapping["wordings"]
    }
    for wording in dismissed:
        if graph_vocabulary.wording_key(wording) in keys:
            raise errors.VocabularyInvalid(
                f"{english.quoted(wording)} is both mapped and dismissed", hint="Do one of the two."
            )


def _overlaps(tx: Tx, mapping: Mapping[str, Any]) -> list[dict[str, str]]:
    """The wordings of a mapping that are wordings of other words too, each with the word that it means now."""
    is_type = "entity_type" in mapping
    kind = store.vocabulary.ENTITY_TYPE if is_type else store.vocabulary.PREDICATE
    word = graph_vocabulary.find(tx, kind, mapping["entity_type" if is_type else "predicate"])
    found = [(wording, graph_vocabulary.find(tx, kind, wording)) for wording in mapping["wordings"]]
    return [
        {"name": wording, "existing": other.name}
        for wording, other in found
        if other is not None and (word is None or other.name != word.name)
    ]


def _map_wordings(tx: Tx, mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Map wordings to a word: those of a predicate make facts of what waits in them."""
    wordings_given = list(mapping["wordings"])
    answer = {"wordings": wordings_given, "admitted": 0, "waiting": 0}
    if "entity_type" in mapping:
        entity_type = changes.find_word(tx, mapping["entity_type"], kind=store.vocabulary.ENTITY_TYPE)
        changes.add_wordings(tx, entity_type, wordings_given)
        return {**answer, "word": entity_type.name, "kind": entity_type.kind}
    predicate = changes.find_word(tx, mapping["predicate"], kind=store.vocabulary.PREDICATE)
    changes.refuse_words(tx, predicate, wordings_given)
    admission = proposed_facts.admit(tx, wordings=wordings_given, predicate=predicate.name)
    return {
        "wordings": wordings_given,
        "word": predicate.name,
        "kind": predicate.kind,
        "admitted": admission.admitted,
        "waiting": len(admission.waiting),
    }


def _extension_message(answer: Mapping[str, Any], *, dry_run: bool) -> str:
    counts = (
        ("entity type", len(answer["types"])),
        ("predicate", len(answer["predicates"])),
        ("wording", sum(len(mapped["wordings"]) for mapped in answer["mapped"])),
        ("waiting fact", answer["admitted"] + sum(mapped["admitted"] for mapped in answer["mapped"])),
    )
    listed = ", ".join(count_noun(count, noun) for noun, count in counts if count)
    sentences = []
    if listed or not answer["dismissed"]:
        sentences.append(f"{'This would add' if dry_run else 'Added'} {listed or 'nothing'}.")
    if answer["dismissed"]:
        deleted = count_noun(answer["dismissed"], "proposed fact")
        sentences.append(f"{'This would delete' if dry_run else 'Deleted'} {deleted}.")
    if dry_run:
        sentences.append("Nothing was changed: call again without dry_run.")
    return " ".join(sentences)


def _cut_extension(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The lists of an extension, cut to what an answer has room for, with how long they are."""
    lists = {**answer, "mapped": [_cut_wordings(mapped) for mapped in answer["mapped"]]}
    shown = {name: brief_answers.first(lists[name], room=room) for name, room in MAX_CHARACTERS_OF_EXTENSION.items()}
    return {
        **shown,
        "totals": {name: len(answer[name]) for name in shown},
        "truncated": any(len(shown[name]) < len(answer[name]) for name in shown)
        or any("more_wordings" in mapped for mapped in shown["mapped"]),
    }


def _cut_wordings(mapped: Mapping[str, Any]) -> dict[str, Any]:
    shown = brief_answers.first(mapped["wordings"], room=MAX_CHARACTERS_OF_WORDINGS)
    more = len(mapped["wordings"]) - len(shown)
    return {**mapped, "wordings": shown, **answer_shapes.filled(more_wordings=more)}


def _describe_set(of_set: SetSize) -> dict[str, Any]:
    return {
        "name": of_set.set.name,
        "version": of_set.set.version,
        "uri": of_set.set.uri,
        "entity_classes": of_set.entity_classes,
        "relationship_classes": of_set.relationship_classes,
    }


def _fit(lists: Mapping[str, Sequence[dict[str, Any]]], *, room: int) -> tuple[brief_answers.Lists, dict[str, Any]]:
    """The classes that there is room for in full, and what the answer has of the others."""
    shown, others = brief_answers.divide(lists, room=room)
    if not any(others.values()):
        return shown, {}
    # Twice, for those that in turn have to make room for the short ones.
    room_of_short = min(MAX_CHARACTERS_OF_SHORT_CLASSES, 2 * brief_answers.count_characters(_shorten(others)))
    shown, others = brief_answers.divide(lists, room=room - room_of_short)
    return shown, {"more_classes": brief_answers.divide(_shorten(others), room=room_of_short)[0]}


def _shorten(lists: brief_answers.Lists) -> brief_answers.Lists:
    return {kind: [ontology_answers.shorten(entry) for entry in entries] for kind, entries in lists.items()}


def _describe_proposals(tx: Tx, *, limit: int | None) -> dict[str, Any]:
    """The wordings in which facts wait; nothing if none does.

    Args:
        limit: the most groups; None is as many as there is room for, each with its first wordings.
    """
    counts = store.proposals.counts_by_group(tx)
    if not counts:
        return {}
    elsewhere = [{"project": name, "count": count} for name, count in counts.items() if name != tx.group]
    groups = tx.cached(("wording groups", tx.group), lambda: proposed_facts.group(tx))
    if limit is None:
        described = (
            ontology_answers.wording_group(group, max_wordings=MAX_WORDINGS_OF_GROUP, max_examples=1)
            for group in groups[:MAX_GROUPS]
        )
        shown = brief_answers.first(described, room=MAX_CHARACTERS_OF_PROPOSALS)
    else:
        shown = [ontology_answers.wording_group(group) for group in groups[:limit]]
    return {
        "proposals": {
            "total": sum(group.count for group in groups),
            "elsewhere": brief_answers.first(elsewhere, room=MAX_CHARACTERS_OF_OTHER_PROJECTS),
            "total_elsewhere": sum(one["count"] for one in elsewhere),
            "group_total": len(groups),
            "wording_total": sum(len(group.wordings) for group in groups),
            "groups": shown,
            "truncated": len(shown) < len(groups) or any("more_wordings" in group for group in shown),
        }
    }


def _describe_nothing() -> dict[str, Any]:
    return {
        "center": None,
        "relationships": {"outgoing": [], "incoming": []},
        "hierarchy": {"parents": [], "children": [], "siblings": []},
        "neighbors": [],
        "usage": None,
        "gaps": [],
        "totals": {},
        "truncated": False,
        "same_wording": [],
    }


def _describe(exploration: OntologyExploration, *, limit: int) -> dict[str, Any]:
    """The answer of explore_ontology, without the message; each list has at most `limit` entries."""
    used, centre = exploration.usage, exploration.centre
    is_predicate = centre.ontology_type == "relationship_class"
    lists = {
        "outgoing": exploration.outgoing,
        "incoming": exploration.incoming,
        "parents": exploration.parents,
        "children": exploration.children,
        "siblings": exploration.siblings,
        "neighbors": exploration.neighbours,
        "gaps": exploration.gaps,
    }
    return {
        "center": ontology_answers.centre(centre, used),
        "relationships": {
            side: [
                ontology_answers.relationship(relationship, used, of_predicate=is_predicate)
                for relationship in relationships[:limit]
            ]
            for side, relationships in (("outgoing", exploration.outgoing), ("incoming", exploration.incoming))
        },
        "hierarchy": {
            place: [ontology_answers.brief(entry, used) for entry in entries[:limit]]
            for place, entries in (
                ("parents", exploration.parents),
                ("children", exploration.children),
                ("siblings", exploration.siblings),
            )
        },
        "neighbors": [ontology_answers.neighbour(neighbour, used) for neighbour in exploration.neighbours[:limit]],
        "usage": {
            "count": ontology_answers.entry(centre, used)["count"],
            "entities": [
                {"id": entity_id, "type": entity_type, "name": name}
                for entity_id, entity_type, name in exploration.entity_examples
            ],
            "facts": ontology_answers.paths(exploration.fact_examples),
        },
        "gaps": [ontology_answers.gap(gap) for gap in exploration.gaps[:limit]],
        "totals": {name: len(entries) for name, entries in lists.items()},
        "truncated": any(len(entries) > limit for entries in lists.values()),
    }


def _summary(exploration: OntologyExploration) -> str:
    count = ontology_answers.entry(exploration.centre, exploration.usage)["count"]
    is_predicate = exploration.centre.ontology_type == "relationship_class"
    uses = count_noun(count, "fact" if is_predicate else "entity")
    return f"{exploration.centre.term.name}, {uses}, {count_noun(len(exploration.gaps), 'gap')}"


def _note_of_inverse(exploration: OntologyExploration, name: str) -> str:
    """What is told where somebody asks for the inverse of a predicate."""
    for inverse in exploration.centre.inverses:
        if graph_vocabulary.wording_key(name.removeprefix("predicate:")) == graph_vocabulary.wording_key(
            inverse.term.name
        ):
            return (
                f"; {inverse.term.name} is its inverse, and facts of both are stored as {exploration.centre.term.name}"
            )
    return ""
