"""Files of other programs as streams of records: tells what a file is by its content. Knows no graph."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import IO

from keepgraph import errors
from keepgraph.formats import chat_exports, csv_tables, memory_server, streams
from keepgraph.formats.records import Record

LINES = "lines"
"""What this program exports, or what people write for it by hand: none of the formats of others."""

MEMORY_SERVER = "memory-server"
CSV = "csv"
CLAUDE, CHATGPT = chat_exports.CLAUDE, chat_exports.CHATGPT

FORMATS = (LINES, MEMORY_SERVER, CSV, CLAUDE, CHATGPT)

_LOOKED_AT = 20
_LOOKED_AT_IN_LINE = 4_000_000
_OURS = {"keepgraph", "kind", "subject"}


def detect(file: IO[bytes]) -> str:
    """Which of the formats a file is, by how it begins, whatever it is called. It must be one that can be wound back.

    Raises:
        errors.FormatUnknown: it is none of them.
        errors.InvalidArguments: a zip file that is damaged, locked, a trap, or has no conversations.
    """
    try:
        file.seek(0)
        if chat_exports.is_zip(file.read(4)):
            return _of_conversations(file)
        with streams.text(file) as source:
            first = _first_sign(source)
        if first == "[":
            return _of_conversations(file)
        return CSV if first != "{" and _is_table(file) else _of_lines(file)
    finally:
        file.seek(0)


def read(file: IO[bytes], format: str) -> Iterator[Record]:
    """What a file says, record by record, while it is being read; `file.tell()` tells how far.

    Raises:
        errors.InvalidArguments: the file as a whole is not of this format.
    """
    readers = {
        MEMORY_SERVER: memory_server.read,
        CSV: csv_tables.read,
        CLAUDE: chat_exports.read,
        CHATGPT: chat_exports.read,
    }
    return readers[format](file)


def _first_sign(source: IO[str]) -> str:
    while part := source.read(_LOOKED_AT_IN_LINE):
        if begun := part.lstrip():
            return begun[0]
    raise _unknown("there is nothing in it")


def _is_table(file: IO[bytes]) -> bool:
    """Whether the first line with something in it is the heading of a table, or what may stand before it."""
    with streams.text(file) as source:
        lines = streams.lines(source, at_most=_LOOKED_AT_IN_LINE)
        heading = next(line for _, line in lines if line is None or line.strip())
    return heading is not None and (csv_tables.names_separator(heading) or csv_tables.table(heading) is not None)


def _of_conversations(file: IO[bytes]) -> str:
    with chat_exports.conversations(file) as every:
        for _, element, error in islice(every, _LOOKED_AT):
            if service := chat_exports.says(element):
                return service
            if error:
                continue
            break
    raise _unknown("it is JSON, and holds no conversations of Claude or of ChatGPT")


def _of_lines(file: IO[bytes]) -> str:
    may_be_lines = False
    with streams.text(file) as source:
        for number, line in islice(streams.lines(source, at_most=_LOOKED_AT_IN_LINE), _LOOKED_AT):
            try:
                said = json.loads(line or "null")
            except (ValueError, RecursionError):
                if number == 1 and line and line.strip() == "{":
                    raise _unknown("it is one object of JSON over many lines") from None
                may_be_lines |= line is not None and line.startswith("{")
                continue
            if memory_server.says(said):
                return MEMORY_SERVER
            if isinstance(said, dict) and _OURS & said.keys():
                return LINES
            may_be_lines |= isinstance(said, dict)
    if may_be_lines:
        return LINES
    raise _unknown("it begins neither with lines of JSON nor with the heading of a table that can be taken")


def _unknown(why: str) -> errors.FormatUnknown:
    return errors.FormatUnknown(
        f"what kind of file it is cannot be told: {why}",
        hint="Import what `kg export` wrote, the JSONL of the MCP memory server, a CSV table whose first line is like "
        f"{csv_tables.EXAMPLE}, or conversations of Claude or ChatGPT (.json or .zip). Notes: kg ingest PATH.",
    )
