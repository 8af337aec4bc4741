"""`kg doctor`: looks at everything a graph rests on, says what mends what is wrong, and mends what is safe."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import click

from keepgraph import errors, store
from keepgraph.cli import graph_options, offline
from keepgraph.cli.doctor import environment
from keepgraph.cli.doctor.environment import Case
from keepgraph.cli.install import clients, handshake
from keepgraph.cli.output import render
from keepgraph.engine.upkeep import backups, integrity
from keepgraph.engine.upkeep.integrity import Check, State
from keepgraph.graph import open
from keepgraph.model import Key
from keepgraph.profiles import profile
from keepgraph.store.database import Database

_MARKS = {State.OK: ("✓", "green"), State.NOTE: ("!", "yellow"), State.WRONG: ("✗", "red")}
_BEFORE_FIX = "before-fix"
_ORDER = (
    *("settings", "file", "permissions", "key", "log", "version", "integrity", "indexes", "vectors", "texts"),
    *("vocabulary", "times", "pending", "backups", "server", "claude-desktop"),
)
_WIDTH = max(map(len, _ORDER))


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended safely, then look again.")
@graph_options.takes_graph
@click.pass_context
def doctor_command(ctx: click.Context, fix: bool) -> None:
    """Look at everything the graph rests on, and say what mends what is wrong. Nothing is changed without --fix.

    That is: its settings, the file, who may read it, the key, the log, the tables and their indexes, the vectors, the
    texts, the backups, the server as a client starts it, and Claude Desktop. Exit code 0 if nothing is wrong, else 1.
    """
    try:
        graph = graph_options.path(ctx).resolve()
    except (errors.ProfileNotFound, errors.SettingsInvalid) as error:
        _answer(ctx, None, [Check("settings", State.WRONG, error.message, error.hint)])
        return
    ask = graph_options.asks(ctx)
    remembered = cache(ask) if ask is not None else None  # a person is asked once
    done, left = _mended(graph, remembered) if fix else ([], [])
    found = [_typed(check, graph) for check in _looked(ctx, environment.met(graph, remembered))]
    _answer(ctx, graph, found, done=done, left=left)


def _answer(
    ctx: click.Context, graph: Path | None, found: list[Check], *, done: Sequence[str] = (), left: Sequence[str] = ()
) -> None:
    sound = all(check.state is not State.WRONG for check in found)
    if graph_options.answers_in_json(ctx):
        mended = {"done": list(done), "left": list(left)} if ctx.params["fix"] else {}
        told = [_told(check) for check in found]
        render.in_json({"graph": graph and str(graph), "sound": sound, "checks": told, **mended})
    else:
        _show(found, done, left)
    ctx.exit(0 if sound else 1)


# Looking


def _looked(ctx: click.Context, case: Case) -> list[Check]:
    """All checks, as far as each can be made."""
    found = [*environment.settings(case), *environment.file(case), *environment.file_modes(case)]
    with ExitStack() as stack:
        if case.said.offline:
            stack.enter_context(offline.held())
        database: Database | None = None
        if case.there:
            found += environment.log(case)
            try:
                database = stack.enter_context(closing(environment.opened(case)))
            except errors.KeepgraphError as problem:
                found += environment.closed(case, problem)
                if "integrity" not in {check.name for check in found}:
                    seen = "the tables cannot be looked at before the graph can be opened"
                    found.append(Check("integrity", State.NOTE, seen))
        born = None
        if database is not None:
            found += environment.key(case, database)
            found += integrity.tables(database)[0]
            born = integrity.born(database)
        found += environment.pending(case, database)
        found += environment.kept(case, database, born=born)
        startable = database is not None and environment.client_has(case, database.key)
    if "pending" not in {check.name for check in found}:
        found.append(Check("pending", State.OK, "nothing was left undone"))
    if startable:
        found.append(_server(ctx))
    else:
        why = "a client has not the key" if database is not None else "the graph cannot be opened"
        found.append(Check("server", State.NOTE, f"it was not started, since {why}"))
    found += _desktop(ctx)
    return sorted(found, key=lambda check: _ORDER.index(check.name))


def _server(ctx: click.Context) -> Check:
    """Start the server as a client does. For reading only, so that it changes nothing."""
    command = [*clients.own_command(), "serve", "--read-only", *graph_options.naming(ctx)]
    try:
        shaken = handshake.shake(command)
    except errors.HandshakeFailed as error:
        return Check("server", State.WRONG, error.message, "kg serve")
    seen = f"{shaken.server} {shaken.version} answers, and shows {shaken.tools} tools"
    if shaken.server != "keepgraph":
        return Check("server", State.WRONG, f"{command[0]} is another program: {seen}")
    return Check("server", State.OK, seen)


def _desktop(ctx: click.Context) -> Iterator[Check]:
    """Whether Claude Desktop is told to start this very installation with this graph."""
    desktop = clients.CLIENTS["claude-desktop"]
    install = f"kg install {desktop.name}"
    machine = clients.here()
    if not any(place.folder.is_dir() for place in desktop.places(machine)):
        yield Check(desktop.name, State.OK, f"{desktop.title} is not on this machine")
        return
    naming = graph_options.naming(ctx)
    configured = clients.installed(machine, name=clients.entry_name(naming))
    ours = [each for each in configured if each.client == desktop and (each.entry is not None or each.problem)]
    if not ours:
        yield Check(desktop.name, State.NOTE, f"{desktop.title} does not know this graph", install)
    for each in ours:
        if each.problem is not None:
            mend = "Put the file right, or move it away."
            yield Check(desktop.name, State.WRONG, f"its configuration cannot be read: {each.problem}", mend)
        elif not each.command:
            yield Check(desktop.name, State.WRONG, f"the entry {each.name} in {each.file} starts nothing", install)
        elif not each.runnable:
            yield Check(
                desktop.name, State.WRONG, f"it starts {each.command[0]}, and there is no such program", install
            )
        elif not _is_ours(each.command):
            yield Check(desktop.name, State.NOTE, f"it starts another installation, {each.command[0]}", install)
        elif not _says(each.command, naming):
            yield Check(desktop.name, State.NOTE, f"its entry {each.name} is for another graph", install)
        else:
            yield Check(desktop.name, State.OK, f"the entry {each.name} in {each.file} starts this installation")


def _is_ours(command: Sequence[str]) -> bool:
    own = clients.own_command()
    if list(command[: len(own)]) == own:
        return True
    # A link to the very script; a link to Python says nothing, since every environment has one.
    return len(own) == 1 and os.path.exists(command[0]) and os.path.samefile(command[0], own[0])


def _says(command: Sequence[str], naming: Sequence[str]) -> bool:
    return any(list(command[at : at + len(naming)]) == list(naming) for at in range(len(command)))


# Mending


def _mended(graph: Path, ask: Callable[[str], str] | None) -> tuple[list[str], list[str]]:
    """Mend what is safe, each thing on what the one before it left: what was done, and what could not be."""
    done: list[str] = []
    left: list[str] = []
    for mend in (_modes, _log, _parts, _schema, _tables, _fingerprint, _backups):
        try:
            for said in mend(environment.met(graph, ask)):
                done.append(said)
        except errors.KeepgraphError as error:
            left.append(error.message)
        except OSError as error:
            left.append(f"{error.filename}: {error.strerror}")
    return done, left


def _modes(case: Case) -> Iterator[str]:
    problem = None
    for path in environment.open_to_others(case) if os.name == "posix" else []:
        try:
            path.chmod(path.stat().st_mode & 0o700)
        except OSError as error:
            problem = error
        else:
            yield f"kept others from {path}"
    if problem is not None:
        raise problem


def _log(case: Case) -> Iterator[str]:
    """Go on without what cannot be read from the log, once its files are kept aside."""
    if not case.lost:
        return
    plain = store.files.kind(case.graph) is store.files.Kind.PLAIN
    known: list[Key | None] = [None] if plain else [*environment.candidates(case)]
    fitting = [key for key in known if store.copies.opens(case.graph, key)]
    if not fitting:
        raise errors.KeyWrong("the log was left as it is, since no key opens the graph")
    with store.files.exclusively(case.graph, patience=store.copies.PATIENCE_SECONDS):
        aside = backups.set_aside(case.graph, now=datetime.now(UTC))
        # SQLite takes what it can read from the log, and drops the rest.
        store.database.connect(case.graph, "rw", key=fitting[0], alone=True).close()
    yield f"went on without {case.lost:,} changes in the log; the files as they were are in {aside}"


def _parts(case: Case) -> Iterator[str]:
    for part in environment.parts(case) if case.alone else []:
        owner = part.with_name(part.name.removeprefix(".").partition("-part")[0])
        with store.files.exclusively(owner, patience=0):
            store.files.remove_wiped(part)
        yield f"took {part} away"


def _schema(case: Case) -> Iterator[str]:
    """Any opening for writing brings the tables up to date, with a backup before it."""
    if not case.there:
        return
    try:
        environment.opened(case).close()
    except errors.GraphReadOnly:
        open(case.graph, create=False, ask=case.ask).close()
        yield "brought the tables up to date"
    except errors.KeepgraphError:
        pass  # the look that follows tells why


def _tables(case: Case) -> Iterator[str]:
    """Make anew what is made from the tables, with a backup before it."""
    try:
        with closing(environment.opened(case)) as database:
            _, faults = integrity.tables(database)
    except errors.KeepgraphError:
        return  # the look that follows tells why
    if faults.damaged:
        raise errors.GraphDamaged("the tables were left as they are: what is wrong with them cannot be made anew")
    if not faults:
        return
    with open(case.graph, create=False, ask=case.ask) as graph:
        kept = _backup(graph.database)
        if kept is not None:
            yield f"made the backup {kept}"
            with graph.database.write("doctor") as tx:
                done = integrity.mend(tx, faults)
            yield from done
            return
    # What is wrong lets no copy be called sound.
    with store.files.exclusively(case.graph, patience=store.copies.PATIENCE_SECONDS):
        yield f"kept the files as they were in {backups.set_aside(case.graph, now=datetime.now(UTC))}"
    with open(case.graph, create=False, ask=case.ask) as graph, graph.database.write("doctor") as tx:
        done = integrity.mend(tx, faults)
    yield from done


def _backup(database: Database) -> Path | None:
    try:
        return backups.make(database, _BEFORE_FIX).file
    except errors.BackupFailed:
        return None


def _fingerprint(case: Case) -> Iterator[str]:
    """Let the settings say which key it is that opens the graph."""
    place = case.said.key
    if place is None or place.fingerprint is None or not case.there:
        return
    try:
        with closing(environment.opened(case)) as database:
            used = database.key
    except errors.KeepgraphError:
        return  # the look that follows tells why
    if used is not None and used.fingerprint != place.fingerprint:
        profile.change(case.graph, {("key", "fingerprint"): used.fingerprint})
        yield "noted in the settings which key opens the graph"


def _backups(case: Case) -> Iterator[str]:
    """Encrypt what is plain of an encrypted graph."""
    if not case.there or not environment.plain_backups(case):
        return
    try:
        with closing(environment.opened(case)) as database:
            used = database.key
    except errors.KeepgraphError:
        return  # the look that follows tells why
    if used is not None:
        for file, problem in backups.convert(case.graph, old=[None], new=used):
            if problem is None:
                yield f"encrypted {file}"


# Showing


def _typed(check: Check, graph: Path) -> Check:
    """A check whose command can be typed as it stands: it names the same graph, and there is something to restore."""
    if check.mend == integrity.RESTORE and not environment.usable(graph):
        without = f"There is no backup to restore. Save what can still be read: {_kg(graph)} export FILE"
        return replace(check, mend=without)
    if check.mend is None or not check.mend.startswith("kg "):
        return check
    return replace(check, mend=f"{_kg(graph)}{check.mend.removeprefix('kg')}")


def _kg(graph: Path) -> str:
    try:
        if profile.chosen().resolve() == graph:
            return "kg"
    except errors.KeepgraphError:
        pass  # then the graph has to be named
    name = profile.name_of(graph)
    return f"kg --db {shlex.quote(str(graph))}" if name is None else f"kg --profile {name}"


def _told(check: Check) -> dict[str, Any]:
    return {"name": check.name, "state": check.state.value, "seen": check.seen, "mend": check.mend}


def _show(found: Sequence[Check], done: Sequence[str], left: Sequence[str]) -> None:
    for said in done:
        click.echo(f"  {render.printable(said)}")
    for said in left:
        click.secho(f"  not mended: {render.printable(said)}", fg="red")
    for check in found:
        mark, colour = _MARKS[check.state]
        click.secho(mark, fg=colour, nl=False)
        click.echo(f" {check.name:<{_WIDTH}} {render.printable(check.seen)}")
        if check.mend is not None and check.state is not State.OK:
            click.echo(f"  {'':<{_WIDTH}} → {render.printable(check.mend)}")
    wrong = sum(check.state is State.WRONG for check in found)
    if wrong:
        click.secho("1 thing is wrong." if wrong == 1 else f"{wrong} things are wrong.", fg="red", bold=True)
    else:
        click.secho("Nothing is wrong.", fg="green", bold=True)
