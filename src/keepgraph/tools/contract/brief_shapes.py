"""The brief form of the answers of the tools that a model reads most: entities, neighbourhoods, search, weeks, schema.

Each function takes the answer in full. It leaves out what says nothing, shortens lists, and gives a line for what was
cut: an id, a date and a sentence. A hit among texts is always a line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from keepgraph import lazy
from keepgraph.tools.contract import brief_answers
from keepgraph.tools.contract.answer_shapes import filled
from keepgraph.tools.contract.brief_answers import Entries, ShortenedList

Answer = dict[str, Any]

_MAX_QUOTES = 3
_MAX_RELATED = 3
_MAX_MENTIONED_WITH = 5
_MAX_COMMUNITIES = 2
_MAX_ALIASES = 20
_MAX_TEXT_CHARACTERS = 420
_MAX_LINE_CHARACTERS = 160
_MAX_TITLE_CHARACTERS = 80
_MAX_SUMMARY_CHARACTERS = 300
_MAX_NARRATIVE_CHARACTERS = 1_500
_MAX_UNUSED_NAMES = 20

_SHARE_OF_TELLING_RESULTS = 0.8
_PLAIN_RESULT = frozenset(
    "index fact_id recorded_at subject predicate object deduplicated valid_from valid_to effect auto_created_entities "
    "mapped_predicate mapped_types".split()
)
"""What the result of a fact has of which nothing else is to be said."""

_TOKENS_OF_TEXT_LINE = 40
"""A line of a text has seldom fewer."""

_WORD = lazy.compile(r"\w+")


def recall(answer: Answer) -> Answer:
    """The brief answer of recall_entity."""
    facts, newest = answer["facts"], answer["texts"]["newest"]
    answer = brief_answers.essential("memory", "recall_entity", answer)
    answer["entity"] = _with_few_aliases(answer["entity"])
    texts = answer.pop("texts", {"total": 0})
    lists = {
        "texts": Entries([_line_of_quotation(text) for text in newest], at_most=_MAX_QUOTES),
        "related_entities": Entries(answer.pop("related_entities"), at_most=_MAX_RELATED),
        "facts": Entries(answer.pop("facts"), [_line_of_fact(fact) for fact in facts]),
    }
    cut = brief_answers.shorten(lists, rest=answer)
    return {
        "entity": answer.pop("entity"),
        "facts": cut["facts"].full,
        **filled(more_facts=cut["facts"].lines, texts=texts["total"] and {**texts, "newest": cut["texts"].full}),
        "related_entities": cut["related_entities"].full,
        **answer,
        "truncated_facts": answer["truncated_facts"] or cut["facts"].is_cut,
        **filled(truncated_related_entities=cut["related_entities"].is_cut),
    }


def exploration(answer: Answer) -> Answer:
    """The brief answer of explore_node. Where not all fits, an edge is left out that the path of a node says."""
    full = answer
    answer = brief_answers.essential("connections", "explore_node", answer)
    if answer["center_node"] is None:
        return answer
    names = ("nodes", "edges", "facts", "episodes", "mentioned_with", "communities")
    found = {name: answer.pop(name, []) for name in names}
    nodes, said = map(_all_with_short_summary, (found["nodes"], [answer["center_node"]]))
    answer["center_node"] = _with_few_aliases(said[0])
    episodes = [_line_of_passage(episode, brief_answers.quote(episode["chunk"])) for episode in full["episodes"]]
    in_paths = {node["via"]["edge"] for node in full["nodes"] if node["via"]}
    edges = [edge for edge in full["edges"] if edge["uuid"] not in in_paths]
    lists = {
        "nodes": Entries(nodes, [_line_of_node(node, full) for node in full["nodes"]]),
        "edges": Entries(found["edges"]),
        "facts": Entries(found["facts"], [_line_of_edge(fact) for fact in full["facts"]]),
        "episodes": Entries(episodes, at_most=_MAX_QUOTES),
        "mentioned_with": Entries(found["mentioned_with"], at_most=_MAX_MENTIONED_WITH),
        "communities": Entries(found["communities"], at_most=_MAX_COMMUNITIES),
    }
    cut = brief_answers.shorten(lists, rest=answer)
    if cut["edges"].is_cut:
        shown = [edge for edge in found["edges"] if edge["uuid"] not in in_paths]
        lists["edges"] = Entries(shown, [_line_of_edge(edge) for edge in edges])
        cut = brief_answers.shorten(lists, rest=answer)
    left_out = cut["nodes"].left_out + cut["edges"].left_out
    return {
        "message": answer.pop("message"),
        "center_node": answer.pop("center_node"),
        "nodes": cut["nodes"].full,
        **filled(more_nodes=cut["nodes"].lines),
        "edges": cut["edges"].full,
        **filled(more_edges=cut["edges"].lines),
        **{name: cut[name].full for name in names[2:] if found[name] or name == "communities"},
        **filled(more_facts=cut["facts"].lines),
        **answer,
        "complete": full["complete"] and not left_out,
        "truncated": full["truncated"] or any(shortened.is_cut for shortened in cut.values()),
    }


def limit_of_texts(max_tokens: int | None) -> int:
    """How many texts a brief answer of search may have room for."""
    return (max_tokens or brief_answers.MAX_TOKENS) // _TOKENS_OF_TEXT_LINE


def search(answer: Answer, *, query: str, max_tokens: int | None) -> Answer:
    """The brief answer of search: each text a line that carries it, as many as there is room for."""
    words = _WORD.findall(query.lower())
    kinds = ("edges", "nodes", "communities")
    line_of = {"edges": _line_of_edge, "nodes": _line_of_name, "communities": _line_of_name}
    # What an edge or a text says already comes last: the ends of edges, and names that are only proposed.
    ends = {edge[end] for edge in answer["edges"] for end in ("source_node_uuid", "target_node_uuid")}
    best = answer["nodes"][:1]
    is_said = {node["uuid"]: bool(node.get("proposed") or node["uuid"] in ends) for node in answer["nodes"]}
    is_said |= {node["uuid"]: bool(node.get("proposed")) for node in best}
    full = {name: sorted(answer[name], key=lambda entry: is_said.get(entry["uuid"], False)) for name in kinds}
    first = len(full["nodes"]) - sum(is_said.values())
    episodes, was_cut = answer["episodes"], answer["truncated"]
    answer = brief_answers.essential("discovery", "search", {**answer, **full, "episodes": [], "truncated": {}})
    entries = {
        name: (_all_with_short_summary(answer.pop(name)), [line_of[name](entry) for entry in full[name]])
        for name in kinds
    }
    (nodes, lines_of_nodes) = entries.pop("nodes")
    cut = brief_answers.shorten(
        {
            "episodes": Entries(
                episodes, [_line_of_episode(episode, words) for episode in episodes], at_most=0, fills_up=True
            ),
            **{name: Entries(*of_kind) for name, of_kind in entries.items()},
            "nodes": Entries(nodes[:first], lines_of_nodes[:first]),
            "other_nodes": Entries(nodes[first:], lines_of_nodes[first:], comes_last=True),
        },
        rest=answer,
        **({} if max_tokens is None else {"max_tokens": max_tokens}),
    )
    others = cut.pop("other_nodes")
    cut["nodes"] = ShortenedList(
        [*cut["nodes"].full, *others.full],
        [*cut["nodes"].lines, *others.lines],
        cut["nodes"].left_out + others.left_out,
    )
    truncated = {name: True for name, shortened in cut.items() if was_cut[name] or shortened.left_out}
    return {
        "message": answer.pop("message"),
        **({"episodes": cut["episodes"].lines} if episodes else {}),
        **{name: cut[name].full for name in kinds},
        **filled(**{f"more_{name}": cut[name].lines for name in kinds}),
        **answer,
        **filled(truncated=truncated),
    }


def nodes(answer: Answer) -> Answer:
    """The brief answer of search_nodes."""
    return _with_short_list("connections", "search_nodes", answer, "nodes", _line_of_name)


def facts(answer: Answer) -> Answer:
    """The brief answer of search_memory_facts."""
    return _with_short_list("connections", "search_memory_facts", answer, "facts", _line_of_edge)


def decisions(answer: Answer) -> Answer:
    """The brief answer of recall_decisions."""
    return _with_short_list("memory", "recall_decisions", answer, "decisions", _line_of_decision)


def week(answer: Answer) -> Answer:
    """The brief answer of weekly_rollup."""
    names = ("decisions", "blockers", "next_actions")
    decisions, blockers = answer["decisions"], answer["blockers"]
    answer = brief_answers.essential("memory", "weekly_rollup", answer)
    if narrative := answer.get("narrative"):
        answer["narrative"] = _with_part_of_text(narrative)
    found = {name: answer.pop(name) for name in names}
    cut = brief_answers.shorten(
        {
            "blockers": Entries(found["blockers"], [_line_of_fact(fact) for fact in blockers]),
            "decisions": Entries(found["decisions"], [_line_of_decision(entry) for entry in decisions]),
            "next_actions": Entries(found["next_actions"]),
        },
        rest=answer,
    )
    is_cut = any(shortened.is_cut for shortened in cut.values())
    return {
        **answer,
        **{name: cut[name].full for name in names},
        **filled(more_decisions=cut["decisions"].lines, more_blockers=cut["blockers"].lines, truncated=is_cut),
    }


def recorded(answer: Answer) -> Answer:
    """The brief answer of record_facts: first the results that say more than that a fact was recorded."""
    answer = brief_answers.essential("memory", "record_facts", answer)
    results = answer.pop("results")
    telling = [result for result in results if result.keys() - _PLAIN_RESULT]
    plain = [result for result in results if not result.keys() - _PLAIN_RESULT]
    cut = brief_answers.shorten(
        {
            "results": Entries(telling, [_line_of_result(result) for result in telling]),
            "plain": Entries(plain, [_line_of_result(result) for result in plain], comes_last=True),
        },
        rest=answer,
        share_in_full=_SHARE_OF_TELLING_RESULTS,
    )
    is_cut = cut["results"].is_cut or cut["plain"].is_cut
    return {
        "results": sorted([*cut["results"].full, *cut["plain"].full], key=lambda result: int(result["index"])),
        **filled(more_results=[*cut["results"].lines, *cut["plain"].lines], truncated=is_cut),
        **answer,
    }


def schema(answer: Answer) -> Answer:
    """The brief answer of get_schema: the most used labels and relationship types in full, and lines for the next."""
    answer = brief_answers.essential("analysis", "get_schema", answer)
    labels, types = (_most_used(answer.pop(name)) for name in ("node_labels", "relationship_types"))
    if unused := answer.get("unused"):
        answer["unused"] = _few_unused(unused)
    cut = brief_answers.shorten(
        {
            "labels": Entries(labels, [f"{name} ({label['count']})" for name, label in labels]),
            "types": Entries(types, [_line_of_type(name, kind) for name, kind in types]),
        },
        rest=answer,
    )
    left_out = {name: shortened.left_out for name, shortened in cut.items() if shortened.left_out}
    return {
        **answer,
        "node_labels": dict(cut["labels"].full),
        "relationship_types": dict(cut["types"].full),
        **filled(more_labels=cut["labels"].lines, more_types=cut["types"].lines, left_out=left_out),
    }


def _with_short_list(toolset: str, tool: str, answer: Answer, name: str, line_of: Callable[[Answer], str]) -> Answer:
    """The brief answer of a tool whose answer has one list, with the line of each of its entries."""
    lines = list(map(line_of, answer[name]))
    answer = brief_answers.essential(toolset, tool, answer)
    entries = _all_with_short_summary(answer.pop(name))
    cut = brief_answers.shorten({name: Entries(entries, lines)}, rest=answer)[name]
    return {
        **answer,
        name: cut.full,
        **filled(**{f"more_{name}": cut.lines}),
        "truncated": answer["truncated"] or cut.is_cut,
    }


def _all_with_short_summary(entries: Sequence[Answer]) -> list[Answer]:
    return [
        {**entry, "summary": brief_answers.quote(entry["summary"], limit=_MAX_SUMMARY_CHARACTERS)}
        if len(entry.get("summary", "")) > _MAX_SUMMARY_CHARACTERS
        else entry
        for entry in entries
    ]


def _with_few_aliases(entity: Answer | None) -> Answer | None:
    if entity is None or len(entity.get("aliases", ())) <= _MAX_ALIASES:
        return entity
    return {
        **entity,
        "aliases": entity["aliases"][:_MAX_ALIASES],
        "more_aliases": len(entity["aliases"]) - _MAX_ALIASES,
    }


def _with_part_of_text(narrative: Answer) -> Answer:
    text = narrative.get("text")
    if not isinstance(text, str) or len(text) <= _MAX_NARRATIVE_CHARACTERS:
        return narrative
    return {**narrative, "text": f"{text[:_MAX_NARRATIVE_CHARACTERS].rstrip()}…", "text_truncated": True}


def _line_of_fact(fact: Mapping[str, Any]) -> str:
    target = fact["object"]
    sentence = " ".join(
        (
            fact["subject"]["name"],
            fact["predicate"].replace("_", " "),
            target.get("name") or f"“{target.get('literal', '')}”",
        )
    )
    period = _period(fact["recorded_at"], fact["valid_from"], fact["valid_to"], fact.get("beginning"))
    return _line(fact["id"], period, sentence)


def _line_of_edge(edge: Mapping[str, Any]) -> str:
    return _line(edge["uuid"], _period_of_edge(edge), edge["fact"])


def _line_of_node(node: Mapping[str, Any], exploration: Mapping[str, Any]) -> str:
    """A node of a neighbourhood with the path to it from the centre, and the time of the last edge of the path."""
    if not node["via"]:
        return _line_of_name(node)
    edge = next(edge for edge in exploration["edges"] if edge["uuid"] == node["via"]["edge"])
    path = node["via"]["path"].removeprefix(exploration["center_node"]["name"]).strip()
    return _line(node["uuid"], _period_of_edge(edge), f"{path} ({node['type']})")


def _line_of_name(entry: Mapping[str, Any]) -> str:
    """An entity or a community, with the beginning of its summary."""
    summary = entry.get("summary")
    name = f"{entry['name']} ({entry['type']})" if "type" in entry else entry["name"]
    return _line(entry["uuid"], "", f"{name}: {summary}" if summary else name)


def _line_of_episode(episode: Mapping[str, Any], words: Sequence[str]) -> str:
    """A hit among texts: what it says; of a long one the sentences with the words of the question."""
    return _line_of_passage(episode, brief_answers.excerpt(episode["chunk"], words=words, limit=_MAX_TEXT_CHARACTERS))


def _line_of_quotation(quotation: Mapping[str, Any]) -> str:
    return _line_of_passage(
        {**quotation, "uuid": quotation["doc_id"], "chunk": quotation["quote"], "source": "text"}, quotation["quote"]
    )


def _line_of_passage(episode: Mapping[str, Any], said: str) -> str:
    """A text: its id, its date, its title where that is neither said again nor the name of a turn, and what it says."""
    title = brief_answers.quote(episode["name"], limit=_MAX_TITLE_CHARACTERS)
    beginning = " ".join(episode["chunk"].lstrip("#>-* \n")[: 2 * _MAX_TITLE_CHARACTERS].split())
    begins_so = beginning.casefold().startswith(title.rstrip("….").casefold())
    if not begins_so and episode["source"] != "message":
        said = title if said in title else f"{title}: {said}"
    return f"{episode['uuid']} {episode['valid_at'][:10]} {said}"


def _line_of_decision(decision: Mapping[str, Any]) -> str:
    imported = ["imported"] if "imported_at" in decision else []
    by = ", ".join([*(person["name"] for person in decision["decided_by"]), *imported])
    return _line(decision["id"], decision["decided_on"], f"{decision['name']}{f' ({by})' if by else ''}")


def _line_of_result(result: Mapping[str, Any]) -> str:
    """The result of one fact of many: its index, and its error or its id with what else there is to see in full."""
    if "error" in result:
        return _line(str(result["index"]), result["error"], result["message"])
    telling = ", ".join(sorted(result.keys() - _PLAIN_RESULT))
    return _line(str(result["index"]), result["fact_id"], f"{result['effect']}{telling and ': '}{telling}")


def _line(id: str, when: str, text: str) -> str:
    return " ".join(filter(None, (id, when, brief_answers.quote(text, limit=_MAX_LINE_CHARACTERS))))


def _period_of_edge(edge: Mapping[str, Any]) -> str:
    return _period(edge["created_at"], edge["valid_at"], edge["invalid_at"], edge.get("beginning"))


def _period(recorded: str, since: str | None, until: str | None, beginning: str | None) -> str:
    """When a fact holds, by days; where it says neither beginning nor end, the day on which it was recorded.

    Args:
        beginning: that it is unknown whether the fact had begun by the time that is asked for.
    """
    if beginning:
        return f"beginning {beginning}{f', until {until[:10]}' if until else ''}:"
    if since and until:
        return f"{since[:10]} to {until[:10]}:"
    return f"since {since[:10]}:" if since else f"until {until[:10]}:" if until else recorded[:10]


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
