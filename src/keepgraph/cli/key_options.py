"""The options --key and --key-file for the location of a new key, and the prompt for a new passphrase."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from keepgraph import errors, permissions
from keepgraph.cli import graph_options
from keepgraph.model import KeyLocation
from keepgraph.profiles import key_locations, profile, settings_file

_F = TypeVar("_F", bound=Callable[..., Any])

_MIN_PASSPHRASE_LENGTH = 8


def location_options(command: _F) -> _F:
    """A decorator: the command takes --key and --key-file."""
    command = click.option(
        "--key-file", type=click.Path(path_type=Path), metavar="FILE", help="Keep the key in FILE, a new file."
    )(command)
    return click.option(
        "--key",
        "source",
        type=click.Choice(["file", "keyring", "passphrase"]),
        help="Where the key is kept: a file (the default), the system keyring, or wrapped with a "
        "passphrase beside the graph.",
    )(command)


def choose_location(
    ctx: click.Context, graph: Path, source: str | None, key_file: Path | None
) -> tuple[KeyLocation, str | None]:
    """The location for a new key, and the passphrase that wraps it, if the location needs one.

    Raises:
        errors.InvalidArguments: --key-file is given without --key file.
        errors.KeyMissing: a passphrase is needed, and standard input is not a terminal.
    """
    from keepgraph.engine.maintenance import graph_keys

    if key_file is not None and source not in (None, "file"):
        raise errors.InvalidArguments("--key-file needs --key file", hint="Leave one of them out.")
    if source is None and key_file is None and key_locations.from_environment():
        return KeyLocation("environment"), None
    file = permissions.expanded(str(key_file)).absolute() if key_file is not None else None
    location = graph_keys.new_location(graph, source or "file", file=file)
    return location, ask_new_passphrase(ctx) if location.source == "passphrase" else None


def ask_new_passphrase(ctx: click.Context) -> str:
    """Ask for a new passphrase, twice.

    Raises:
        errors.KeyMissing: standard input is not a terminal.
    """
    if graph_options.passphrase_prompt(ctx) is None:
        raise errors.KeyMissing(
            "this needs a terminal: it asks for a passphrase",
            hint="Run it in a terminal, or keep the key elsewhere: --key file.",
        )
    while True:
        passphrase = str(
            click.prompt("A passphrase to wrap the key with", hide_input=True, confirmation_prompt=True, err=True)
        )
        if len(passphrase) >= _MIN_PASSPHRASE_LENGTH:
            return passphrase
        click.echo(
            f"That is too short: use {_MIN_PASSPHRASE_LENGTH} characters or more; several words are easy to remember.",
            err=True,
        )


def show_location(graph: Path) -> None:
    """Show where the key is kept, and how to export a copy of it."""
    location = settings_file.read(graph).key
    if location is None:
        return
    place = {
        "file": f"in {location.file}",
        "keyring": f"in the keyring of the system, as {key_locations.KEYRING_SERVICE}/{location.account}",
        "passphrase": f"wrapped with your passphrase in {key_locations.wrapped_file(graph, location)}",
    }.get(location.source, "where you keep it")
    click.echo(f"  the key:  {place}")
    click.secho("  Without the key nobody can read the graph. Keep a copy in a safe place:", fg="yellow")
    click.secho(f"    {profile.command_prefix(graph)} key export FILE", fg="yellow")
