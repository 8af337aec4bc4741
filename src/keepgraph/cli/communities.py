"""`kg communities`: lists, rebuilds, shows and names communities."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.english import count_noun


class _CommunitiesGroup(click.Group):
    """Shows communities if no command is given, or a word that is not one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            return "show", show_command, args
        return super().resolve_command(ctx, args)


@click.group(
    "communities", cls=_CommunitiesGroup, invoke_without_command=True, subcommand_metavar="[COMMUNITY | COMMAND …]"
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, help="How many to list.")
@graph_options.all_options
def communities_command(ctx: click.Context, limit: int) -> None:
    """Show which entities belong together: all communities, or one by its name or id.

    \b
    kg communities
    kg communities Atlas
    """
    if ctx.invoked_subcommand is not None:
        return
    answer = graph_options.call(ctx, "list_communities", limit=limit)
    if graph_options.show_json(ctx, answer):
        return
    for community in answer["communities"]:
        _show_heading(community)
        click.secho(f"  {', '.join(map(terminal.printable, community['members']))}", dim=True)
    if not answer["total"]:
        click.echo("There are no communities. To find them: `kg communities build`.")
    elif answer["total"] > len(answer["communities"]):
        click.echo(f"… of {answer['total']:,}; --limit shows more")


@communities_command.command("build")
@click.option("--seed", type=click.IntRange(0, 1_000_000), default=0, help="Break ties differently.")
@click.option("--dry-run", is_flag=True, help="Show what would be found, without changing anything.")
@graph_options.all_options
def build_command(ctx: click.Context, seed: int, dry_run: bool) -> None:
    """Rebuild the communities. Ids and given names stay; `kg undo` takes it back.

    \b
    kg communities build
    """
    with graph_options.open_graph(ctx) as graph:
        group = graph.database.group
        answer = graph.call("build_communities", group_ids=[group], seed=seed, dry_run=dry_run)
    if graph_options.show_json(ctx, answer):
        return
    [of_group] = answer["groups"]
    click.echo(
        f"{answer['message']} ({of_group['kept']} kept, {of_group['new']} new, {of_group['dissolved_count']} gone; "
        f"{answer['method'].replace('_', ' ')})."
    )
    for community in answer["communities"]:
        _show_heading(community)
    if answer["truncated"]:
        click.echo(f"… of {answer['community_count']:,}; `kg communities` lists more")


@communities_command.command("show")
@click.argument("community", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, help="How many members to show.")
@graph_options.all_options
def show_command(ctx: click.Context, community: tuple[str, ...], limit: int) -> None:
    """Show COMMUNITY (a name or an id): its members, what connects them, and its past.

    \b
    kg communities show Atlas
    """
    text = " ".join(community)
    answer = graph_options.call(ctx, "get_community", community=text, limit=limit)
    _show_or_miss(ctx, answer, lambda: _show_community(answer), name=text)


@communities_command.command("name")
@click.argument("community")
@click.argument("name")
@click.option("--summary", default="", help="What it is about, in a sentence or two.")
@graph_options.all_options
def name_command(ctx: click.Context, community: str, name: str, summary: str) -> None:
    """Give COMMUNITY (a name or an id) the name NAME. Rebuilding keeps the name; an empty NAME removes it.

    \b
    kg communities name Atlas "The storage team"
    """
    answer = graph_options.call(ctx, "name_community", community=community, name=name, summary=summary)
    _show_or_miss(ctx, answer, lambda: _show_heading(answer["community"]), name=community)


def _show_or_miss(ctx: click.Context, answer: dict[str, Any], show: Callable[[], None], *, name: str) -> NoReturn:
    nothing = f"No community is called “{terminal.printable(name)}”."
    graph_options.show_match(ctx, answer, answer["community"], show, lambda: click.echo(nothing))


def _show_community(answer: Mapping[str, Any]) -> None:
    community = answer["community"]
    _show_heading(community)
    if community["summary"]:
        click.echo(f"  {terminal.printable(community['summary'])}")
    for member in community["members"]:
        click.echo(f"  - {terminal.printable(member)}")
    if community["member_count"] > len(community["members"]):
        click.echo(f"  … of {community['member_count']:,}; --limit shows more")
    for fact in answer["facts"]:
        click.secho(f"  {terminal.printable(fact)}", dim=True)
    for state in answer["history"]:
        click.secho(
            f"  until {state['until'][:16].replace('T', ' ')}: {state['member_count']} members, "
            f"“{terminal.printable(state['name'])}” (call {state['call']})",
            dim=True,
        )


def _show_heading(community: Mapping[str, Any]) -> None:
    named = "" if community["named_by"] == "algorithm" else f", named by a {community['named_by']}"
    click.secho(terminal.printable(community["name"]), bold=True, nl=False)
    click.echo(f"  {count_noun(community['member_count'], 'member')}{named}", nl=False)
    click.secho(f"  {community['uuid']}", dim=True)


# `kg learn`: likely facts with the rules that predict them, and doubtful facts.

_METHODS = {"popularity": "counting", "horn_rules": "rules", "complex": "embedding"}


@click.command("learn")
@click.option("--project", help="Only this project, or the id of a group.")
@click.option("--offer", is_flag=True, help="Offer the suggestions for `kg review`.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.6, help="The score at which a fact is doubtful.")
@click.option("--seed", type=click.IntRange(0, 1_000_000), default=0, help="Divide the facts into other test sets.")
@click.option("--limit", type=click.IntRange(0, 100), default=10, help="How many of each to show.")
@graph_options.all_options
def learn_command(
    ctx: click.Context, project: str | None, offer: bool, threshold: float, seed: int, limit: int
) -> None:
    """Learn rules from the facts; suggest facts that follow, and doubt facts that do not.

    No fact is changed. With too few facts, nothing is suggested.

    \b
    kg learn
    kg learn --offer && kg review
    """
    arguments = {
        "dry_run": not offer,
        "threshold": threshold,
        "seed": seed,
        "project": project or None,
    }
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call_until(None, "train_gnn", arguments, progress=_report)
    if graph_options.show_json(ctx, answer):
        return
    _show(answer, limit=limit)


def _report(done: int, total: int | None, what: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{'' if done == total else what + ' …'}", err=True, nl=False)


def _show(answer: Mapping[str, Any], *, limit: int) -> None:
    click.echo(terminal.printable(answer["message"]))
    for method in answer["methods"]:
        name = _METHODS[method["method"]]
        if "mrr" in method:
            click.secho(
                f"  {name:<10} MRR {method['mrr']:.2f} ({method['mrr_low']:.2f} to {method['mrr_high']:.2f}), "
                f"right at once {method['hits_at_1']:.0%}, among ten {method['hits_at_10']:.0%}",
                dim=True,
            )
        else:
            click.secho(f"  {name:<10} left out: {method['left_out']}", dim=True)
    if predicted := answer["predicted_facts"][:limit]:
        click.secho("Likely", bold=True)
        for fact in predicted:
            click.echo(f"  {terminal.printable(fact['statement'])}  {fact['score']:.2f}")
            count = fact["support"] + fact["counter_examples"]
            click.secho(f"    {terminal.printable(fact['rule'])} {fact['support']:,} of {count:,} times.", dim=True)
    if doubtful := answer["doubtful_facts"][:limit]:
        click.secho("Doubtful", bold=True)
        for fact in doubtful:
            click.echo(f"  {terminal.printable(fact['statement'])}  {fact['score']:.2f}", nl=False)
            click.secho(f"  {fact['fact_id']}", dim=True)
    more = max(answer["predicted_count"], answer["suggested_count"]) - limit
    if more > 0:
        click.echo("… --limit shows more")
    if (answer["predicted_count"] or answer["suggested_count"]) and answer["dry_run"]:
        click.echo("To review them: `kg learn --offer`, then `kg review`.")
