"""`kg vocabulary import` and `export`: sets of words in files, in TOML or JSON."""

from __future__ import annotations

import json
from pathlib import Path

import click

from keepgraph import errors
from keepgraph.cli import graph_options, name_completion
from keepgraph.cli.output import terminal
from keepgraph.cli.vocabulary import set_documents, vocabulary_sets

_OWN = "own"


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--preview", is_flag=True, help="Tell what would be added, and change nothing.")
@click.option("--individuals", is_flag=True, help="Of RDF: make entities of individuals, and of concepts.")
@graph_options.all_options
@click.pass_context
def import_command(ctx: click.Context, file: str, preview: bool, individuals: bool) -> None:
    """Add the words of FILE: an ontology or a thesaurus in RDF, or a set as `kg vocabulary export` writes one.

    RDF is Turtle, RDF/XML, JSON-LD or N-Triples, with RDFS, OWL, SKOS or schema.org. Nothing is fetched, and what the
    vocabulary has no field for is kept for `kg vocabulary export --skos`. A set is in TOML or JSON.
    """
    if individuals or not set_documents.is_set(file):
        from keepgraph.cli.transfer import rdf_files

        rdf_files.import_file(ctx, file, preview=preview, individuals=individuals)
        return
    with graph_options.open_graph(ctx, create=True) as graph:
        answer = graph.call("add_vocabulary_set", definition=set_documents.read(file), dry_run=preview)
    vocabulary_sets.show_set_change(ctx, answer)


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True), default="-")
@click.option(
    "--set",
    "set_name",
    metavar="NAME",
    shell_complete=name_completion.complete_vocabulary_set,
    help="The set; if not given, your own words, and with --skos or --shacl imported ones too.",
)
@click.option("--skos", "rdf_kind", flag_value="skos", help="Write the types as concepts of SKOS, in Turtle.")
@click.option("--shacl", "rdf_kind", flag_value="shacl", help="Write shapes of SHACL, in Turtle.")
@click.option("--everything", is_flag=True, help="With --skos or --shacl: also the words that came with Keepgraph.")
@graph_options.all_options
@click.pass_context
def export_command(ctx: click.Context, file: str, set_name: str | None, rdf_kind: str | None, everything: bool) -> None:
    """Write the words of a set to FILE: TOML, or JSON if it ends in .json; to standard output if not given."""
    if rdf_kind is not None:
        from keepgraph.cli.transfer import rdf_files

        set_names = [set_name] if set_name else []
        rdf_files.export(ctx, file, kind=rdf_kind, set_names=set_names, everything=everything)
        return
    if everything:
        raise errors.InvalidArguments("--everything is for --skos and --shacl", hint="Name one set: --set NAME.")
    set_name = set_name or _OWN
    with graph_options.open_graph(ctx) as graph:
        definition = graph.call("export_vocabulary_set", name=set_name)["definition"]
    if graph_options.wants_json(ctx) or file.endswith(".json"):
        text = json.dumps(definition, ensure_ascii=False, indent=2) + "\n"
    else:
        text = set_documents.as_toml(definition)
    if file == "-":
        click.echo(text, nl=False)
        return
    if Path(file).exists():
        raise errors.InvalidArguments(f"{file} exists", hint="Name a file that does not exist yet.")
    Path(file).write_text(text, encoding="utf-8")
    click.echo(f"{terminal.printable(file)}: the set {terminal.printable(set_name)}.")
