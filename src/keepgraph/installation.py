"""How this copy of Keepgraph was installed, and the command that adds an extra to it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution

WHEELS = "DIST"
"""Stands in a command for the folder with the wheels of Keepgraph, where it is not known any more."""


def extra_hint(extra: str) -> str:
    """What to do where an extra is missing, with the command that adds it to this copy."""
    command = extra_command(extra)
    if command is None:
        return f"This copy was put here whole, as a bundle is: install keepgraph[{extra}] with uv, pipx or pip."
    is_open = any(word == WHEELS or word.endswith(f" {WHEELS}") for word in command)
    where = f"  ({WHEELS} is the folder with Keepgraph's wheels)" if is_open else ""
    return f"Install it: {_as_typed(command)}{where}"


def extra_command(extra: str) -> list[str] | None:
    """The command that adds an extra to this copy; None if none can, because no installer put it here."""
    from importlib import metadata
    from importlib.util import find_spec

    try:
        distribution = metadata.distribution("keepgraph")
    except metadata.PackageNotFoundError:
        return None
    if distribution.read_text("RECORD") is None:
        return None
    requirement = f"keepgraph[{extra}]"
    uv_receipt, pipx_receipt = Path(sys.prefix, "uv-receipt.toml"), Path(sys.prefix, "pipx_metadata.json")
    if uv_receipt.is_file():
        return ["uv", "tool", "install", "--find-links", _uv_wheels(uv_receipt), requirement]
    if pipx_receipt.is_file():
        return ["pipx", "install", "--force", f"--pip-args=--find-links {_pipx_wheels(pipx_receipt)}", requirement]
    wheels = _installed_from(distribution) or WHEELS
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--find-links", wheels, requirement]
    return ["uv", "pip", "install", "--python", sys.executable, "--find-links", wheels, requirement]


def _uv_wheels(receipt: Path) -> str:
    """The folder with the wheels, which uv keeps with a tool."""
    import tomllib

    try:
        match tomllib.loads(receipt.read_text(encoding="utf-8")):
            case {"tool": {"options": {"find-links": [str(url), *_]}}}:
                return _folder(url) or WHEELS
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        pass  # a later uv may write it in another way
    return WHEELS


def _pipx_wheels(receipt: Path) -> str:
    """The folder with the wheels, which pipx keeps among the arguments for pip; quoted as these are."""
    import json
    import shlex

    try:
        match json.loads(receipt.read_text(encoding="utf-8")):
            case {"main_package": {"pip_args": ["--find-links", str(folder), *_]}} if os.path.isdir(folder):
                return shlex.quote(folder)
    except (OSError, ValueError):
        pass  # a later pipx may write it in another way
    return WHEELS


def _installed_from(distribution: Distribution) -> str | None:
    """The folder of the wheel that this copy was installed from, if pip was given the file."""
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


def _as_typed(command: list[str]) -> str:
    """A command as a person types it."""
    import shlex
    import subprocess

    return subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)
