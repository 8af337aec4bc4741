"""Files of vocabulary sets: what a file holds, and a set as TOML."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from keepgraph import errors

_MAX_BYTES = 8_000_000


def read(file: str) -> dict[str, Any]:
    """The document in a file: TOML, or JSON if it begins with a brace.

    Raises:
        errors.VocabularyInvalid: it is neither, or too large.
    """
    import tomllib

    if Path(file).stat().st_size > _MAX_BYTES:
        raise errors.VocabularyInvalid(
            f"{file} has more than {_MAX_BYTES:,} bytes", hint="Divide it into several sets."
        )
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
        document = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.VocabularyInvalid(
            f"{file} is neither TOML nor JSON: {error}", hint="`kg vocabulary export` shows how a set is written."
        ) from error
    return dict(document)


def is_set(file: str) -> bool:
    """Whether a file may be a set in TOML or JSON, and not RDF."""
    import tomllib

    if Path(file).suffix.lower() == ".toml":
        return True
    with Path(file).open("rb") as stream:
        content = stream.read(_MAX_BYTES)
    try:
        text = content.decode("utf-8-sig")
        if text.lstrip().startswith("{"):
            return not {"@context", "@graph", "@id", "@type"} & json.loads(text).keys()
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def as_toml(definition: dict[str, Any]) -> str:
    """A document as TOML."""
    import tomlkit

    return tomlkit.dumps(definition)
