"""`kg forget` and `kg compact`: what was recorded goes, and old entries of the journal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options, name_completion, purging
from keepgraph.cli.output import terminal

_KINDS = ("entity", "fact", "text", "call")
_HINT_AMBIGUOUS = "Name the one that is meant: by its id, as type:name, or with --kind."
_HINT_NEAR = "If one of these is meant, name it by its id, or as type:name."
_HINT_NOT_FOUND = "Look it up with `kg search`, and give its name or its title."


@click.command("forget")
@click.argument("what", nargs=-1, required=True, shell_complete=name_completion.complete_name)
@click.option("--kind", type=click.Choice(_KINDS), help="What WHAT is, where it may be several things.")
@click.option("--dry-run", is_flag=True, help="Show what would fall with it, and forget nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--purge", "for_good", is_flag=True, help="For good: from the journal and the backups too. No undo.")
@graph_options.all_options
@click.pass_context
def forget_command(
    ctx: click.Context, what: tuple[str, ...], kind: str | None, dry_run: bool, yes: bool, for_good: bool
) -> None:
    """Delete WHAT: a name, type:name, an id, a title, "the note about …", or "call 12". `kg undo` brings it back.

    \b
    kg forget person:Bob
    kg forget the note about the licence
    kg forget fact_01kb3v9q0e8m4t6w2x5y7z9abc --purge
    """
    graph_file, asked, quiet = graph_options.graph_path(ctx).resolve(), " ".join(what), graph_options.wants_json(ctx)
    if for_good and not dry_run:
        purging.refuse_if_open(graph_file)
    arguments = {"what": asked} if kind is None else {"what": asked, "kind": kind}
    with graph_options.open_graph(ctx) as graph:
        key = graph.database.key
        try:
            preview = graph.call("forget", **arguments, dry_run=True)
        except errors.Ambiguous as error:
            error.hint = _HINT_AMBIGUOUS
            raise
        except purging.NOT_FOUND as error:
            error.hint = _HINT_NEAR if error.candidates else _HINT_NOT_FOUND
            if not for_good or dry_run:
                raise
            preview, not_found = None, error
        if preview is not None:
            _show_preview(preview, quiet=quiet, dry_run=dry_run)
            if dry_run:
                return
            if not yes:
                question = "Forget it for good? Nothing brings it back then." if for_good else "Forget it?"
                terminal.confirm(question, action="forget it", quiet=quiet)
            answer = graph.call("forget", what=preview["forgotten"]["id"], kind=preview["kind"])
    if not for_good:
        _show_forgotten(answer, quiet=quiet)
        return
    if preview is None:
        ids = purging.find_forgotten(graph_file, asked, kind, key, not_found)
        if not yes:
            terminal.confirm("It was forgotten before. Purge it?", action="purge it", quiet=quiet)
        report = purging.purge(ctx, graph_file, key, ids=ids)
        purging.show_report(report, quiet=quiet)
        return
    try:
        thing = [] if preview["kind"] == "call" else [preview["forgotten"]["id"]]
        report = purging.purge(ctx, graph_file, key, ids=thing, calls=[answer["call"]])
    except errors.KeepgraphError as error:
        again = "purge" if preview["kind"] == "call" else f"forget {preview['forgotten']['id']} --purge"
        error.hint = f"It is forgotten, but not purged yet: `kg {again}` does that."
        raise
    purging.show_report(report, quiet=quiet, answer=answer)


@click.command("compact")
@graph_options.all_options
@click.pass_context
def compact_command(ctx: click.Context) -> None:
    """Delete what is older in the journal than the profile keeps ([history] keep), and make the file smaller.

    \b
    kg compact
    """
    from keepgraph.engine.upkeep import journal_age
    from keepgraph.profiles import settings_file

    graph_file = graph_options.graph_path(ctx).resolve()
    size_before = graph_file.stat().st_size if graph_file.is_file() else 0
    with graph_options.open_graph(ctx) as graph:
        key = graph.database.key
        trimmed = journal_age.trim(
            graph.database, days=settings_file.read(graph_file).history_days, now=datetime.now(UTC)
        )
    journal_age.compact(graph_file, key=key)
    size = graph_file.stat().st_size
    oldest = trimmed.oldest
    if graph_options.wants_json(ctx):
        terminal.show_json(
            {
                "calls_deleted": trimmed.calls,
                "undo_from": oldest and {"call": oldest[0], "at": oldest[1]},
                "bytes_before": size_before,
                "bytes": size,
            }
        )
        return
    click.echo(f"{size_before / 1e6:.1f} MB before, {size / 1e6:.1f} MB now.")
    click.echo(f"{trimmed.calls:,} old calls were deleted from the journal.")
    if oldest:
        click.echo(f"Changes since {terminal.day(oldest[1])} can be undone (call {oldest[0]} and later).")


def _show_preview(preview: dict[str, Any], *, quiet: bool, dry_run: bool) -> None:
    if quiet:
        if dry_run:
            terminal.show_json(preview)
        return
    thing = preview["forgotten"]
    kind = thing.get("type") or preview["kind"]
    click.secho(f"{terminal.printable(thing['name'])}  ({kind}, {thing['id']})", bold=True)
    for title, field in (
        ("goes", "facts"),
        ("goes", "entities"),
        ("goes", "texts"),
        ("goes", "aliases"),
        ("opens again", "reopened_blockers"),
        ("stays", "kept"),
        ("stays, and still has the name:" if preview["kind"] == "entity" else "stays:", "kept_texts"),
    ):
        parts = preview.get(field, []) if (preview["kind"], field) != ("fact", "facts") else []
        for part in parts:
            name = part if isinstance(part, str) else part["name"]
            why = f" ({terminal.printable(part['why'])})" if isinstance(part, dict) and "why" in part else ""
            click.echo(f"  {title} {terminal.printable(name)}{why}")
        if (more := preview["totals"].get(field, 0) - len(parts)) > 0 and parts:
            click.echo(f"  … and {more:,} more")


def _show_forgotten(answer: dict[str, Any], *, quiet: bool) -> None:
    if quiet:
        terminal.show_json(answer)
        return
    click.echo(f"{terminal.printable(answer['message'])} `kg undo {answer['call']}` brings it back.")
    purge = "purge" if answer["kind"] == "call" else f"forget {answer['forgotten']['id']} --purge"
    click.secho(f"The journal and earlier backups still have it. `kg {purge}` removes it there.", dim=True)
