"""Opens the graph that a command line names, and completes the names in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from keepgraph import errors, permissions
from keepgraph.cli.output import render
from keepgraph.graph import Graph, open

_F = TypeVar("_F", bound=Callable[..., Any])


def takes_graph(command: _F) -> _F:
    """Let a command have --db, --profile and --json too, after its name as well as before it."""
    return takes_place(answers(command))


def answers(command: _F) -> _F:
    """Let a command have --json after its name."""
    return click.option("--json", "as_json", is_flag=True, expose_value=False, callback=_keep, help="Answer in JSON.")(
        command
    )


def takes_place(command: _F) -> _F:
    """Let a command have --db and --profile after its name."""
    command = click.option(
        "--profile", metavar="NAME", expose_value=False, callback=_keep, help="The profile. [env: KG_PROFILE]"
    )(command)
    return click.option(
        "--db",
        metavar="FILE",
        expose_value=False,
        callback=_keep,
        help="The graph, if not that of a profile. [env: KG_DB]",
    )(command)


def _keep(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is not None and value is not False:
        ctx.find_root().params[parameter.name or ""] = value


def path(ctx: click.Context) -> Path:
    """The file that is meant: --db or --profile, then KG_DB or KG_PROFILE, then the profile in use."""
    from keepgraph.profiles import profile

    said = ctx.find_root().params
    file, name = said.get("db"), said.get("profile")
    if file is not None and name is not None:
        raise errors.InvalidArguments("--db and --profile both name a graph", hint="Leave one of them out.")
    if file is not None:
        if not file.strip():
            raise errors.InvalidArguments("--db is empty", hint="Name a file, or leave --db out for the default graph.")
        return permissions.expanded(file)
    return profile.existing(name) if name is not None else profile.chosen()


def naming(ctx: click.Context) -> list[str]:
    """The words that name the same graph in another command line, wherever it is run."""
    from keepgraph.profiles import profile

    file = path(ctx).resolve()
    name = profile.name_of(file)
    return ["--db", str(file)] if name is None else ["--profile", name]


def answers_in_json(ctx: click.Context) -> bool:
    return bool(ctx.find_root().params["as_json"])


def opened(ctx: click.Context, *, create: bool = False, read_only: bool = False, session: str | None = None) -> Graph:
    """The graph that is meant. Once a day, a backup of it is made when the command is done."""
    from keepgraph.cli import offline
    from keepgraph.profiles import profile

    file = path(ctx).resolve()
    said = profile.read(file)
    if said.offline:
        ctx.find_root().with_resource(offline.held())
    due = said.daily and not read_only and backup_is_due(file)
    graph = open(file, create=create, read_only=read_only, session=session, ask=asks(ctx))
    if due:
        key = graph.database.key
        ctx.find_root().call_on_close(lambda: _back_up(file, key.digits if key else None))
    return graph


def backup_is_due(file: Path) -> bool:
    """Whether the daily backup of a graph has to be made, by what lies beside it."""
    from datetime import UTC, datetime

    from keepgraph.engine.upkeep import backups

    return file.is_file() and backups.due(file, datetime.now(UTC))


def asks(ctx: click.Context) -> Callable[[str], str] | None:
    """Asks for a passphrase where somebody sits at a terminal."""
    import sys

    if not sys.stdin.isatty():
        return None
    return lambda words: str(click.prompt(words, hide_input=True, err=True))


def _back_up(file: Path, key: str | None) -> None:
    """The daily backup. Nobody has asked for it now, so it fails with a word and no more."""
    from keepgraph.engine.upkeep import backups

    try:
        with open(file, create=False, key=key) as graph:
            backups.make(graph.database, backups.DAILY)
    except (errors.KeepgraphError, OSError) as error:
        reason = getattr(error, "message", None) or error
        click.echo(f"The daily backup was not made: {render.printable(reason)}", err=True)


def named(graph: Graph, text: str) -> dict[str, str]:
    """An entity as tools take it that never guess: an id, type:name, or a name alone that only one has."""
    from keepgraph.tools import views

    text = text.strip()
    if text.lower().startswith("ent_"):
        return {"id": text}
    kind, colon, name = text.partition(":")
    if colon and kind.strip().lower() in views.words(graph.database)["entity_type"]:
        return {"type": kind.strip().lower(), "name": name}
    return {"name": text}


def complete_name(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of entities, with the type before them where it was typed."""
    return _completed(ctx, incomplete, typed=False)


def complete_typed_name(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Entities as `type:name`."""
    return _completed(ctx, incomplete, typed=True)


def complete_project(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [name.partition(":")[2] for name in _completed(ctx, f"project:{incomplete}", typed=True)]


def complete_predicate(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from keepgraph.tools import views

    try:
        with opened(ctx) as graph:
            predicates = views.words(graph.database)["predicate"]
    except errors.KeepgraphError:
        return []  # a shell that completes has nowhere to show an error
    return [word for word in predicates if word.startswith(incomplete)]


def _completed(ctx: click.Context, incomplete: str, *, typed: bool) -> list[str]:
    from keepgraph.tools import views

    kind, colon, rest = incomplete.partition(":")
    try:
        with opened(ctx) as graph:
            types = views.words(graph.database)["entity_type"]
            if not colon and typed:
                return [f"{name}:" for name in types if name.startswith(kind)]
            of_type = kind if colon and kind in types else None
            found = views.names_starting(graph.database, rest if of_type else incomplete, of_type=of_type, limit=50)
    except errors.KeepgraphError:
        return []  # a shell that completes has nowhere to show an error
    return [f"{of_type}:{entity['name']}" if of_type else entity["name"] for entity in found]
