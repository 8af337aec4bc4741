"""`kg forget`, `kg purge` and `kg compact`: delete records, remove their traces, trim the journal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from keepgraph import errors, store
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.engine.maintenance import backups, graph_keys, history
from keepgraph.engine.maintenance import purge as engine
from keepgraph.english import count_noun
from keepgraph.model import Key
from keepgraph.profiles import settings_file

if TYPE_CHECKING:
    from keepgraph import Graph
    from keepgraph.engine.maintenance.purge import Remainder, Report
    from keepgraph.store.earlier_versions import Word


_KINDS = ("entity", "fact", "text", "call")
_HINT_AMBIGUOUS = "Name the one you mean: by its id, as type:name, or with --kind."
_HINT_NEAR = "If you mean one of these, name it by its id or as type:name."
_HINT_NOT_FOUND = "Look it up with `kg search`, and give its name or title."


@click.command("forget")
@click.argument("what", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--kind", type=click.Choice(_KINDS), help="What WHAT is, if it may be several things.")
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, without deleting it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--purge", "for_good", is_flag=True, help="Also from the journal and the backups. No undo.")
@graph_options.all_options
def forget_command(
    ctx: click.Context, what: tuple[str, ...], kind: str | None, dry_run: bool, yes: bool, for_good: bool
) -> None:
    """Delete WHAT: a name, type:name, an id, a title, "the note about …", or "call 12". `kg undo` restores it.

    \b
    kg forget person:Bob
    kg forget the note about the licence
    kg forget fact_01kb3v9q0e8m4t6w2x5y7z9abc --purge
    """
    graph_file, asked, quiet = graph_options.graph_path(ctx).resolve(), " ".join(what), graph_options.wants_json(ctx)
    if for_good and not dry_run:
        refuse_if_open(graph_file)
    with graph_options.open_graph(ctx) as graph:
        key = graph.database.key
        try:
            preview = graph.call("forget", what=asked, kind=kind, dry_run=True)
        except errors.Ambiguous as error:
            error.hint = _HINT_AMBIGUOUS
            raise
        except _NOT_FOUND as error:
            error.hint = _HINT_NEAR if error.candidates else _HINT_NOT_FOUND
            if not for_good or dry_run:
                raise
            preview, not_found = None, error
        if preview is not None:
            _show_preview(preview, quiet=quiet, dry_run=dry_run)
            if dry_run:
                return
            if not yes:
                question = "Delete it for good? This cannot be undone." if for_good else "Delete it?"
                terminal.confirm(question, quiet=quiet)
            answer = graph.call("forget", what=preview["forgotten"]["id"], kind=preview["kind"])
    if not for_good:
        _show_forgotten(answer, quiet=quiet)
        return
    if preview is None:
        ids = _find_forgotten(graph_file, asked, kind, key, not_found)
        if not yes:
            terminal.confirm("It is already deleted. Purge it?", quiet=quiet)
        report = purge(ctx, graph_file, key, ids=ids)
        show_report(report, quiet=quiet)
        return
    try:
        thing = [] if preview["kind"] == "call" else [preview["forgotten"]["id"]]
        report = purge(ctx, graph_file, key, ids=thing, calls=[answer["call"]])
    except errors.KeepgraphError as error:
        again = "purge" if preview["kind"] == "call" else f"forget {preview['forgotten']['id']} --purge"
        error.hint = f"It is deleted, but not yet purged: `kg {again}` does that."
        raise
    show_report(report, quiet=quiet, answer=answer)


@click.command("compact")
@graph_options.all_options
def compact_command(ctx: click.Context) -> None:
    """Delete journal entries older than the profile keeps ([history] keep), and shrink the file.

    \b
    kg compact
    """
    graph_file = graph_options.graph_path(ctx).resolve()
    size_before = graph_file.stat().st_size if graph_file.is_file() else 0
    with graph_options.open_graph(ctx) as graph:
        key = graph.database.key
        trimmed = history.trim(graph.database, days=settings_file.read(graph_file).history_days, now=datetime.now(UTC))
    history.compact(graph_file, key=key)
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
        ("deletes the fact", "facts"),
        ("deletes the entity", "entities"),
        ("deletes the text", "texts"),
        ("deletes the alias", "aliases"),
        ("reopens", "reopened_blockers"),
        ("keeps", "kept"),
        ("keeps the text that names it:" if preview["kind"] == "entity" else "keeps the text:", "kept_texts"),
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
    click.echo(f"{terminal.printable(answer['message'])} `kg undo {answer['call']}` restores it.")
    purge = "purge" if answer["kind"] == "call" else f"forget {answer['forgotten']['id']} --purge"
    click.secho(f"The journal and earlier backups still have it. `kg {purge}` removes it there.", dim=True)


# `kg purge`, and the report of what was removed from which files.

_NOT_FOUND = (errors.EntityNotFound, errors.FactNotFound, errors.EpisodeNotFound)
"""What forget raises if nothing has the name: it may already be deleted."""

_PURGED_KINDS = ("entity", "fact", "text")
_SHOWN = 10
_NOTHING_TO_PURGE = "There was nothing to purge."


@click.command("purge")
@click.argument("what", nargs=-1, shell_complete=graph_options.complete_name)
@click.option("--kind", type=click.Choice(_PURGED_KINDS), help="What WHAT is, if it may be several things.")
@click.option("--earlier-versions", is_flag=True, help="Also earlier versions of everything, and earlier backups.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
def purge_command(
    ctx: click.Context, what: tuple[str, ...], kind: str | None, earlier_versions: bool, yes: bool
) -> None:
    """Remove for good everything that was deleted: from the journal, the backups and the file.

    With WHAT, only that: something deleted, or the earlier versions of something that stays. This cannot be undone. To
    delete and purge in one step: kg forget WHAT --purge.

    \b
    kg purge
    kg purge person:Bob
    kg purge --earlier-versions
    """
    if what and earlier_versions:
        raise errors.InvalidArguments(
            "WHAT and --earlier-versions are both given",
            hint="Give WHAT for the earlier versions of one thing, or --earlier-versions for all.",
        )
    graph_file, quiet = graph_options.graph_path(ctx).resolve(), graph_options.wants_json(ctx)
    with graph_options.open_graph(ctx) as graph:
        key = graph.database.key
        chosen = _choose_to_purge(graph, " ".join(what), kind) if what else None
    ids: list[str] | None = None if chosen is None else []
    if isinstance(chosen, errors.KeepgraphError):
        ids = _find_forgotten(graph_file, " ".join(what), kind, key, chosen)
    if not yes:
        terminal.confirm(_question(chosen, earlier_versions=earlier_versions), quiet=quiet)
    if earlier_versions:
        report = engine.purge_earlier_versions(graph_file, key=key, now=datetime.now(UTC))
    else:
        versions_of = [chosen["forgotten"]["id"]] if isinstance(chosen, dict) else []
        report = purge(ctx, graph_file, key, ids=ids, versions_of=versions_of)
    show_report(report, quiet=quiet)


def _choose_to_purge(graph: Graph, what: str, kind: str | None) -> dict[str, Any] | errors.KeepgraphError:
    """What has this name, as forget would show it; the error if nothing has."""
    try:
        found = graph.call("forget", what=what, kind=kind, dry_run=True)
    except _NOT_FOUND as error:
        return error
    if found["kind"] == "call":
        raise errors.InvalidArguments("a call has no earlier versions", hint=f"kg forget {what!r} --purge")
    return found


def _question(chosen: dict[str, Any] | errors.KeepgraphError | None, *, earlier_versions: bool) -> str:
    if earlier_versions:
        return "Remove all earlier versions for good? Nothing can be undone, and one new backup replaces the others."
    if isinstance(chosen, dict):
        name = terminal.printable(chosen["forgotten"]["name"])
        return f"Remove the earlier versions of {name!r} for good? It stays as it is now."
    return "It is already deleted. Purge it?" if chosen else "Remove everything deleted, for good?"


def refuse_if_open(graph_file: Path) -> None:
    """
    Raises:
        errors.GraphBusy: another program has the graph open, so nothing is deleted or purged.
    """
    if graph_file.is_file():
        with store.file_locks.exclusive(graph_file, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
            pass


def _find_forgotten(
    graph_file: Path, what: str, kind: str | None, key: Key | None, not_found: errors.KeepgraphError
) -> list[str]:
    """The id of a deleted thing with this name; an id is returned as it is, since backups may have it.

    Raises:
        errors.Ambiguous: several have this name.
        errors.KeepgraphError: none has; the given error.
    """
    forgotten = engine.find_forgotten(graph_file, what, key=key, kind=kind)
    if len(forgotten) > 1:
        raise errors.Ambiguous(
            f"{len(forgotten)} deleted things are called {what[:60]!r}",
            candidates=[_remainder(each) for each in forgotten[:_SHOWN]],
        )
    if not forgotten and not engine.is_id(what):
        raise not_found
    return [forgotten[0].id if forgotten else what.strip().lower()]


def purge(
    ctx: click.Context,
    graph_file: Path,
    key: Key | None,
    *,
    ids: Sequence[str] | None,
    calls: Sequence[int] = (),
    versions_of: Sequence[str] = (),
    words: Collection[Word] = (),
) -> Report:
    """Purge what was deleted; ask for a passphrase only if a backup needs one."""
    return engine.purge(
        graph_file,
        key=key,
        other_keys=_other_keys(ctx, graph_file, key),
        now=datetime.now(UTC),
        ids=ids,
        calls=calls,
        versions_of=versions_of,
        words=words,
    )


def find_removed_words(graph_file: Path, word: str, key: Key | None) -> list[Word]:
    """The words of this name that were removed from the vocabulary."""
    return engine.find_removed_words(graph_file, word, key=key)


def _other_keys(ctx: click.Context, graph_file: Path, key: Key | None) -> list[Key]:
    """Keys that backups may have besides the graph's; asks for a passphrase only if one needs it."""
    if all(store.copies.opens_with(file, key) for file in backups.files(graph_file)):
        return []
    prompt = graph_options.passphrase_prompt(ctx)
    return list(graph_keys.candidates(graph_file, settings_file.read(graph_file).key, prompt, environment=True))


def show_report(report: Report, *, quiet: bool, answer: dict[str, Any] | None = None) -> None:
    if quiet:
        purged = _report_as_dict(report)
        terminal.show_json(purged if answer is None else {**answer, "purged": purged})
        return
    count = len(report.ids)
    versions = sum(searched.removal.earlier_versions for searched in report.files)
    counts = [count_noun(count, "thing")] if count else []
    counts += [count_noun(versions, "earlier version")] if versions else []
    click.secho(f"Purged {' and '.join(counts)} for good." if counts else _NOTHING_TO_PURGE, bold=True)
    for searched in report.files:
        of_versions = searched.removal.earlier_versions
        no_undo = f"; {count_noun(of_versions, 'earlier version')} of what stays removed too" if of_versions else ""
        click.echo(f"  {searched.file}: {searched.rows_searched:,} rows searched, none of its ids is left{no_undo}")
        for remainder in searched.remainders[:_SHOWN]:
            click.secho(f"    still named in: {_describe(remainder)}", fg="yellow")
        if (more := len(searched.remainders) - _SHOWN) > 0:
            click.echo(f"    … and in {more:,} more")
    if report.backups_replaced:
        replaced, backup = report.backups_replaced
        click.echo(f"  {count_noun(replaced, 'earlier backup')} deleted; {backup} holds the graph as it is now")
    if report.history_removed:
        click.echo("  the prompt history of `kg query` was removed")
    for file, reason in report.failures.items():
        click.secho(
            f"  {file} could not be purged and may still contain it: {terminal.printable(reason)}", fg="red", err=True
        )
    if report.versions_left:
        click.echo(
            f"  {count_noun(report.versions_left, 'earlier version')} of what stays can still be undone: "
            "`kg purge --earlier-versions` removes all of them."
        )
    click.echo("  Exports and your own copies are unchanged.")


def _describe(remainder: Remainder) -> str:
    kind = {"journal": "the journal of changes", "call": "the list of calls"}.get(remainder.kind, remainder.kind)
    return f"{kind} {terminal.printable(remainder.name)} {remainder.id}".rstrip()


def _report_as_dict(report: Report) -> dict[str, Any]:
    return {
        "ids": sorted(report.ids),
        "files": [
            {
                "file": str(purged.file),
                "rows_deleted": purged.removal.rows,
                "journal_entries": purged.removal.journal,
                "earlier_versions": purged.removal.earlier_versions,
                "stored_answers": purged.removal.answers,
                "rows_searched": purged.rows_searched,
                "still_named_in": [_remainder(each) for each in purged.remainders],
            }
            for purged in report.files
        ],
        "failures": {str(file): reason for file, reason in report.failures.items()},
        "history_removed": report.history_removed,
        "earlier_versions_left": report.versions_left,
        "backups_replaced": report.backups_replaced[0] if report.backups_replaced else 0,
    }


def _remainder(remainder: Remainder) -> dict[str, str]:
    return {"kind": remainder.kind, "id": remainder.id, "name": remainder.name}
