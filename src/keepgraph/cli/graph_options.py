"""The options --db, --profile, --json and --offline, and the graph that they name."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import click

from keepgraph import errors, permissions
from keepgraph.cli.output import terminal
from keepgraph.engine.maintenance import backups, history
from keepgraph.graph import Graph, open
from keepgraph.profiles import profile, settings_file

_F = TypeVar("_F", bound=Callable[..., Any])
_P = ParamSpec("_P")
_R = TypeVar("_R")
_Show = Callable[[], None]

NOTHING_MATCHED = 3
"""The exit code of a command that looks for something and finds nothing."""


def all_options(command: Callable[Concatenate[click.Context, _P], _R]) -> Callable[_P, _R]:
    """A decorator: the command takes --db, --profile and --json after its name too, and gets the context with them."""
    return location_options(json_option(click.pass_context(command)))


def json_option(command: _F) -> _F:
    """A decorator: the command takes --json after its name."""
    return click.option(
        "--json", "as_json", is_flag=True, expose_value=False, callback=_set_root_parameter, help="Answer in JSON."
    )(command)


def location_options(command: _F) -> _F:
    """A decorator: the command takes --db and --profile after its name."""
    return db_option(
        click.option(
            "--profile",
            metavar="NAME",
            is_eager=True,  # before the dates, which are in its time zone
            expose_value=False,
            callback=_set_root_parameter,
            help="The profile. [env: KG_PROFILE]",
        )(command)
    )


def db_option(command: _F) -> _F:
    """A decorator: the command takes --db after its name."""
    return click.option(
        "--db",
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_set_root_parameter,
        help="The graph file, instead of a profile. [env: KG_DB]",
    )(command)


def _set_root_parameter(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is not None and value is not False:
        ctx.find_root().params[parameter.name or ""] = value


def graph_path(ctx: click.Context) -> Path:
    """The file of the graph: from --db or --profile, then KG_DB or KG_PROFILE, then the active profile.

    Raises:
        errors.InvalidArguments: --db is empty, or both are given.
        errors.ProfileNotFound: there is no such profile.
    """
    params = ctx.find_root().params
    file, name = params.get("db"), params.get("profile")
    if file is not None and name is not None:
        raise errors.InvalidArguments("--db and --profile both name a graph", hint="Leave one of them out.")
    if file is not None:
        if not file.strip():
            raise errors.InvalidArguments("--db is empty", hint="Name a file, or leave --db out for the default graph.")
        return permissions.expanded(file)
    return profile.find(name) if name is not None else profile.selected_graph()


def naming_arguments(ctx: click.Context) -> list[str]:
    """The options that name the same graph in another command line, in any working directory."""
    file = graph_path(ctx).resolve()
    name = profile.name_of(file)
    return ["--db", str(file)] if name is None else ["--profile", name]


def wants_json(ctx: click.Context) -> bool:
    return bool(ctx.find_root().params["as_json"])


def show(ctx: click.Context, answer: dict[str, Any], as_text: Callable[[dict[str, Any]], None]) -> None:
    """Show an answer: in JSON if that is wanted, else by a function."""
    if not show_json(ctx, answer):
        as_text(answer)


def show_json(ctx: click.Context, answer: Any) -> bool:
    """Show an answer in JSON if the user wants that; returns whether it was shown."""
    if wants := wants_json(ctx):
        terminal.show_json(answer)
    return wants


def show_match(ctx: click.Context, answer: Any, found: object, show: _Show, no_match: _Show) -> NoReturn:
    """Show an answer, in JSON if that is wanted, and end the command: with 3 if nothing was found.

    Args:
        show, no_match: show it as text if something was found, or nothing.
    """
    if not show_json(ctx, answer):
        (show if found else no_match)()
    ctx.exit(0 if found else NOTHING_MATCHED)


def call(ctx: click.Context, tool: str, *, create: bool = False, **arguments: Any) -> dict[str, Any]:
    """The answer of one tool, for which the graph is opened.

    Args:
        create: make the graph if there is none.
        arguments: those of the tool; None stands for one that is not given.
    """
    with open_graph(ctx, create=create) as graph:
        return graph.call(tool, **arguments)


def open_graph(
    ctx: click.Context,
    *,
    create: bool = False,
    read_only: bool = False,
    any_schema: bool = False,
    session: str | None = None,
) -> Graph:
    """Open the graph. Once a day, the command is followed by a backup, and the journal is trimmed.

    With `offline = true` in its settings, the process cannot reach the network from now on.

    Args:
        any_schema: with `read_only`, accept tables, indexes, triggers or views that Keepgraph did not make.
    """
    file = graph_path(ctx).resolve()
    settings = settings_file.read(file)
    if settings.offline:
        ctx.find_root().with_resource(block_network())
    if create and not file.exists():
        warn_of_shared_folder(file)
    is_backup_due = settings.daily_backups and not read_only and backup_is_due(file)
    graph = open(
        file,
        create=create,
        read_only=read_only,
        any_schema=any_schema,
        session=session,
        ask=passphrase_prompt(ctx),
    )
    if is_backup_due:
        key = graph.database.key
        ctx.find_root().call_on_close(
            lambda: _make_daily_backup(file, key.digits if key else None, history_days=settings.history_days)
        )
    return graph


def warn_of_shared_folder(file: Path) -> None:
    """Warn on standard error if the folder of a graph is synchronised or on a network file system."""
    if shared := profile.find_shared_folder(file):
        click.echo(f"The folder of {terminal.printable(file)} {shared}. {profile.SHARED_FOLDER_ADVICE}", err=True)


def backup_is_due(file: Path) -> bool:
    """Whether the graph still lacks a backup of today; does not open it."""
    from datetime import UTC, datetime

    return file.is_file() and backups.is_due(file, datetime.now(UTC))


def passphrase_prompt(ctx: click.Context) -> Callable[[str], str] | None:
    """A function that asks for a passphrase on the terminal; None if standard input is not a terminal."""
    if not terminal.can_ask():
        return None
    return lambda question: str(click.prompt(question, hide_input=True, err=True))


def _make_daily_backup(file: Path, key: str | None, *, history_days: int | None) -> None:
    """Make the daily backup, and delete from the journal what the profile no longer keeps.

    A failure is only a message, since the user did not ask for this.
    """
    try:
        with open(file, create=False, key=key) as graph:
            backups.make(graph.database, backups.DAILY)
            history.trim(graph.database, days=history_days, now=graph.database.clock())
    except (errors.KeepgraphError, OSError) as error:
        reason = getattr(error, "message", None) or error
        click.echo(f"The daily backup was not made: {terminal.printable(reason)}", err=True)


def entity_reference(graph: Graph, text: str) -> dict[str, str]:
    """An entity reference from an id, `type:name`, or a name, for tools that need an exact match."""
    text = text.strip()
    if text.lower().startswith("ent_"):
        return {"id": text}
    entity_type, colon, name = text.partition(":")
    if colon and entity_type.strip().lower() in entity_types(graph):
        return {"type": entity_type.strip().lower(), "name": name}
    return {"name": text}


def entity_types(graph: Graph) -> list[str]:
    """The names of the entity types in the vocabulary."""
    return [term["name"] for term in graph.call("get_vocabulary")["entity_types"]]


# Shell completion of names, types and predicates from the graph of the command line.


def complete_name(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of entities; `type:name` if a type was typed."""
    return _complete_entity(ctx, incomplete, types_first=False)


def complete_typed_name(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Entities as `type:name`; before a colon, types."""
    return _complete_entity(ctx, incomplete, types_first=True)


def complete_project(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of projects."""
    answer = _ask(ctx, "complete_name", prefix=incomplete, only_projects=True, limit=50)
    return [entity["name"] for entity in answer.get("entities", ())]


def _completer(tool: str, *lists: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """A completion by the names in some lists of the answer of a tool that begin as what was typed."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        answer = _ask(ctx, tool)
        return [word["name"] for name in lists for word in answer.get(name, ()) if word["name"].startswith(incomplete)]

    return complete


complete_predicate = _completer("get_vocabulary", "predicates")
complete_type = _completer("list_vocabulary", "entity_types")
complete_vocabulary_set = _completer("list_vocabulary_sets", "sets")
complete_word = _completer("list_vocabulary", "entity_types", "predicates")
"""Entity types and predicates, including retired ones."""


def _ask(ctx: click.Context, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool; an empty one where it fails, since a completion cannot show an error."""
    try:
        with open_graph(ctx) as graph:
            return graph.call(tool, **arguments)
    except errors.KeepgraphError:
        return {}


def _complete_entity(ctx: click.Context, incomplete: str, *, types_first: bool) -> list[str]:
    entity_type, colon, name_prefix = incomplete.partition(":")
    try:
        with open_graph(ctx) as graph:
            types = entity_types(graph)
            if not colon and types_first:
                return [f"{name}:" for name in types if name.startswith(entity_type)]
            of_type = entity_type if colon and entity_type in types else None
            prefix = name_prefix if of_type else incomplete
            entities = graph.call("complete_name", prefix=prefix, type=of_type, limit=50)["entities"]
    except errors.KeepgraphError:
        return []  # a completion cannot show an error
    return [f"{of_type}:{entity['name']}" if of_type else entity["name"] for entity in entities]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands and names of entities in SHELL.

    \b
    bash:  kg completion bash >> ~/.bashrc
    zsh:   kg completion zsh >> ~/.zshrc
    fish:  kg completion fish > ~/.config/fish/completions/kg.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is not None:
        click.echo(kind(ctx.find_root().command, {}, "kg", "_KG_COMPLETE").source())


# Offline mode: an audit hook that blocks this process from the network.

_NETWORK_EVENTS = frozenset(
    {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
)

_block_count = 0
_hook_installed = False


@contextmanager
def block_network() -> Iterator[None]:
    """Within this context, no code in this process can reach a network (audit hooks, PEP 578)."""
    global _block_count, _hook_installed
    if not _hook_installed:
        sys.addaudithook(_audit)  # a hook cannot be removed; outside the context it does nothing
        _hook_installed = True
    _block_count += 1
    try:
        yield
    finally:
        _block_count -= 1


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _NETWORK_EVENTS and _block_count:
        # A path is the address of a local socket, which the system keyring needs.
        if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], str | bytes):
            return
        raise PermissionError("Keepgraph is offline: its profile says offline = true")
