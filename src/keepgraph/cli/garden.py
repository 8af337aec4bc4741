"""`kg garden`: checks the graph and shows proposals; installs the timer that does so each night."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.profiles import keys, settings_file

if TYPE_CHECKING:
    from pathlib import Path

    from keepgraph.graph import Graph


_PLAIN = b"SQLite format 3\0"


@click.command("garden")
@click.option("--project", metavar="NAME", help="Only this project, or the id of a group.")
@click.option("--passes", metavar="NAME,…", help="Only these passes: duplicates, gaps …")
@click.option("--dry-run", is_flag=True, help="Show what would be proposed or written, without doing it.")
@click.option("--status", is_flag=True, help="Show the last run, and what became of its proposals.")
@click.option("--install", is_flag=True, help="Run it each night with a system timer.")
@click.option("--uninstall", is_flag=True, help="Remove the timer.")
@click.option("--timer", is_flag=True, hidden=True, help="Report in one line, for the log of a timer.")
@graph_options.all_options
def garden_command(
    ctx: click.Context,
    project: str | None,
    passes: str | None,
    dry_run: bool,
    status: bool,
    install: bool,
    uninstall: bool,
    timer: bool,
) -> None:
    """Check the graph, and propose changes: contradictions, duplicates, gaps, old facts.

    No fact changes: you decide on the proposals with `kg review`. Only one run at a time; Ctrl-C ends it and keeps its
    proposals so far. An idle server does the same once a day, unless the settings forbid it.

    \b
    kg garden
    kg garden --install
    """
    if sum((status, install, uninstall, timer)) > 1:
        raise click.UsageError("Give only one of --status, --install and --uninstall.")
    if install or uninstall:
        _change_timer(ctx, install=install, dry_run=dry_run)
    elif status:
        _show_status(ctx, project)
    else:
        _run(ctx, project=project, passes=passes, dry_run=dry_run, is_timer=timer)


def _run(ctx: click.Context, *, project: str | None, passes: str | None, dry_run: bool, is_timer: bool) -> None:
    arguments = {
        "dry_run": dry_run,
        "origin": "timer" if is_timer else "call",
        "project": project,
        "passes": None if passes is None else [name.strip() for name in passes.split(",") if name.strip()],
    }
    with graph_options.open_graph(ctx) as graph:
        answer = _call(graph, arguments, quiet=is_timer or graph_options.wants_json(ctx))
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif is_timer:
        click.echo(f"keepgraph garden, {terminal.printable(graph.path)}: {terminal.printable(answer['message'])}")
    else:
        _show_answer(answer)
    ctx.exit(1 if answer["status"] == "already_running" else 0)


def _call(graph: Graph, arguments: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    """Run the gardener; Ctrl-C ends it after the current step, with the answer of a run that ended early."""
    from threading import Event

    interrupted = Event()

    def cancellation() -> errors.KeepgraphError | None:
        return errors.Cancelled("you ended it") if interrupted.is_set() else None

    with _interrupts(interrupted), _progress(quiet=quiet) as progress:
        return graph.call_until(cancellation, "run_night_gardener", arguments, progress=progress)


@contextmanager
def _interrupts(interrupted: Any) -> Iterator[None]:
    """Let Ctrl-C set an event instead of raising."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: interrupted.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Any]:
    """A callback that moves a progress bar and names the current pass."""
    with terminal.progress_bar(1, "Looking", quiet=quiet) as bar:
        bar.item_show_func = lambda purpose: purpose or ""

        def update(done: int, total: int | None, purpose: str) -> None:
            bar.length = max(total or 0, 1)
            bar.update(done - bar.pos, purpose)

        yield update


def _show_answer(answer: dict[str, Any]) -> None:
    for proposal in answer["proposals"]:
        click.secho(f"{proposal['kind'].replace('_', ' '):<15} ", dim=True, nl=False)
        click.echo(terminal.printable(proposal["statement"]))
    if answer["truncated"]:
        click.echo(f"… of {answer['candidates_proposed']}")
    click.echo(terminal.printable(answer["message"]))
    if held := sum(one["over_limit"] for one in answer["passes"]):
        click.echo(f"{held:,} more follow when you have decided some of these.")
    if answer["waiting"] and not answer["dry_run"]:
        click.echo("To decide one by one: `kg review`.")


def _show_status(ctx: click.Context, project: str | None) -> None:
    answer = graph_options.call(ctx, "get_garden_status", project=project)
    if graph_options.show_json(ctx, answer):
        return
    click.echo(terminal.printable(answer["message"]))
    if answer["last_run"]:
        click.echo(f"Last run: {answer['last_run'][:16].replace('T', ' ')} ({_ORIGINS[answer['origin']]}).")
        decided = f"{answer['relations_accepted']:,} accepted, {answer['relations_rejected']:,} rejected"
        click.echo(f"Proposed by all runs: {answer['relations_proposed']:,}. Decided: {decided}.")
    for one in answer["passes"]:
        told = f"  {one['note']}" if one["note"] else ""
        click.echo(f"  {one['name']:<14} {one['new']:>3} new, {one['open']:>3} open before{terminal.printable(told)}")
    click.echo(terminal.printable(answer["sessions"]["message"]))


_ORIGINS = {"call": "on request", "timer": "by the timer", "idle": "by a server, when idle"}


def _change_timer(ctx: click.Context, *, install: bool, dry_run: bool) -> None:
    from keepgraph.cli import clients, garden_timers

    graph = graph_options.graph_path(ctx).resolve()
    if install and not graph.is_file():
        raise errors.GraphNotFound(f"there is no graph at {graph}")
    timer = garden_timers.timer(clients.this_machine(), clients.own_command(), graph)
    change = (garden_timers.install if install else garden_timers.remove)(timer, dry_run=dry_run)
    report = {
        "timer": timer.name,
        "became": change.became,
        "dry_run": dry_run,
        "files": [str(file) for file, _ in timer.files],
        "problem": change.problem,
        "log": timer.log,
    }
    if not graph_options.show_json(ctx, report):
        commands = timer.start if install else timer.stop
        _show_change(report, [shlex.join(command) for command in commands], lacks_key=install and _lacks_key(graph))
    ctx.exit(1 if change.problem else 0)


def _lacks_key(graph: Path) -> bool:
    """Whether a graph is encrypted and a timer cannot find its key, in a key file or the keyring."""
    with graph.open("rb") as file:
        is_encrypted = file.read(len(_PLAIN)) != _PLAIN
    location = settings_file.read(graph).key
    if location is not None:
        return is_encrypted and location.source not in ("file", "keyring")
    return is_encrypted and not keys.default_file(graph).is_file()


def _show_change(report: dict[str, Any], commands: list[str], *, lacks_key: bool) -> None:
    would = "would be " if report["dry_run"] else ""
    phrase = {"unchanged": "is already installed", "absent": "is not installed"}.get(
        report["became"], f"{would}{report['became']}" if would else f"was {report['became']}"
    )
    click.secho(f"The timer {report['timer']} {phrase}.", bold=True)
    for file in report["files"]:
        click.echo(f"  {terminal.printable(file)}")
    if report["became"] in ("installed", "replaced", "unchanged"):
        click.echo(f"It runs each night at half past three. Its log: {terminal.printable(report['log'])}")
    if lacks_key:
        click.secho(
            "The graph is encrypted, and at night nobody can give its key: the run will fail. "
            "`kg rekey --key file` keeps the key where the timer finds it.",
            fg="yellow",
        )
    if report["problem"]:
        click.secho(f"The system did not accept it: {terminal.printable(report['problem'])}", fg="yellow", err=True)
        for command in commands:
            click.echo(f"  {terminal.printable(command)}", err=True)
