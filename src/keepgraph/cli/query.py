"""`kg query`: a query from the command line, a file or standard input; without one, the prompt."""

from __future__ import annotations

import re
import sys
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import dates, graph_options, query_execution
from keepgraph.cli.output import terminal
from keepgraph.cli.query_execution import OutputFormat, QueryOptions

_MAX_QUERY_BYTES = 1_000_000
"""More than any query a person writes, so that a wrong file is refused before it fills the memory."""


@click.command("query")
@click.argument("query", required=False)
@click.option(
    "-f", "--file", type=click.Path(dir_okay=False), metavar="FILE", help="Read the query from FILE; - for stdin."
)
@click.option("-p", "--param", "params", multiple=True, metavar="NAME=VALUE", help="The value of $NAME: JSON, or text.")
@click.option("--params-file", type=click.Path(dir_okay=False), metavar="FILE", help="Parameters: a JSON object.")
@click.option("--limit", type=int, metavar="N", help="The most rows, if the query has no LIMIT; 200 by default.")
@click.option("--as-of", metavar="WHEN", type=dates.END, help="What was true then: “June”, 2026-05-01.")
@click.option("--known-at", metavar="WHEN", type=dates.END, help="What was known then: yesterday, 2026-05-01.")
@click.option("--csv", "as_csv", is_flag=True, help="Answer in CSV.")
@click.option("--explain", is_flag=True, help="Show how the query would be run, without running it.")
@graph_options.all_options
def query_command(
    ctx: click.Context,
    /,
    query: str | None,
    file: str | None,
    params: tuple[str, ...],
    params_file: str | None,
    limit: int | None,
    as_csv: bool,
    explain: bool,
    **time_options: str | None,
) -> None:
    """Query the graph in read-only openCypher; without QUERY, open a prompt.

    \b
    kg query 'MATCH (p:Person)-[:DECIDED_IN]->(d) RETURN p.name, d.name'
    kg query 'MATCH (n {name: $name})-[r]->(m) RETURN type(r), m.name' -p name=Priya

    Types are labels (:Person), predicates are relationship types ([:DECIDED_IN]).
    """
    as_json = graph_options.wants_json(ctx)
    if as_csv and (explain or as_json):
        raise click.UsageError("--csv cannot be combined with --json or --explain.")
    if query is not None and file is not None:
        raise click.UsageError("The query is given twice: as an argument, and with --file.")
    output = OutputFormat.CSV if as_csv else OutputFormat.JSON if as_json else OutputFormat.TABLE
    options = QueryOptions(output=output, parameters=_read_parameters(params, params_file), limit=limit, **time_options)
    if query is None and file is None and sys.stdin.isatty():
        if explain:
            raise click.UsageError("--explain needs a query; at the prompt, type “:explain QUERY”.")
        from keepgraph.cli import query_prompt

        with graph_options.open_graph(ctx) as graph:
            query_prompt.run(graph, options)
        return
    text = _read_file(file or "-") if query is None else query
    if not text.strip():
        raise errors.InvalidArguments("the query is empty", hint="“kg query --help” shows examples.")
    with graph_options.open_graph(ctx) as graph:
        try:
            if explain:
                query_execution.explain(graph, text, options)
            else:
                query_execution.run(graph, text, options)
        except errors.QueryError as error:
            if output is OutputFormat.JSON:
                raise
            query_execution.show_error(graph, text, error)
            ctx.exit(1)
    for name in options.parameters:
        if f"${name}" not in text and f"$`{name}" not in text:
            click.echo(f"note: the query has no ${terminal.printable(name)}", err=True)


def _read_parameters(assignments: tuple[str, ...], file: str | None) -> dict[str, Any]:
    """The parameters of a file, then those of the command line, each as NAME=VALUE."""
    parameters: dict[str, Any] = {}
    if file is not None:
        text = _read_file(file, max_bytes=10 * _MAX_QUERY_BYTES)
        try:
            parameters = query_execution.parse_json(text)
        except (ValueError, RecursionError) as error:
            raise errors.InvalidArguments(
                f"{file} is not JSON: {error}", hint='It holds an object: {"name": "Priya"}.'
            ) from error
        if not isinstance(parameters, dict):
            raise errors.InvalidArguments(f"{file} is not a JSON object", hint='It looks like {"name": "Priya"}.')
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        name = name.strip().removeprefix("$")
        if not equals or not re.fullmatch(r"\w+", name):
            raise click.BadParameter(
                f"“{terminal.printable(assignment)[:60]}” is not NAME=VALUE.", param_hint="--param"
            )
        parameters[name] = query_execution.parse_parameter(value)
    return parameters


def _read_file(file: str, *, max_bytes: int = _MAX_QUERY_BYTES) -> str:
    """The text of a file; "-" is standard input."""
    label = "standard input" if file == "-" else file
    with click.open_file(file, "rb") as stream:
        content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise errors.InvalidArguments(f"{label} is too long: more than {max_bytes:,} bytes", hint="Split the query.")
    try:
        return str(content, "utf-8-sig")
    except UnicodeDecodeError as error:
        raise errors.InvalidArguments(
            f"{label} is not UTF-8: byte {error.start + 1} cannot be read", hint="Save it as UTF-8."
        ) from error
