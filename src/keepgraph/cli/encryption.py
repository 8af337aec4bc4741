"""`kg encrypt`, `kg decrypt`, `kg rekey` and `kg key`: the key of a graph, and a graph with or without one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from keepgraph import errors, permissions
from keepgraph.cli import graph_options, key_options
from keepgraph.cli.output import render
from keepgraph.model import Key, KeyPlace

if TYPE_CHECKING:
    from keepgraph.engine.upkeep import encryption


@click.command("encrypt")
@key_options.takes_place
@graph_options.takes_graph
@click.pass_context
def encrypt_command(ctx: click.Context, source: str | None, key_file: Path | None) -> None:
    """Encrypt the graph and its backups with a random key. Nobody may have it open meanwhile.

    An encrypted copy is made and compared row by row before it takes the place of the graph. Interrupt it at will, and
    run it again to go on.
    """
    from keepgraph.engine.upkeep import encryption
    from keepgraph.profiles import profile

    graph = _there(ctx)
    begun = profile.read(graph).key
    place, passphrase = _place(ctx, graph, begun, source, key_file)
    if begun is None or not begun.encrypted:
        _bring_up_to_date(ctx, graph)
    changed = encryption.encrypt(graph, place, passphrase=passphrase, ask=graph_options.asks(ctx))
    _tell(ctx, graph, changed, "is encrypted")
    if not graph_options.answers_in_json(ctx):
        key_options.told(graph)


@click.command("decrypt")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.takes_graph
@click.pass_context
def decrypt_command(ctx: click.Context, yes: bool) -> None:
    """Make a plain file of an encrypted graph, which everybody can read who gets hold of it."""
    from keepgraph.engine.upkeep import encryption

    graph = _there(ctx)
    opening, _ = _keys(ctx, graph)
    if not yes:
        if graph_options.asks(ctx) is None:
            raise errors.NotConfirmed("decrypting a graph needs a yes", hint="Say --yes if you mean it.")
        click.confirm(f"Write {graph} as a plain file?", abort=True, err=True)
    changed = encryption.decrypt(graph, opening)
    _tell(ctx, graph, changed, "is a plain file now; its backups are still encrypted, and its key is kept for them")


@click.command("rekey")
@key_options.takes_place
@graph_options.takes_graph
@click.pass_context
def rekey_command(ctx: click.Context, source: str | None, key_file: Path | None) -> None:
    """Give an encrypted graph and its backups a new random key, or keep the key at another place.

    Copies that you made elsewhere (`kg backup FILE`) still need the old key: export it first if you want to keep them.
    With --key passphrase this changes the passphrase, too.
    """
    from keepgraph.engine.upkeep import encryption
    from keepgraph.profiles import profile

    graph = _there(ctx)
    opening, older = _keys(ctx, graph)
    now = profile.read(graph).key
    place, passphrase = _place(ctx, graph, now, source, key_file, asked_for=source is not None or key_file is not None)
    if place is None and now is not None and now.source == "passphrase":
        passphrase = key_options.new_passphrase(ctx)
    changed = encryption.rekey(graph, opening, place, older=older, passphrase=passphrase)
    _tell(ctx, graph, changed, "has a new key")
    if not graph_options.answers_in_json(ctx):
        key_options.told(graph)


@click.group("key")
def key_command() -> None:
    """Export the key of an encrypted graph to a safe place, and import it when it was lost."""


@key_command.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@graph_options.takes_graph
@click.pass_context
def export_command(ctx: click.Context, file: str) -> None:
    """Write the key to FILE, for you alone (- is standard output). Whoever has it can read the graph."""
    from keepgraph.profiles import keys

    graph = _there(ctx)
    opening, older = _keys(ctx, graph)
    about = f"The key of {graph} ({opening.fingerprint})."
    if file == "-":
        click.echo("\n".join([f"# {about}", *(key.digits for key in (opening, *older))]))
        return
    target = permissions.expanded(file).absolute()
    if target.exists():
        raise errors.InvalidArguments(f"{file} is there already", hint="Name a file that is not there yet.")
    keys.write_file(target, [opening, *older], about=about)
    if graph_options.answers_in_json(ctx):
        render.in_json({"file": str(target), "fingerprint": opening.fingerprint})
    else:
        click.echo(f"The key is in {target}. Keep it where a thief of this machine does not find it.")


@key_command.command("import")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@key_options.takes_place
@graph_options.takes_graph
@click.pass_context
def import_command(ctx: click.Context, file: str, source: str | None, key_file: Path | None) -> None:
    """Put the key in FILE (- is standard input), as it was exported, where the graph looks for it.

    It is tried first: a key that does not open the graph is refused, and nothing is changed.
    """
    from keepgraph.engine.upkeep import encryption
    from keepgraph.profiles import keys, profile

    graph = _there(ctx)
    # Where it lies, on a stick perhaps, there may be no modes that keep others out.
    if file != "-" and not permissions.expanded(file).is_file():
        raise errors.KeyMissing(f"there is no key file {file}")
    with click.open_file(file if file == "-" else str(permissions.expanded(file)), "rb") as opened:
        found = keys.parse(opened.read(100_000), "what you gave" if file == "-" else file)
    now = profile.read(graph).key
    passphrase: str | None = None
    if source is None and key_file is None and now is not None and now.source in ("file", "keyring", "passphrase"):
        place = now
        passphrase = key_options.new_passphrase(ctx) if now.source == "passphrase" else None
    else:
        place, passphrase = key_options.place(ctx, graph, source or "file", key_file)
    kept = encryption.put_back(graph, found, place, passphrase=passphrase)
    if graph_options.answers_in_json(ctx):
        render.in_json({"graph": str(graph), "fingerprint": kept.fingerprint})
        return
    click.secho("The key opens the graph, and is back where it is looked for.", bold=True)
    key_options.told(graph)


def _place(
    ctx: click.Context,
    graph: Path,
    now: KeyPlace | None,
    source: str | None,
    key_file: Path | None,
    *,
    asked_for: bool = True,
) -> tuple[KeyPlace | None, str | None]:
    """Where a new key is to be kept, and its passphrase; None for where the settings say that one is already.

    A command that is run again to go on names the same file again.
    """
    if not asked_for or (now is not None and source is None and key_file is None):
        return None, None
    if key_file is not None and now is not None and now.file == str(permissions.expanded(str(key_file)).absolute()):
        return None, None
    return key_options.place(ctx, graph, source, key_file)


def _there(ctx: click.Context) -> Path:
    graph = graph_options.path(ctx).resolve()
    if not graph.is_file():
        raise errors.GraphNotFound(f"there is no graph at {graph}")
    return graph


def _keys(ctx: click.Context, graph: Path) -> tuple[Key, Sequence[Key]]:
    """The key that opens a graph, and others that are kept with it."""
    from keepgraph.engine.upkeep import encryption

    return encryption.found(graph, ask=graph_options.asks(ctx))


def _bring_up_to_date(ctx: click.Context, graph: Path) -> None:
    """Open it once, so that what is wrong with it is told before anything begins."""
    from keepgraph import store

    if store.files.kind(graph) is store.files.Kind.PLAIN and not (
        os.environ.get("KG_KEY") or os.environ.get("KG_KEY_FILE")
    ):
        graph_options.opened(ctx).close()


def _tell(ctx: click.Context, graph: Path, changed: encryption.Changed, what: str) -> None:
    if graph_options.answers_in_json(ctx):
        render.in_json(
            {
                "graph": str(graph),
                "encrypted": changed.key is not None,
                "fingerprint": changed.key and changed.key.fingerprint,
                "tables_compared": changed.tables,
                "backups": [str(file) for file in changed.backups],
                "left": changed.left,
            }
        )
        return
    click.secho(f"{graph} {what}", bold=True)
    if changed.tables:
        click.echo(f"  every row of its {changed.tables} tables was read back and compared")
    if changed.backups:
        click.echo(f"  so were {len(changed.backups)} backups")
    for what, why in changed.left.items():
        click.secho(f"  left as it was: {render.printable(what)}: {render.printable(why)}", fg="red", err=True)
