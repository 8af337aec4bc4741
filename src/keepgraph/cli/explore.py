"""`kg show`, `kg timeline` and `kg search`."""

from __future__ import annotations

import shlex
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options, name_completion
from keepgraph.cli.output import answers as tool_answers
from keepgraph.cli.output import entity_page, pages, search_hits, terminal
from keepgraph.cli.output.pages import Section
from keepgraph.cli.recall import NOTHING_MATCHED
from keepgraph.graph import Graph

_MAX_CONNECTIONS = 1000
_MODES = ("combined", "nodes", "edges", "episodes", "communities")


@click.command("show")
@click.argument("name", nargs=-1, required=True, shell_complete=name_completion.complete_name)
@click.option("--depth", type=click.IntRange(1, 4), default=1, help="How many facts away neighbours may be.")
@click.option("--limit", type=click.IntRange(1, 500), default=12, help="How many neighbours are shown.")
@click.option(
    "--group", "--project", "group", metavar="GROUP", help="Look in this group, and not in that of the profile."
)
@graph_options.all_options
@click.pass_context
def show_command(ctx: click.Context, name: tuple[str, ...], depth: int, limit: int, group: str | None) -> None:
    """Show NAME on a page: its facts, its timeline, its neighbours, and the texts and sources that speak of it.

    NAME is a name, mistyped or not, an alias, an id, or type:name. Exits with 3 where nothing matched.

    \b
    kg show Atlas
    """
    query = " ".join(name)
    with graph_options.open_graph(ctx) as graph:
        around = graph.call("explore_node", name=query, depth=depth, limit=limit, **_group_argument(graph, group))
        entity = around["center_node"]
        answers = {"explore_node": around}
        if entity:
            uuid = entity["uuid"]
            answers["get_entity_connections"] = graph.call(
                "get_entity_connections", entity_uuid=uuid, max_connections=_MAX_CONNECTIONS
            )
            answers["get_entity_timeline"] = graph.call(
                "get_entity_timeline",
                entity_uuid=uuid,
                max_episodes=entity_page.MAX_ROWS,
                newest_first=True,
                include_events=True,
            )
    if graph_options.wants_json(ctx):
        terminal.show_json(answers)
    elif entity is None:
        terminal.show_no_match(query, around["resolution"])
    else:
        entity_page.show_page(answers, name=query)
    ctx.exit(0 if entity else NOTHING_MATCHED)


@click.command("timeline")
@click.argument("name", nargs=-1, required=True, shell_complete=name_completion.complete_name)
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="How many texts are shown.")
@click.option("--newest", is_flag=True, help="Begin with the newest.")
@click.option(
    "--group", "--project", "group", metavar="GROUP", help="Look in this group, and not in that of the profile."
)
@graph_options.all_options
@click.pass_context
def timeline_command(ctx: click.Context, name: tuple[str, ...], limit: int, newest: bool, group: str | None) -> None:
    """Tell in the order of time what began and ended for NAME, and which texts speak of it.

    Exits with 3 where nothing matched.

    \b
    kg timeline Ana --newest
    """
    query = " ".join(name)
    with graph_options.open_graph(ctx) as graph:
        around, answer = _timeline(graph, query, limit=limit, newest=newest, group=group)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer or around)
    elif answer is None:
        terminal.show_no_match(query, around["resolution"])
    else:
        click.secho(terminal.entity_name(answer["entity"]), bold=True, nl=False)
        click.echo(f"  {entity_page.kind_of(answer['entity'])}{terminal.resolution_note(query, around['resolution'])}")
        pages.show_sections([Section("", entity_page.timeline_rows(answer, newest=newest), dims_left=True)])
        if answer["truncated"]:
            click.echo(f"  … and {'older' if newest else 'newer'} texts, {answer['total']} in all; --limit shows more")
        if answer["events_truncated"]:
            click.echo(f"  … and {'older' if newest else 'newer'} facts")
        if not answer["episodes"] and not answer["events"]:
            click.echo("  nothing yet")
    ctx.exit(0 if answer else NOTHING_MATCHED)


@click.command("search")
@click.argument("words", nargs=-1)
@click.option("--in", "mode", type=click.Choice(_MODES), help="Where to look; in all of them.")
@click.option("--limit", type=click.IntRange(1, 200), default=8, help="How many hits of each kind are shown.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only entities of this type, and their facts.")
@click.option("--predicate", "predicates", multiple=True, metavar="WORD", help="Only facts with this predicate.")
@click.option("--as-of", "valid_at", metavar="WHEN", type=dates.END, help="Facts that held then: 2026-05-01.")
@click.option("--project", metavar="NAME", help="Only what is about this project; or the id of a group.")
@click.option("--since", metavar="WHEN", type=dates.BEGINNING, help="Only texts of this day and later: “last week”.")
@click.option("--until", metavar="WHEN", type=dates.END, help="Only texts of this day and before.")
@click.option("--newest", is_flag=True, help="The newest first; without WORDS, the newest texts.")
@click.option("--whole", is_flag=True, help="Rank conversations and documents by all their parts.")
@click.option("--near", is_flag=True, help="Also what is only near.")
@graph_options.all_options
@click.pass_context
def search_command(
    ctx: click.Context, /, words: tuple[str, ...], types: tuple[str, ...], predicates: tuple[str, ...], **filters: Any
) -> None:
    """Find entities, facts and texts by WORDS: a question in plain words, a name, or what a text was about.

    Exits with 3 where nothing was found.

    \b
    kg search "where did I read about Rust?"
    kg search licence --in episodes
    kg search --since "last Monday"
    """
    if not words and not (filters["newest"] or filters["since"] or filters["until"]):
        raise errors.QueryRequired("there is nothing to search for", hint="Give WORDS, --newest, --since or --until.")
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call(
            "search",
            query=" ".join(words),
            search_mode=filters["mode"],
            since=filters["since"],
            until=filters["until"],
            reranker="newest" if filters["newest"] else None,
            limit=filters["limit"],
            entity_types=list(types) or None,
            edge_types=list(predicates) or None,
            valid_at=filters["valid_at"],
            project=filters["project"] or None,
            rank_texts="whole" if filters["whole"] else "each",
            near=filters["near"],
        )
    has_hits = any(answer[kind] for kind in _MODES[1:])
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif has_hits:
        search_hits.show_hits(answer, words)
    else:
        unknown = bool(filters["project"]) and not answer["about"] and answer["group_id"] != filters["project"]
        where = f" in {terminal.printable(filters['project'])}" if filters["project"] and not unknown else ""
        asked = f" for “{terminal.printable(' '.join(words))}”" if words else ""
        click.echo(f"{terminal.printable(answer['message'])}." if unknown else f"Nothing was found{asked}{where}.")
        if answer.get("abstained") and "near=true" in answer["message"]:
            click.echo("Something is near, and answers nothing: --near shows it.")
        terminal.show_other_groups(answer.get("other_groups"))
        if answer["embedding"] != "on":
            click.secho(f"  (by meaning: {terminal.printable(answer['embedding'])})", dim=True)
    if not graph_options.wants_json(ctx):
        tool_answers.show_other_times(answer)
        tool_answers.show_hint(answer)
    ctx.exit(0 if has_hits else NOTHING_MATCHED)


def _group_argument(graph: Graph, group: str | None) -> dict[str, Any]:
    """The group to look in.

    Raises:
        errors.InvalidArguments: no group is called so. A page is not limited to a project, but a search is.
    """
    if not group:
        return {}
    if not graph.call("is_group", name=group)["is_group"]:
        raise errors.InvalidArguments(
            f"{group!r} is no group, and a page is of the whole graph",
            hint=f"`kg search --project {shlex.quote(group)} WORDS` finds what is about a project.",
        )
    return {"group_ids": [group]}


def _timeline(
    graph: Graph, name: str, *, limit: int, newest: bool, group: str | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The answer of explore_node, and the timeline of the entity, or None if the name matched nothing."""
    around = graph.call("explore_node", name=name, depth=1, limit=1, **_group_argument(graph, group))
    if around["center_node"] is None:
        return around, None
    return around, graph.call(
        "get_entity_timeline",
        entity_uuid=around["center_node"]["uuid"],
        max_episodes=limit,
        newest_first=newest,
        include_events=True,
    )
