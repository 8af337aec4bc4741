"""The page of an entity (`kg show`) and its timeline: facts, events, neighbours, texts and sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from keepgraph.cli.output import pages, terminal
from keepgraph.cli.output.pages import Section
from keepgraph.english import count_noun, with_article

MAX_ROWS = 8
"""The most rows of a section; a predicate may have more, and neighbours have their own limit."""

_MAX_FACTS_PER_PREDICATE = 20
_EVENT_PREFIXES = {"began": "", "ended": "no longer: "}


def show_page(answers: dict[str, Any], *, name: str) -> None:
    """Show the page of an entity.

    Args:
        answers: by tool: explore_node, get_entity_connections, get_entity_timeline.
        name: as the user wrote it.
    """
    around = answers["explore_node"]
    connections, timeline = answers["get_entity_connections"], answers["get_entity_timeline"]
    entity = around["center_node"]
    facts = [fact for fact in connections["facts"] if not fact["uuid"].startswith("mention:")]
    intro = [entity["summary"]] if entity["summary"] and not entity.get("proposed") else []
    if entity["aliases"]:
        intro.insert(0, f"also called {', '.join(entity['aliases'])}")
    attributes = {} if entity.get("proposed") else entity["attributes"]
    sections = [
        Section("Properties", terminal.property_rows(attributes)),
        *_fact_sections(entity, facts, more=connections["total_facts"] - len(facts)),
        Section(
            "Timeline", timeline_rows(timeline, newest=True)[:MAX_ROWS], more=_more_events(timeline), dims_left=True
        ),
        _neighbour_section(around),
        _co_mention_section(around),
        _episode_section(timeline),
        _source_section(facts, around["communities"]),
    ]
    pages.show_page(
        terminal.printable(entity["name"]),
        f"{kind_of(entity)}{terminal.resolution_note(name, around['resolution'])}",
        [terminal.printable(line) for line in intro],
        [section for section in sections if section.rows],
    )


def kind_of(entity: dict[str, Any]) -> str:
    """The type of an entity, or that it is only a name in texts."""
    return f"a name in texts, perhaps {with_article(entity['type'])}" if entity.get("proposed") else str(entity["type"])


def timeline_rows(timeline: dict[str, Any], *, newest: bool) -> list[tuple[str, str]]:
    """The events and episodes of a timeline in the order of time, as (day, text)."""
    rows = [(event["at"], f"{_EVENT_PREFIXES[event['what']]}{event['fact']}") for event in timeline["events"]]
    rows += [(episode["valid_at"], _quote_episode(episode)) for episode in timeline["episodes"]]
    rows.sort(key=lambda row: datetime.fromisoformat(row[0]), reverse=newest)
    return [(terminal.day(at), terminal.printable(text)) for at, text in rows]


def is_named_by_beginning(episode: dict[str, Any]) -> bool:
    """Whether the name of an episode is only the beginning of its text."""
    text = episode.get("content") or episode.get("chunk", "")
    return " ".join(text.split()).startswith(episode["name"].rstrip("…"))


def _fact_sections(entity: dict[str, Any], facts: Sequence[dict[str, Any]], *, more: int) -> list[Section]:
    """The facts of an entity, a section for each predicate: first those with it as subject, then as object.

    A fact with an inverse reading is in the section of that reading: `employs`, not `… works at Acme`.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for outgoing in (True, False):
        for fact in sorted(facts, key=lambda fact: (fact["name"], fact["invalid_at"] is not None)):
            if (fact["source_node_uuid"] == entity["uuid"]) is not outgoing:
                continue
            title = (
                _title(fact)
                if outgoing or "reads" in fact
                else f"… {_title(fact)} {terminal.printable(entity['name'])}"
            )
            groups.setdefault(title, []).append((_other_endpoint(fact, outgoing=outgoing), _fact_details(fact)))
    sections = [
        Section(title, rows[:_MAX_FACTS_PER_PREDICATE], more=_more(len(rows) - _MAX_FACTS_PER_PREDICATE))
        for title, rows in groups.items()
    ]
    if more > 0 and sections:
        older = f"… and {more:,} older facts"
        sections[-1] = replace(sections[-1], more="; ".join(filter(None, (sections[-1].more, older))))
    return sections


def _title(fact: dict[str, Any]) -> str:
    name: str = fact["reads"]["name"] if "reads" in fact else fact["name"]
    return terminal.printable(name.replace("_", " "))


def _other_endpoint(fact: dict[str, Any], *, outgoing: bool) -> str:
    if not outgoing:
        return terminal.printable(fact["source_name"])
    name = terminal.printable(fact["target_name"])
    return name if fact["target_node_uuid"] else f"“{name}”"


def _fact_details(fact: dict[str, Any]) -> str:
    began = fact["valid_at"]
    is_to_come = bool(began) and datetime.fromisoformat(began) > datetime.now(UTC)
    since = "from" if is_to_come else "since"
    details = [f"{since} {terminal.day(began)}" if began else terminal.day(fact["created_at"])]
    if fact["invalid_at"]:
        details.append(f"until {_last_day(fact['invalid_at'])}")
    if fact["confidence"] < 1:
        details.append(f"confidence {fact['confidence']:g}")
    if fact["source"]:
        details.append(terminal.printable(fact["source"]))
    return ", ".join(details)


def _last_day(end: str) -> str:
    """The last day of a validity. Its end is exclusive: midnight belongs to the day before."""
    return (datetime.fromisoformat(end) - timedelta(milliseconds=1)).date().isoformat()


def _more(hidden: int) -> str:
    return f"… and {hidden:,} more" if hidden > 0 else ""


def _quote_episode(episode: dict[str, Any]) -> str:
    """The text of an episode, after its name unless that is only the beginning of the text."""
    if is_named_by_beginning(episode):
        return f"“{episode['chunk']}”"
    return f"“{episode['name']}”: {episode['chunk']}"


def _more_events(timeline: dict[str, Any]) -> str:
    if timeline["events_truncated"]:
        return "… and earlier; `kg timeline` shows more"
    hidden = len(timeline["events"]) + timeline["total"] - MAX_ROWS
    return f"… and {hidden:,} earlier; `kg timeline` shows all" if hidden > 0 else ""


def _neighbour_section(around: dict[str, Any]) -> Section:
    rows = []
    for node in around["nodes"]:
        path = node["via"]["path"] if node["via"] and node["distance"] > 1 else ""
        facts = f"in {count_noun(node['degree'], 'fact')}"
        details = ", ".join(filter(None, (node["type"], facts, terminal.printable(path))))
        rows.append((terminal.printable(node["name"]), details))
    distances = around["totals"]["by_distance"]
    total = sum(distance["nodes"] for distance in distances)
    is_exact = all(distance["exact"] for distance in distances)
    hidden = total - len(rows)
    more = f"… and {'' if is_exact else 'at least '}{hidden:,} more; --limit shows them" if hidden > 0 else ""
    return Section("Neighbours", rows, more=more)


def _co_mention_section(around: dict[str, Any]) -> Section:
    rows = []
    for entity in around["mentioned_with"][:MAX_ROWS]:
        perhaps = "perhaps a " if entity.get("proposed") else ""
        rows.append((terminal.printable(entity["name"]), f"{perhaps}{entity['type']}, {entity['texts']} ×"))
    return Section("In the same texts", rows)


def _episode_section(timeline: dict[str, Any]) -> Section:
    rows = []
    for episode in timeline["episodes"]:
        source = terminal.printable(episode["source_description"])
        details = ", ".join(filter(None, (terminal.day(episode["valid_at"]), episode["source"], source)))
        rows.append((f"“{terminal.printable(episode['name'])}”", details))
    hidden = timeline["total"] - len(rows)
    return Section("Texts", rows, more=f"… and {hidden:,} older" if hidden > 0 else "")


def _source_section(facts: Sequence[dict[str, Any]], communities: Sequence[dict[str, Any]]) -> Section:
    counts = Counter(fact["source"] for fact in facts if fact["source"])
    rows = [(terminal.printable(source), count_noun(count, "fact")) for source, count in counts.most_common(MAX_ROWS)]
    rows += [
        (terminal.printable(community["name"]), f"a community of {community['member_count']}")
        for community in communities
    ]
    return Section("Sources", rows, more=_more(len(counts) - MAX_ROWS))
