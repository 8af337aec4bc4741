"""The command group `kg`: a table of commands, imported when run, and errors as exit codes.

Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 nothing matched.
"""

from __future__ import annotations

import errno
import importlib
import re
from typing import Any

import click

from keepgraph import _version, errors
from keepgraph.cli.output import terminal

_FULL_ERRNOS = {errno.ENOSPC, errno.EDQUOT}
_STORAGE_ERRNOS = {*_FULL_ERRNOS, errno.EIO, errno.EROFS}

_COMMANDS_OF_TOOLS = ("tool", "serve")
"""Commands that call tools by name: their hints name tools, not commands."""

_COMMANDS = {
    # name: (group in the help, module, description). A command NAME is the function NAME_command of its module.
    "record": ("Record", "record", "Record a fact: kg record Ana works_on Atlas."),
    "remember": ("Record", "adding", "Remember a text: a note, a message, piped input."),
    "add": ("Record", "adding", "Add an entity, a fact or a note: kg add person:Ana."),
    "decide": ("Record", "adding", 'Record a decision: kg decide "Adopt SQLite" --project Atlas.'),
    "remind": ("Record", "adding", 'Record a task: kg remind "Renew the permit" --due Friday.'),
    "tag": ("Record", "adding", "Tag something: kg tag Atlas active."),
    "pin": ("Record", "adding", "Always include a fact or a text in kg about."),
    "ingest": ("Record", "ingest", "Ingest Markdown files: single ones, or a folder."),
    "vault": ("Record", "vault", "Keep a folder of notes in the graph."),
    "watch": ("Record", "vault", "Read the notes of your vaults as you write them."),
    "me": ("Record", "changing", "Say who you are, so that “me” finds you."),
    "recall": ("Ask", "recall", "Show what is known about someone or something."),
    "about": ("Ask", "recall", "Show what matters for a message, such as facts and tasks."),
    "search": ("Ask", "explore", "Find entities, facts and texts by what they say."),
    "list": ("Ask", "overview", "List people, projects, texts, tags, types or other kinds."),
    "decisions": ("Ask", "recall", "List decisions, by project, topic or time."),
    "next": ("Ask", "overview", "Show what to do: open blockers, next actions, due dates."),
    "week": ("Ask", "recall", "Sum up the past seven days."),
    "overview": ("Ask", "overview", "Show what the graph holds, its news and open work."),
    "show": ("Ask", "explore", "Show everything about someone or something, on a page."),
    "timeline": ("Ask", "explore", "Show what happened to someone or something, in order."),
    "path": ("Ask", "explore", "Show how two things are connected: kg path Ana Atlas."),
    "neighbours": ("Ask", "explore", "List the neighbours of someone or something."),
    "communities": ("Ask", "communities", "Show groups of related entities; rebuild or name them."),
    "learn": ("Ask", "communities", "Suggest facts that follow from others; doubt others."),
    "why": ("Ask", "explaining", "Show where a fact, name or text comes from: kg why Ana."),
    "query": ("Ask", "query", "Query the graph in Cypher, at a prompt or directly."),
    "ui": ("Ask", "page", "See and edit the graph on a page in your browser."),
    "view": ("Ask", "page", "Write the graph as a page to a file."),
    "end": ("Correct", "curation", "End a fact that is no longer true: kg end Ana works_at."),
    "resolve": ("Correct", "curation", 'Close a blocker: kg resolve "waiting for the licence".'),
    "rename": ("Correct", "changing", "Rename something; the old name still finds it."),
    "retype": ("Correct", "changing", "Give an entity another type."),
    "set": ("Correct", "changing", "Set properties: kg set person:Ana role=CTO."),
    "edit": ("Correct", "changing", "Edit an entity or a text in your editor."),
    "alias": ("Correct", "curation", "Give an entity another name."),
    "merge": ("Correct", "curation", "Merge two entities that are the same."),
    "duplicates": ("Correct", "curation", "List possible duplicates."),
    "review": ("Correct", "review", "Decide on proposals: names, facts, duplicates, gaps."),
    "garden": ("Correct", "garden", "Check the graph for what may be wrong, old or missing."),
    "retract": ("Correct", "curation", "Retract a fact that was never true."),
    "forget": ("Correct", "forgetting", "Delete an entity, a fact or a text; undo brings it back."),
    "purge": ("Correct", "forgetting", "Remove deleted things for good, from all files."),
    "undo": ("Correct", "curation", "Take back a call, by default the last."),
    "log": ("Correct", "curation", "List what changed the graph, newest first."),
    "history": ("Correct", "curation", "Show what happened to an entity or a fact."),
    "clear": ("Correct", "curation", "Delete everything; it can be undone."),
    "vocabulary": ("Vocabulary", "vocabulary", "Show the types and predicates; add, change and merge them."),
    "profile": ("Files and profiles", "profiles", "Create, list, show, choose and delete profiles."),
    "status": ("Files and profiles", "overview", "Show where the graph is and what it holds."),
    "stats": ("Files and profiles", "overview", "Count entities, facts, texts and words, by kind."),
    "doctor": ("Files and profiles", "doctor", "Look for faults, and say how to fix them."),
    "backup": ("Files and profiles", "backups", "Make a verified copy of the graph."),
    "restore": ("Files and profiles", "backups", "Restore a backup."),
    "import": ("Files and profiles", "transfer", "Import facts, tables, chats, contacts or bibliographies."),
    "export": ("Files and profiles", "transfer", "Write the graph as JSONL, or as Markdown pages."),
    "reindex": ("Files and profiles", "ingest", "Make the missing vectors for search by meaning."),
    "compact": ("Files and profiles", "forgetting", "Drop old entries of the journal, and shrink the file."),
    "encrypt": ("Keys", "encryption", "Encrypt the graph with a random key."),
    "decrypt": ("Keys", "encryption", "Decrypt an encrypted graph."),
    "rekey": ("Keys", "encryption", "Give an encrypted graph a new key."),
    "key": ("Keys", "encryption", "Export the key to a safe place, or import it again."),
    "install": ("Clients", "installation", "Let Claude, Cursor, VS Code, Codex or Gemini CLI use it."),
    "serve": ("Clients", "serve", "Serve graphs to MCP clients, over stdio or HTTP."),
    "token": ("Clients", "serve", "Add, list and remove tokens for a server over HTTP."),
    "tool": ("Clients", "tool", "List the tools, or call one by name."),
    "completion": ("Clients", "graph_options", "Print the script that completes commands in your shell."),
    "demo": ("Clients", "demo", "Fill a graph with a made-up film club, and query it."),
}


class _CommandGroup(click.Group):
    """A group of commands imported when run. It shows the errors of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"keepgraph.cli.{_COMMANDS[name][1]}")
        command: click.Command = getattr(module, f"{name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            from keepgraph.cli import command_synonyms

            line = command_synonyms.command_line(args)
            if line is None:
                advice = command_synonyms.advise(args[0], _COMMANDS)
                ctx.fail(f"There is no command “{terminal.printable(args[0])}”. {advice}")
            if line == ["--help"]:
                click.echo(ctx.get_help())
                ctx.exit()
            args = line
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table: help does not import the commands.
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, (group, _, description) in _COMMANDS.items():
            groups.setdefault(group, []).append((name, description))
        width = max(map(len, _COMMANDS)) + 2
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), description) for name, description in rows])

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
            if error.filename is None:  # a stream: the graph may be changed already
                hint = "Check where the output goes, and what is recorded, before you repeat the command."
            reason = "the disk is full" if error.errno in _FULL_ERRNOS else error.strerror
            problem = kind(f"{error.filename or 'the output'}: {reason}", hint=hint)
        except Exception:  # the one place where every error becomes an answer
            if ctx.params["trace"]:
                raise
            problem = errors.InternalError("the command failed unexpectedly; --trace shows where")
        if ctx.invoked_subcommand not in _COMMANDS_OF_TOOLS:
            problem.message = terminal.with_commands(problem.message)
            problem.hint = problem.hint and terminal.with_commands(problem.hint)
        problem.hint = problem.hint and _with_graph_arguments(ctx, problem.hint)
        terminal.show_error(problem.answer(), as_json=ctx.params["as_json"])
        return ctx.exit(1)


def _with_graph_arguments(ctx: click.Context, hint: str) -> str:
    """A hint with --db or --profile in its commands, if the user gave one of them."""
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
@click.option("--db", metavar="FILE", help="The graph file, instead of a profile. [env: KG_DB]")
@click.option("--profile", metavar="NAME", help="The profile. [env: KG_PROFILE]")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
@click.option("--trace", is_flag=True, hidden=True, help="Show where an unexpected error happened.")
@click.version_option(_version.__version__, prog_name="kg")
def kg(**_: object) -> None:
    """Keepgraph keeps what you know on your own machine: people, projects, decisions, and the facts between them.

    \b
    kg record person:Priya decided_in "decision:Adopt SQLite"
    kg recall Pirya
    """
