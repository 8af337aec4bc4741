"""The command group `kg`: the table of commands, each imported when it is run, and errors as exit codes.

Exit codes: 0 done, 1 refused or failed, 2 the command line was wrong, 3 nothing matched.
"""

from __future__ import annotations

import errno
import importlib
import re
from typing import Any

import click

from keepgraph import _version, errors
from keepgraph.cli.output import terminal

_STORAGE_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS}

_COMMANDS = {
    "record": ("record", 'Record a fact: kg record person:Priya decided_in "decision:Adopt SQLite".'),
    "recall": ("recall", "Show what is known about someone or something."),
    "decisions": ("recall", "List the decisions of a project."),
    "week": ("recall", "Sum up the past seven days."),
    "remember": ("remember", "Remember a text: a note, a message, what is piped in."),
    "ingest": ("ingest", "Ingest Markdown files, of a folder or one by one."),
    "search": ("explore", "Find entities, facts and texts by what they say."),
    "show": ("explore", "Show all there is about someone or something, on a page."),
    "timeline": ("explore", "Tell what happened to someone or something, in the order of time."),
    "query": ("query.command", "Ask the graph in Cypher; without a query, at a prompt."),
    "alias": ("curation", "Let something be found by another name too."),
    "merge": ("curation", "Make two entities one that are the same."),
    "retract": ("curation", "Say that a fact is not true after all."),
    "undo": ("curation", "Take back a call, the last one if none is named."),
    "log": ("curation", "List what changed the graph, newest first."),
    "history": ("curation", "Tell what happened to an entity or a fact."),
    "duplicates": ("curation", "Propose entities that may be one."),
    "clear": ("curation", "Delete everything; it can be undone."),
    "vocabulary": ("vocabulary.command", "Show the types and predicates; add, change, merge and retire them."),
    "profile": ("profiles", "Make, list, show, choose and delete profiles."),
    "encrypt": ("encryption", "Encrypt the graph with a random key."),
    "decrypt": ("encryption", "Make a plain file of an encrypted graph."),
    "rekey": ("encryption", "Give an encrypted graph a new key."),
    "key": ("encryption", "Export the key to a safe place, or import it when it was lost."),
    "backup": ("backups", "Make a checked copy of the graph."),
    "restore": ("backups", "Bring a backup back."),
    "import": ("transfer.commands", "Record the facts of a JSONL file."),
    "export": ("transfer.commands", "Write all facts as JSONL."),
    "reindex": ("reindex", "Make the vectors by which names are found by their meaning."),
    "status": ("status", "Show where the graph is and what it holds."),
    "doctor": ("doctor.command", "Look whether all is well, and say what mends what is not."),
    "tool": ("tool", "List the tools, or call one by name."),
    "serve": ("serve", "Serve the graph to an MCP client over stdio."),
    "install": ("install.command", "Let Claude Desktop or Claude Code use this graph."),
    "demo": ("demo", "Fill a graph with facts about Keepgraph itself, and look around."),
    "completion": ("completion", "Print the script that completes commands and names in your shell."),
}


class _CommandGroup(click.Group):
    """A group of commands that are imported when they are run. It shows the errors of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"keepgraph.cli.{_COMMANDS[name][0]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            similar = get_close_matches(args[0], _COMMANDS, n=1)
            hint = f" Did you mean “{similar[0]}”?" if similar else " See “kg --help”."
            ctx.fail(f"There is no command “{terminal.printable(args[0])}”.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table: help does not import the commands.
        with formatter.section("Commands"):
            formatter.write_dl([(name, description) for name, (_, description) in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except errors.KeepgraphError as error:
            problem = error
        except (click.exceptions.Exit, click.ClickException, click.Abort, BrokenPipeError):
            raise
        except OSError as error:
            kind = errors.GraphWriteFailed if error.errno in _STORAGE_ERRNOS else errors.InvalidArguments
            hint = None if error.errno in _STORAGE_ERRNOS else "Name another file."
            problem = kind(f"{error.filename or 'a file'}: {error.strerror}", hint=hint)
        except Exception:  # the one place of the command line where every error becomes an answer
            if ctx.params["trace"]:
                raise
            problem = errors.InternalError("the command failed in an unforeseen way; --trace shows where")
        if problem.hint:
            problem.hint = _with_graph_arguments(ctx, problem.hint)
        terminal.show_error(problem.answer(), as_json=ctx.params["as_json"])
        return ctx.exit(1)


def _with_graph_arguments(ctx: click.Context, hint: str) -> str:
    """A hint with --db or --profile in its commands, if the user named a graph by one of them."""
    if "`kg " not in hint or not any(ctx.params.get(name) for name in ("db", "profile")):
        return hint
    from keepgraph.cli import graph_options
    from keepgraph.profiles import profile

    try:
        prefix = profile.command_prefix(graph_options.graph_path(ctx).resolve())
    except (errors.KeepgraphError, OSError):
        return hint
    return re.sub(r"`kg (?!profile\b|serve\b|--)", f"`{prefix} ".replace("\\", r"\\"), hint)


@click.group(cls=_CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--db", metavar="FILE", help="The graph, if not that of a profile. [env: KG_DB]")
@click.option("--profile", metavar="NAME", help="The profile. [env: KG_PROFILE]")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
@click.option("--trace", is_flag=True, hidden=True, help="Show where an unforeseen error happened.")
@click.version_option(_version.__version__, prog_name="kg")
def kg(**_: object) -> None:
    """Keepgraph keeps what you know, on your own machine: people, projects, decisions, and the facts between them.

    \b
    kg record person:Priya decided_in "decision:Adopt SQLite"
    kg recall Pirya
    """
