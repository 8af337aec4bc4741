"""`kg me`: shows or sets the owner of the graph, the person that "me" means."""

from __future__ import annotations

from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import answers, terminal
from keepgraph.graph import Graph

NOTHING_MATCHED = 3


@click.command("me")
@click.argument("name", nargs=-1, shell_complete=graph_options.complete_name)
@click.option("--clear", is_flag=True, help="Leave the graph without an owner.")
@graph_options.all_options
@click.pass_context
def me_command(ctx: click.Context, /, name: tuple[str, ...], clear: bool) -> None:
    """Set yourself as NAME, or show what is known about you.

    NAME is the name or id of a person; a new person is added. Then “me” and “I” mean this person:
    kg recall me, kg record me works_at Acme. Exits with 3 if nobody is set.

    \b
    kg me "Ana Ruiz"
    """
    if clear and name:
        raise errors.InvalidArguments("a name and --clear are both given", hint="Give only one.")
    person = " ".join(name).strip()
    if clear:
        with graph_options.open_graph(ctx) as graph:
            _show_cleared(ctx, graph.call("clear_owner"))
    elif person:
        with graph_options.open_graph(ctx, create=True) as graph:
            _show_change(ctx, graph.call("set_owner", person=_reference(graph, person)))
    else:
        with graph_options.open_graph(ctx) as graph:
            answer = graph.call("recall_entity", name_or_alias="me")
        if graph_options.wants_json(ctx):
            terminal.show_json(answer)
        elif answer["entity"]:
            answers.show_recall(answer, name="me")
        else:
            click.echo("This graph has no owner. To set yourself: kg me NAME")
        ctx.exit(0 if answer["entity"] else NOTHING_MATCHED)


def _reference(graph: Graph, person: str) -> dict[str, str]:
    """A person as a tool takes it: an id, `type:name`, or a name."""
    if person.startswith("ent_"):
        return {"id": person}
    prefix, separator, rest = person.partition(":")
    words = graph.call("get_vocabulary")["entity_types"] if separator and rest.strip() else []
    if any(term["name"] == prefix.strip().lower() for term in words):
        return {"type": prefix.strip().lower(), "name": rest.strip()}
    return {"name": person}


def _show_change(ctx: click.Context, answer: dict[str, Any]) -> None:
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
        return
    owner, previous = answer["owner"], answer["previous"]
    if not answer["changed"]:
        click.echo(f"You are already {terminal.entity_name(owner)}.")
        return
    click.secho(f"You are {terminal.entity_name(owner)}.", fg="green", nl=False)
    click.echo(f" Before, it was {terminal.entity_name(previous)}." if previous else "")
    if answer["created"]:
        click.echo(f"  new {owner['type']}: {terminal.entity_name(owner)}")
    for duplicate in answer["possible_duplicates"]:
        answers.show_possible_duplicate(owner, duplicate)


def _show_cleared(ctx: click.Context, answer: dict[str, Any]) -> None:
    previous = answer["previous"]
    if graph_options.wants_json(ctx):
        terminal.show_json(answer)
    elif previous:
        click.echo(f"{terminal.entity_name(previous)} is no longer the owner of this graph; nothing else changed.")
    else:
        click.echo("This graph had no owner.")
