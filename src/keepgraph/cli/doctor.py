"""`kg doctor`: runs all checks, shows their results, and with --fix runs the repairs first."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import click
from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, store
from keepgraph.cli import doctor_checks, graph_options
from keepgraph.cli.doctor_checks import InspectedGraph
from keepgraph.cli.output import terminal
from keepgraph.engine.maintenance import backups, integrity, jobs
from keepgraph.engine.maintenance.integrity import Check, State
from keepgraph.graph import open
from keepgraph.model import Key
from keepgraph.profiles import profile, settings_file
from keepgraph.store.database import Database

_MARKS = {State.OK: ("✓", "green"), State.NOTE: ("!", "yellow"), State.WRONG: ("✗", "red")}
_CHECK_ORDER = (
    *("settings", "file", "space", "permissions", "key", "log", "version", "integrity", "indexes", "counts", "vectors"),
    *("texts", "vocabulary", "times", "imports", "pending", "backups", "garden", "server", "claude-desktop"),
)
_NAME_WIDTH = max(map(len, _CHECK_ORDER))


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Repair what can be repaired safely, then check again.")
@graph_options.all_options
def doctor_command(ctx: click.Context, fix: bool) -> None:
    """Check the graph and all that it needs, and say how to fix what is wrong. Nothing is changed without --fix.

    The checks cover the settings, the file, its permissions, the key, the log, the tables and indexes, the vectors, the
    texts, the backups, the server as a client starts it, and Claude Desktop. Exits with 1 if something is wrong.

    \b
    kg doctor
    """
    try:
        graph = graph_options.graph_path(ctx).resolve()
    except (errors.ProfileNotFound, errors.SettingsInvalid) as error:
        _show_result(ctx, None, [Check("settings", State.WRONG, error.message, error.hint)])
        return
    ask = graph_options.passphrase_prompt(ctx)
    ask_once = cache(ask) if ask is not None else None
    repaired, failures = _repair(graph, ask_once) if fix else ([], [])
    results = [
        _with_runnable_command(check, graph) for check in _run_checks(ctx, doctor_checks.inspect(graph, ask_once))
    ]
    _show_result(ctx, graph, results, repaired=repaired, failures=failures)


def _show_result(
    ctx: click.Context,
    graph: Path | None,
    results: list[Check],
    *,
    repaired: Sequence[str] = (),
    failures: Sequence[str] = (),
) -> None:
    is_sound = all(check.state is not State.WRONG for check in results)
    if graph_options.wants_json(ctx):
        repairs_report = {"done": list(repaired), "left": list(failures)} if ctx.params["fix"] else {}
        checks_report = [
            {"name": check.name, "state": check.state.value, "seen": check.message, "mend": check.repair}
            for check in results
        ]
        terminal.show_json(
            {"graph": graph and str(graph), "sound": is_sound, "checks": checks_report, **repairs_report}
        )
    else:
        _show_checks(results, repaired, failures)
    ctx.exit(0 if is_sound else 1)


def _run_checks(ctx: click.Context, target: InspectedGraph) -> list[Check]:
    """Run all checks; if the graph cannot be opened, only those from outside."""
    results = [
        *doctor_checks.check_settings(target),
        *doctor_checks.check_file(target),
        *doctor_checks.check_space(target),
        *doctor_checks.check_permissions(target),
    ]
    with ExitStack() as stack:
        if target.profile.offline:
            stack.enter_context(graph_options.block_network())
        database: Database | None = None
        if target.exists:
            results += doctor_checks.check_log(target)
            try:
                database = stack.enter_context(closing(doctor_checks.open_read_only(target)))
            except errors.KeepgraphError as error:
                results += doctor_checks.explain_open_failure(target, error)
                if "integrity" not in {check.name for check in results}:
                    message = "the tables cannot be checked until the graph can be opened"
                    results.append(Check("integrity", State.NOTE, message))
        created_at = None
        if database is not None:
            results += doctor_checks.check_key(target, database)
            results += integrity.check_all(database)[0]
            created_at = integrity.created_at(database)
        results += doctor_checks.check_unfinished_work(target, database)
        results += doctor_checks.check_backups(target, database, created_at=created_at)
        results += doctor_checks.check_garden(target, database)
        can_start = database is not None and doctor_checks.client_finds_key(target, database.key)
    if "pending" not in {check.name for check in results}:
        results.append(Check("pending", State.OK, "no work was interrupted"))
    if can_start:
        results.append(doctor_checks.check_server(ctx))
    else:
        reason = "a client does not have the key" if database is not None else "the graph cannot be opened"
        results.append(Check("server", State.NOTE, f"not started: {reason}"))
    results += doctor_checks.check_claude_desktop(ctx)
    return sorted(results, key=lambda check: _CHECK_ORDER.index(check.name))


def _with_runnable_command(check: Check, graph: Path) -> Check:
    """A check whose command names this graph, so that the user can run it; `restore` only if a backup exists."""
    if check.repair == integrity.RESTORE and not doctor_checks.usable_backups(graph):
        advice = f"There is no backup to restore. Save what is still readable: {_kg_command(graph)} export FILE"
        return replace(check, repair=advice)
    if check.repair is None or not check.repair.startswith("kg "):
        return check
    return replace(check, repair=f"{_kg_command(graph)}{check.repair.removeprefix('kg')}")


def _kg_command(graph: Path) -> str:
    """`kg` with the options that name this graph, if it is not the selected one."""
    try:
        if profile.selected_graph().resolve() == graph:
            return "kg"
    except errors.KeepgraphError:
        pass  # then the command must name the graph
    name = profile.name_of(graph)
    return f"kg --db {shlex.quote(str(graph))}" if name is None else f"kg --profile {name}"


def _show_checks(results: Sequence[Check], repaired: Sequence[str], failures: Sequence[str]) -> None:
    for message in repaired:
        click.echo(f"  {terminal.printable(message)}")
    for message in failures:
        click.secho(f"  not repaired: {terminal.printable(message)}", fg="red")
    for check in results:
        mark, colour = _MARKS[check.state]
        click.secho(mark, fg=colour, nl=False)
        click.echo(f" {check.name:<{_NAME_WIDTH}} {terminal.printable(check.message)}")
        if check.repair is not None and check.state is not State.OK:
            click.echo(f"  {'':<{_NAME_WIDTH}} → {terminal.printable(check.repair)}")
    wrong = sum(check.state is State.WRONG for check in results)
    if wrong:
        click.secho("1 thing is wrong." if wrong == 1 else f"{wrong} things are wrong.", fg="red", bold=True)
    else:
        click.secho("Nothing is wrong.", fg="green", bold=True)


# Repairs of `kg doctor --fix`. Each inspects the graph again.

_BEFORE_FIX = "before-fix"


def _repair(graph: Path, ask: Callable[[str], str] | None) -> tuple[list[str], list[str]]:
    """Run all repairs; returns messages about what was repaired and what could not be."""
    repaired: list[str] = []
    failures: list[str] = []
    for repair_step in (
        _repair_permissions,
        _repair_log,
        _remove_partial_files,
        _repair_schema,
        _migrate,
        _rebuild_derived_data,
        _update_fingerprint,
        _encrypt_backups,
    ):
        try:
            for message in repair_step(doctor_checks.inspect(graph, ask)):
                repaired.append(message)
        except errors.KeepgraphError as error:
            failures.append(error.message)
        except OSError as error:
            failures.append(f"{error.filename}: {error.strerror}")
    return repaired, failures


def _repair_permissions(target: InspectedGraph) -> Iterator[str]:
    """Take the permissions of group and others from files and folders."""
    last_error = None
    for path in doctor_checks.readable_by_others(target) if os.name == "posix" else []:
        try:
            path.chmod(path.stat().st_mode & 0o700)
        except OSError as error:
            last_error = error
        else:
            yield f"made {path} inaccessible to other users"
    if last_error is not None:
        raise last_error


def _repair_log(target: InspectedGraph) -> Iterator[str]:
    """Drop unreadable transactions from the write-ahead log, after copying the files aside."""
    if not target.lost_transactions:
        return
    is_plain = store.files.kind(target.path) is store.files.Kind.PLAIN
    keys: list[Key | None] = [None] if is_plain else [*doctor_checks.find_keys(target)]
    matching_keys = [key for key in keys if store.copies.opens_with(target.path, key)]
    if not matching_keys:
        raise errors.KeyWrong("the log was left as it is, since no key opens the graph")
    with store.file_locks.exclusive(target.path, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        folder = backups.set_aside(target.path, now=datetime.now(UTC))
        # When it opens the file, SQLite recovers the readable part of the log and drops the rest.
        store.connections.connect(target.path, "rw", key=matching_keys[0], exclusive=True).close()
    yield f"dropped {target.lost_transactions:,} changes in the log; the earlier files are in {folder}"


def _remove_partial_files(target: InspectedGraph) -> Iterator[str]:
    """Remove unfinished files, under the lock of the file they would have become."""
    for partial in doctor_checks.partial_files(target) if target.is_idle else []:
        target_file = partial.with_name(partial.name.removeprefix(".").partition("-part")[0])
        with store.file_locks.exclusive(target_file, timeout=0):
            store.files.remove_overwritten(partial)
        yield f"removed {partial}"


def _repair_schema(target: InspectedGraph) -> Iterator[str]:
    """Drop what the schema should not have and create what it lacks, after copying the files aside."""
    if not target.exists or target.lost_transactions:
        return
    key = next(
        (key for key in (None, *doctor_checks.find_keys(target)) if store.copies.opens_with(target.path, key)), None
    )
    try:
        # With nobody else in the file, the log is in it and the copy is complete.
        with store.file_locks.exclusive(target.path, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
            yield from _repair_schema_of(target.path, key)
    except sqlite.Error as error:
        name = getattr(error, "sqlite_errorname", None) or type(error).__name__
        raise errors.GraphSchemaDiffers(f"the schema was not changed: a part cannot be rebuilt ({name})") from error


def _repair_schema_of(graph: Path, key: Key | None) -> Iterator[str]:
    with store.copies.open_exclusively(graph, key=key) as conn:
        if not store.migrations.version(conn) or store.migrations.is_as_migrated(conn):
            return
    folder = backups.set_aside(graph, now=datetime.now(UTC))
    with store.copies.open_exclusively(graph, key=key) as conn:
        messages = store.migrations.repair(conn)
    yield f"kept the earlier files in {folder}"
    yield from messages


def _migrate(target: InspectedGraph) -> Iterator[str]:
    """Migrate an older schema: opening for writing makes a backup and migrates."""
    if not target.exists:
        return
    try:
        doctor_checks.open_read_only(target).close()
    except errors.GraphReadOnly:
        open(target.path, create=False, ask=target.ask_passphrase).close()
        yield "brought the tables up to date"
    except errors.KeepgraphError:
        pass  # the next check reports it


def _rebuild_derived_data(target: InspectedGraph) -> Iterator[str]:
    """Back up, then rebuild indexes and other data derived from the tables."""
    try:
        with closing(doctor_checks.open_read_only(target)) as database:
            _, faults = integrity.check_all(database)
    except errors.KeepgraphError:
        return  # the next check reports it
    if faults.is_unrepairable:
        raise errors.GraphDamaged("the tables were not changed: their faults cannot be repaired")
    if not faults:
        return
    with open(target.path, create=False, ask=target.ask_passphrase) as graph:
        backup = _try_backup(graph.database)
        if backup is not None:
            yield f"made the backup {backup}"
            with graph.database.write("doctor") as tx:
                repaired = integrity.rebuild(tx, faults)
            yield from repaired
            return
    # No backup of these faults passes its checks: copy the files aside instead.
    with store.file_locks.exclusive(target.path, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        yield f"kept the earlier files in {backups.set_aside(target.path, now=datetime.now(UTC))}"
    with open(target.path, create=False, ask=target.ask_passphrase) as graph, graph.database.write("doctor") as tx:
        repaired = integrity.rebuild(tx, faults)
    yield from repaired


def _try_backup(database: Database) -> Path | None:
    try:
        return backups.make(database, _BEFORE_FIX).file
    except errors.BackupFailed:
        return None


def _update_fingerprint(target: InspectedGraph) -> Iterator[str]:
    """Record the fingerprint of the key that opens the graph in the settings."""
    location = target.profile.key
    if location is None or location.fingerprint is None or not target.exists:
        return
    key = _opening_key(target)
    if key is not None and key.fingerprint != location.fingerprint:
        settings_file.update(target.path, {("key", "fingerprint"): key.fingerprint})
        yield "recorded in the settings which key opens the graph"


def _opening_key(target: InspectedGraph) -> Key | None:
    """The key with which the graph opens; None also if it does not open, which the next check reports."""
    try:
        with closing(doctor_checks.open_read_only(target)) as database:
            return database.key
    except errors.KeepgraphError:
        return None


def _encrypt_backups(target: InspectedGraph) -> Iterator[str]:
    """Encrypt unencrypted backups of an encrypted graph."""
    if not target.exists or not jobs.plain_backups(target.path):
        return
    if (key := _opening_key(target)) is not None:
        for file, problem in backups.reencrypt_all(target.path, old=[None], new=key):
            if problem is None:
                yield f"encrypted {file}"
