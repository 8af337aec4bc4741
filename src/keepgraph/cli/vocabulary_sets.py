"""`kg vocabulary import`, `export` and `set`: sets of words, in the graph and in files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from keepgraph import errors
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.cli.output.pages import Section, show_sections
from keepgraph.english import count_noun, listed

_OWN = "own"


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--preview", is_flag=True, help="Show what would be added, without adding it.")
@click.option("--individuals", is_flag=True, help="For RDF: make individuals and concepts entities.")
@graph_options.all_options
def import_command(ctx: click.Context, file: str, preview: bool, individuals: bool) -> None:
    """Add the words of FILE: an ontology or thesaurus in RDF, or a set from `kg vocabulary export`.

    RDF is Turtle, RDF/XML, JSON-LD or N-Triples, with RDFS, OWL, SKOS or schema.org. Nothing is fetched; statements
    without a field in the vocabulary are kept for `kg vocabulary export --skos`. A set is in TOML or JSON.
    """
    if individuals or not _is_set(file):
        from keepgraph.cli import rdf_files

        rdf_files.import_file(ctx, file, preview=preview, individuals=individuals)
        return
    answer = graph_options.call(ctx, "add_vocabulary_set", definition=_read(file), dry_run=preview, create=True)
    _show_set_change(ctx, answer)


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@click.option(
    "--set",
    "set_name",
    metavar="NAME",
    shell_complete=graph_options.complete_vocabulary_set,
    help="The set; by default your own words, with --skos or --shacl also imported ones.",
)
@click.option("--skos", "rdf_kind", flag_value="skos", help="Write the types as SKOS concepts, in Turtle.")
@click.option("--shacl", "rdf_kind", flag_value="shacl", help="Write SHACL shapes, in Turtle.")
@click.option("--everything", is_flag=True, help="With --skos or --shacl: also the built-in words.")
@graph_options.all_options
def export_command(ctx: click.Context, file: str, set_name: str | None, rdf_kind: str | None, everything: bool) -> None:
    """Write the words of a set to FILE: TOML, or JSON if it ends in .json; by default to standard output."""
    if rdf_kind is not None:
        from keepgraph.cli import rdf_files

        set_names = [set_name] if set_name else []
        rdf_files.export(ctx, file, kind=rdf_kind, set_names=set_names, everything=everything)
        return
    if everything:
        raise errors.InvalidArguments("--everything is for --skos and --shacl", hint="Name one set: --set NAME.")
    set_name = set_name or _OWN
    definition = graph_options.call(ctx, "export_vocabulary_set", name=set_name)["definition"]
    if graph_options.wants_json(ctx) or file.endswith(".json"):
        text = json.dumps(definition, ensure_ascii=False, indent=2) + "\n"
    else:
        import tomlkit

        text = tomlkit.dumps(definition)
    if file == "-":
        click.echo(text, nl=False)
        return
    if Path(file).exists():
        raise errors.InvalidArguments(f"{file} exists", hint="Name a file that does not exist yet.")
    Path(file).write_text(text, encoding="utf-8")
    click.echo(f"{terminal.printable(file)}: the set {terminal.printable(set_name)}.")


# `kg vocabulary set`: the sets of a graph, those that come with Keepgraph, and sets in files.

_WORDS_SHOWN = 12


@click.group("set", invoke_without_command=True)
@graph_options.all_options
def set_command(ctx: click.Context) -> None:
    """List the sets of words that the graph has, and those that come with Keepgraph."""
    if ctx.invoked_subcommand is not None:
        return
    answer = graph_options.call(ctx, "list_vocabulary_sets")
    if graph_options.show_json(ctx, answer):
        return
    present = [entry for entry in answer["sets"] if entry["added"] and not entry["retired"]]
    others = [entry for entry in answer["sets"] if not entry["added"] or entry["retired"]]
    sections = [
        Section("In this graph", [_set_row(entry) for entry in present]),
        Section("Not in it", [_set_row(entry) for entry in others], more="kg vocabulary set add NAME"),
    ]
    show_sections([section for section in sections if section.rows])


@set_command.command("add")
@click.argument("name", shell_complete=graph_options.complete_vocabulary_set)
@click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")
@graph_options.all_options
def add_set_command(ctx: click.Context, name: str, dry_run: bool) -> None:
    """Add the set NAME, or one from a file (TOML, or JSON; see schemas/v1/transfer/vocabulary_set.json)."""
    if Path(name).suffix or "/" in name:
        arguments: dict[str, Any] = {"definition": _read(name)}
    else:
        arguments = {"name": name}
    answer = graph_options.call(ctx, "add_vocabulary_set", **arguments, dry_run=dry_run, create=True)
    _show_set_change(ctx, answer)


@set_command.command("remove")
@click.argument("name", shell_complete=graph_options.complete_vocabulary_set)
@click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@graph_options.all_options
def remove_set_command(ctx: click.Context, name: str, dry_run: bool, yes: bool) -> None:
    """Remove the set NAME: its words that nothing uses are deleted, the others retired."""
    quiet = graph_options.wants_json(ctx)
    with graph_options.open_graph(ctx) as graph:
        if dry_run or not yes:
            plan = graph.call("remove_vocabulary_set", name=name, dry_run=True)
            if dry_run or not quiet:
                _show_set_change(ctx, plan)
            if dry_run:
                return
            terminal.confirm(f"Remove the set {name}?", quiet=quiet)
        answer = graph.call("remove_vocabulary_set", name=name)
    _show_set_change(ctx, answer)


def _show_set_change(ctx: click.Context, answer: Mapping[str, Any]) -> None:
    """Show what adding or removing a set did, and how to take it back."""
    if graph_options.show_json(ctx, answer):
        return
    click.echo(terminal.printable(answer["message"]))
    for title, field in (
        ("added", "added"),
        ("usable again", "revived"),
        ("deleted", "deleted"),
        ("retired", "retired"),
    ):
        if words := answer[field]:
            click.echo(f"  {title}: {terminal.printable(listed(words, _WORDS_SHOWN))}")
    if answer["call"] is not None and any(answer[field] for field in ("added", "revived", "deleted", "retired")):
        click.secho(f"  `kg undo {answer['call']}` takes it back.", dim=True)


def _set_row(entry: Mapping[str, Any]) -> tuple[str, str]:
    name = f"{terminal.printable(entry['name'])} {terminal.printable(entry['version'])}"
    counts = f"{count_noun(entry['types'], 'type')}, {count_noun(entry['predicates'], 'predicate')}"
    description = f" · {terminal.printable(entry['description'])}" if entry["description"] else ""
    return name, f"{counts}{' · retired' if entry['retired'] else ''}{description}"


# Files of vocabulary sets.

_MAX_BYTES = 8_000_000


def _read(file: str) -> dict[str, Any]:
    """The document in a file: TOML, or JSON if it begins with a brace.

    Raises:
        errors.VocabularyInvalid: it is neither, or too large.
    """
    import tomllib

    if Path(file).stat().st_size > _MAX_BYTES:
        raise errors.VocabularyInvalid(f"{file} has more than {_MAX_BYTES:,} bytes", hint="Split it into several sets.")
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
        document = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.VocabularyInvalid(
            f"{file} is neither TOML nor JSON: {error}", hint="`kg vocabulary export` shows how a set is written."
        ) from error
    return dict(document)


def _is_set(file: str) -> bool:
    """Whether a file may be a set in TOML or JSON, and not RDF."""
    import tomllib

    if Path(file).suffix.lower() == ".toml":
        return True
    with Path(file).open("rb") as stream:
        content = stream.read(_MAX_BYTES)
    try:
        text = content.decode("utf-8-sig")
        if text.lstrip().startswith("{"):
            return not {"@context", "@graph", "@id", "@type"} & json.loads(text).keys()
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
