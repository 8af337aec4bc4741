"""`kg show`, `kg timeline` and `kg search`: looks around in the graph, and at the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import pages, render
from keepgraph.cli.output.pages import Section
from keepgraph.cli.recall import NOTHING_MATCHED
from keepgraph.graph import Graph

_CONNECTIONS = 1000
_NEWEST = 8
_OF_A_PREDICATE = 20
_SNIPPET = 200
_UNRANKED = 1_000
_MODES = ("combined", "nodes", "edges", "episodes", "communities")


@click.command("show")
@click.argument("name", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--depth", type=click.IntRange(1, 4), default=1, help="How many facts away neighbours may be.")
@click.option("--limit", type=click.IntRange(1, 500), default=12, help="How many neighbours are shown.")
@click.option("--project", metavar="GROUP", help="Look in this group, and not in that of the profile.")
@graph_options.takes_graph
@click.pass_context
def show_command(ctx: click.Context, name: tuple[str, ...], depth: int, limit: int, project: str | None) -> None:
    """Show NAME on a page: its facts, its timeline, its neighbours, and the texts and sources that speak of it.

    NAME is a name, mistyped or not, an alias, an id, or type:name. Exits with 3 where nothing matched.
    """
    asked = " ".join(name)
    with graph_options.opened(ctx) as graph:
        around = graph.call("explore_node", name=asked, depth=depth, limit=limit, **_within(project))
        centre = around["center_node"]
        page = {"explore_node": around}
        if centre:
            uuid = centre["uuid"]
            page["get_entity_connections"] = graph.call(
                "get_entity_connections", entity_uuid=uuid, max_connections=_CONNECTIONS
            )
            page["get_entity_timeline"] = graph.call(
                "get_entity_timeline", entity_uuid=uuid, max_episodes=_NEWEST, newest_first=True, include_events=True
            )
    if graph_options.answers_in_json(ctx):
        render.in_json(page)
    elif centre is None:
        render.no_match(f"Nothing called “{render.printable(asked)}” is known.", around["resolution"])
    else:
        how = _how(asked, around["resolution"])
        _show_page(page, how=how)
    ctx.exit(0 if centre else NOTHING_MATCHED)


@click.command("timeline")
@click.argument("name", nargs=-1, required=True, shell_complete=graph_options.complete_name)
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="How many texts are shown.")
@click.option("--newest", is_flag=True, help="Begin with the newest.")
@click.option("--project", metavar="GROUP", help="Look in this group, and not in that of the profile.")
@graph_options.takes_graph
@click.pass_context
def timeline_command(ctx: click.Context, name: tuple[str, ...], limit: int, newest: bool, project: str | None) -> None:
    """Tell in the order of time what began and ended for NAME, and which texts speak of it.

    Exits with 3 where nothing matched.
    """
    asked = " ".join(name)
    with graph_options.opened(ctx) as graph:
        around, answer = _timeline(graph, asked, limit=limit, newest=newest, project=project)
    if graph_options.answers_in_json(ctx):
        render.in_json(answer or around)
    elif answer is None:
        render.no_match(f"Nothing called “{render.printable(asked)}” is known.", around["resolution"])
    else:
        click.secho(render.name(answer["entity"]), bold=True, nl=False)
        click.echo(f"  {_kind(answer['entity'])}{_how(asked, around['resolution'])}")
        pages.lines([Section("", _moments(answer, newest=newest), tells_right=True)])
        if answer["truncated"]:
            click.echo(f"  … and {'older' if newest else 'newer'} texts, {answer['total']} in all; --limit shows more")
        if answer["events_truncated"]:
            click.echo(f"  … and {'older' if newest else 'newer'} facts")
        if not answer["episodes"] and not answer["events"]:
            click.echo("  nothing yet")
    ctx.exit(0 if answer else NOTHING_MATCHED)


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--in", "mode", type=click.Choice(_MODES), default="combined", help="Where to look; in all of them.")
@click.option("--limit", type=click.IntRange(1, 200), default=8, help="How many hits of each kind are shown.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only entities of this type, and their facts.")
@click.option("--predicate", "predicates", multiple=True, metavar="WORD", help="Only facts with this predicate.")
@click.option("--as-of", "valid_at", metavar="WHEN", help="Facts that held then: 2026-05-01, or an instant.")
@click.option("--project", metavar="GROUP", help="Look in this group, and not in that of the profile.")
@graph_options.takes_graph
@click.pass_context
def search_command(
    ctx: click.Context, /, words: tuple[str, ...], types: tuple[str, ...], predicates: tuple[str, ...], **how: Any
) -> None:
    """Find entities, facts and texts by WORDS: a question in plain words, a name, or what a text was about.

    Exits with 3 where nothing was found.
    """
    with graph_options.opened(ctx) as graph:
        answer = graph.call(
            "search",
            query=" ".join(words),
            search_mode=how["mode"],
            limit=how["limit"],
            entity_types=list(types) or None,
            edge_types=list(predicates) or None,
            valid_at=how["valid_at"],
            **_within(how["project"]),
        )
    found = any(answer[kind] for kind in _MODES[1:])
    if graph_options.answers_in_json(ctx):
        render.in_json(answer)
    elif found:
        pages.lines(_hits(answer, words))
    else:
        click.echo(f"Nothing was found for “{render.printable(' '.join(words))}”.")
        if answer["embedding"] != "on":
            click.secho(f"  (by meaning: {render.printable(answer['embedding'])})", dim=True)
    ctx.exit(0 if found else NOTHING_MATCHED)


def _hits(answer: dict[str, Any], words: Sequence[str]) -> list[Section]:
    """What a search found, a section for each kind, and in few words why."""
    rows = {
        "nodes": [
            (
                render.printable(node["name"]),
                f"{'perhaps a ' if node.get('proposed') else ''}{node['type']}; {_why(node)}",
            )
            for node in answer["nodes"]
        ],
        "edges": [(render.printable(edge["fact"]), _why(edge)) for edge in answer["edges"]],
        "episodes": [
            (
                ", ".join(
                    [render.day(each["valid_at"]), *([] if _begins(each) else [f"“{render.printable(each['name'])}”"])]
                ),
                f"{_around(render.printable(each.get('chunk', '')), words)}  ({_why(each)})",
            )
            for each in answer["episodes"]
        ],
        "communities": [(render.printable(each["name"]), _why(each)) for each in answer["communities"]],
    }
    more = {kind: "… and more; --limit shows them" if answer["truncated"][kind] else "" for kind in rows}
    return [Section(_KINDS[kind], rows[kind], more=more[kind]) for kind in _KINDS if rows[kind]]


_KINDS = {"nodes": "Names", "edges": "Facts", "episodes": "Texts", "communities": "Communities"}


def _why(hit: dict[str, Any]) -> str:
    """By what it was found, what put it highest first."""
    places = sorted(hit.get("why", {}).items(), key=lambda place: (place[1].get("rank") or _UNRANKED, place[0]))
    return f"by {', '.join(_SOURCES.get(source, source) for source, _ in places[:3])}" if places else ""


_SOURCES = {"names": "name", "facts": "its facts", "texts": "its texts", "graph": "closeness"}


def _around(text: str, words: Sequence[str]) -> str:
    """The part of a text that has the longest of the words in it, else its beginning."""
    plain = text.lower()
    asked = sorted(" ".join(words).lower().split(), key=len, reverse=True)
    place = next((plain.find(word) for word in asked if len(word) > 2 and word in plain), 0)
    start = max(0, place - _SNIPPET // 3)
    end = min(len(text), start + _SNIPPET)
    return f"{'…' if start else ''}{text[start:end].strip()}{'…' if end < len(text) else ''}"


def _kind(found: dict[str, Any]) -> str:
    return f"a name in texts, perhaps a {found['type']}" if found.get("proposed") else str(found["type"])


def _how(asked: str, resolution: dict[str, Any]) -> str:
    """By which way a name was understood, where it was not written so."""
    if resolution["method"] == "exact":
        return ""
    because = f": {render.printable(resolution['because'])}" if resolution.get("because") else ""
    return f"  (“{render.printable(asked)}” matched by {resolution['method']}, {resolution['score']:.2f}{because})"


def _within(project: str | None) -> dict[str, Any]:
    return {"group_ids": [project]} if project else {}


def _timeline(
    graph: Graph, asked: str, *, limit: int, newest: bool, project: str | None
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What was found by the name, and its timeline where something was."""
    around = graph.call("explore_node", name=asked, depth=1, limit=1, **_within(project))
    if around["center_node"] is None:
        return around, None
    return around, graph.call(
        "get_entity_timeline",
        entity_uuid=around["center_node"]["uuid"],
        max_episodes=limit,
        newest_first=newest,
        include_events=True,
    )


def _show_page(page: dict[str, Any], *, how: str) -> None:
    around, tied, told = page["explore_node"], page["get_entity_connections"], page["get_entity_timeline"]
    centre = around["center_node"]
    facts = [fact for fact in tied["facts"] if not fact["uuid"].startswith("mention:")]
    intro = [centre["summary"]] if centre["summary"] and not centre.get("proposed") else []
    if centre["aliases"]:
        intro.insert(0, f"also called {', '.join(centre['aliases'])}")
    sections = [
        *_facts(centre, facts, more=tied["total_facts"] - len(facts)),
        Section("Timeline", _moments(told, newest=True)[:_NEWEST], more=_more_moments(told), tells_right=True),
        _neighbours(around),
        _mentioned_with(around),
        _texts(told),
        _sources(facts, around["communities"]),
    ]
    pages.page(
        render.printable(centre["name"]),
        f"{_kind(centre)}{how}",
        [render.printable(line) for line in intro],
        [section for section in sections if section.rows],
    )


def _facts(centre: dict[str, Any], facts: Sequence[dict[str, Any]], *, more: int) -> list[Section]:
    """What is said of something, by predicate: first what it does, then what is done to it."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for outward in (True, False):
        for fact in sorted(facts, key=lambda fact: (fact["name"], fact["invalid_at"] is not None)):
            if (fact["source_node_uuid"] == centre["uuid"]) is not outward:
                continue
            words = fact["name"].replace("_", " ")
            title = words if outward else f"… {words} {render.printable(centre['name'])}"
            groups.setdefault(title, []).append((_other_end(fact, outward=outward), _when(fact)))
    sections = [
        Section(title, rows[:_OF_A_PREDICATE], more=_and_more(len(rows) - _OF_A_PREDICATE))
        for title, rows in groups.items()
    ]
    if more > 0 and sections:
        older = f"… and {more:,} older facts"
        sections[-1] = replace(sections[-1], more="; ".join(filter(None, (sections[-1].more, older))))
    return sections


def _and_more(hidden: int) -> str:
    return f"… and {hidden:,} more" if hidden > 0 else ""


def _other_end(fact: dict[str, Any], *, outward: bool) -> str:
    if not outward:
        return render.printable(fact["source_name"])
    name = render.printable(fact["target_name"])
    return name if fact["target_node_uuid"] else f"“{name}”"


def _when(fact: dict[str, Any]) -> str:
    said = [f"since {render.day(fact['valid_at'])}" if fact["valid_at"] else render.day(fact["created_at"])]
    if fact["invalid_at"]:
        said.append(f"until {_last_day(fact['invalid_at'])}")
    if fact["confidence"] < 1:
        said.append(f"confidence {fact['confidence']:g}")
    if fact["source"]:
        said.append(render.printable(fact["source"]))
    return ", ".join(said)


def _last_day(end: str) -> str:
    """The last day of a validity: one that ends with the first instant of a day does not include that day."""
    return (datetime.fromisoformat(end) - timedelta(milliseconds=1)).date().isoformat()


def _moments(told: dict[str, Any], *, newest: bool) -> list[tuple[str, str]]:
    """What began, what ended and what was told, in the order of time."""
    moments = [(event["at"], f"{_BEGAN[event['what']]}{event['fact']}") for event in told["events"]]
    moments += [(each["valid_at"], _quoted(each)) for each in told["episodes"]]
    moments.sort(key=lambda moment: datetime.fromisoformat(moment[0]), reverse=newest)
    return [(render.day(at), render.printable(what)) for at, what in moments]


def _quoted(episode: dict[str, Any]) -> str:
    """What a text says, after its name, unless that is only how it begins."""
    return f"“{episode['chunk']}”" if _begins(episode) else f"“{episode['name']}”: {episode['chunk']}"


def _begins(episode: dict[str, Any]) -> bool:
    """Whether the name of a text is only how it begins."""
    text = episode.get("content") or episode.get("chunk", "")
    return " ".join(text.split()).startswith(episode["name"].rstrip("…"))


_BEGAN = {"began": "", "ended": "no longer: "}


def _more_moments(told: dict[str, Any]) -> str:
    if told["events_truncated"]:
        return "… and earlier; `kg timeline` tells more"
    hidden = len(told["events"]) + told["total"] - _NEWEST
    return f"… and {hidden:,} earlier; `kg timeline` tells all" if hidden > 0 else ""


def _neighbours(around: dict[str, Any]) -> Section:
    rows = []
    for node in around["nodes"]:
        path = node["via"]["path"] if node["via"] and node["distance"] > 1 else ""
        facts = f"in {node['degree']} fact{'s' if node['degree'] != 1 else ''}"
        rows.append(
            (render.printable(node["name"]), ", ".join(filter(None, (node["type"], facts, render.printable(path)))))
        )
    rings = around["totals"]["by_distance"]
    total, exact = sum(ring["nodes"] for ring in rings), all(ring["exact"] for ring in rings)
    hidden = total - len(rows)
    more = f"… and {'' if exact else 'at least '}{hidden:,} more; --limit shows them" if hidden > 0 else ""
    return Section("Neighbours", rows, more=more)


def _mentioned_with(around: dict[str, Any]) -> Section:
    return Section(
        "In the same texts",
        [
            (
                render.printable(each["name"]),
                f"{'perhaps a ' if each.get('proposed') else ''}{each['type']}, {each['texts']} ×",
            )
            for each in around["mentioned_with"][:_NEWEST]
        ],
    )


def _texts(told: dict[str, Any]) -> Section:
    rows = [
        (
            f"“{render.printable(each['name'])}”",
            ", ".join(
                filter(
                    None, (render.day(each["valid_at"]), each["source"], render.printable(each["source_description"]))
                )
            ),
        )
        for each in told["episodes"]
    ]
    hidden = told["total"] - len(rows)
    return Section("Texts", rows, more=f"… and {hidden:,} older" if hidden > 0 else "")


def _sources(facts: Sequence[dict[str, Any]], communities: Sequence[dict[str, Any]]) -> Section:
    tally = Counter(fact["source"] for fact in facts if fact["source"])
    rows = [
        (render.printable(source), f"{number} fact{'s' if number != 1 else ''}")
        for source, number in tally.most_common(_NEWEST)
    ]
    rows += [(render.printable(each["name"]), f"a community of {each['member_count']}") for each in communities]
    hidden = len(tally) - _NEWEST
    return Section("Sources", rows, more=_and_more(hidden))
