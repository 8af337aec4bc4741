"""`kg learn`: likely facts with the rules that predict them, and doubtful ones."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal

_METHODS = {"popularity": "counting", "horn_rules": "rules", "complex": "embedding"}


@click.command("learn")
@click.option("--project", help="Only what concerns this project; or a group.")
@click.option("--offer", is_flag=True, help="Offer the suggestions for `kg review`.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.6, help="From which score a fact is doubtful.")
@click.option("--seed", type=click.IntRange(0, 1_000_000), default=0, help="Divide the facts for the tests otherwise.")
@click.option("--limit", type=click.IntRange(0, 100), default=10, help="How many of each are shown.")
@graph_options.all_options
@click.pass_context
def learn_command(
    ctx: click.Context, project: str | None, offer: bool, threshold: float, seed: int, limit: int
) -> None:
    """Learn rules from the facts; suggest what follows from them, and doubt what does not.

    No fact is changed. Too few facts suggest nothing.

    \b
    kg learn
    kg learn --offer && kg review
    """
    arguments = {
        "dry_run": not offer,
        "threshold": threshold,
        "seed": seed,
        **({"project": project} if project else {}),
    }
    with graph_options.open_graph(ctx) as graph:
        answer = graph.call_until(None, "train_gnn", arguments, progress=_report)
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
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
        click.echo("`kg learn --offer` offers them for `kg review`.")
