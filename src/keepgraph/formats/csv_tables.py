"""CSV tables (RFC 4180, also with semicolons, tabs or bars): each row is a fact, or each row is an entity."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from keepgraph import errors
from keepgraph.formats import records
from keepgraph.formats.records import Entity, Fact, ReadError, Record, Skipped

FACTS, ENTITIES = "facts", "entities"

_MAX_LINE_CHARACTERS = 1_000_000
_SEPARATORS = (",", ";", "\t", "|")
_ALIAS_SEPARATOR = re.compile(r"[|;\n]")
_NON_WORD = re.compile(r"[\W_]+")

# The headings of each column; the first of them is its key.
FACT_COLUMNS = {
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
    "scope": ("scope",),
}
ENTITY_COLUMNS = {
    "type": ("type", "entity_type", "kind", "category", "label"),
    "name": ("name", "entity", "entity_name", "title"),
    "aliases": ("aliases", "alias", "also_known_as", "aka", "other_names", "synonyms"),
    "summary": ("summary", "description", "about", "note", "notes"),
}
EXAMPLE = "subject_type,subject,predicate,object_type,object,literal,source"


@dataclass(frozen=True, slots=True)
class TableFormat:
    """The format of a table.

    Attributes:
        content: FACTS or ENTITIES.
        separator: the character between fields.
        headings: the fields of the first line.
        columns: what each column holds: a key of FACT_COLUMNS or ENTITY_COLUMNS; None if it is unknown.
    """

    content: str
    separator: str
    headings: tuple[str, ...]
    columns: tuple[str | None, ...]


def detect_table(first_line: str) -> TableFormat | None:
    """The format that the first line of a file names; None if it is not the heading of a table."""
    for separator in _SEPARATORS:
        try:
            headings = tuple(next(csv.reader([first_line], delimiter=separator, strict=True), ()))
        except csv.Error:
            continue
        columns = _match_columns(headings, FACT_COLUMNS)
        if {"subject", "predicate"} <= set(columns) and {"object", "literal"} & set(columns):
            return TableFormat(FACTS, separator, headings, columns)
        columns = _match_columns(headings, ENTITY_COLUMNS)
        if {"type", "name"} <= set(columns):
            return TableFormat(ENTITIES, separator, headings, columns)
    return None


def is_separator_line(line: str) -> bool:
    """Whether a line only names the separator (`sep=;`), as spreadsheets write it before the heading."""
    return line.strip().lower() in [f"sep={separator}".strip() for separator in _SEPARATORS]


def read(file: IO[bytes]) -> Iterator[Record]:
    """Every row as a record, with the number of the line at which it begins.

    A row with more fields than the heading is refused; fields that are missing at its end are empty.

    Raises:
        errors.InvalidArguments: the first line has the columns of neither table.
    """
    with records.open_text(file) as source:
        rows = _RowReader(source)
        heading = rows.read_heading()
        table = detect_table(heading)
        if table is None:
            raise errors.InvalidArguments(
                "the first line does not name the columns of a table of facts or of entities",
                hint=f"Let it begin with a line like {EXAMPLE}, or type,name,aliases,summary.",
            )
        unknown = [
            name for name, column in zip(table.headings, table.columns, strict=True) if not column and name.strip()
        ]
        if table.content == FACTS and unknown:
            yield Skipped(1, f"column {', '.join(records.replace_invalid(name) for name in unknown)}")
        for number, row in rows.read_rows(table.separator):
            if isinstance(row, errors.KeepgraphError):
                yield ReadError(number, row)
            elif any(field.strip() for field in row):
                yield _parse_row(number, row, table)


def _match_columns(headings: Sequence[str], spellings: Mapping[str, Sequence[str]]) -> tuple[str | None, ...]:
    """The key of each column by its heading; if two columns have the same, the second has none."""
    columns: list[str | None] = []
    for heading in headings:
        name = _NON_WORD.sub("_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", heading.strip())).strip("_").lower()
        column = next((column for column, names in spellings.items() if name in names), None)
        columns.append(column if column not in columns else None)
    return tuple(columns)


class _RowReader:
    """The rows of a table, each with the number of its first line. Lines that are too long are not held in memory."""

    def __init__(self, source: IO[str]) -> None:
        self._lines = records.read_lines(source, max_characters=_MAX_LINE_CHARACTERS)
        self._line_number = 0
        self._too_long = False

    def read_heading(self) -> str:
        """The first line that is not blank and does not only name the separator."""
        return next((line for line in self._line_texts() if line.strip() and not is_separator_line(line)), "")

    def read_rows(self, separator: str) -> Iterator[tuple[int, list[str] | errors.KeepgraphError]]:
        """The rows after the heading, or the errors why they cannot be read."""
        reader = csv.reader(self._line_texts(), delimiter=separator, strict=True)
        while True:
            number = self._line_number + 1
            self._too_long = False
            try:
                row = next(reader, None)
            except csv.Error as error:
                yield number, errors.InvalidArguments(_csv_message(error))
                continue
            if row is None:
                return
            if self._too_long:
                yield number, errors.InvalidArguments(f"a line of it has more than {_MAX_LINE_CHARACTERS:,} characters")
            elif not all(map(records.is_valid, row)):
                yield number, errors.InvalidArguments("it is not text in UTF-8", hint="Save the table as CSV in UTF-8.")
            elif row:
                yield number, row

    def _line_texts(self) -> Iterator[str]:
        for number, line in self._lines:
            self._line_number = number
            self._too_long = self._too_long or line is None
            yield line if line is not None else "\n"


def _csv_message(error: csv.Error) -> str:
    message = str(error)
    if message.startswith("field larger"):
        return f"a field has more than {csv.field_size_limit():,} characters; perhaps a quotation mark is not closed"
    return f"not CSV: {message}"


def _parse_row(number: int, row: Sequence[str], table: TableFormat) -> Record:
    if len(row) > len(table.columns) and any(row[len(table.columns) :]):
        problem = f"{len(row)} fields, where the heading has {len(table.columns)}"
        return ReadError(number, errors.InvalidArguments(problem, hint="Put fields with commas in quotation marks."))
    # Shorter rows and longer ones that are empty at the end are as long as the heading.
    fields = {column: field.strip() for column, field in zip(table.columns, row, strict=False) if column}
    try:
        if table.content == FACTS:
            return _parse_fact(
                number, fields, has_type_columns="subject_type" in table.columns or "object_type" in table.columns
            )
        properties = {
            heading.strip(): field.strip()
            for heading, column, field in zip(table.headings, table.columns, row, strict=False)
            if column is None and heading.strip() and field.strip()
        }
        return _parse_entity(number, fields, properties)
    except errors.InvalidRequest as error:
        return ReadError(number, error)


def _parse_fact(number: int, fields: Mapping[str, str], *, has_type_columns: bool) -> Fact:
    subject_type, subject = _split_type(
        fields.get("subject_type", ""), fields.get("subject", ""), has_type_columns=has_type_columns
    )
    object_type, target = _split_type(
        fields.get("object_type", ""), fields.get("object", ""), has_type_columns=has_type_columns
    )
    literal = fields.get("literal") or None
    if target and (object_type or "").lower() in ("literal", "text", "string"):
        literal, target, object_type = target, "", None
    if not subject:
        raise errors.SubjectRequired("the subject is empty")
    if not fields.get("predicate"):
        raise errors.PredicateUnknown("the predicate is empty")
    if bool(target) == bool(literal):
        problem = "it has an object and a literal" if target else "it has neither an object nor a literal"
        raise errors.ObjectRequired(problem, hint="Give one of them.")
    return Fact(
        position=number,
        subject=subject,
        predicate=fields["predicate"],
        subject_type=subject_type,
        object=target or None,
        object_type=object_type if target else None,
        literal=literal,
        source=fields.get("source") or None,
        confidence=_parse_confidence(fields.get("confidence", "")),
        valid_from=fields.get("valid_from") or None,
        valid_to=fields.get("valid_to") or None,
        scope=fields.get("scope") or None,
    )


def _split_type(entity_type: str, name: str, *, has_type_columns: bool) -> tuple[str | None, str]:
    """A type and a name. In a table without columns for types a name may begin with its type: `person:Ada`."""
    if not has_type_columns and ":" in name:
        entity_type, _, name = name.partition(":")
    return entity_type.strip() or None, name.strip()


def _parse_confidence(text: str) -> float | None:
    """
    Raises:
        errors.ConfidenceOutOfRange: it is neither a number from 0 to 1 nor a percentage.
    """
    if not text:
        return None
    number = text.rstrip("%").strip().replace(",", ".")
    try:
        confidence = float(number) / (100 if text.endswith("%") else 1)
    except ValueError:
        confidence = math.nan
    if not 0 <= confidence <= 1:
        raise errors.ConfidenceOutOfRange(f"{text!r} is not a confidence")
    return confidence


def _parse_entity(number: int, fields: Mapping[str, str], properties: Mapping[str, str]) -> Entity:
    if not fields.get("name"):
        raise errors.InvalidArguments("the name is empty")
    aliases = (alias.strip() for alias in _ALIAS_SEPARATOR.split(fields.get("aliases", "")))
    return Entity(
        position=number,
        type=fields.get("type", ""),
        name=fields["name"],
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias)),
        summary=fields.get("summary", ""),
        properties=properties,
    )
