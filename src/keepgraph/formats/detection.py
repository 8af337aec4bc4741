"""Format detection: which program wrote a file, by its content; and one `read` for all formats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import IO

from keepgraph import errors
from keepgraph.formats import address_books, bibliographies, chat_archives, csv_tables, memory_server, records
from keepgraph.formats.records import Record

LINES = "lines"
"""An export of Keepgraph, or facts written by hand as the arguments of `record_fact`. It has no reader here."""

MEMORY_SERVER = "memory-server"
CSV = "csv"
CLAUDE, CHATGPT = chat_archives.CLAUDE, chat_archives.CHATGPT

BIBTEX, RIS, CSL = bibliographies.BIBTEX, bibliographies.RIS, bibliographies.CSL
VCARD, CALENDAR = address_books.VCARD, address_books.CALENDAR

FORMATS = (LINES, MEMORY_SERVER, CSV, CLAUDE, CHATGPT, BIBTEX, RIS, CSL, VCARD, CALENDAR)

_CHARACTERS_OF_BEGINNING = 20_000
_SAMPLE_LINES = 20
_SAMPLE_CHARACTERS = 4_000_000
_OWN_KEYS = {"keepgraph", "kind", "subject"}


def detect(file: IO[bytes]) -> str:
    """The format of a file, by its beginning, whatever its name. The file must be seekable.

    Raises:
        errors.FormatUnknown: it has none of these formats.
        errors.InvalidArguments: a zip file that is damaged, encrypted, unpacks to too much, or has no conversations.
    """
    try:
        file.seek(0)
        if chat_archives.is_zip(file.read(4)):
            return _detect_service(file)
        with records.open_text(file) as source:
            first_character = _first_character(source)
        if first_character == "[":
            return _detect_service(file)
        if first_character != "{":
            with records.open_text(file) as source:
                beginning = source.read(_CHARACTERS_OF_BEGINNING)
            if format := bibliographies.detect(beginning) or address_books.detect(beginning):
                return format
        return CSV if first_character != "{" and _is_table(file) else _detect_lines(file)
    finally:
        file.seek(0)


def read(file: IO[bytes], format: str) -> Iterator[Record]:
    """The records of a file, one by one, while the file is read; `file.tell()` gives the progress.

    Raises:
        errors.InvalidArguments: the file as a whole does not have this format.
    """
    if format in (BIBTEX, RIS, CSL):
        return bibliographies.read(file, format)
    if format in (VCARD, CALENDAR):
        return address_books.read(file, format)
    readers = {
        MEMORY_SERVER: memory_server.read,
        CSV: csv_tables.read,
        CLAUDE: chat_archives.read_chat_export,
        CHATGPT: chat_archives.read_chat_export,
    }
    return readers[format](file)


def _first_character(source: IO[str]) -> str:
    while part := source.read(_SAMPLE_CHARACTERS):
        if text := part.lstrip():
            return text[0]
    raise _format_unknown("it is empty")


def _is_table(file: IO[bytes]) -> bool:
    """Whether the first line that is not blank is the heading of a table, or names its separator."""
    with records.open_text(file) as source:
        lines = records.read_lines(source, max_characters=_SAMPLE_CHARACTERS)
        heading = next(line for _, line in lines if line is None or line.strip())
    return heading is not None and (
        csv_tables.is_separator_line(heading) or csv_tables.detect_table(heading) is not None
    )


def _detect_service(file: IO[bytes]) -> str:
    with chat_archives.open_conversations(file) as elements:
        for _, element, error in islice(elements, _SAMPLE_LINES):
            if service := chat_archives.detect_service(element):
                return service
            if bibliographies.is_csl(element):
                return CSL
            if error:
                continue
            break
    raise _format_unknown("it is JSON, and neither conversations of Claude or ChatGPT nor a bibliography")


def _detect_lines(file: IO[bytes]) -> str:
    may_be_lines = False
    with records.open_text(file) as source:
        for number, line in islice(records.read_lines(source, max_characters=_SAMPLE_CHARACTERS), _SAMPLE_LINES):
            try:
                value = json.loads(line or "null")
            except (ValueError, RecursionError):
                if number == 1 and line and line.strip() == "{":
                    raise _format_unknown("it is one JSON object over many lines") from None
                may_be_lines |= line is not None and line.startswith("{")
                continue
            if memory_server.is_record(value):
                return MEMORY_SERVER
            if isinstance(value, dict) and _OWN_KEYS & value.keys():
                return LINES
            may_be_lines |= isinstance(value, dict)
    if may_be_lines:
        return LINES
    raise _format_unknown("it begins neither with lines of JSON nor with a known table heading")


def _format_unknown(why: str) -> errors.FormatUnknown:
    return errors.FormatUnknown(
        f"the file format is unknown: {why}",
        hint="Import what `kg export` wrote, the JSONL of the MCP memory server, a CSV table whose first line is like "
        f"{csv_tables.EXAMPLE}, conversations of Claude or ChatGPT, a bibliography (.bib, .ris, CSL-JSON), "
        "contacts (.vcf), or a calendar (.ics). Notes: kg ingest PATH.",
    )
