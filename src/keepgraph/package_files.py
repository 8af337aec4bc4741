"""Files that are packaged with the code: schemas, migrations and architecture decision records."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def folder(name: str) -> Path:
    """`schemas`, `migrations` or `adr`: in the installed package, else in the checkout around it.

    Raises:
        FileNotFoundError: it is in neither.
    """
    for root in (_PACKAGE, _PACKAGE.parent.parent):
        if (root / name).is_dir():
            return root / name
    raise FileNotFoundError(f"{name}/ is missing: this installation of keepgraph is incomplete")


def schemas() -> Path:
    """The folder of the schemas of this version of the interface."""
    return folder("schemas") / "v1"


@cache
def migrations() -> tuple[Path, ...]:
    """The numbered SQL files, lowest number first."""
    return tuple(sorted(folder("migrations").glob("[0-9][0-9][0-9][0-9]_*.sql")))


def decisions() -> list[Path]:
    """The architecture decision records, lowest number first."""
    return sorted(folder("adr").glob("[0-9][0-9][0-9][0-9]-*.md"))
