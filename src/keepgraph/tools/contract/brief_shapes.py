"""The brief form of the answers of the tools that a model reads most: entities, neighbourhoods, search, weeks, schema.

Each function takes the answer in full, and gives one with the same keys, shorter lists, and lines for what was cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph.tools.contract import brief_answers
from keepgraph.tools.contract.brief_answers import Entries, ShortenedList

Answer = dict[str, Any]

_MAX_QUOTES = 3
_MAX_RELATED = 6
_MAX_SOURCES = 2
_MAX_MENTIONED_WITH = 5
_MAX_COMMUNITIES = 2
_MAX_ALIASES = 20
_MAX_CHUNK_CHARACTERS = 420
_MAX_LINE_QUOTE_CHARACTERS = 100
_MAX_SUMMARY_CHARACTERS = 300
_MAX_NARRATIVE_CHARACTERS = 1_500
_MAX_UNUSED_NAMES = 20


def recall(answer: Answer) -> Answer:
    """The brief answer of recall_entity."""
    answer = {**answer, "entity": _with_few_aliases(answer["entity"])}
    facts, related, texts = answer.pop("facts"), answer.pop("related_entities"), answer.pop("texts")
    cut = brief_answers.shorten(
        {
            "texts": Entries(texts["newest"], at_most=_MAX_QUOTES),
            "related": Entries(related, at_most=_MAX_RELATED),
            "facts": Entries(facts, [_line_of_fact(fact) for fact in facts]),
        },
        rest=answer,
    )
    return {
        "entity": answer.pop("entity"),
        "facts": cut["facts"].full,
        **_more("more_facts", cut["facts"]),
        "texts": {**texts, "newest": cut["texts"].full},
        "related_entities": cut["related"].full,
        **answer,
        "truncated_facts": answer["truncated_facts"] or cut["facts"].is_cut,
        "truncated_related_entities": answer["truncated_related_entities"] or cut["related"].is_cut,
    }


def exploration(answer: Answer) -> Answer:
    """The brief answer of explore_node."""
    if answer["center_node"] is None:
        return answer
    centre = _with_few_aliases(_without_why(answer["center_node"]))
    nodes = [_without_why(node) for node in answer["nodes"]]
    edges, facts = map(_all_without_why, (answer["edges"], answer["facts"]))
    episodes = [
        {**_without_why(episode), "chunk": brief_answers.quote(episode["chunk"])} for episode in answer["episodes"]
    ]
    names = ("nodes", "edges", "facts", "episodes", "mentioned_with", "communities")
    rest = {name: value for name, value in answer.items() if name not in names}
    cut = brief_answers.shorten(
        {
            "nodes": Entries(nodes, [_line_of_node(node) for node in nodes]),
            "edges": Entries(edges),
            "facts": Entries(facts, [fact["fact"] for fact in facts]),
            "episodes": Entries(episodes, at_most=_MAX_QUOTES),
            "mentioned_with": Entries(answer["mentioned_with"], at_most=_MAX_MENTIONED_WITH),
            "communities": Entries(_all_without_why(answer["communities"]), at_most=_MAX_COMMUNITIES),
        },
        rest={**rest, "center_node": centre},
    )
    return {
        "message": rest.pop("message"),
        "center_node": centre,
        **{name: cut[name].full for name in names},
        **_more("more_nodes", cut["nodes"]),
        **_more("more_facts", cut["facts"]),
        **{name: value for name, value in rest.items() if name != "center_node"},
        "complete": answer["complete"] and not (cut["nodes"].is_cut or cut["edges"].is_cut),
        "truncated": answer["truncated"] or any(shortened.is_cut for shortened in cut.values()),
    }


def search(answer: Answer, *, query: str, max_tokens: int | None) -> Answer:
    """The brief answer of search."""
    words = query.lower().split()
    nodes, edges, communities = map(_all_with_brief_why, (answer["nodes"], answer["edges"], answer["communities"]))
    nodes = [{**node, "summary": brief_answers.quote(node["summary"], limit=_MAX_SUMMARY_CHARACTERS)} for node in nodes]
    episodes = [_with_part_of_chunk(_with_brief_why(episode), words) for episode in answer["episodes"]]
    names = ("nodes", "edges", "communities", "episodes")
    rest = {name: value for name, value in answer.items() if name not in names}
    cut = brief_answers.shorten(
        {
            "episodes": Entries(episodes, [_line_of_episode(episode, words) for episode in answer["episodes"]]),
            "edges": Entries(edges, [edge["fact"] for edge in edges]),
            "nodes": Entries(nodes, [f"{node['name']} ({node['type']})" for node in nodes]),
            "communities": Entries(communities, [community["name"] for community in communities]),
        },
        rest=rest,
        **({} if max_tokens is None else {"max_tokens": max_tokens}),
    )
    lines = {f"more_{name}": cut[name].lines for name in names if cut[name].lines}
    return {
        "message": rest.pop("message"),
        **{name: cut[name].full for name in names},
        **lines,
        **rest,
        "truncated": {name: was_cut or cut[name].is_cut for name, was_cut in answer["truncated"].items()},
    }


def nodes(answer: Answer) -> Answer:
    """The brief answer of search_nodes."""
    entries = _all_with_brief_why(answer["nodes"])
    return _with_short_list(answer, "nodes", entries, [f"{node['name']} ({node['type']})" for node in entries])


def facts(answer: Answer) -> Answer:
    """The brief answer of search_memory_facts."""
    entries = _all_with_brief_why(answer["facts"])
    return _with_short_list(answer, "facts", entries, [edge["fact"] for edge in entries])


def decisions(answer: Answer) -> Answer:
    """The brief answer of recall_decisions."""
    rest = {name: value for name, value in answer.items() if name != "decisions"}
    entries = answer["decisions"]
    cut = brief_answers.shorten(
        {"decisions": Entries(entries, [_line_of_decision(decision) for decision in entries])}, rest=rest
    )["decisions"]
    return {
        **answer,
        "decisions": cut.full,
        **_more("more_decisions", cut),
        "truncated": rest["truncated"] or cut.is_cut,
    }


def week(answer: Answer) -> Answer:
    """The brief answer of weekly_rollup."""
    names = ("decisions", "blockers", "next_actions")
    rest = {name: value for name, value in answer.items() if name not in names}
    if narrative := rest.get("narrative"):
        rest["narrative"] = _with_part_of_text(narrative)
    cut = brief_answers.shorten(
        {
            "blockers": Entries(answer["blockers"], [_line_of_fact(fact) for fact in answer["blockers"]]),
            "decisions": Entries(answer["decisions"], [_line_of_decision(entry) for entry in answer["decisions"]]),
            "next_actions": Entries(answer["next_actions"]),
        },
        rest=rest,
    )
    return {
        **answer,
        **rest,
        **{name: cut[name].full for name in names},
        **_more("more_decisions", cut["decisions"]),
        **_more("more_blockers", cut["blockers"]),
        "truncated": answer["truncated"] or any(shortened.is_cut for shortened in cut.values()),
    }


def schema(answer: Answer) -> Answer:
    """The brief answer of get_schema: the most used labels and relationship types in full, and lines for the next."""
    labels, types = (_most_used(answer[name]) for name in ("node_labels", "relationship_types"))
    rest = {name: value for name, value in answer.items() if name not in ("node_labels", "relationship_types")}
    if unused := rest.get("unused"):
        rest["unused"] = _few_unused(unused)
    cut = brief_answers.shorten(
        {
            "labels": Entries(labels, [f"{name} ({label['count']})" for name, label in labels]),
            "types": Entries(types, [_line_of_type(name, kind) for name, kind in types]),
        },
        rest=rest,
    )
    left_out = {name: shortened.left_out for name, shortened in cut.items() if shortened.left_out}
    return {
        **answer,
        **rest,
        "node_labels": dict(cut["labels"].full),
        "relationship_types": dict(cut["types"].full),
        **_more("more_labels", cut["labels"]),
        **_more("more_types", cut["types"]),
        **({"left_out": left_out} if left_out else {}),
    }


def _with_short_list(answer: Answer, name: str, entries: Sequence[Any], lines: Sequence[str]) -> Answer:
    """An answer with one list, cut to what a brief answer has room for."""
    rest = {key: value for key, value in answer.items() if key != name}
    cut = brief_answers.shorten({name: Entries(entries, lines)}, rest=rest)[name]
    return {
        **answer,
        name: cut.full,
        **_more(f"more_{name}", cut),
        "truncated": answer["truncated"] or cut.is_cut,
    }


def _more(name: str, shortened: ShortenedList) -> dict[str, list[str]]:
    return {name: shortened.lines} if shortened.lines else {}


def _all_without_why(entries: Sequence[Mapping[str, Any]]) -> list[Answer]:
    return [_without_why(entry) for entry in entries]


def _all_with_brief_why(entries: Sequence[Mapping[str, Any]]) -> list[Answer]:
    return [_with_brief_why(entry) for entry in entries]


def _with_brief_why(entry: Mapping[str, Any]) -> Answer:
    """An entry with the sources that rank it highest, without their scores."""
    ranks = sorted((place["rank"], source) for source, place in entry.get("why", {}).items() if place["rank"])
    why = {source: {"rank": rank} for rank, source in ranks[:_MAX_SOURCES]}
    return {**_without_why(entry), **({"why": why} if why else {})}


def _without_why(entry: Mapping[str, Any]) -> Answer:
    brief = {name: value for name, value in entry.items() if name != "why"}
    if isinstance(brief.get("summary"), str):
        brief["summary"] = brief_answers.quote(brief["summary"], limit=_MAX_SUMMARY_CHARACTERS)
    return brief


def _with_few_aliases(entity: Answer | None) -> Answer | None:
    if entity is None or len(entity["aliases"]) <= _MAX_ALIASES:
        return entity
    return {
        **entity,
        "aliases": entity["aliases"][:_MAX_ALIASES],
        "more_aliases": len(entity["aliases"]) - _MAX_ALIASES,
    }


def _with_part_of_chunk(episode: Answer, words: Sequence[str]) -> Answer:
    part = brief_answers.quote(episode["chunk"], limit=_MAX_CHUNK_CHARACTERS, around=words)
    is_whole = len(part) >= len(" ".join(episode["chunk"].split()))
    return episode if is_whole else {**episode, "chunk": part, "chunk_truncated": True}


def _with_part_of_text(narrative: Answer) -> Answer:
    text = narrative.get("text")
    if not isinstance(text, str) or len(text) <= _MAX_NARRATIVE_CHARACTERS:
        return narrative
    return {**narrative, "text": f"{text[:_MAX_NARRATIVE_CHARACTERS].rstrip()}…", "text_truncated": True}


def _line_of_fact(fact: Mapping[str, Any]) -> str:
    target = fact["object"]
    until = f" (until {fact['valid_to'][:10]})" if fact["valid_to"] else ""
    name = target.get("name") or f"“{target.get('literal', '')}”"
    return f"{fact['subject']['name']} {fact['predicate'].replace('_', ' ')} {name}{until}"


def _line_of_node(node: Mapping[str, Any]) -> str:
    path = node["via"]["path"] if node.get("via") else node["name"]
    return f"{path} ({node['type']})"


def _line_of_episode(episode: Mapping[str, Any], words: Sequence[str]) -> str:
    part = brief_answers.quote(episode["chunk"], limit=_MAX_LINE_QUOTE_CHARACTERS, around=words)
    return f"{episode['valid_at'][:10]} “{episode['name'][:_MAX_LINE_QUOTE_CHARACTERS]}” ({episode['uuid']}): {part}"


def _line_of_decision(decision: Mapping[str, Any]) -> str:
    by = ", ".join(person["name"] for person in decision["decided_by"])
    return f"{decision['decided_on']} {decision['name']}{f' ({by})' if by else ''}"


def _most_used(described: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Answer]]:
    """Labels or relationship types, the most used first, without their descriptions."""
    ordered = sorted(described.items(), key=lambda entry: -entry[1]["count"])
    return [(name, {key: value for key, value in entry.items() if key != "description"}) for name, entry in ordered]


def _line_of_type(name: str, kind: Mapping[str, Any]) -> str:
    patterns = ", ".join(f"{source}→{target}" for source, target in kind["patterns"][:2])
    return f"{name} ({kind['count']}){f': {patterns}' if patterns else ''}"


def _few_unused(unused: Mapping[str, Any]) -> Answer:
    labels, types = unused["labels"][:_MAX_UNUSED_NAMES], unused["types"][:_MAX_UNUSED_NAMES]
    hidden = len(unused["labels"]) - len(labels) + len(unused["types"]) - len(types)
    return {"labels": labels, "types": types, "more": unused["more"] + hidden}
