"""RDF files of a vocabulary: import of ontologies and thesauri with preview and report, export as SKOS or SHACL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from keepgraph.cli import foreign_import, graph_options, transfer
from keepgraph.cli.output import terminal
from keepgraph.engine.exchange import import_state, rdf_export, rdf_import
from keepgraph.engine.exchange.rdf_import import ImportPlan, ImportReport
from keepgraph.english import count_noun, listed
from keepgraph.formats import rdf_documents, rdf_vocabulary

_MAX_SHOWN = 20
_EXPORT_BEGINNING = "# The vocabulary of a Keepgraph graph"


def import_file(ctx: click.Context, file: str, *, preview: bool, individuals: bool) -> None:
    """Import an ontology or a thesaurus, or with `preview` only show what would be imported."""
    path = Path(file)
    with path.open("rb") as stream:
        content = stream.read(rdf_documents.MAX_BYTES + 1)
    document = rdf_vocabulary.define(rdf_documents.read(content, file_name=path.name))
    if preview:
        with foreign_import.existing_or_empty_graph(ctx) as graph, graph.database.read("import") as tx:
            plan = rdf_import.plan(tx, document, file_stem=path.stem, with_individuals=individuals)
        answer = {**_describe_plan(plan), "imports": list(document.imports), "preview": True, "words": _words(plan)}
    else:
        with graph_options.open_graph(ctx, create=True) as graph:
            report = rdf_import.run(
                graph.database,
                document,
                file_stem=path.stem,
                with_individuals=individuals,
                file=import_state.file_name(file),
            )
        answer = {**_describe_plan(report.plan), "imports": list(document.imports), "preview": False}
        answer |= _describe_result(report)
    answer["left_aside"] = 0 if individuals else _count_individuals(document)
    graph_options.show(ctx, answer, _show)


def export(ctx: click.Context, file: str, *, kind: str, set_names: Sequence[str], everything: bool) -> None:
    """Write words as Turtle; `kind` is "skos" or "shacl"."""
    write = rdf_export.write_skos if kind == "skos" else rdf_export.write_shacl
    with graph_options.open_graph(ctx) as graph:
        with graph.database.read("export") as tx:
            lines = list(write(tx, rdf_export.choose_sets(tx, set_names, with_shipped=everything)))
        with transfer.open_for_writing(file, graph=graph.path, beginning=_EXPORT_BEGINNING) as out:
            out.write(f"{_EXPORT_BEGINNING}, as {kind.upper()}.\n\n")
            out.writelines(f"{line}\n" for line in lines)


# The report


def _describe_plan(plan: ImportPlan) -> dict[str, Any]:
    definition = plan.definition
    return {
        "set": {"name": definition.name, "version": definition.version, "uri": definition.uri},
        "types": len(definition.types),
        "predicates": len(definition.predicates),
        "existing": list(plan.existing),
        "retired": sorted(plan.retired),
        "kept_statements": plan.kept_count,
        "individuals": len(plan.individuals),
    }


def _words(plan: ImportPlan) -> list[dict[str, Any]]:
    definition = plan.definition
    return [
        *(
            {"kind": "entity_type", "name": term.name, "uri": term.details["uri"], "parents": list(term.parents)}
            for term in definition.types
        ),
        *(
            {
                "kind": "predicate",
                "name": term.name,
                "uri": term.details["uri"],
                "sources": list(term.sources),
                "targets": [term.literal_kind] if term.literal_kind else list(term.targets),
            }
            for term in definition.predicates
        ),
    ]


def _describe_result(report: ImportReport) -> dict[str, Any]:
    individuals = report.individuals
    return {
        "calls": list(report.calls),
        "entities": individuals.entities,
        "aliases": individuals.aliases,
        "facts": individuals.facts,
        "left_out": dict(individuals.left_out),
        "refused": individuals.refused_count,
        "refusals": list(individuals.refusals),
    }


def _count_individuals(document: rdf_vocabulary.RdfVocabulary) -> int:
    """The individuals of a document that are not concepts: without `individuals` only kept as statements."""
    concepts = {term.iri for term in document.types if term.is_concept}
    return sum(individual.iri not in concepts for individual in document.individuals)


def _show(answer: Mapping[str, Any]) -> None:
    terminal.show_first([_word_line(word) for word in answer.get("words", ())], _MAX_SHOWN, indent="  ")
    name = terminal.printable(answer["set"]["name"])
    has_words = answer["types"] or answer["predicates"] or answer["existing"]
    if has_words:
        verb = "would be added" if answer["preview"] else "added"
        words = f"{count_noun(answer['types'], 'type')} and {count_noun(answer['predicates'], 'predicate')}"
        click.echo(f"The set {name}: {words} {verb}.")
    if answer["existing"]:
        click.echo(f"Already in the vocabulary, and unchanged: {_shortened(answer['existing'])}.")
    if answer["retired"]:
        click.echo(f"Deprecated in the file, and so retired: {_shortened(answer['retired'])}.")
    for iri in answer["imports"]:
        click.echo(f"It builds on {terminal.printable(iri)}, which was not read: import its file too.")
    if answer["left_aside"]:
        click.echo(
            f"{count_noun(answer['left_aside'], 'individual')} were left out: --individuals makes them entities."
        )
    if answer["kept_statements"]:
        click.echo(f"{count_noun(answer['kept_statements'], 'other statement')} of the file are kept for export.")
    if answer["preview"]:
        if answer["individuals"]:
            click.echo(f"{count_noun(answer['individuals'], 'individual')} would become entities.")
        click.echo("Nothing was changed.")
        return
    _show_individuals(answer)
    first, last = answer["calls"][0], answer["calls"][-1]
    if first == last:
        click.echo(f"`kg undo {first}` takes it back.")
    else:
        click.echo(f"These are the calls {first} to {last}; `kg undo` takes them back one by one, the last first.")


def _show_individuals(answer: Mapping[str, Any]) -> None:
    if not answer["individuals"]:
        return
    click.echo(
        f"{count_noun(answer['individuals'], 'individual')}: {answer['entities']:,} new as entities, with "
        f"{count_noun(answer['aliases'], 'alias')} and {count_noun(answer['facts'], 'fact')}."
    )
    if answer["left_out"]:
        counts = [f"{iri} ({count:,})" for iri, count in answer["left_out"].items()]
        click.echo(f"Left out, as the vocabulary has no predicate for them: {_shortened(counts)}.")
    for refusal in answer["refusals"]:
        click.secho(f"refused: {terminal.printable(refusal)}", fg="red", err=True)
    if hidden := terminal.more(answer["refused"] - len(answer["refusals"]), "more."):
        click.echo(hidden, err=True)


def _word_line(word: Mapping[str, Any]) -> str:
    if word["kind"] == "entity_type":
        parents = f", a kind of {', '.join(word['parents'])}" if word["parents"] else ""
        return f"type {word['name']}{parents}"
    ends = [" or ".join(word[side]) or "anything" for side in ("sources", "targets")]
    return f"predicate {word['name']}, from {ends[0]} to {ends[1]}"


def _shortened(names: Sequence[str]) -> str:
    return terminal.printable(listed(names, _MAX_SHOWN))
