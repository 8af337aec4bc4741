"""`kg tool`: lists the tools, prints their schemas, and calls a tool by name with JSON, for scripts."""

from __future__ import annotations

import json
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.tools.contract import catalogue, schemas


def _complete_tool(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [tool.name for tool in catalogue.tools() if tool.name.startswith(incomplete)]


@click.group("tool")
def tool_command() -> None:
    """List the tools, print the schema of one, or call one by name.

    \b
    kg tool list
    kg tool call recall_entity '{"name_or_alias": "Ana"}'
    kg tool schema recall_entity --output
    """


@tool_command.command("list")
@graph_options.all_options
def list_command(ctx: click.Context) -> None:
    """List all tools with their descriptions."""
    tools = catalogue.tools()
    if graph_options.wants_json(ctx):
        terminal.show_json(
            [
                {
                    "name": tool.name,
                    "toolset": tool.toolset,
                    "effect": tool.effect.value,
                    "description": tool.description,
                    "input": schemas.advertise(tool.toolset, tool.name, vocabulary={})[0],
                }
                for tool in tools
            ]
        )
        return
    width = max(len(tool.name) for tool in tools)
    for toolset in dict.fromkeys(tool.toolset for tool in tools):
        click.secho(toolset, bold=True)
        for tool in tools:
            if tool.toolset == toolset:
                click.echo(f"  {tool.name:{width}}  {tool.description.splitlines()[0]}")


@tool_command.command("schema")
@click.argument("name", shell_complete=_complete_tool)
@click.option("--output", "of_output", is_flag=True, help="The schema of the answer, not of the arguments.")
def schema_command(name: str, of_output: bool) -> None:
    """Print the JSON Schema of a tool, with everything it refers to.

    \b
    kg tool schema record_fact
    kg tool schema record_fact --output
    """
    tool = catalogue.find(name)
    terminal.show_json(schemas.load(tool.toolset, tool.name, "output" if of_output else "input"))


@tool_command.command("call")
@click.argument("name", shell_complete=_complete_tool)
@click.argument("arguments", required=False)
@click.option("--json", "as_option", help="The arguments, instead of the second word.")
@graph_options.location_options
@click.pass_context
def call_command(ctx: click.Context, name: str, arguments: str | None, as_option: str | None) -> None:
    """Call a tool; answers and errors are JSON.

    ARGUMENTS are JSON, @FILE, or - for standard input.
    """
    ctx.find_root().params["as_json"] = True
    given = [each for each in (arguments, as_option) if each is not None]
    if len(given) > 1:
        raise errors.InvalidArguments("the arguments are given twice", hint="Leave out --json or the second word.")
    parsed = _read_arguments(given[0] if given else "{}")

    writes = catalogue.find(name).effect is not catalogue.Effect.READ
    with graph_options.open_graph(ctx, create=writes) as graph:
        terminal.show_json(graph.call_until(None, name, parsed))


def _read_arguments(arguments: str) -> Any:
    text = arguments
    if arguments == "-" or arguments.startswith("@"):
        try:
            with click.open_file(arguments.removeprefix("@"), encoding="utf-8-sig") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise errors.InvalidArguments(f"{arguments[1:]} cannot be read: {error}") from error
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.InvalidArguments(
            f"the arguments are not JSON: {error}",
            hint="Quote them for your shell, or put them in a file: @FILE.",
        ) from error
