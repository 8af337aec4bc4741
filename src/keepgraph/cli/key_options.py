"""Where a command line says that a key is to be kept, and what it tells about it. Asks for new passphrases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from keepgraph import errors, permissions
from keepgraph.cli import graph_options
from keepgraph.model import KeyPlace
from keepgraph.profiles import keys, profile

_F = TypeVar("_F", bound=Callable[..., Any])

_SHORTEST = 8


def takes_place(command: _F) -> _F:
    """Let a command have --key and --key-file."""
    command = click.option(
        "--key-file", type=click.Path(path_type=Path), metavar="FILE", help="Keep the key in FILE, made for it."
    )(command)
    return click.option(
        "--key",
        "source",
        type=click.Choice(["file", "keyring", "passphrase"]),
        help="Where the key is kept: a file (if not said otherwise), the keyring of the system, or wrapped with a "
        "passphrase beside the graph.",
    )(command)


def place(ctx: click.Context, graph: Path, source: str | None, key_file: Path | None) -> tuple[KeyPlace, str | None]:
    """Where a new key is to be kept, and the passphrase to wrap it with, which is asked for."""
    from keepgraph.engine.upkeep import encryption

    if key_file is not None and source not in (None, "file"):
        raise errors.InvalidArguments("--key-file is for --key file", hint="Leave one of them out.")
    if source is None and key_file is None and keys.in_environment():
        return KeyPlace("environment"), None
    where = permissions.expanded(str(key_file)).absolute() if key_file is not None else None
    found = encryption.place_for(graph, source or "file", file=where)
    return found, new_passphrase(ctx) if found.source == "passphrase" else None


def new_passphrase(ctx: click.Context) -> str:
    """A passphrase typed twice."""
    if graph_options.asks(ctx) is None:
        raise errors.KeyMissing(
            "a passphrase is needed, and nobody can be asked here",
            hint="Run it in a terminal, or keep the key elsewhere: --key file.",
        )
    while True:
        typed = str(
            click.prompt("A passphrase to wrap the key with", hide_input=True, confirmation_prompt=True, err=True)
        )
        if len(typed) >= _SHORTEST:
            return typed
        click.echo(f"That is too short: use {_SHORTEST} characters or more; several words are easy to keep.", err=True)


def told(graph: Path) -> None:
    """Say where the key is, and what to do so that it is not lost."""
    at = profile.read(graph).key
    if at is None:
        return
    where = {
        "file": f"in {at.file}",
        "keyring": f"in the keyring of the system, as {keys.SERVICE}/{at.account}",
        "passphrase": f"wrapped with your passphrase in {keys.wrapped_file(graph, at)}",
    }.get(at.source, "where you keep it")
    click.echo(f"  the key:  {where}")
    click.secho("  Without the key nobody can read the graph. Keep a copy of it in a safe place:", fg="yellow")
    click.secho(f"    {profile.naming(graph)} key export FILE", fg="yellow")
