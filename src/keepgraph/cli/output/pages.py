"""Pages of an entity and of the vocabulary: sections with rows of two columns, fitted to the terminal.

All texts must be printable: see `terminal.printable`.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import Any

import click

from keepgraph.cli.output import tables, terminal
from keepgraph.cli.output.terminal import printable
from keepgraph.english import count_noun, listed, with_article
from keepgraph.lazy import dataclass

_INDENT = "  "
_GAP = 2
_MAX_LEFT_WIDTH = 36
_MIN_COLUMN_WIDTH = 12
_MAX_WIDTH = 110


@dataclass(frozen=True, slots=True)
class Section:
    """A title, rows of two columns, and a line about omitted rows.

    Attributes:
        dims_left: whether the left column (of dates) is dimmed instead of the right one.
    """

    title: str
    rows: Sequence[tuple[str, str]] = field(default_factory=list)
    more: str = ""
    dims_left: bool = False


def show_page(title: str, kind: str, intro: Sequence[str], sections: Sequence[Section]) -> None:
    """Print a page: its title and kind, introductory lines, and sections."""
    click.secho(title, bold=True, nl=False)
    click.echo(f"  {kind}")
    for text in intro:
        for line in _wrap(text, _page_width() - len(_INDENT)):
            click.echo(_INDENT + line)
    if sections:
        click.echo()
        show_sections(sections)


def show_sections(sections: Sequence[Section]) -> None:
    """Print sections, separated by empty lines."""
    for number, section in enumerate(sections):
        if number:
            click.echo()
        if section.title:
            click.secho(section.title, bold=True)
        for row in _section_lines(section):
            click.echo(row)
        if section.more:
            click.secho(_INDENT + section.more, dim=True)


def _section_lines(section: Section) -> Iterator[str]:
    max_left = max(min(_MAX_LEFT_WIDTH, _page_width() // 2), _MIN_COLUMN_WIDTH)
    left_width = max((min(len(tables.padding(label)), max_left) for label, _ in section.rows), default=0)
    right_width = max(_page_width() - len(_INDENT) - left_width - _GAP, _MIN_COLUMN_WIDTH)
    for label, text in section.rows:
        if not text:
            yield from (_INDENT + line for line in _wrap(label, _page_width() - len(_INDENT)))
            continue
        name = tables.truncate(label, left_width) if sys.stdout.isatty() else label
        blanks = " " * (max(left_width - len(tables.padding(name)), 0) + _GAP)
        first, *more = _wrap(text, right_width)
        dim_left, dim_right = section.dims_left, not section.dims_left
        yield f"{_INDENT}{click.style(name, dim=dim_left)}{blanks}{click.style(first, dim=dim_right)}"
        for line in more:
            yield f"{_INDENT}{' ' * (left_width + _GAP)}{click.style(line, dim=dim_right)}"


def _wrap(text: str, width: int) -> list[str]:
    if not sys.stdout.isatty():
        return [text]  # in a file or a pipe a row is a line
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _page_width() -> int:
    return min(shutil.get_terminal_size().columns, _MAX_WIDTH)


# The vocabulary on the terminal: types as a tree, predicates with their ends, and a page for one word.

_LABELS_SHOWN = 12


def show_vocabulary(answer: dict[str, Any]) -> None:
    """Print all types as a tree, each under its first parent, and all predicates."""
    types, predicates = answer["entity_types"], answer["predicates"]
    if not types and not predicates:
        click.echo("There are no words of this kind.")
        return
    sections = [
        Section("Types", list(_tree_rows(types))),
        Section("Predicates", [(printable(term["name"]), _predicate_line(term)) for term in predicates]),
    ]
    show_sections([section for section in sections if section.rows])


def show_word(answer: dict[str, Any]) -> None:
    """Print the page of one word."""
    is_type = answer["kind"] == "entity_type"
    intro = [printable(answer["description"])] if answer["description"] else []
    if answer["retired"]:
        instead = f"; use {printable(answer['replaced_by'])}" if answer["replaced_by"] else ""
        intro.append(f"Retired{instead}.")
    rows = list(_type_rows(answer) if is_type else _predicate_rows(answer))
    rows += _shared_rows(answer)
    count = count_noun(answer["count"], "entity" if is_type else "fact")
    uses = Section(f"Used: {count}", [(printable(text), "") for text in answer["uses"]])
    show_page(
        printable(answer["name"]),
        f"{'type' if is_type else 'predicate'} of the set {printable(answer['set'])} {printable(answer['version'])}",
        intro,
        [Section("", rows), uses] if rows else [uses],
    )


def ends(sources: Sequence[str], targets: Sequence[str], literal: str | None) -> str:
    """The ends of a predicate on one line: person → organisation."""
    target = printable(literal) if literal else " | ".join(map(printable, targets)) or "anything"
    return f"{' | '.join(map(printable, sources)) or 'anything'} → {target}"


def _tree_rows(types: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    names = {term["name"] for term in types}
    children: dict[str | None, list[dict[str, Any]]] = {}
    for term in types:
        parent = next((parent for parent in term["parents"] if parent in names), None)
        children.setdefault(parent, []).append(term)
    pending = [(term, 0) for term in reversed(children.get(None, ()))]
    while pending:
        term, depth = pending.pop()
        yield "  " * depth + printable(term["name"]), _type_line(term)
        pending += [(child, depth + 1) for child in reversed(children.get(term["name"], ()))]


def _type_line(term: dict[str, Any]) -> str:
    parts = [f"{term['count']:,}", term["style"], *_notes(term)]
    if term["abstract"]:
        parts.append("abstract")
    return " · ".join([*parts, *([printable(term["description"])] if term["description"] else [])])


def _predicate_line(term: dict[str, Any]) -> str:
    parts = [ends(term["sources"], term["targets"], term["literal"])]
    parts.append(f"inverse of {printable(term['inverse_of'])}" if term["inverse_of"] else f"{term['count']:,}")
    return " · ".join([*parts, *_notes(term), *([printable(term["description"])] if term["description"] else [])])


def _notes(term: dict[str, Any]) -> list[str]:
    if not term["retired"]:
        return []
    return [f"retired, use {printable(term['replaced_by'])}" if term["replaced_by"] else "retired"]


def _type_rows(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "names", f"{answer['style']}{', abstract' if answer['abstract'] else ''}"
    for title, name in (
        ("kind of", "ancestors"),
        ("subtypes", "subtypes"),
        ("disjoint with", "disjoint"),
        ("subject of", "as_source_of"),
        ("object of", "as_target_of"),
    ):
        if answer[name]:
            yield title, ", ".join(map(printable, answer[name]))


def _predicate_rows(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "connects", ends(answer["sources"], answer["targets"], answer["literal"])
    if answer["inverse_of"]:
        yield "inverse of", printable(answer["inverse_of"])
    if answer["inverses"]:
        yield "inverse", ", ".join(map(printable, answer["inverses"]))
    if answer["role"]:
        yield "role", answer["role"].replace("_", " ")
    if answer["flags"]:
        yield "is", ", ".join(flag.replace("_", " ") for flag in answer["flags"])
    if answer["sentence"]:
        yield "reads", printable(answer["sentence"])
    for pattern in answer["patterns"]:
        yield (
            count_noun(pattern["count"], "fact"),
            ends(
                [pattern["subject"]],
                [pattern["object"]] if pattern["object"] else [],
                None if pattern["object"] else "text",
            ),
        )
    if answer["outside_ends"]:
        yield "outside", f"{count_noun(answer['outside_ends'], 'fact')} do not fit its ends"


def _shared_rows(answer: dict[str, Any]) -> list[tuple[str, str]]:
    labels = [
        printable(label["label"]) if label["language"] == "en" else f"{printable(label['label'])} ({label['language']})"
        for label in answer["labels"]
        if label["status"] != "hidden"
    ]
    examples = ", ".join(map(printable, answer["examples"]))
    rows = [
        ("also", listed(labels, _LABELS_SHOWN)),
        ("for example", examples),
        ("code", answer["notation"]),
        ("URI", answer["uri"]),
    ]
    return [(title, printable(text)) for title, text in rows if text]


# The page of an entity (`kg show`) and its timeline: facts, events, neighbours, texts and sources.

MAX_ROWS = 8
"""The most rows of a section; a predicate may have more, and neighbours have their own limit."""

_MAX_FACTS_PER_PREDICATE = 20
_EVENT_PREFIXES = {"began": "", "ended": "no longer: "}


def show_entity(answers: dict[str, Any], *, name: str) -> None:
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
    show_page(
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
        Section(title, rows[:_MAX_FACTS_PER_PREDICATE], more=terminal.more(len(rows) - _MAX_FACTS_PER_PREDICATE))
        for title, rows in groups.items()
    ]
    if (older := terminal.more(more, "older facts")) and sections:
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
        details.append(f"until {terminal.last_day(fact['invalid_at'])}")
    if fact["confidence"] < 1:
        details.append(f"confidence {fact['confidence']:g}")
    if fact["source"]:
        details.append(terminal.printable(fact["source"]))
    return ", ".join(details)


def _quote_episode(episode: dict[str, Any]) -> str:
    """The text of an episode, after its name unless that is only the beginning of the text."""
    if is_named_by_beginning(episode):
        return f"“{episode['chunk']}”"
    return f"“{episode['name']}”: {episode['chunk']}"


def _more_events(timeline: dict[str, Any]) -> str:
    if timeline["events_truncated"]:
        return "… and earlier; `kg timeline` shows more"
    hidden = len(timeline["events"]) + timeline["total"] - MAX_ROWS
    return terminal.more(hidden, "earlier; `kg timeline` shows all")


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
    return Section("Texts", rows, more=terminal.more(hidden, "older"))


def _source_section(facts: Sequence[dict[str, Any]], communities: Sequence[dict[str, Any]]) -> Section:
    counts = Counter(fact["source"] for fact in facts if fact["source"])
    rows = [(terminal.printable(source), count_noun(count, "fact")) for source, count in counts.most_common(MAX_ROWS)]
    rows += [
        (terminal.printable(community["name"]), f"a community of {community['member_count']}")
        for community in communities
    ]
    return Section("Sources", rows, more=terminal.more(len(counts) - MAX_ROWS))
