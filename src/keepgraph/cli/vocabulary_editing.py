"""`kg vocabulary add`, `change`, `retire`, `remove`, `restore`, `merge` and `map`: words, and wordings without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from keepgraph import errors
from keepgraph.cli import forgetting, graph_options
from keepgraph.cli.output import pages, terminal
from keepgraph.cli.output.pages import Section, show_sections
from keepgraph.cli.vocabulary import kind_of_word
from keepgraph.english import count_noun, listed
from keepgraph.model import PREDICATE_FLAGS

_F = TypeVar("_F", bound=Callable[..., Any])

_NONE = "none"
"""Removes a value."""

_kind_option = click.option("--kind", type=click.Choice(["type", "predicate"]), help="Which one, if the word is both.")
_dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")


def _shared_options(command: _F) -> _F:
    """Options that types and predicates share."""
    for option in (
        click.option("--description", metavar="TEXT", help="What it means, in a sentence."),
        click.option(
            "--label", "labels", metavar="TEXT", multiple=True, help="Another wording of it; may be repeated."
        ),
        click.option(
            "--label-in", "labels_in", metavar="LANGUAGE TEXT", nargs=2, multiple=True, help="A label: --label-in de …"
        ),
        click.option("--example", "examples", metavar="TEXT", multiple=True, help="May be repeated."),
        click.option("--notation", metavar="CODE", help="A code."),
        click.option("--uri", metavar="URI", help="Where it is defined; never fetched."),
    ):
        command = option(command)
    return command


def _type_options(command: _F) -> _F:
    for option in (
        click.option(
            "--parent",
            "parents",
            metavar="TYPE",
            multiple=True,
            shell_complete=graph_options.complete_type,
            help="The type it is a kind of; may be repeated.",
        ),
        click.option(
            "--disjoint",
            metavar="TYPE",
            multiple=True,
            shell_complete=graph_options.complete_type,
            help="A type that excludes this one; may be repeated.",
        ),
        click.option(
            "--style", metavar="STYLE", help="How its names are formed: person, title, statement, term, reference."
        ),
        click.option("--abstract/--not-abstract", default=None, help="Only its subtypes have entities."),
    ):
        command = option(command)
    return command


def _predicate_options(command: _F) -> _F:
    for flag in reversed(PREDICATE_FLAGS):
        name = flag.replace("_", "-")
        command = click.option(f"--{name}/--not-{name}", flag, default=None)(command)
    for option in (
        click.option(
            "--from",
            "sources",
            metavar="TYPE",
            multiple=True,
            shell_complete=graph_options.complete_type,
            help="A type of its subject; may be repeated. By default any.",
        ),
        click.option(
            "--to",
            "targets",
            metavar="TYPE",
            multiple=True,
            shell_complete=graph_options.complete_type,
            help="A type of its object; may be repeated. By default any.",
        ),
        click.option("--literal", metavar="KIND", help="Its object is a text, number, date, url or identifier."),
        click.option("--alias/--not-alias", default=None, help="Its text is another name of the subject."),
        click.option("--inverse", metavar="NAME", help="The predicate that says the same with the ends swapped."),
        click.option(
            "--role", metavar="ROLE", help="decides, part_of, blocks, resolves, depends, tags, mentions, reports."
        ),
        click.option("--sentence", metavar="TEXT", help="How a fact is read: {subject} mentors {object}."),
    ):
        command = option(command)
    return command


@click.group("add")
def add_command() -> None:
    """Add a type or a predicate of your own."""


@add_command.command("type")
@click.argument("name")
@_type_options
@_shared_options
@_dry_run_option
@graph_options.all_options
def add_type_command(ctx: click.Context, /, name: str, dry_run: bool, **options: Any) -> None:
    """Add a type of entities: kg vocabulary add type engineer --parent person."""
    _add(ctx, "types", name, _values(options), dry_run=dry_run)


@add_command.command("predicate")
@click.argument("name")
@_predicate_options
@_shared_options
@_dry_run_option
@graph_options.all_options
def add_predicate_command(ctx: click.Context, /, name: str, dry_run: bool, **options: Any) -> None:
    """Add a predicate: kg vocabulary add predicate mentors --from person --to person --inverse mentored_by."""
    _add(ctx, "predicates", name, _values(options), dry_run=dry_run)


@click.command("change")
@click.argument("word", shell_complete=graph_options.complete_word)
@_predicate_options
@_type_options
@_shared_options
@click.option("--remove-label", "removed_labels", metavar="TEXT", multiple=True, help="Remove a label.")
@_kind_option
@_dry_run_option
@graph_options.all_options
def change_command(
    ctx: click.Context, /, word: str, removed_labels: tuple[str, ...], kind: str | None, dry_run: bool, **options: Any
) -> None:
    """Change WORD: given values replace the old ones; labels are added. “none” removes a value.

    \b
    kg vocabulary change mentors --to person --label coaches
    kg vocabulary change engineer --parent none --style person
    """
    values = _values(options)
    with graph_options.open_graph(ctx) as graph:
        if any(options[flag] is not None for flag in PREDICATE_FLAGS):
            flags = set(graph.call("describe_word", word=word, kind="predicate")["flags"])
            changed = {flag: options[flag] for flag in PREDICATE_FLAGS if options[flag] is not None}
            values["flags"] = sorted({flag for flag in PREDICATE_FLAGS if changed.get(flag, flag in flags)})
        answer = graph.call(
            "change_word",
            word=word,
            values=values,
            removed_labels=list(removed_labels),
            dry_run=dry_run,
            kind=kind_of_word(kind),
        )
    _show_change(ctx, answer)


@click.command("retire")
@click.argument("word", shell_complete=graph_options.complete_word)
@click.option("--replaced-by", metavar="WORD", shell_complete=graph_options.complete_word, help="What to use instead.")
@_kind_option
@_dry_run_option
@graph_options.all_options
def retire_command(ctx: click.Context, word: str, replaced_by: str | None, kind: str | None, dry_run: bool) -> None:
    """Retire WORD: it can no longer be used; what was recorded with it stays."""
    answer = graph_options.call(
        ctx, "retire_word", word=word, dry_run=dry_run, replaced_by=replaced_by, kind=kind_of_word(kind)
    )
    _show_change(ctx, answer)


@click.command("remove")
@click.argument("word", shell_complete=graph_options.complete_word)
@_kind_option
@_dry_run_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--purge", "for_good", is_flag=True, help="Also from the journal and the backups. No undo.")
@graph_options.all_options
def remove_command(ctx: click.Context, word: str, kind: str | None, dry_run: bool, yes: bool, for_good: bool) -> None:
    """Delete the unused WORD, with its inverses and the proposals in its wordings."""
    graph_file, quiet = graph_options.graph_path(ctx).resolve(), graph_options.wants_json(ctx)
    if for_good and not dry_run:
        forgetting.refuse_if_open(graph_file)
    answer: dict[str, Any] | None = None
    with graph_options.open_graph(ctx) as graph:
        key = graph.database.key
        try:
            plan = graph.call("remove_word", word=word, dry_run=True, kind=kind_of_word(kind))
        except (errors.PredicateUnknown, errors.EntityTypeUnknown) as error:
            if not for_good or dry_run:
                raise
            unknown = error
        else:
            if dry_run or not quiet:
                terminal.show_json(plan) if quiet else click.echo(terminal.printable(plan["message"]))
            if dry_run:
                return
            if not yes:
                terminal.confirm("Remove it for good?" if for_good else "Remove it?", quiet=quiet)
            answer = graph.call("remove_word", word=word, kind=kind_of_word(kind))
    if for_good:
        words = [(answer["kind"], name) for name in answer["removed"]] if answer else []
        if answer is None and not (words := forgetting.find_removed_words(graph_file, word, key)):
            raise unknown
        if answer is None and not yes:
            terminal.confirm("It is already removed. Purge it?", quiet=quiet)
        report = forgetting.purge(ctx, graph_file, key, ids=[], words=words)
        forgetting.show_report(report, quiet=quiet, answer=answer)
    elif quiet:
        terminal.show_json(answer)
    elif answer is not None:
        click.secho(f"  `kg undo {answer['call']}` restores it, until it is purged.", dim=True)


@click.command("restore")
@click.argument("word", shell_complete=graph_options.complete_word)
@_kind_option
@graph_options.all_options
def restore_command(ctx: click.Context, word: str, kind: str | None) -> None:
    """Bring the retired WORD back into use."""
    answer = graph_options.call(ctx, "restore_word", word=word, kind=kind_of_word(kind))
    _show_change(ctx, answer)


@click.command("merge")
@click.argument("absorb", shell_complete=graph_options.complete_word)
@click.argument("keep", shell_complete=graph_options.complete_word)
@_kind_option
@_dry_run_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
def merge_command(ctx: click.Context, absorb: str, keep: str, kind: str | None, dry_run: bool, yes: bool) -> None:
    """Merge ABSORB into KEEP: what is recorded with ABSORB moves to KEEP, and its names become labels of KEEP."""
    quiet = graph_options.wants_json(ctx)
    arguments = {"absorb": absorb, "keep": keep, "kind": kind_of_word(kind)}
    with graph_options.open_graph(ctx) as graph:
        if dry_run or not yes:
            plan = graph.call("merge_words", **arguments, dry_run=True)
            if dry_run and quiet:
                terminal.show_json(plan)
            elif not quiet:
                _show_merge(plan)
            if dry_run:
                return
            terminal.confirm("Merge them?", quiet=quiet)
        answer = graph.call("merge_words", **arguments)
    if quiet:
        terminal.show_json(answer)
        return
    if yes:
        _show_merge(answer)
    click.echo(f"Merged. `kg undo {answer['call']}` takes it back.")


def show_extension(ctx: click.Context, answer: Mapping[str, Any]) -> None:
    """Show what extend_vocabulary added, and how to take it back."""
    if graph_options.show_json(ctx, answer):
        return
    verb = "Would add" if answer["dry_run"] else "Added"
    for noun, words in (("type", answer["types"]), ("predicate", answer["predicates"])):
        for word in words:
            click.echo(f"{verb} the {noun} {terminal.printable(word)}.")
    for word in answer["existing"]:
        click.echo(f"{terminal.printable(word)} already exists.")
    for overlap in answer["overlaps"]:
        name, existing = terminal.printable(overlap["name"]), terminal.printable(overlap["existing"])
        is_word = overlap["name"] in (*answer["types"], *answer["predicates"])
        outcome = (
            "was another wording of {}; it is now a separate word."
            if is_word
            else ("is also a wording of {}, which is preferred if both fit.")
        )
        click.secho(f"  “{name}” {outcome.format(existing)}", fg="yellow")
    for mapped in answer["mapped"]:
        wordings = ", ".join(f"“{terminal.printable(wording)}”" for wording in mapped["wordings"])
        wordings += f" and {mapped['more_wordings']:,} more" if "more_wordings" in mapped else ""
        verb = "would mean" if answer["dry_run"] else "means"
        waiting = f", {mapped['waiting']:,} still wait" if mapped["waiting"] else ""
        facts = count_noun(mapped["admitted"], "fact")
        click.echo(f"{wordings} {verb} {terminal.printable(mapped['word'])}: {facts}{waiting}.")
    if answer["admitted"]:
        verb = "would be recorded" if answer["dry_run"] else "recorded"
        click.echo(f"{count_noun(answer['admitted'], 'proposed fact')} {verb}.")
    if answer["dismissed"]:
        verb = "would be deleted" if answer["dry_run"] else "deleted"
        click.echo(f"{count_noun(answer['dismissed'], 'proposed fact')} {verb}.")
    if answer["call"] is not None and (answer["types"] or answer["predicates"] or answer["mapped"]):
        click.secho(f"  `kg undo {answer['call']}` takes it back.", dim=True)


def _add(ctx: click.Context, group: str, name: str, values: dict[str, Any], *, dry_run: bool) -> None:
    if flags := [flag for flag in PREDICATE_FLAGS if ctx.params.get(flag)]:
        values["flags"] = flags
    arguments: dict[str, Any] = {group: {name: values}}
    answer = graph_options.call(ctx, "extend_vocabulary", create=True, dry_run=dry_run, **arguments)
    show_extension(ctx, answer)


def _values(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a word as in a vocabulary set; None for those to remove."""
    values: dict[str, Any] = {}
    for name in ("description", "style", "abstract", "role", "literal", "alias", "sentence", "notation", "uri"):
        if options.get(name) is not None:
            values[name] = None if options[name] == _NONE else options[name]
    for name in ("parents", "disjoint", "sources", "targets", "examples"):
        if options.get(name):
            values[name] = [] if options[name] == (_NONE,) else list(options[name])
    if options.get("inverse"):
        values["inverse"] = None if options["inverse"] == _NONE else {"name": options["inverse"]}
    if options["labels"]:
        values["alternative"] = list(options["labels"])
    if options["labels_in"]:
        by_language: dict[str, list[str]] = {}
        for language, text in options["labels_in"]:
            by_language.setdefault(language, []).append(text)
        values["labels"] = by_language
    return values


def _show_change(ctx: click.Context, answer: Mapping[str, Any]) -> None:
    if graph_options.show_json(ctx, answer):
        return
    click.echo(terminal.printable(answer["message"]))
    for word in answer["added"]:
        click.echo(f"  new: {terminal.printable(word)}")
    if answer["outside_ends"]:
        click.secho(f"  outside its ends, and unchanged: {count_noun(answer['outside_ends'], 'fact')}", fg="yellow")
    if answer["call"] is not None:
        click.secho(f"  `kg undo {answer['call']}` takes it back.", dim=True)


def _show_merge(answer: Mapping[str, Any]) -> None:
    click.echo(terminal.printable(answer["message"]))
    if answer["merged_names"]:
        names = ", ".join(map(terminal.printable, answer["merged_names"]))
        click.echo(f"  merged, since they have the same name: {names}")
    if answer["outside_ends"]:
        click.secho(
            f"  outside the ends of {answer['keep']}: {count_noun(answer['outside_ends'], 'fact')}", fg="yellow"
        )


# `kg vocabulary proposals`, `map` and `dismiss`: the unknown wordings of proposed facts.

_WORDINGS_SHOWN = 6


@click.command("proposals")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="How many groups.")
@graph_options.all_options
def proposals_command(ctx: click.Context, limit: int) -> None:
    """List the unknown wordings of proposed facts, grouped by meaning, most frequent first."""
    answer = graph_options.call(ctx, "list_proposed_wordings", limit=limit)
    if graph_options.show_json(ctx, answer):
        return
    for other in answer["elsewhere"]:
        project = terminal.printable(other["project"])
        click.echo(f"{other['count']:,} more in the project {project}; map and dismiss apply to them too.")
    if not answer["groups"]:
        click.echo("No fact waits for a word" + (" in this project." if answer["elsewhere"] else "."))
        return
    show_sections(
        [Section(count_noun(answer["total"], "proposed fact"), [_group_row(group) for group in answer["groups"]])]
    )
    if answer["truncated"]:
        click.echo("  … and more; --limit shows them")
    click.secho("To make them facts: kg vocabulary map WORDING … PREDICATE. To delete: dismiss WORDING …", dim=True)


@click.command("map")
@click.argument("wordings", metavar="WORDING…", nargs=-1, required=True)
@click.argument("word", metavar="WORD", shell_complete=graph_options.complete_word)
@click.option("--kind", type=click.Choice(["type", "predicate"]), default="predicate", show_default=True)
@click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")
@graph_options.all_options
def map_command(ctx: click.Context, wordings: tuple[str, ...], word: str, kind: str, dry_run: bool) -> None:
    """Map each WORDING to WORD; proposed facts in these wordings become facts.

    \b
    kg vocabulary map "is employed by" "works for" works_at
    """
    field = "entity_type" if kind == "type" else kind
    mapping = {"wordings": list(wordings), field: word}
    answer = graph_options.call(ctx, "extend_vocabulary", map_wordings=[mapping], dry_run=dry_run)
    show_extension(ctx, answer)


@click.command("dismiss")
@click.argument("wordings", metavar="WORDING…", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")
@graph_options.all_options
def dismiss_command(ctx: click.Context, wordings: tuple[str, ...], dry_run: bool) -> None:
    """Delete the proposed facts in each WORDING; they are not proposed again."""
    answer = graph_options.call(ctx, "extend_vocabulary", dismiss_wordings=list(wordings), dry_run=dry_run)
    show_extension(ctx, answer)


def _group_row(group: Mapping[str, Any]) -> tuple[str, str]:
    wordings = [f"{terminal.printable(entry['wording'])} × {entry['count']:,}" for entry in group["wordings"]]
    nearest = f" · near {terminal.printable(group['nearest'])}" if group["nearest"] else ""
    ends = pages.ends(group["subject_types"], group["object_types"], None)
    return f"{group['count']:,}", f"{listed(wordings, _WORDINGS_SHOWN)} · {ends}{nearest}"
