"""`kg show`, `kg timeline` and `kg search`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options
from keepgraph.cli.output import answers as tool_answers
from keepgraph.cli.output import pages, terminal
from keepgraph.cli.output.pages import Section, is_named_by_beginning
from keepgraph.english import with_article
from keepgraph.graph import Graph
from keepgraph.tools.contract import brief_answers

_MAX_CONNECTIONS = 1000
_MODES = ("combined", "nodes", "edges", "episodes", "communities")


@click.command("show")
@click.argument("name", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--depth", type=click.IntRange(1, 4), default=1, help="The most facts between NAME and a neighbour.")
@click.option("--limit", type=click.IntRange(1, 500), default=12, help="How many neighbours to show.")
@click.option("--group", "--project", "group", metavar="GROUP", help="Look in this group instead of the profile's.")
@graph_options.all_options
def show_command(ctx: click.Context, name: tuple[str, ...], depth: int, limit: int, group: str | None) -> None:
    """Show NAME on a page: its facts, timeline and neighbours, and the texts and sources that mention it.

    NAME is a name, mistyped or not, an alias, an id, or type:name. Exits with 3 if nothing matches.

    \b
    kg show Atlas
    """
    query = " ".join(name)
    with graph_options.open_graph(ctx) as graph:
        around = graph.call("explore_node", name=query, depth=depth, limit=limit, group_ids=_group_ids(graph, group))
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
                max_episodes=pages.MAX_ROWS,
                newest_first=True,
                include_events=True,
            )
    graph_options.show_match(
        ctx,
        answers,
        entity,
        lambda: pages.show_entity(answers, name=query),
        lambda: terminal.show_no_match(query, around["resolution"]),
    )


@click.command("timeline")
@click.argument("name", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="How many texts to show.")
@click.option("--newest", is_flag=True, help="Show the newest first.")
@click.option("--group", "--project", "group", metavar="GROUP", help="Look in this group instead of the profile's.")
@graph_options.all_options
def timeline_command(ctx: click.Context, name: tuple[str, ...], limit: int, newest: bool, group: str | None) -> None:
    """Show in order of time what began and ended for NAME, and which texts mention it.

    Exits with 3 if nothing matches.

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
        click.echo(f"  {pages.kind_of(answer['entity'])}{terminal.resolution_note(query, around['resolution'])}")
        pages.show_sections([Section("", pages.timeline_rows(answer, newest=newest), dims_left=True)])
        if answer["truncated"]:
            click.echo(f"  … and {'older' if newest else 'newer'} texts, {answer['total']} in all; --limit shows more")
        if answer["events_truncated"]:
            click.echo(f"  … and {'older' if newest else 'newer'} facts")
        if not answer["episodes"] and not answer["events"]:
            click.echo("  nothing")
    ctx.exit(0 if answer else graph_options.NOTHING_MATCHED)


_MAX_CLOSEST = 3


@click.command("search")
@click.argument("words", nargs=-1)
@click.option("--in", "search_mode", type=click.Choice(_MODES), help="Where to look; everywhere by default.")
@click.option("--limit", type=click.IntRange(1, 200), default=8, help="How many hits of each kind to show.")
@click.option(
    "--type", "entity_types", multiple=True, metavar="TYPE", help="Only entities of this type, and their facts."
)
@click.option("--predicate", "edge_types", multiple=True, metavar="WORD", help="Only facts with this predicate.")
@click.option("--as-of", "valid_at", metavar="WHEN", type=dates.END, help="Facts that were true then: 2026-05-01.")
@click.option("--project", metavar="NAME", help="Only this project, or the id of a group.")
@click.option("--since", metavar="WHEN", type=dates.BEGINNING, help="Only texts from this day on: “last week”.")
@click.option("--until", metavar="WHEN", type=dates.END, help="Only texts up to this day.")
@click.option("--newest", is_flag=True, help="Newest first; without WORDS, the newest texts.")
@click.option("--whole", is_flag=True, help="Rank conversations and documents by all their parts.")
@click.option("--near", is_flag=True, help="Also show results that are only close.")
@graph_options.all_options
def search_command(ctx: click.Context, /, words: tuple[str, ...], newest: bool, whole: bool, **filters: Any) -> None:
    """Find entities, facts and texts by WORDS: a question, a name, or the subject of a text.

    Exits with 3 if nothing is found.

    \b
    kg search "where did I read about Rust?"
    kg search licence --in episodes
    kg search --since "last Monday"
    """
    if not words and not (newest or filters["since"] or filters["until"]):
        raise errors.QueryRequired("no search words", hint="Give WORDS, --newest, --since or --until.")
    arguments: dict[str, Any] = {name: value or None for name, value in filters.items()}
    arguments |= {
        "query": " ".join(words),
        "reranker": "newest" if newest else None,
        "rank_texts": "whole" if whole else "each",
    }
    answer = closest = graph_options.call(ctx, "search", **arguments)
    if answer.get("abstained") and "near=true" in answer["message"] and not graph_options.wants_json(ctx):
        arguments |= {"near": True, "limit": min(filters["limit"], _MAX_CLOSEST)}
        closest = graph_options.call(ctx, "search", **arguments)
    has_hits = any(answer[kind] for kind in _MODES[1:])
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif has_hits:
        _show_hits(answer, words)
    else:
        unknown = bool(filters["project"]) and not answer["about"] and answer["group_id"] != filters["project"]
        where = f" in {terminal.printable(filters['project'])}" if filters["project"] and not unknown else ""
        asked = f" for “{terminal.printable(' '.join(words))}”" if words else ""
        if closest is not answer:
            click.echo(f"Nothing clearly answers{asked.removeprefix(' for')}{where}. The closest; --near shows more:")
            _show_hits({**closest, "truncated": dict.fromkeys(closest["truncated"], False)}, words)
        else:
            click.echo(f"{terminal.printable(answer['message'])}." if unknown else f"Nothing was found{asked}{where}.")
        terminal.show_other_groups(answer.get("other_groups"))
        if answer["embedding"] != "on":
            click.secho(f"  (search by meaning is {terminal.printable(answer['embedding'])})", dim=True)
    if not graph_options.wants_json(ctx):
        if has_hits and (answer.get("to_come") or answer.get("ended")):
            click.secho("\nAt other times", bold=True)
        tool_answers.show_other_times(answer)
        tool_answers.show_hint(answer)
    ctx.exit(0 if has_hits else graph_options.NOTHING_MATCHED)


def _group_ids(graph: Graph, group: str | None) -> list[str] | None:
    """The group to look in.

    Raises:
        errors.InvalidArguments: no group has this name. A search can be limited to a project, a page cannot.
    """
    if not group:
        return None
    if not graph.call("is_group", name=group)["is_group"]:
        raise errors.InvalidArguments(
            f"{group!r} is not a group, and a page cannot be limited to a project",
            hint=f"`kg search --project {shlex.quote(group)} WORDS` searches a project.",
        )
    return [group]


def _timeline(
    graph: Graph, name: str, *, limit: int, newest: bool, group: str | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The answer of explore_node, and the timeline of the entity; None if the name matched nothing."""
    around = graph.call("explore_node", name=name, depth=1, limit=1, group_ids=_group_ids(graph, group))
    if around["center_node"] is None:
        return around, None
    return around, graph.call(
        "get_entity_timeline",
        entity_uuid=around["center_node"]["uuid"],
        max_episodes=limit,
        newest_first=newest,
        include_events=True,
    )


# Hits of `kg search`: a section for each kind, with the retrievers that found each hit.

_TITLES = {"nodes": "Names", "edges": "Facts", "episodes": "Texts", "communities": "Communities"}
_RETRIEVERS = {
    "names": "name",
    "facts": "its facts",
    "texts": "its texts",
    "graph": "closeness",
    "meaning_of_best": "meaning",
    "meaning_with_turn_before": "meaning",
}
_NO_RANK = 1_000  # behind every rank


def _show_hits(answer: dict[str, Any], words: Sequence[str]) -> None:
    """Show an answer of the tool `search` for a question of these words."""
    rows = {
        "nodes": [_entity_row(node) for node in answer["nodes"]],
        "edges": [(terminal.printable(edge["fact"]), _describe_reason(edge)) for edge in answer["edges"]],
        "episodes": [_episode_row(episode, words) for episode in answer["episodes"]],
        "communities": [
            (terminal.printable(community["name"]), _describe_reason(community)) for community in answer["communities"]
        ],
    }
    more = {kind: "… and more; --limit shows them" if answer["truncated"][kind] else "" for kind in rows}
    pages.show_sections([Section(title, rows[kind], more=more[kind]) for kind, title in _TITLES.items() if rows[kind]])


def _entity_row(node: dict[str, Any]) -> tuple[str, str]:
    kind = f"perhaps {with_article(node['type'])}" if node.get("proposed") else node["type"]
    return terminal.printable(node["name"]), f"{kind}; {_describe_reason(node)}"


def _episode_row(episode: dict[str, Any], words: Sequence[str]) -> tuple[str, str]:
    label = terminal.day(episode["valid_at"])
    if not is_named_by_beginning(episode):
        label += f", “{terminal.printable(episode['name'])}”"
    snippet = brief_answers.quote(episode.get("chunk", ""), around=" ".join(words).lower().split())
    return label, f"{terminal.printable(snippet)}  ({_describe_reason(episode)})"


def _describe_reason(hit: dict[str, Any]) -> str:
    """The retrievers that found a hit; the one that ranked it highest comes first."""
    ranked = sorted(hit.get("why", {}).items(), key=lambda entry: (entry[1].get("rank") or _NO_RANK, entry[0]))
    if not ranked:
        return ""
    names = dict.fromkeys(_RETRIEVERS.get(retriever, retriever) for retriever, _ in ranked)
    return f"by {', '.join(list(names)[:3])}"


@click.command("path")
@click.argument("start", metavar="FROM", shell_complete=graph_options.complete_name)
@click.argument("end", metavar="TO", shell_complete=graph_options.complete_name)
@click.option("-k", type=click.IntRange(1, 20), default=1, help="How many paths to show.")
@click.option("--max-hops", type=click.IntRange(1, 10), default=6, help="The most facts on a path.")
@click.option("--predicate", "edge_types", multiple=True, metavar="WORD", help="Follow only facts with this predicate.")
@click.option("--as-of", metavar="WHEN", type=dates.END, help="Follow facts that were true then: 2026-05-01.")
@click.option(
    "--through-hubs", is_flag=True, help="Show the shortest paths, even through hubs that connect everything."
)
@click.option("--explain", is_flag=True, help="Show each fact as a sentence, with its source and its id.")
@graph_options.all_options
def path_command(
    ctx: click.Context, /, start: str, end: str, explain: bool, through_hubs: bool, **options: Any
) -> None:
    """Show how FROM and TO are connected: the shortest path of facts.

    Exits with 3 if a name matches nothing, or if there is no path.

    \b
    kg path Ana Atlas --explain
    """
    answer = graph_options.call(
        ctx,
        "trace_path",
        from_entity=start,
        to_entity=end,
        avoid_hubs=not through_hubs,
        **options,
    )
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif _has_unknown_name(answer, {"from": start, "to": end}):
        pass
    elif not answer["found"]:
        click.echo(
            f"{terminal.entity_name(answer['from'])} and {terminal.entity_name(answer['to'])} are not connected "
            f"within {answer['max_hops']} facts."
        )
    else:
        _show_paths(answer, explain=explain)
    ctx.exit(0 if answer["found"] else graph_options.NOTHING_MATCHED)


@click.command("neighbours")
@click.argument("name", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--hops", type=click.IntRange(1, 4), default=1, help="The most facts between NAME and a neighbour.")
@click.option("--limit", type=click.IntRange(1, 500), default=30, help="How many to show.")
@click.option("--predicate", "edge_types", multiple=True, metavar="WORD", help="Follow only facts with this predicate.")
@click.option("--as-of", metavar="WHEN", type=dates.END, help="Follow facts that were true then: 2026-05-01.")
@graph_options.all_options
def neighbours_command(ctx: click.Context, /, name: tuple[str, ...], **options: Any) -> None:
    """List the neighbours of NAME, nearest first, with the path to each.

    Exits with 3 if nothing matches.

    \b
    kg neighbours Ana --hops 2
    """
    query = " ".join(name)
    answer = graph_options.call(ctx, "get_entity_neighbors", entity_id=query, **options)
    graph_options.show_match(
        ctx,
        answer,
        answer["entity"],
        lambda: _show_neighbours(answer, name=query),
        lambda: terminal.show_no_match(query, answer["resolution"]),
    )


def _has_unknown_name(answer: Mapping[str, Any], names: Mapping[str, str]) -> bool:
    """Show which names matched nothing; returns whether there are any."""
    unknown = [end for end in names if answer[end] is None]
    for end in unknown:
        terminal.show_no_match(names[end], answer["resolution"][end])
    return bool(unknown)


def _show_paths(answer: Mapping[str, Any], *, explain: bool) -> None:
    for number, path in enumerate(answer["paths"]):
        if number:
            click.echo()
        click.echo(_describe_way(path))
        for step in path["steps"] if explain else ():
            source = f"  ({terminal.printable(step['source'])})" if step["source"] else ""
            others = f"  and {step['others']} more" if step["others"] else ""
            click.echo(f"  {terminal.printable(step['sentence'])}{source}{others}")
            click.secho(f"    {step['fact_id']}", dim=True)
    if answer["truncated"]:
        click.secho("  There are more paths: -k shows them.", dim=True)


def _describe_way(path: Mapping[str, Any]) -> str:
    """Ana -[works_at]-> Acme <-[works_at]- Bob"""
    parts = [_node_name(path["nodes"][0])]
    for step, node in zip(path["steps"], path["nodes"][1:], strict=True):
        arrow = f"-[{step['predicate']}]->" if step["direction"] == "out" else f"<-[{step['predicate']}]-"
        parts += [arrow, _node_name(node)]
    return " ".join(parts)


def _node_name(node: dict[str, Any]) -> str:
    return f"“{terminal.printable(node['tag'])}”" if "tag" in node else terminal.entity_name(node)


def _show_neighbours(answer: Mapping[str, Any], *, name: str) -> None:
    click.secho(terminal.entity_name(answer["entity"]), bold=True, nl=False)
    click.echo(f"  {answer['entity']['type']}{terminal.resolution_note(name, answer['resolution'])}")
    for neighbour in answer["neighbours"]:
        click.echo(f"  {terminal.entity_name(neighbour)}  {neighbour['type']}", nl=False)
        click.secho(f"  {terminal.printable(neighbour['path'])}", dim=True)
    if not answer["neighbours"]:
        click.echo("  No facts connect it to anything.")
    elif answer["truncated"]:
        at_least = "" if answer["total_is_exact"] else "at least "
        click.echo(f"  … of {at_least}{answer['total']}; --limit shows more")
