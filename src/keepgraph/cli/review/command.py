"""The command `kg review`: by options for scripts, else by a key for each proposal."""

from __future__ import annotations

from typing import Any

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.graph import Graph

KINDS = (
    *("new_entity", "new_fact", "new_word", "same_as", "alias", "contradiction", "doubtful", "probably_ended"),
    *("retype", "functional", "gap", "orphan"),
)
_DECISIONS_IN_A_CALL = 100
_LISTED = 200


@click.command("review")
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only this kind; may be repeated.")
@click.option("--accept", "accepted", metavar="ID", multiple=True, help="Accept this proposal; may be repeated.")
@click.option("--reject", "rejected", metavar="ID", multiple=True, help="Reject this proposal; may be repeated.")
@click.option("--wake", "woken", type=click.Choice(KINDS), multiple=True, help="Propose this quiet kind again.")
@click.option("--group", metavar="ID", help="Another group of the graph.")
@click.option("--list", "only_list", is_flag=True, help="List what waits, and ask nothing.")
@graph_options.all_options
@click.pass_context
def review_command(
    ctx: click.Context,
    kinds: tuple[str, ...],
    accepted: tuple[str, ...],
    rejected: tuple[str, ...],
    woken: tuple[str, ...],
    group: str | None,
    only_list: bool,
) -> None:
    """Decide on what waits: names and facts in texts, doubles, contradictions, gaps. Each decision can be undone.

    \b
    y accept   n reject   s skip   m merge with something known   e edit, then accept
    u undo the last decision   ? why   q quit
    Keys may be piped in too, one a line; after e and m, what they ask for stands on the same line.

    \b
    kg review
    kg review --kind same_as
    kg review --accept prop_01kb3v9q0e8m4t6w2x5y7z9abc
    """
    from keepgraph.cli.review import pages, session

    as_json = graph_options.wants_json(ctx)
    scope = {"group_id": group} if group else {}
    with graph_options.open_graph(ctx) as graph:
        if accepted or rejected or woken:
            answer = _decide(graph, accepted, rejected, woken, scope)
            terminal.show_json(answer) if as_json else pages.show_decisions(answer)
            ctx.exit(0 if all(entry["done"] for entry in answer["decisions"]) else 1)
        filters: dict[str, Any] = {"kinds": list(kinds)} if kinds else {}
        if as_json or only_list:
            answer = graph.call("review_proposals", limit=_LISTED, **filters, **scope)
            terminal.show_json(answer) if as_json else pages.show_list(answer)
            return
        session.review(graph, filters, scope)


def _decide(
    graph: Graph,
    accepted: tuple[str, ...],
    rejected: tuple[str, ...],
    woken: tuple[str, ...],
    scope: dict[str, Any],
) -> dict[str, Any]:
    """Decide as the options say, in as many calls as that takes; the last answer, with all decisions."""
    entries = [{"id": each, "decision": "accept"} for each in accepted]
    entries += [{"id": each, "decision": "reject"} for each in rejected]
    decisions: list[dict[str, Any]] = []
    answer: dict[str, Any] = {}
    for first in range(0, max(len(entries), 1), _DECISIONS_IN_A_CALL):
        given: dict[str, Any] = {"decide": entries[first : first + _DECISIONS_IN_A_CALL]}
        if woken and not first:
            given["wake"] = list(woken)
        answer = {**answer, **graph.call("review_proposals", limit=0, **given, **scope)}
        decisions += answer.get("decisions", [])
    return {**answer, "decisions": decisions}
