"""The prompt of `kg query`: reads queries line by line, completes their words, and keeps what was typed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from keepgraph import errors, permissions, store
from keepgraph.cli import query
from keepgraph.cli.output import render
from keepgraph.cli.query import Form, Manner
from keepgraph.graph import Graph

readline: Any
try:
    import readline
except ImportError:  # on Windows
    readline = None

MOST_KEPT = 1000

_BETWEEN_WORDS = " \t\n`~!@#%^&*()-=+[{]}\\|;:'\",<>/?."
_AFTER_COLON = re.compile(r"[:|&!]\s*\w*$")

_PARAMETER = re.compile(r"\$?(?P<name>\w+)\s*(?:=>?)?\s*(?P<value>.*)", re.DOTALL)

_HELP = """\
A query ends with ; or an empty line. Ctrl-C drops what is typed or stops what runs, Ctrl-D leaves.
  :schema          what there is in the graph, in the words of queries
  :params          the parameters that are set
  :param x 1       set $x, to JSON or text; without a value, forget it
  :limit N         most rows where a query has no LIMIT; without a number, as it was
  :explain QUERY   how a query would be run
  :quit            leave"""

_COMMANDS = ("help", "schema", "params", "param", "limit", "explain", "quit")


def ask_many(graph: Graph, manner: Manner) -> None:
    """Ask for queries and answer them, until somebody leaves."""
    history = _History(graph)
    prompt = _Prompt(graph, manner)
    click.secho("Ask in Cypher; a query ends with ; or an empty line. :help tells more, :quit leaves.", dim=True)
    history.begin()
    try:
        with _completing(graph):
            prompt.run()
    finally:
        history.end()


class _Left(Exception):
    """Somebody has said that it is enough."""


class _Prompt:
    """What was typed so far, and how queries are asked from now on."""

    def __init__(self, graph: Graph, manner: Manner) -> None:
        self._graph = graph
        self._manner = manner
        self._begun = manner
        self._typed: list[str] = []

    def run(self) -> None:
        while True:
            try:
                self._take(input("  … " if self._typed else "kg> "))
            except EOFError:
                click.echo()
                return
            except _Left:
                return
            except KeyboardInterrupt:
                self._typed.clear()
                click.echo()
            except UnicodeDecodeError:
                self._typed.clear()
                click.echo("error: that is not text in UTF-8", err=True)

    def _take(self, line: str) -> None:
        """Take a line: a command, a part of a query, or the end of one."""
        if not self._typed and line.strip().startswith(":"):
            self._guarded(self._command, line.strip())
        elif line.strip():
            self._typed.append(line)
            if line.rstrip().endswith(";"):
                self._ask()
        elif self._typed:
            self._ask()

    def _ask(self) -> None:
        text = "\n".join(self._typed).rstrip().removesuffix(";")
        self._typed.clear()
        if text.strip():
            self._guarded(lambda asked: query.answer(self._graph, asked, self._manner), text)

    def _guarded(self, do: Callable[[str], None], text: str) -> None:
        """Do what was typed; what goes wrong is shown, and the next line may be typed."""
        try:
            do(text)
        except errors.QueryError as error:
            if self._manner.form is Form.JSON:
                render.in_json(error.answer())
                return
            asked = text.partition(" ")[2].strip().removesuffix(";") if text.startswith(":") else text
            query.refused(self._graph, asked, error)
        except errors.KeepgraphError as error:
            render.error(error.answer(), as_json=self._manner.form is Form.JSON)

    def _command(self, line: str) -> None:
        word, _, rest = line[1:].partition(" ")
        rest = rest.strip().removesuffix(";")
        match word:
            case "help":
                click.echo(_HELP)
            case "schema":
                moment = {"as_of": self._manner.as_of, "known_at": self._manner.known_at}
                _show_schema(self._graph.call("get_schema", **moment))
            case "params":
                for name, value in self._manner.parameters.items():
                    click.echo(f"${render.printable(name)} = {render.printable(_in_json(value))}")
                if not self._manner.parameters:
                    click.echo("No parameters are set.")
            case "param":
                self._set(rest)
            case "limit":
                self._limit(rest)
            case "explain" if rest:
                query.show_plan(self._graph, rest, self._manner)
            case "explain":
                click.echo("Write the query behind it: :explain MATCH (p:Person) RETURN p.name", err=True)
            case "quit" | "exit" | "q":
                raise _Left
            case _:
                near = get_close_matches(word, _COMMANDS, n=1)
                perhaps = f" Did you mean :{near[0]}?" if near else " :help lists them."
                click.echo(f"There is no command :{render.printable(word)}.{perhaps}", err=True)

    def _set(self, rest: str) -> None:
        said = _PARAMETER.fullmatch(rest)
        if said is None:
            click.echo("Write a name and a value: :param name Priya", err=True)
            return
        name, value = said["name"], said["value"]
        others = {each: said for each, said in self._manner.parameters.items() if each != name}
        if value:
            others[name] = query.value_of(value)
        self._manner = replace(self._manner, parameters=others)

    def _limit(self, rest: str) -> None:
        if rest and not (rest.isascii() and rest.isdigit() and int(rest[:9])):
            click.echo("Write a number from 1: :limit 50", err=True)
            return
        self._manner = replace(self._manner, limit=int(rest[:9]) if rest else self._begun.limit)


def _in_json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _show_schema(schema: dict[str, Any]) -> None:
    for label, about in schema["node_labels"].items():
        click.echo(render.printable(f"(:{label})  {about['count']:,}  {', '.join(about['properties'])}"))
    for kind, about in schema["relationship_types"].items():
        for (source, target), count in zip(about["patterns"], about["pattern_counts"], strict=True):
            click.echo(render.printable(f"(:{source})-[:{kind}]->(:{target})  {count:,}"))
    unused = [kind for kind, about in schema["relationship_types"].items() if not about["count"]]
    if unused:
        click.secho(render.printable(f"not used yet: {', '.join(unused)}"), dim=True)


class _History:
    """What was typed at the prompts of this graph. Of an encrypted one nothing is kept: it would be in the clear."""

    def __init__(self, graph: Graph) -> None:
        self._file = store.files.history(graph.path)
        self._encrypted = graph.database.key is not None
        self._wanted = readline is not None and not os.environ.get("KG_NO_HISTORY", "").strip()
        self._before = 0

    def begin(self) -> None:
        if self._encrypted:
            self._forget()
            click.secho("The graph is encrypted: what you type here is not kept.", dim=True)
        if readline is None:
            return
        readline.clear_history()
        if self._kept():
            for line in self._lines():
                readline.add_history(line)
        self._before = readline.get_current_history_length()

    def end(self) -> None:
        if readline is None:
            return
        typed = [readline.get_history_item(place + 1) for place in range(self._before, _length())]
        readline.clear_history()
        if self._kept() and typed:
            # Read again: another prompt may have written since.
            lines = [*self._lines(), *(line for line in typed if line)][-MOST_KEPT:]
            try:
                permissions.write(self._file, "".join(f"{line}\n" for line in lines))
            except (OSError, UnicodeEncodeError) as error:
                click.echo(f"What you typed was not kept: {render.printable(error)}", err=True)

    def _kept(self) -> bool:
        return self._wanted and not self._encrypted

    def _lines(self) -> list[str]:
        try:
            return self._file.read_text(encoding="utf-8", errors="replace").splitlines()[-MOST_KEPT:]
        except OSError:
            return []

    def _forget(self) -> None:
        """Take away what was typed before the graph was encrypted."""
        if self._file.is_file():
            _remove(self._file)


def _remove(file: Path) -> None:
    from keepgraph import store

    with suppress(OSError):
        store.files.remove_wiped(file)


def _length() -> int:
    return int(readline.get_current_history_length())


@contextmanager
def _completing(graph: Graph) -> Iterator[None]:
    """While this lasts, Tab completes the words of queries."""
    if readline is None:
        yield
        return
    readline.set_completer(_Completer(graph).complete)
    readline.set_completer_delims(_BETWEEN_WORDS)
    editline = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if editline else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)


class _Completer:
    """The words of a graph, read when they are first wanted, and those that fit what is typed now."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._words: dict[str, list[str]] | None = None
        self._found: list[str] = []

    def complete(self, text: str, state: int) -> str | None:
        if state == 0:
            self._found = self._fitting(readline.get_line_buffer()[: readline.get_begidx()], text)
        return self._found[state] if state < len(self._found) else None

    def _fitting(self, before: str, text: str) -> list[str]:
        if self._words is None:
            from keepgraph.tools import queries

            try:
                self._words = queries.words(self._graph.database)
            except errors.KeepgraphError:
                return []  # there is nowhere to show an error
        return completions(self._words, before, text)


def completions(words: dict[str, list[str]], before: str, text: str) -> list[str]:
    """The words that may stand after the beginning of a line, and begin as what was typed of them."""
    inside = _innermost(before)
    if before.strip() == ":":
        found = list(_COMMANDS)
    elif before.endswith("."):
        found = words["properties"]
    elif _AFTER_COLON.search(before) and inside != "{":
        found = words["types"] if inside == "[" else words["labels"]
    else:
        found = [*words["keywords"], *(f"{name}(" for name in words["functions"])]
    return [word for word in found if word.lower().startswith(text.lower())]


def _innermost(text: str) -> str:
    """The bracket that was opened last and is not closed; nothing where there is none."""
    opened = []
    for letter in text:
        if letter in "([{":
            opened.append(letter)
        elif letter in ")]}" and opened:
            opened.pop()
    return opened[-1] if opened else ""
