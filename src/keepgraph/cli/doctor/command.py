"""`kg doctor`: runs all checks, shows their results, and with --fix runs the repairs first."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options, offline
from keepgraph.cli.doctor import checks, client_checks, garden_checks, inspection, repairs
from keepgraph.cli.doctor.inspection import InspectedGraph
from keepgraph.cli.output import terminal
from keepgraph.engine.upkeep import integrity
from keepgraph.engine.upkeep.integrity import Check, State
from keepgraph.profiles import profile
from keepgraph.store.database import Database

_MARKS = {State.OK: ("✓", "green"), State.NOTE: ("!", "yellow"), State.WRONG: ("✗", "red")}
_CHECK_ORDER = (
    *("settings", "file", "space", "permissions", "key", "log", "version", "integrity", "indexes", "counts", "vectors"),
    *("texts", "vocabulary", "times", "imports", "pending", "backups", "garden", "server", "claude-desktop"),
)
_NAME_WIDTH = max(map(len, _CHECK_ORDER))


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended safely, then look again.")
@graph_options.all_options
@click.pass_context
def doctor_command(ctx: click.Context, fix: bool) -> None:
    """Look at everything the graph rests on, and say what mends what is wrong. Nothing is changed without --fix.

    That is: its settings, the file, who may read it, the key, the log, the tables and their indexes, the vectors, the
    texts, the backups, the server as a client starts it, and Claude Desktop. Exit code 0 if nothing is wrong, else 1.

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
    repaired, failures = repairs.repair(graph, ask_once) if fix else ([], [])
    results = [_with_runnable_command(check, graph) for check in _run_checks(ctx, inspection.inspect(graph, ask_once))]
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
        checks_report = [_check_as_dict(check) for check in results]
        terminal.show_json(
            {"graph": graph and str(graph), "sound": is_sound, "checks": checks_report, **repairs_report}
        )
    else:
        _show_checks(results, repaired, failures)
    ctx.exit(0 if is_sound else 1)


def _run_checks(ctx: click.Context, target: InspectedGraph) -> list[Check]:
    """Run all checks that are possible: if the graph cannot be opened, those from outside."""
    results = [
        *checks.check_settings(target),
        *checks.check_file(target),
        *checks.check_space(target),
        *checks.check_permissions(target),
    ]
    with ExitStack() as stack:
        if target.profile.offline:
            stack.enter_context(offline.block_network())
        database: Database | None = None
        if target.exists:
            results += checks.check_log(target)
            try:
                database = stack.enter_context(closing(inspection.open_read_only(target)))
            except errors.KeepgraphError as error:
                results += checks.explain_open_failure(target, error)
                if "integrity" not in {check.name for check in results}:
                    message = "the tables cannot be looked at before the graph can be opened"
                    results.append(Check("integrity", State.NOTE, message))
        created_at = None
        if database is not None:
            results += checks.check_key(target, database)
            results += integrity.check_all(database)[0]
            created_at = integrity.created_at(database)
        results += checks.check_unfinished_work(target, database)
        results += checks.check_backups(target, database, created_at=created_at)
        results += garden_checks.check_garden(target, database)
        can_start = database is not None and inspection.client_finds_key(target, database.key)
    if "pending" not in {check.name for check in results}:
        results.append(Check("pending", State.OK, "nothing was left undone"))
    if can_start:
        results.append(client_checks.check_server(ctx))
    else:
        reason = "a client has not the key" if database is not None else "the graph cannot be opened"
        results.append(Check("server", State.NOTE, f"it was not started, since {reason}"))
    results += client_checks.check_claude_desktop(ctx)
    return sorted(results, key=lambda check: _CHECK_ORDER.index(check.name))


def _with_runnable_command(check: Check, graph: Path) -> Check:
    """A check whose command names this graph, so that the user can run it; `restore` only if there is a backup."""
    if check.repair == integrity.RESTORE and not inspection.usable_backups(graph):
        advice = f"There is no backup to restore. Save what can still be read: {_kg_command(graph)} export FILE"
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


def _check_as_dict(check: Check) -> dict[str, Any]:
    return {"name": check.name, "state": check.state.value, "seen": check.message, "mend": check.repair}


def _show_checks(results: Sequence[Check], repaired: Sequence[str], failures: Sequence[str]) -> None:
    for message in repaired:
        click.echo(f"  {terminal.printable(message)}")
    for message in failures:
        click.secho(f"  not mended: {terminal.printable(message)}", fg="red")
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
