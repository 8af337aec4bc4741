"""`kg encrypt`, `kg decrypt`, `kg rekey` and `kg key`: encryption of a graph, and its key."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from keepgraph import errors, permissions, store
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.engine.maintenance import graph_keys, jobs
from keepgraph.model import Key, KeyLocation
from keepgraph.profiles import keys, profile, settings_file

# The options --key and --key-file for the location of a new key, and the prompt for a new passphrase.

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
    if key_file is not None and source not in (None, "file"):
        raise errors.InvalidArguments("--key-file needs --key file", hint="Leave one of them out.")
    if source is None and key_file is None and keys.from_environment():
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
        "keyring": f"in the keyring of the system, as {keys.KEYRING_SERVICE}/{location.account}",
        "passphrase": f"wrapped with your passphrase in {keys.wrapped_file(graph, location)}",
    }.get(location.source, "where you keep it")
    click.echo(f"  the key:  {place}")
    click.secho("  Without the key nobody can read the graph. Keep a copy in a safe place:", fg="yellow")
    click.secho(f"    {profile.command_prefix(graph)} key export FILE", fg="yellow")


@click.command("encrypt")
@location_options
@graph_options.all_options
def encrypt_command(ctx: click.Context, source: str | None, key_file: Path | None) -> None:
    """Encrypt the graph and its backups with a random key. No other program may have it open.

    The encrypted copy is compared row by row before it replaces the graph. If interrupted, run it again to go on.

    \b
    kg encrypt
    """
    graph = _existing_graph(ctx)
    location = settings_file.read(graph).key
    new_location, passphrase = _choose_new_location(ctx, graph, location, source, key_file)
    if location is None or not location.encrypted:
        _open_once(ctx, graph)
    change = graph_keys.encrypt(graph, new_location, passphrase=passphrase, ask=graph_options.passphrase_prompt(ctx))
    _show_result(ctx, graph, change, "is encrypted")
    if not graph_options.wants_json(ctx):
        show_location(graph)


@click.command("decrypt")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
def decrypt_command(ctx: click.Context, yes: bool) -> None:
    """Decrypt a graph: anyone who obtains the file can then read it.

    \b
    kg decrypt
    """
    graph = _existing_graph(ctx)
    key, _ = _find_keys(ctx, graph)
    if not yes:
        terminal.confirm(f"Decrypt {graph}?")
    change = graph_keys.decrypt(graph, key)
    _show_result(ctx, graph, change, "is no longer encrypted; its backups still are, and its key is kept for them")


@click.command("rekey")
@location_options
@graph_options.all_options
def rekey_command(ctx: click.Context, source: str | None, key_file: Path | None) -> None:
    """Give an encrypted graph and its backups a new random key, or keep the key in another place.

    Copies that you made elsewhere (`kg backup FILE`) still need the old key: export it first if you want to keep them.
    With --key passphrase this changes the passphrase.

    \b
    kg rekey
    """
    graph = _existing_graph(ctx)
    key, older_keys = _find_keys(ctx, graph)
    location = settings_file.read(graph).key
    new_location, passphrase = _choose_new_location(
        ctx, graph, location, source, key_file, is_requested=source is not None or key_file is not None
    )
    if new_location is None and location is not None and location.source == "passphrase":
        passphrase = ask_new_passphrase(ctx)
    change = graph_keys.rekey(graph, key, new_location, older=older_keys, passphrase=passphrase)
    _show_result(ctx, graph, change, "has a new key")
    if not graph_options.wants_json(ctx):
        show_location(graph)


@click.group("key")
def key_command() -> None:
    """Export the key of an encrypted graph to a safe place, or import it after a loss.

    \b
    kg key export atlas.key
    """


@key_command.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@graph_options.all_options
def export_command(ctx: click.Context, file: str) -> None:
    """Write the key to FILE, readable only by you (- is standard output). Anyone who has it can read the graph."""
    graph = _existing_graph(ctx)
    current, older_keys = _find_keys(ctx, graph)
    title = f"The key of {graph} ({current.fingerprint})."
    if file == "-":
        click.echo("\n".join([f"# {title}", *(key.digits for key in (current, *older_keys))]))
        return
    target = permissions.expanded(file).absolute()
    if target.exists():
        raise errors.InvalidArguments(f"{file} already exists", hint="Name a new file.")
    keys.write(target, [current, *older_keys], about=title)
    if not graph_options.show_json(ctx, {"file": str(target), "fingerprint": current.fingerprint}):
        click.echo(f"The key is in {target}. Do not keep it on this machine.")


@key_command.command("import")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@location_options
@graph_options.all_options
def import_command(ctx: click.Context, file: str, source: str | None, key_file: Path | None) -> None:
    """Import the key from FILE (- is standard input) to the place where the graph looks for it.

    A key that does not open the graph is refused, and nothing is changed. If the graph is empty or missing, the key
    is kept for the next backup you restore.
    """
    graph = graph_options.graph_path(ctx).resolve()
    # Its mode is not checked: the file may be on a USB stick without modes.
    if file != "-" and not permissions.expanded(file).is_file():
        raise errors.KeyMissing(f"there is no key file {file}", hint="Name the file that `kg key export` wrote.")
    with click.open_file(file if file == "-" else str(permissions.expanded(file)), "rb") as stream:
        key = keys.parse(stream.read(100_000), "the input" if file == "-" else file)
    location = settings_file.read(graph).key
    passphrase: str | None = None
    if (
        source is None
        and key_file is None
        and location is not None
        and location.source in ("file", "keyring", "passphrase")
    ):
        new_location = location
        passphrase = ask_new_passphrase(ctx) if location.source == "passphrase" else None
    else:
        new_location, passphrase = choose_location(ctx, graph, source or "file", key_file)
    imported = graph_keys.import_key(
        graph, key, new_location, passphrase=passphrase, ask=graph_options.passphrase_prompt(ctx)
    )
    opens = graph.exists() and imported.digits in {each.digits for each in key}
    if graph_options.show_json(ctx, {"graph": str(graph), "fingerprint": imported.fingerprint, "opens": opens}):
        return
    if opens:
        click.secho("The key opens the graph, and is back in its place.", bold=True)
    else:
        click.secho("The key is kept for a backup that it opens: kg restore FILE.", bold=True)
    show_location(graph)


def _choose_new_location(
    ctx: click.Context,
    graph: Path,
    location: KeyLocation | None,
    source: str | None,
    key_file: Path | None,
    *,
    is_requested: bool = True,
) -> tuple[KeyLocation | None, str | None]:
    """The location and passphrase of a new key; None to keep the location in the settings.

    An interrupted command, run again, names the same key file: that is not a new location.
    """
    is_interrupted = location is not None and location.change == jobs.ENCRYPT and key_file is None
    if location is not None and is_interrupted and source in (None, location.source):
        if location.source not in ("keyring", "passphrase") or keys.is_available(graph, location):
            return None, None  # go on with the key already made
        source = location.source
    elif not is_requested or (location is not None and source is None and key_file is None):
        return None, None
    if (
        key_file is not None
        and location is not None
        and location.file == str(permissions.expanded(str(key_file)).absolute())
    ):
        return None, None
    return choose_location(ctx, graph, source, key_file)


def _existing_graph(ctx: click.Context) -> Path:
    """
    Raises:
        errors.GraphNotFound: the file does not exist.
    """
    graph = graph_options.graph_path(ctx).resolve()
    if not graph.is_file():
        raise errors.GraphNotFound(f"there is no graph at {graph}")
    return graph


def _find_keys(ctx: click.Context, graph: Path) -> tuple[Key, Sequence[Key]]:
    """The key that opens a graph, and older keys kept with it."""
    return graph_keys.find(graph, ask=graph_options.passphrase_prompt(ctx))


def _open_once(ctx: click.Context, graph: Path) -> None:
    """Open a plain graph once, to migrate it and report errors before the encryption begins."""
    if store.files.kind(graph) is store.files.Kind.PLAIN and not (
        os.environ.get("KG_KEY") or os.environ.get("KG_KEY_FILE")
    ):
        graph_options.open_graph(ctx).close()


def _show_result(ctx: click.Context, graph: Path, change: graph_keys.Report, outcome: str) -> None:
    if graph_options.wants_json(ctx):
        terminal.show_json(
            {
                "graph": str(graph),
                "encrypted": change.key is not None,
                "fingerprint": change.key and change.key.fingerprint,
                "tables_compared": change.tables,
                "backups": [str(file) for file in change.backups],
                "left": change.failures,
            }
        )
        return
    click.secho(f"{graph} {outcome}", bold=True)
    if change.tables:
        click.echo(f"  every row of its {change.tables} tables was read back and compared")
    if change.backups:
        click.echo(f"  so were {len(change.backups)} backups")
    for outcome, reason in change.failures.items():
        click.secho(
            f"  left unchanged: {terminal.printable(outcome)}: {terminal.printable(reason)}", fg="red", err=True
        )
