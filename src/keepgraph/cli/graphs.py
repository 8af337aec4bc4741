"""Opens the graph that a command line names, and completes the names in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from keepgraph import errors
from keepgraph.graph import Graph, open

_F = TypeVar("_F", bound=Callable[..., Any])


def takes_graph(command: _F) -> _F:
    """Let a command have --db and --json too, after its name as well as before it."""

    def keep(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value is not None and value is not False:
            ctx.find_root().params[parameter.name or ""] = value

    command = click.option(
        "--json", "as_json", is_flag=True, expose_value=False, callback=keep, help="Answer in JSON."
    )(command)
    return click.option(
        "--db",
        metavar="FILE",
        expose_value=False,
        callback=keep,
        help="The graph, if not the default one. [env: KG_DB]",
    )(command)


def path(ctx: click.Context) -> Path:
    """The file that is meant."""
    named = ctx.find_root().params.get("db")
    if named is not None:
        if not named.strip():
            raise errors.InvalidArguments("--db is empty", hint="Name a file, or leave --db out for the default graph.")
        return Path(named).expanduser()
    from keepgraph import profile

    return profile.default_path()


def answers_in_json(ctx: click.Context) -> bool:
    return bool(ctx.find_root().params["as_json"])


def opened(ctx: click.Context, *, create: bool = False, read_only: bool = False, session: str | None = None) -> Graph:
    return open(path(ctx), create=create, read_only=read_only, session=session)


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
