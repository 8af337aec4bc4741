"""Bibliographies (BibTeX, RIS, CSL-JSON): an entry is a source, with its authors as people and its keywords as tags."""

from __future__ import annotations

import json
import logging
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any

from keepgraph import english, errors, lazy, package_files
from keepgraph.formats import records
from keepgraph.formats.records import Entity, Fact, ReadError, Record
from keepgraph.language import identifiers

BIBTEX, RIS, CSL = "bibtex", "ris", "csl-json"

MAX_CHARACTERS = 64_000_000
"""Characters of a file that its parser needs as a whole."""

_MAX_NAME = 200
_MAX_PEOPLE = 500
"""Authors of an entry, at most; a paper of a collaboration in physics may have 3,000."""

_BIBTEX_ENTRY = lazy.compile(
    r"^[ \t]*@(?:[a-z]+[ \t]*\{[ \t]*[^\s,{}\"=]+[ \t]*,|(?:string|preamble|comment)\b)", re.I | re.M
)
_RIS_START = lazy.compile(r"\s*TY  - [A-Z]")
_KEYWORD_SEPARATOR = lazy.compile(r"\s*[,;]\s*")
_IDENTIFYING = ("doi", "isbn", "url", "eprint")
_AND_OTHERS = "others"  # as BibTeX has it for “et al.”
_AS_TEXT = ("abstract", "annotation", "annote", "note")
# Fields that name what an entry is a part of: an ISBN is that of the whole.
_CONTAINERS = ("booktitle", "journal", "container-title")
# Fields of an entry that say nothing about the work, or are read elsewhere.
_LEFT_OUT = ("title", "author", "keywords", "file", "owner", "timestamp", "id", "type_of_reference", *_AS_TEXT)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of any of the formats, under the names that BibTeX has for fields."""

    position: int
    format: str
    kind: str
    key: str
    title: str
    authors: Sequence[tuple[str, bool]]  # the name, and whether it is that of an organisation
    keywords: Sequence[str]
    texts: Sequence[str]
    fields: Mapping[str, str] = field(default_factory=dict)


def detect(beginning: str) -> str | None:
    """The format of a bibliography that begins so; None for any other text."""
    if _RIS_START.match(beginning.removeprefix("\ufeff")):
        return RIS
    return BIBTEX if _BIBTEX_ENTRY.search(beginning) and not beginning.lstrip().startswith(("{", "[")) else None


def is_csl(element: Any) -> bool:
    """Whether an element of a JSON list is an entry of CSL-JSON."""
    is_entry = isinstance(element, dict) and "title" in element and "id" in element
    return is_entry and isinstance(element.get("type"), str) and bool({"issued", "author", "DOI"} & element.keys())


def read(file: IO[bytes], format: str) -> Iterator[Record]:
    """The sources of a bibliography with their authors, in the order of the file.

    Raises:
        errors.InvalidArguments: it is too long, it is not JSON, or what reads the format is not installed.
    """
    text, editions = whole_text(file), dict[str, Mapping[str, str]]()
    entries = {BIBTEX: _read_bibtex, RIS: _read_ris, CSL: _read_csl}[format](text)
    for entry in entries:
        if isinstance(entry, ReadError):
            yield entry
        else:
            yield from _records(entry, editions)


def whole_text(file: IO[bytes]) -> str:
    """
    Raises:
        errors.InvalidArguments: the file has more than `MAX_CHARACTERS`, or is not in UTF-8 (nor in UTF-16).
    """
    with records.open_text(file) as source:
        text = source.read(MAX_CHARACTERS + 1)
    if len(text) > MAX_CHARACTERS:
        raise errors.InvalidArguments(
            f"the file has more than {MAX_CHARACTERS:,} characters", hint="Divide it, and import the parts."
        )
    if undecoded := records.UNDECODED.search(text):
        raise errors.InvalidArguments(
            f"line {text.count(chr(10), 0, undecoded.start()) + 1} of the file is not in UTF-8",
            hint="Convert it: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW, with the encoding that it has.",
        )
    return records.replace_invalid(text)


def missing_reader(package: str, error: ImportError) -> errors.InvalidArguments:
    """What to say where the package that reads a format is not installed."""
    refusal = errors.InvalidArguments(
        f"this format cannot be read: {package} is not installed", hint=package_files.extra_hint("import")
    )
    refusal.__cause__ = error
    return refusal


@cache
def words() -> Mapping[str, str]:
    """The types and predicates for what the fields of a file say, by names of fields."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def shortened(name: str) -> str:
    """A name that can be that of an entity."""
    return english.shorten(" ".join(name.split()), _MAX_NAME)


def _records(entry: _Entry, editions: dict[str, Mapping[str, str]]) -> Iterator[Record]:
    """An entry with its authors and keywords.

    Args:
        editions: where and when the entries before appeared, by title. A later one of the same title that appeared
            otherwise (Editorial, Preface) is told apart by its key, unless it has an identifier.
    """
    if not entry.title:
        yield ReadError(entry.position, errors.InvalidArguments(f"the entry {entry.key[:60]!r} has no title"))
        return
    name = shortened(entry.title)
    is_part = any(entry.fields.get(key) for key in _CONTAINERS)
    ids = {
        key: identifiers.canonical(entry.fields[key], key=key)
        for key in _IDENTIFYING
        if entry.fields.get(key) and not (is_part and key == "isbn")
    }
    known = [identifier for identifier in ids.values() if identifier]
    edition = {key: entry.fields[key] for key in ("year", "date", *_CONTAINERS) if entry.fields.get(key)}
    before = editions.setdefault(name, edition)
    if entry.key and not known and any(before[key] != edition[key] for key in before.keys() & edition.keys()):
        name = f"{name[: _MAX_NAME - len(entry.key) - 4]} (@{entry.key})"[:_MAX_NAME]
    properties = {key: value for key, value in entry.fields.items() if value and not ids.get(key)}
    if shortened(entry.title) != " ".join(entry.title.split()):
        properties["title"] = entry.title
    yield Entity(
        position=entry.position,
        type=words()["entry"],
        name=name,
        aliases=(*dict.fromkeys(known), *([f"@{entry.key}"] if 0 < len(entry.key) < _MAX_NAME else [])),
        observations=tuple(filter(str.strip, entry.texts)),
        properties={f"{entry.format}_type": entry.kind, **properties},
    )
    word = words()
    for author, is_organisation in entry.authors[:_MAX_PEOPLE]:
        author_type = word["collaboration" if is_organisation else "author"]
        yield Fact(entry.position, shortened(author), word["authored"], author_type, name, word["entry"])
    for keyword in dict.fromkeys(entry.keywords):
        yield Fact(entry.position, name, word["has_keyword"], word["entry"], shortened(keyword), word["keyword"])


# BibTeX


def _read_bibtex(text: str) -> Iterator[_Entry | ReadError]:
    try:
        from bibtexparser import middlewares, model
        from bibtexparser.entrypoint import parse_string
    except ImportError as error:
        raise missing_reader("bibtexparser", error) from error
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    steps = [
        middlewares.SeparateCoAuthors(allow_inplace_modification=True),
        middlewares.SplitNameParts(allow_inplace_modification=True),
        middlewares.LatexDecodingMiddleware(allow_inplace_modification=True),
    ]
    for block in parse_string(text, append_middleware=steps).blocks:
        line = (block.start_line or 0) + 1
        if isinstance(block, model.Entry):
            yield _bibtex_entry(line, block)
        elif isinstance(block, model.ParsingFailedBlock):
            why = getattr(block.error, "abort_reason", None) or block.error
            yield ReadError(line, errors.InvalidArguments(f"the entry cannot be read: {str(why)[:200]}"))


def _bibtex_entry(line: int, entry: Any) -> _Entry:
    values = {str(each.key).lower(): each.value for each in entry.fields}
    authors = [_bibtex_name(name) for name in values.get("author", ()) if not isinstance(name, str)]
    authors = [author for author in authors if author[0] not in ("", _AND_OTHERS)]
    plain = {
        key: _unbraced(value) if isinstance(value, str) else "; ".join(_bibtex_name(name)[0] for name in value)
        for key, value in values.items()
    }
    return _Entry(
        position=line,
        format=BIBTEX,
        kind=entry.entry_type,
        key=entry.key,
        title=plain.get("title", ""),
        authors=authors,
        keywords=_keywords(plain.get("keywords", "")),
        texts=[plain[key] for key in _AS_TEXT if key in plain],
        fields={key: value for key, value in plain.items() if key not in _LEFT_OUT},
    )


def _bibtex_name(parts: Any) -> tuple[str, bool]:
    """A name with the first name first; one in braces, which has no parts, is that of an organisation."""
    from pylatexenc.latex2text import LatexNodes2Text

    words = [*parts.first, *parts.von, *parts.last, *parts.jr]
    is_organisation = len(parts.last) == 1 and not parts.first and " " in parts.last[0].strip("{}")
    return _unbraced(LatexNodes2Text(keep_braced_groups=True).latex_to_text(" ".join(words))), is_organisation


def _unbraced(text: str) -> str:
    return " ".join(text.replace("{", "").replace("}", "").split())


# RIS


def _read_ris(text: str) -> Iterator[_Entry | ReadError]:
    try:
        import rispy
    except ImportError as error:
        raise missing_reader("rispy", error) from error
    line = 1
    for part in re.split(r"(?m)^(?=TY  - )", text.replace("\r\n", "\n").removeprefix("\ufeff")):
        if part.strip():
            if not re.search(r"(?m)^ER  -", part):
                part = f"{part.rstrip()}\nER  - \n"  # the last entry is often left open
            try:
                for entry in rispy.loads(part):
                    yield _ris_entry(line, entry)
            except (ValueError, LookupError, TypeError, OSError) as error:
                yield ReadError(line, errors.InvalidArguments(f"the entry cannot be read: {str(error)[:200]}"))
        line += part.count("\n")


def _ris_entry(line: int, entry: Mapping[str, Any]) -> _Entry:
    authors = [*entry.get("authors", ()), *(() if entry.get("authors") else entry.get("first_authors", ()))]
    # SN is the number of a book or of a journal.
    serial = "isbn" if identifiers.canonical(str(entry.get("issn", "")), key="isbn") else "issn"
    names = {"urls": "url", "issn": serial, "secondary_title": "journal", "alternate_title3": "journal"}
    plain = {
        names.get(key, key): "; ".join(value) if isinstance(value, list) else str(value)
        for key, value in entry.items()
        if key
        not in (*_LEFT_OUT, "authors", "first_authors", "primary_title", "notes", "notes_abstract", "unknown_tag")
    }
    plain["url"] = plain.get("url", "").partition(";")[0]
    return _Entry(
        position=line,
        format=RIS,
        kind=str(entry.get("type_of_reference", "")),
        key=str(entry.get("id") or entry.get("label") or ""),
        title=str(entry.get("title") or entry.get("primary_title") or ""),
        authors=[_person(name) for name in authors if name.strip()],
        keywords=[word for line in entry.get("keywords", ()) for word in _keywords(line)],
        texts=[*filter(None, (entry.get("abstract"), entry.get("notes_abstract"))), *entry.get("notes", ())],
        fields=plain,
    )


def _person(name: str) -> tuple[str, bool]:
    """A name as it is spoken, of one with the last name first: Oke, T. R."""
    parts = [part.strip() for part in name.split(",")]
    return " ".join(filter(None, [*parts[1:2], parts[0], *parts[2:]])), False


def _keywords(text: str) -> list[str]:
    return [word for word in _KEYWORD_SEPARATOR.split(text) if word]


# CSL-JSON


def _read_csl(text: str) -> Iterator[_Entry | ReadError]:
    try:
        elements = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.InvalidArguments(f"the file is not JSON: {str(error)[:200]}") from None
    for number, element in enumerate(elements if isinstance(elements, list) else [elements], start=1):
        if isinstance(element, dict) and isinstance(element.get("title"), str):
            yield _csl_entry(number, element)
        else:
            yield ReadError(number, errors.InvalidArguments("the element is not an entry with a title"))


def _csl_entry(number: int, element: Mapping[str, Any]) -> _Entry:
    names = element.get("author")
    authors = []
    for name in names if isinstance(names, list) else ():
        if isinstance(name, dict):
            parts = (name.get(part) for part in ("given", "non-dropping-particle", "family", "suffix"))
            spoken = " ".join(part for part in parts if isinstance(part, str) and part)
            literal = name.get("literal")
            authors.append((spoken or str(literal or ""), not spoken))
    fields = {
        key.lower(): str(value)
        for key, value in element.items()
        if isinstance(value, str | int | float) and key.lower() not in (*_LEFT_OUT, "type", "keyword", "categories")
    }
    issued = element.get("issued")
    dates = issued.get("date-parts") if isinstance(issued, dict) else None
    if isinstance(dates, list) and dates and isinstance(dates[0], list):
        fields["date"] = "-".join(str(part).zfill(2) for part in dates[0] if part)
    texts = [element[key] for key in (*_AS_TEXT, "annotation") if isinstance(element.get(key), str)]
    return _Entry(
        position=number,
        format="csl",
        kind=str(element.get("type", "")),
        key=str(element.get("citation-key") or element.get("id", "")),
        title=element["title"],
        authors=[author for author in authors if author[0].strip()],
        keywords=_keywords(str(element.get("keyword", ""))),
        texts=list(dict.fromkeys(texts)),
        fields=fields,
    )
