"""Reads tables as CSV (RFC 4180, also with semicolons or tabs): facts a row, or entities a row. Knows no graph."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from keepgraph import errors
from keepgraph.formats import streams
from keepgraph.formats.records import Entity, Fact, LeftOut, Record, Trouble

FACTS, ENTITIES = "facts", "entities"

_LINE_AT_MOST = 1_000_000
_SEPARATORS = (",", ";", "\t", "|")
_BETWEEN_ALIASES = re.compile(r"[|;\n]")
_NO_LETTER = re.compile(r"[\W_]+")

OF_FACTS = {
    "subject_type": ("subject_type", "type_of_subject", "from_type", "source_type"),
    "subject": ("subject", "subject_name", "from", "head"),
    "predicate": ("predicate", "relation", "relation_type", "relationship", "verb", "property"),
    "object_type": ("object_type", "type_of_object", "to_type", "target_type"),
    "object": ("object", "object_name", "to", "target", "tail"),
    "literal": ("literal", "value", "text", "object_literal"),
    "source": ("source", "sources", "reference", "origin"),
    "confidence": ("confidence", "certainty", "probability"),
    "valid_from": ("valid_from", "since", "start", "start_date", "begin", "from_date"),
    "valid_to": ("valid_to", "valid_until", "until", "end", "end_date", "to_date"),
}
OF_ENTITIES = {
    "type": ("type", "entity_type", "kind", "category", "label"),
    "name": ("name", "entity", "entity_name", "title"),
    "aliases": ("aliases", "alias", "also_known_as", "aka", "other_names", "synonyms"),
    "summary": ("summary", "description", "about", "note", "notes"),
}
EXAMPLE = "subject_type,subject,predicate,object_type,object,literal,source"


@dataclass(frozen=True, slots=True)
class Table:
    """How a file is written: what it lists, how it is separated, and what each column is, None if nothing we know."""

    lists: str
    separator: str
    headings: tuple[str, ...]
    columns: tuple[str | None, ...]


def table(heading: str) -> Table | None:
    """What the first line of a file says of its table; None where it is none."""
    for separator in _SEPARATORS:
        try:
            headings = tuple(next(csv.reader([heading], delimiter=separator, strict=True), ()))
        except csv.Error:
            continue
        columns = _columns(headings, OF_FACTS)
        if {"subject", "predicate"} <= set(columns) and {"object", "literal"} & set(columns):
            return Table(FACTS, separator, headings, columns)
        columns = _columns(headings, OF_ENTITIES)
        if {"type", "name"} <= set(columns):
            return Table(ENTITIES, separator, headings, columns)
    return None


def names_separator(line: str) -> bool:
    """Whether a line is the one by which spreadsheets name the separator; the heading follows."""
    return line.strip().lower() in [f"sep={separator}".strip() for separator in _SEPARATORS]


def read(file: IO[bytes]) -> Iterator[Record]:
    """Every row as a record, with the number of the line at which it begins.

    A row with more fields than the heading is refused; fields that are missing at its end are empty.

    Raises:
        errors.InvalidArguments: the first line names no columns of either table.
    """
    with streams.text(file) as source:
        rows = _Rows(source)
        heading = rows.first_line()
        here = table(heading)
        if here is None:
            raise errors.InvalidArguments(
                "the first line does not name the columns of a table of facts or of entities",
                hint=f"Let it begin with a line like {EXAMPLE}, or type,name,aliases,summary.",
            )
        unknown = [
            name for name, column in zip(here.headings, here.columns, strict=True) if not column and name.strip()
        ]
        if here.lists == FACTS and unknown:
            yield LeftOut(1, f"column {', '.join(streams.whole(name) for name in unknown)}")
        for number, row in rows.after_heading(here.separator):
            if isinstance(row, errors.KeepgraphError):
                yield Trouble(number, row)
            elif any(field.strip() for field in row):
                yield _record(number, row, here)


def _columns(headings: Sequence[str], known: Mapping[str, Sequence[str]]) -> tuple[str | None, ...]:
    """What each column is; of two that would be the same the first."""
    taken: list[str | None] = []
    for heading in headings:
        spelled = _NO_LETTER.sub("_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", heading.strip())).strip("_").lower()
        column = next((column for column, spellings in known.items() if spelled in spellings), None)
        taken.append(column if column not in taken else None)
    return tuple(taken)


class _Rows:
    """The rows of a table, each with the line at which it begins. Of a line that is too long, no more is held."""

    def __init__(self, source: IO[str]) -> None:
        self._lines = streams.lines(source, at_most=_LINE_AT_MOST)
        self._line = 0
        self._too_long = False

    def first_line(self) -> str:
        """The first line with something in it; the one by which spreadsheets name the separator does not count."""
        return next((line for line in self._texts() if line.strip() and not names_separator(line)), "")

    def after_heading(self, separator: str) -> Iterator[tuple[int, list[str] | errors.KeepgraphError]]:
        reader = csv.reader(self._texts(), delimiter=separator, strict=True)
        while True:
            begins = self._line + 1
            self._too_long = False
            try:
                row = next(reader, None)
            except csv.Error as error:
                yield begins, errors.InvalidArguments(_told(error))
                continue
            if row is None:
                return
            if self._too_long:
                yield begins, errors.InvalidArguments(f"a line of it has more than {_LINE_AT_MOST:,} characters")
            elif not all(map(streams.is_whole, row)):
                yield begins, errors.InvalidArguments("it is not text in UTF-8", hint="Save the table as CSV in UTF-8.")
            elif row:
                yield begins, row

    def _texts(self) -> Iterator[str]:
        for number, line in self._lines:
            self._line = number
            self._too_long = self._too_long or line is None
            yield line if line is not None else "\n"


def _told(error: csv.Error) -> str:
    said = str(error)
    if said.startswith("field larger"):
        return f"a field has more than {csv.field_size_limit():,} characters; perhaps a quotation mark is not closed"
    return f"not CSV: {said}"


def _record(number: int, row: Sequence[str], here: Table) -> Record:
    if len(row) > len(here.columns) and any(row[len(here.columns) :]):
        problem = f"{len(row)} fields, where the heading has {len(here.columns)}"
        return Trouble(number, errors.InvalidArguments(problem, hint="Put quotation marks around what has commas."))
    # Shorter rows and longer ones that are empty at the end are as long as the heading.
    given = {column: field.strip() for column, field in zip(here.columns, row, strict=False) if column}
    try:
        if here.lists == FACTS:
            return _fact(number, given, typed="subject_type" in here.columns or "object_type" in here.columns)
        others = {
            heading.strip(): field.strip()
            for heading, column, field in zip(here.headings, here.columns, row, strict=False)
            if column is None and heading.strip() and field.strip()
        }
        return _entity(number, given, others)
    except errors.InvalidRequest as error:
        return Trouble(number, error)


def _fact(number: int, given: Mapping[str, str], *, typed: bool) -> Fact:
    subject_type, subject = _typed(given.get("subject_type", ""), given.get("subject", ""), apart=typed)
    object_type, target = _typed(given.get("object_type", ""), given.get("object", ""), apart=typed)
    literal = given.get("literal") or None
    if target and (object_type or "").lower() in ("literal", "text", "string"):
        literal, target, object_type = target, "", None
    if not subject:
        raise errors.SubjectRequired("the subject is empty")
    if not given.get("predicate"):
        raise errors.PredicateUnknown("the predicate is empty")
    if bool(target) == bool(literal):
        problem = "it has an object and a literal" if target else "it has neither an object nor a literal"
        raise errors.ObjectRequired(problem, hint="Give one of them.")
    return Fact(
        place=number,
        subject=subject,
        predicate=given["predicate"],
        subject_type=subject_type,
        object=target or None,
        object_type=object_type if target else None,
        literal=literal,
        source=given.get("source") or None,
        confidence=_confidence(given.get("confidence", "")),
        valid_from=given.get("valid_from") or None,
        valid_to=given.get("valid_to") or None,
    )


def _typed(word: str, name: str, *, apart: bool) -> tuple[str | None, str]:
    """A type and a name. In a table without columns for types a name may say its own: `person:Ada`."""
    if not apart and ":" in name:
        word, _, name = name.partition(":")
    return word.strip() or None, name.strip()


def _confidence(given: str) -> float | None:
    """
    Raises:
        errors.ConfidenceOutOfRange: it is no number from 0 to 1, and no percentage.
    """
    if not given:
        return None
    number = given.rstrip("%").strip().replace(",", ".")
    try:
        confidence = float(number) / (100 if given.endswith("%") else 1)
    except ValueError:
        confidence = math.nan
    if not 0 <= confidence <= 1:
        raise errors.ConfidenceOutOfRange(f"{given!r} is not a confidence")
    return confidence


def _entity(number: int, given: Mapping[str, str], others: Mapping[str, str]) -> Entity:
    if not given.get("name"):
        raise errors.InvalidArguments("the name is empty")
    aliases = (alias.strip() for alias in _BETWEEN_ALIASES.split(given.get("aliases", "")))
    return Entity(
        place=number,
        type=given.get("type", ""),
        name=given["name"],
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias)),
        summary=given.get("summary", ""),
        properties=others,
    )
