"""Licences of Python distributions and of npm packages, as SPDX expressions, and which of them are accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution
from typing import Any

ACCEPTED = frozenset(
    """
    0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0 CNRI-Python ISC LLVM-exception MIT MIT-0 MPL-2.0
    OFL-1.1 PSF-2.0 Python-2.0 Unicode-3.0 Unlicense Zlib
    """.split()
)
"""Who ships these only has to name them; MPL-2.0 asks for the source of its own files, which we leave unchanged, and
OFL-1.1 that a font is not sold by itself."""

STATED = {
    "apsw": "Zlib",  # "any-OSI"; the text offers that of zlib
    "sqlcipher3": "Zlib AND BSD-3-Clause AND Apache-2.0",  # none is stated: pysqlite, SQLCipher, and the OpenSSL in it
    "sqlite-vec": "MIT OR Apache-2.0",  # "MIT License, Apache License, Version 2.0"
}
"""The licences of distributions whose metadata states none, or none that is an expression: read in their files."""

CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
}

TEXTS = {
    "apache 2.0": "Apache-2.0",
    "apache 2.0 license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "bsd 2-clause license": "BSD-2-Clause",
    "isc license": "ISC",
    "mit license": "MIT",
}
"""What older metadata says in its free text, in small letters, and the expression for it."""


def of_distribution(distribution: Distribution) -> str | None:
    """The licences of an installed distribution: an SPDX expression, or None where its metadata does not say.

    A stated expression comes first, then a free text that is one, then the classifiers. Where a classifier names a
    licence that is in no table, it holds besides the text.
    """
    metadata = distribution.metadata
    name = re.sub(r"[-_.]+", "-", metadata["Name"]).lower()
    if expression := metadata.get("License-Expression"):
        return str(expression)
    if name in STATED:
        return STATED[name]
    prefix = "License :: OSI Approved :: "
    classifiers = [
        line.removeprefix(prefix) for line in metadata.get_all("Classifier") or [] if line.startswith(prefix)
    ]
    text = " ".join((metadata.get("License") or "").split())
    text = TEXTS.get(text.lower(), text)
    is_expression = bool(text) and set(identifiers(text)) <= ACCEPTED
    unknown = [line for line in classifiers if line not in CLASSIFIERS]
    if is_expression and not unknown:
        return text
    # A classifier that is not in the table stays as it is, and is not accepted.
    stated = [text] if is_expression else []
    return " AND ".join([*stated, *(CLASSIFIERS.get(line, line) for line in classifiers)]) or None


def of_npm(package_lock: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Name, version and licence of each package in a package-lock.json, but for the project itself."""
    for path, package in package_lock["packages"].items():
        if path:
            yield path.rpartition("node_modules/")[2], package["version"], package.get("license")


def identifiers(expression: str) -> list[str]:
    """The licences, and exceptions, that an SPDX expression names."""
    return [word for word in re.split(r"[\s()]+", expression) if word and word not in ("AND", "OR", "WITH")]


def is_accepted(expression: str | None) -> bool:
    """Whether something with these licences may be shipped or installed with Keepgraph.

    All that hold at once must be accepted, and of those that one may choose from, one. None is not accepted.
    """
    words = re.findall(r"[()]|[^\s()]+", expression or "")
    accepted, rest = _alternatives(words) if words else (False, [])
    return accepted and not rest


def _alternatives(words: list[str]) -> tuple[bool, list[str]]:
    accepted, rest = _all_of(words)
    while rest and rest[0] == "OR":
        other, rest = _all_of(rest[1:])
        accepted = accepted or other
    return accepted, rest


def _all_of(words: list[str]) -> tuple[bool, list[str]]:
    accepted, rest = _one(words)
    while rest and rest[0] in ("AND", "WITH"):
        other, rest = _one(rest[1:])
        accepted = accepted and other
    return accepted, rest


def _one(words: list[str]) -> tuple[bool, list[str]]:
    if not words:
        return False, []
    if words[0] != "(":
        return words[0] in ACCEPTED, words[1:]
    accepted, rest = _alternatives(words[1:])
    return (accepted, rest[1:]) if rest and rest[0] == ")" else (False, [])
