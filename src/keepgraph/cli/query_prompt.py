"""The prompt of `kg query`: reads queries and commands at a terminal, and runs them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import click
from prompt_toolkit.application import create_app_session, get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import create_output
from prompt_toolkit.shortcuts import CompleteStyle, PromptSession

from keepgraph import errors, permissions, store
from keepgraph.cli import query_execution
from keepgraph.cli.output import terminal
from keepgraph.cli.query_execution import OutputFormat, QueryOptions
from keepgraph.graph import Graph

_SURROGATE = re.compile("[\ud800-\udfff]")
_PARAMETER = re.compile(r"\$?(?P<name>\w+)\s*(?:=>?)?\s*(?P<value>.*)", re.DOTALL)

_HELP = """\
A query ends with ; or an empty line. Ctrl-C drops your input or stops a query, Ctrl-D leaves.
  :schema          the labels, relationship types and properties of the graph
  :params          the current parameters
  :param x 1       set $x, to JSON or text; without a value, delete it
  :limit N         the most rows, if a query has no LIMIT; without a number, the default
  :explain QUERY   show how a query would be run
  :quit            leave"""


def run(graph: Graph, options: QueryOptions) -> None:
    """Read queries and run them until the user leaves."""
    history = _PromptHistory(graph)
    click.secho("Query in Cypher; a query ends with ; or an empty line. :help shows more, :quit leaves.", dim=True)
    history.wipe_if_encrypted()
    # If the results go into a file, the prompt is on standard error.
    with create_app_session(output=create_output(always_prefer_tty=True)):
        session: PromptSession[str] = PromptSession(
            "kg> ",
            multiline=True,
            prompt_continuation="  … ",
            key_bindings=_key_bindings(),
            completer=_QueryCompleter(graph),
            complete_style=CompleteStyle.READLINE_LIKE,
            complete_while_typing=False,
            enable_suspend=True,
            history=history,
        )
        try:
            _Prompt(graph, options).run(session)
        finally:
            history.save()


def _key_bindings() -> KeyBindings:
    """Enter runs a finished statement, else begins a line; Ctrl-D leaves on an empty line."""
    bindings = KeyBindings()
    is_typing = has_focus(DEFAULT_BUFFER)

    @bindings.add("enter", filter=is_typing)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if is_finished(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    @bindings.add("c-d", filter=is_typing & Condition(lambda: not get_app().current_buffer.document.current_line))
    def _(event: KeyPressEvent) -> None:
        event.app.exit(exception=EOFError)

    return bindings


class _Quit(Exception):
    """The user typed :quit."""


class _Prompt:
    """The options of the next queries."""

    def __init__(self, graph: Graph, options: QueryOptions) -> None:
        self._graph = graph
        self._options = options
        self._initial_options = options

    def run(self, session: PromptSession[str]) -> None:
        while True:
            try:
                self._run_all(session.prompt())
            except (EOFError, _Quit):
                return
            except KeyboardInterrupt:
                continue

    def _run_all(self, text: str) -> None:
        if _SURROGATE.search(text):  # a byte that is not UTF-8
            click.echo("error: the input is not UTF-8", err=True)
            return
        for statement in split(text):
            if is_command(statement):
                self._run_safely(self._run_command, statement.strip())
            elif query := statement.rstrip().removesuffix(";").rstrip():
                self._run_safely(lambda query: query_execution.run(self._graph, query, self._options), query)

    def _run_safely(self, action: Callable[[str], None], text: str) -> None:
        """Run a command or a query. An error is shown and does not end the prompt."""
        try:
            action(text)
        except errors.QueryError as error:
            if self._options.output is OutputFormat.JSON:
                terminal.show_json(error.answer())
                return
            query = text.partition(" ")[2].strip().removesuffix(";") if text.startswith(":") else text
            query_execution.show_error(self._graph, query, error)
        except errors.KeepgraphError as error:
            terminal.show_error(error.answer(), as_json=self._options.output is OutputFormat.JSON)

    def _run_command(self, line: str) -> None:
        command, _, argument = line[1:].partition(" ")
        argument = argument.strip().removesuffix(";")
        match command:
            case "help":
                click.echo(_HELP)
            case "schema":
                times = {"as_of": self._options.as_of, "known_at": self._options.known_at}
                _show_schema(self._graph.call("get_schema", **times))
            case "params":
                self._show_parameters()
            case "param":
                self._set_parameter(argument)
            case "limit":
                self._set_limit(argument)
            case "explain" if argument:
                query_execution.explain(self._graph, argument, self._options)
            case "explain":
                click.echo("Add a query: :explain MATCH (p:Person) RETURN p.name", err=True)
            case "quit" | "exit" | "q":
                raise _Quit
            case _:
                similar = get_close_matches(command, _COMMANDS, n=1)
                hint = f" Did you mean :{similar[0]}?" if similar else " :help lists them."
                click.echo(f"There is no command :{terminal.printable(command)}.{hint}", err=True)

    def _show_parameters(self) -> None:
        for name, value in self._options.parameters.items():
            text = json.dumps(value, ensure_ascii=False)
            click.echo(f"${terminal.printable(name)} = {terminal.printable(text)}")
        if not self._options.parameters:
            click.echo("No parameters are set.")

    def _set_parameter(self, argument: str) -> None:
        match = _PARAMETER.fullmatch(argument)
        if match is None:
            click.echo("Add a name and a value: :param name Priya", err=True)
            return
        parameters = {name: value for name, value in self._options.parameters.items() if name != match["name"]}
        if match["value"]:
            parameters[match["name"]] = query_execution.parse_parameter(match["value"])
        self._options = replace(self._options, parameters=parameters)

    def _set_limit(self, argument: str) -> None:
        if argument and not (argument.isascii() and argument.isdigit() and int(argument[:9])):
            click.echo("Add a number from 1: :limit 50", err=True)
            return
        limit = int(argument[:9]) if argument else self._initial_options.limit
        self._options = replace(self._options, limit=limit)


def _show_schema(schema: dict[str, Any]) -> None:
    for label, node in schema["node_labels"].items():
        click.echo(terminal.printable(f"(:{label})  {node['count']:,}  {', '.join(node['properties'])}"))
    for kind, relationship in schema["relationship_types"].items():
        for (source, target), count in zip(relationship["patterns"], relationship["pattern_counts"], strict=True):
            click.echo(terminal.printable(f"(:{source})-[:{kind}]->(:{target})  {count:,}"))
    unused = [kind for kind, relationship in schema["relationship_types"].items() if not relationship["count"]]
    unused += schema.get("unused", {}).get("types", ())
    if unused:
        click.secho(terminal.printable(f"not used yet: {', '.join(unused)}"), dim=True)


# Tab completion at the prompt: keywords, functions, labels, relationship types, properties and commands.

_COMMANDS = ("help", "schema", "params", "param", "limit", "explain", "quit")

_WORD = re.compile(r"(\w*)$")
_AFTER_COLON = re.compile(r"[:|&!]\s*\w*$")


class _QueryCompleter(Completer):
    """Completes the words of queries; reads the graph's words at the first Tab."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._words: dict[str, list[str]] | None = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """The completions of the word before the cursor."""
        if self._words is None:
            try:
                self._words = self._graph.call("list_query_words")
            except errors.KeepgraphError:
                return  # a completion cannot show an error
        before, prefix, _ = _WORD.split(document.text_before_cursor, maxsplit=1)
        for word in complete(self._words, before, prefix):
            yield Completion(word, start_position=-len(prefix))


def complete(words: dict[str, list[str]], before: str, prefix: str) -> list[str]:
    """The words with a prefix that may follow the beginning of a query.

    Args:
        words: the words of the graph by kind: keywords, functions, labels, types, properties.
        before: the input up to the prefix.
    """
    bracket = _innermost_bracket(before)
    if before.strip() == ":":
        candidates = list(_COMMANDS)
    elif before.endswith("."):
        candidates = words["properties"]
    elif _AFTER_COLON.search(before) and bracket != "{":
        candidates = words["types"] if bracket == "[" else words["labels"]
    else:
        candidates = [*words["keywords"], *(f"{name}(" for name in words["functions"])]
    return [word for word in candidates if word.lower().startswith(prefix.lower())]


def _innermost_bracket(text: str) -> str:
    """The last opening bracket that is not closed; "" if there is none."""
    open_brackets = []
    for letter in text:
        if letter in "([{":
            open_brackets.append(letter)
        elif letter in ")]}" and open_brackets:
            open_brackets.pop()
    return open_brackets[-1] if open_brackets else ""


# The history of the prompt: a file beside the graph. An encrypted graph has none, as it would be plain text.

_MAX_LINES = 1000


class _PromptHistory(History):
    """The statements typed at the prompts of a graph."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self._file = store.files.prompt_history(graph.path)
        self._is_encrypted = graph.database.key is not None
        self._is_stored = not self._is_encrypted and not os.environ.get("KG_NO_HISTORY", "").strip()
        self._typed: list[str] = []

    def wipe_if_encrypted(self) -> None:
        """Wipe the file if the graph has been encrypted since, and tell the user that nothing is kept."""
        if self._is_encrypted:
            if self._file.is_file():
                with suppress(OSError):
                    store.files.remove_overwritten(self._file)
            click.secho("The graph is encrypted: what you type here is not kept.", dim=True)

    def load_history_strings(self) -> Iterable[str]:
        """The statements of the file, newest first."""
        return reversed(split("\n".join(self._read())) if self._is_stored else [])

    def store_string(self, string: str) -> None:
        """Keep a statement until `save`."""
        self._typed += string.encode("utf-8", "replace").decode("utf-8").split("\n")

    def save(self) -> None:
        """Add what was typed in this session to the file."""
        if self._is_stored and self._typed:
            # Read the file again: another prompt may have written to it.
            lines = [*self._read(), *self._typed][-_MAX_LINES:]
            try:
                permissions.write(self._file, "".join(f"{line}\n" for line in lines))
            except OSError as error:
                click.echo(f"What you typed was not kept: {terminal.printable(error)}", err=True)

    def _read(self) -> list[str]:
        try:
            return self._file.read_text(encoding="utf-8", errors="replace").splitlines()[-_MAX_LINES:]
        except OSError:
            return []


# Division of input into statements: queries, which end with ; or an empty line, and one-line commands.


def split(text: str) -> list[str]:
    """The statements of a text, without the empty lines between them. The text's end ends the last."""
    statements: list[str] = []
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.strip():
            lines.append(line)
        if lines and (is_command(lines[0]) or _ends_query(line)):
            statements.append("\n".join(lines))
            lines = []
    return statements


def is_finished(text: str) -> bool:
    """Whether the last statement of a text is finished."""
    return _ends_query(text.rpartition("\n")[2]) or is_command(split(text)[-1])


def is_command(statement: str) -> bool:
    return statement.lstrip().startswith(":")


def _ends_query(line: str) -> bool:
    return not line.strip() or line.rstrip().endswith(";")
