"""The command group `kg vocabulary`: all words as a tree, one word on a page, and its table of commands."""

from __future__ import annotations

import importlib

import click

from keepgraph.cli import graph_options
from keepgraph.cli.output import pages

_COMMANDS = {
    "show": ("vocabulary", "show_command", "Show one word: its meaning, labels and uses."),
    "add": ("vocabulary_editing", "add_command", "Add a type or a predicate."),
    "change": ("vocabulary_editing", "change_command", "Change a word: its description, ends, flags, labels."),
    "retire": ("vocabulary_editing", "retire_command", "Retire a word; what was recorded with it stays."),
    "restore": ("vocabulary_editing", "restore_command", "Bring a retired word back into use."),
    "remove": ("vocabulary_editing", "remove_command", "Delete an unused word."),
    "merge": ("vocabulary_editing", "merge_command", "Merge two words."),
    "set": ("vocabulary_sets", "set_command", "List, add and remove sets of words."),
    "import": ("vocabulary_sets", "import_command", "Add the words of a file."),
    "export": ("vocabulary_sets", "export_command", "Write the words of a set to a file."),
    "proposals": ("vocabulary_editing", "proposals_command", "List the unknown wordings of proposed facts."),
    "map": ("vocabulary_editing", "map_command", "Map wordings to a word; their proposed facts become facts."),
    "dismiss": ("vocabulary_editing", "dismiss_command", "Delete the proposed facts of meaningless wordings."),
}


class _VocabularyGroup(click.Group):
    """Commands imported when run; anything else is a word to show."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module_name, command_name, _ = _COMMANDS[name]
        module = importlib.import_module(f"keepgraph.cli.{module_name}")
        command: click.Command = getattr(module, command_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS:
            return "show", show_command, args
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # From the table: help does not import the commands.
        with formatter.section("Commands"):
            formatter.write_dl([(name, description) for name, (_, _, description) in _COMMANDS.items()])


@click.group("vocabulary", cls=_VocabularyGroup, invoke_without_command=True, subcommand_metavar="[WORD | COMMAND …]")
@click.option("--unused", is_flag=True, help="Only words without entities or facts.")
@click.option(
    "--set", "set_name", metavar="NAME", shell_complete=graph_options.complete_vocabulary_set, help="Only this set."
)
@graph_options.all_options
def vocabulary_command(ctx: click.Context, unused: bool, set_name: str | None) -> None:
    """Show the types and predicates of the graph, with how often each is used; or one WORD.

    \b
    kg vocabulary works_at
    kg vocabulary add type engineer --parent person
    kg vocabulary add predicate mentors --from person --to person --inverse mentored_by
    kg vocabulary set add research
    """
    if ctx.invoked_subcommand is not None:
        return
    answer = graph_options.call(ctx, "list_vocabulary", only_unused=unused, set=set_name or None)
    if graph_options.show_json(ctx, answer):
        return

    pages.show_vocabulary(answer)


@click.command("show")
@click.argument("word", nargs=-1, required=True, shell_complete=graph_options.complete_word)
@click.option("--kind", type=click.Choice(["type", "predicate"]), help="Which one, if WORD is both.")
@graph_options.all_options
def show_command(ctx: click.Context, word: tuple[str, ...], kind: str | None) -> None:
    """Show one WORD: its meaning, labels, place in the tree, and uses."""
    answer = graph_options.call(ctx, "describe_word", word=" ".join(word), kind=kind_of_word(kind))
    if graph_options.show_json(ctx, answer):
        return

    pages.show_word(answer)


def kind_of_word(kind: str | None) -> str | None:
    """`--kind` as an argument of tools."""
    return "entity_type" if kind == "type" else kind
