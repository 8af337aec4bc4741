"""The vocabulary on the terminal: types as a tree, predicates with their ends, and a page for one word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from keepgraph.cli.output import pages
from keepgraph.cli.output.pages import Section
from keepgraph.cli.output.terminal import printable
from keepgraph.english import count_noun

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
    pages.show_sections([section for section in sections if section.rows])


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
    pages.show_page(
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
    for title, field in (
        ("kind of", "ancestors"),
        ("subtypes", "subtypes"),
        ("disjoint with", "disjoint"),
        ("subject of", "as_source_of"),
        ("object of", "as_target_of"),
    ):
        if answer[field]:
            yield title, ", ".join(map(printable, answer[field]))


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
    more = len(labels) - _LABELS_SHOWN
    listed = ", ".join(labels[:_LABELS_SHOWN]) + (f" and {more} more" if more > 0 else "")
    examples = ", ".join(map(printable, answer["examples"]))
    rows = [("also", listed), ("for example", examples), ("code", answer["notation"]), ("URI", answer["uri"])]
    return [(title, printable(text)) for title, text in rows if text]
