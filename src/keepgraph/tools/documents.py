"""The documents toolset: ingestion of files, folders and prechunked documents, and the full text of a document."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from keepgraph import errors, store
from keepgraph.engine import knowledge, texts
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.texts import client_extraction, document_files, documents, ingestion, notes
from keepgraph.engine.texts.client_extraction import ExtractionResult
from keepgraph.engine.texts.ingestion import Remark, Report
from keepgraph.model import Entity, Episode, Fact, ProposedFact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, brief_answers
from keepgraph.tools.contract.catalogue import Effect, tool

MAX_SECONDS = 40
MAX_REMARKS = 200
CHARACTERS_PER_TOKEN = 4

MAX_CHARACTERS_OF_LISTS = {
    "entities": 800,
    "facts": 800,
    "waiting": 900,
    "facts_withdrawn": 600,
    "entities_forgotten": 600,
    "possible_duplicates": 700,
    "rejected": 1400,
    "mapped_types": 400,
    "unknown_types": 400,
    "outside_text": 400,
}
"""Of each list in the answer about an extraction, which so stays below 8,000 characters, whatever was handed in."""

MAX_CHARACTERS_OF_TEXT = 160


@tool(Effect.WRITE, is_job=True)
def ingest_markdown(job: Job, *, file_path: str, project: str | None = None) -> dict[str, Any]:
    """Ingest a Markdown or text file, or update it; an unchanged file is skipped.

    file_path must lie in a folder allowed in the settings of the profile ([documents] roots = ["~/Notes"]); a relative
    path is looked up there. The text is stored in chunks for search. Wiki links and tags become mentions of known
    entities, or proposals: no entity is created.
    """
    path = _allowed_path(job, file_path)
    if os.path.isdir(path):
        raise errors.DocumentUnreadable(
            f"{document_files.display_path(path)} is a folder", hint="Call ingest_directory."
        )
    report = ingestion.ingest(job, path, project=project, seconds=MAX_SECONDS)
    for remark in (*report.failed, *report.skipped):
        raise errors.DocumentUnreadable(f"{remark.path}: {remark.message}")
    with job.read(group=report.scope.group) as tx:
        episode = documents.find(tx, document_files.display_path(path))
        if episode is None:
            raise errors.DocumentUnreadable(f"{document_files.display_path(path)} was removed while it was read")
        return {
            "call": report.calls[0] if report.calls else None,
            "source": episode.source,
            "file": episode.source,
            "doc_id": episode.id,
            "name": episode.name,
            "status": _status(report),
            "valid_at": timestamps.format_local(episode.occurred_at, tx.zone),
            "chunks": len(store.episodes.chunks(tx, episode)),
            "chunks_added": report.chunks_added,
            "chunks_removed": report.chunks_removed,
            "mentions": report.mentions,
            "proposals": report.proposals,
            "unread": report.unread,
            "remarks": _remarks(report.warnings),
            "project": report.scope.label,
            **answer_shapes.scope(tx, report.scope),
        }


@tool(Effect.WRITE, is_job=True)
def ingest_directory(
    job: Job,
    *,
    directory: str,
    recursive: bool = True,
    project: str | None = None,
    forget_missing: bool = False,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Ingest the Markdown and text files of a folder, such as an Obsidian vault, or update them.

    directory must lie in a folder allowed in the settings of the profile ([documents] roots = ["~/Notes"]); a relative
    path is looked up there. Unchanged files are skipped, moved ones recognised, and of changed ones only the changes
    are read. Files that are gone are listed in missing; forget_missing deletes their texts. Hidden folders and links
    are skipped. If complete is false, time ran out: call again to continue. dry_run only shows what would be done.
    """
    path = _allowed_path(job, directory)
    if not os.path.isdir(path):
        raise errors.DocumentUnreadable(
            f"{document_files.display_path(path)} is not a folder", hint="Call ingest_markdown for a file."
        )
    report = ingestion.ingest(
        job,
        path,
        project=project,
        recursive=recursive,
        forget_missing=forget_missing,
        dry_run=dry_run,
        seconds=MAX_SECONDS,
    )
    return {
        "directory": document_files.display_path(path),
        **describe_report(report),
        "project": report.scope.label,
        **describe_scope(job, report),
    }


@tool(Effect.READ)
def get_full_document(
    tx: Tx, *, doc_id: str, project: str | None = None, offset: int = 0, max_characters: int = 100_000
) -> dict[str, Any]:
    """Give the full text of a document or another episode, verbatim; of a long one, a part from offset on.

    doc_id is an id (ep_…) from ingestion or search, or the path of an ingested file. For an unknown one, found is
    false.
    """
    scope = knowledge.projects.read(tx, project)
    episode = documents.find(knowledge.projects.enter(tx, scope), doc_id)
    text = store.episodes.text(tx, episode) if episode else ""
    part = text[offset : offset + max_characters]
    note = notes.entity_of(tx, episode) if episode else None
    return {
        **({"note": _describe_note(tx, episode, note, text)} if episode and note else {}),
        "doc_id": episode.id if episode else doc_id,
        "found": episode is not None,
        "name": episode and episode.name,
        "source": episode and episode.source,
        "kind": episode and episode.kind,
        "valid_at": episode and timestamps.format_local(episode.occurred_at, tx.zone),
        "text": part,
        "offset": offset,
        "characters": len(text),
        "tokens": -(-len(text) // CHARACTERS_PER_TOKEN),
        "truncated": offset + len(part) < len(text),
        "project": episode.group if episode and scope.name is None else scope.label,
        "group_id": episode.group if episode else scope.group,
    }


def _describe_note(tx: Tx, episode: Episode, note: Entity, text: str) -> dict[str, Any]:
    """What a text is the note of, what its links lead to, and the addresses by which an editor opens its file."""
    return {
        "entity": answer_shapes.entity(note),
        "links": [
            {"target": target, "entity": answer_shapes.entity(entity)}
            for target, entity in notes.linked(tx, episode, text).items()
        ],
        # An import may bring the path of another system.
        **({"file": Path(episode.source).as_uri()} if os.path.isabs(episode.source) else {}),
        "obsidian": f"obsidian://open?path={quote(episode.source, safe='')}",
    }


@tool(Effect.WRITE)
def ingest_prechunked(
    tx: Tx,
    *,
    source: str,
    chunks: list[Mapping[str, Any]],
    doc_id: str | None = None,
    project: str | None = None,
) -> dict[str, Any]:
    """Store a document that you have cut into chunks, with the entities and relations that you found in them.

    Each chunk: {text, idx?, entities: [{name, type?}], relations: [{from, to, type, confidence?}]}. Entities are found
    by exact name or alias, or created; without a known type they get the one that their relations imply. A relation
    whose type is a predicate, or another wording of one, becomes a fact with this document as its source; the others,
    and what the text does not say, wait in their own words (waiting). The same doc_id (or source) again replaces the
    document: what it no longer says is withdrawn. At most 200 chunks, 1,000 entities and 500 relations; more are left
    out and counted (truncated_…).
    """
    if project and doc_id and doc_id.strip().lower().startswith("ep_"):
        episode = texts.episodes.find(tx, doc_id.strip())
        if knowledge.projects.is_group(tx, project):
            texts.episodes.refuse_another_group(episode, project)
        tx = replace(tx, group=episode.group)
    scope = knowledge.projects.find_or_create(tx, project)
    tx = knowledge.projects.enter(tx, scope)
    document, result = documents.upsert_prechunked(tx, chunks, source=source, doc_id=doc_id, project=scope.project)
    return {
        "source": source,
        "doc_id": doc_id or document.episode.id,
        "uuid": document.episode.id,
        "chunks_added": document.added,
        "chunks_removed": document.removed,
        "chunks_kept": document.kept,
        "blank_chunks": document.blank,
        "unread": document.unread,
        "replaced": not document.is_new,
        **_describe_extraction(tx, scope, result),
        "truncated_chunks": result.truncated_chunks,
        "project": scope.label if scope.name else document.episode.group,
        "group_id": document.episode.group,
    }


@tool(Effect.WRITE)
def submit_session_extraction(
    tx: Tx,
    *,
    entities: list[Any],
    relations: list[Any],
    project: str | None = None,
) -> dict[str, Any]:
    """Submit the entities and relations found in a conversation, at its end, without any text.

    entities: [{name, type?}]; relations: [{from, to, type, confidence?}], in any words, as for ingest_prechunked. A
    relation may also name entities outside the list. A relation in unknown words waits.
    """
    scope = knowledge.projects.find_or_create(tx, project)
    tx = knowledge.projects.enter(tx, scope)
    about = f" about {scope.project.name}" if scope.project else ""
    source = f"session {tx.session}{about}" if tx.session else f"a session{about}"
    result = client_extraction.record(tx, entities, relations, source=source)
    return {"session_id": tx.session, **_describe_extraction(tx, scope, result), "project": scope.label}


def describe_report(report: Report, *, limit: int | None = MAX_REMARKS) -> dict[str, Any]:
    """The result of an ingestion as an answer, with at most `limit` remarks of each kind; None: all."""
    remarks = {
        "missing": report.missing[:limit],
        "skipped": _remarks(report.skipped[:limit]),
        "failed": _remarks(report.failed[:limit]),
        "remarks": _remarks(report.warnings[:limit]),
    }
    counts = [len(report.missing), len(report.skipped), len(report.failed), len(report.warnings)]
    return {
        "files_processed": report.files_seen,
        "added": report.added,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "moved": report.moved,
        "forgotten": report.forgotten,
        "chunks_added": report.chunks_added,
        "chunks_removed": report.chunks_removed,
        "mentions": report.mentions,
        "proposals": report.proposals,
        "unread": report.unread,
        "entities_added": report.entities,
        "facts_added": report.facts,
        **remarks,
        "totals": dict(zip(remarks, counts, strict=True)),
        "calls": report.calls,
        "truncated": limit is not None and max(counts) > limit,
        "complete": report.complete,
    }


def describe_scope(job: Job, report: Report) -> dict[str, Any]:
    """The group that an ingestion stored in, and what its texts are about; also of one that was cancelled."""
    with job.database.read(job.tool, session=job.session) as tx:
        return answer_shapes.scope(replace(tx, group=report.scope.group), report.scope)


def _allowed_path(job: Job, name: str) -> Any:
    with job.read() as tx:
        roots = tx.settings.document_roots
    return document_files.allowed_path(name, roots=roots)


def _status(report: Report) -> str:
    counts = {"added": report.added, "changed": report.changed, "moved": report.moved, "unchanged": 1}
    return next(status for status, count in counts.items() if count)


def _remarks(remarks: Sequence[Remark]) -> list[dict[str, str]]:
    return [{"path": remark.path, "code": remark.code, "message": remark.message} for remark in remarks]


def _describe_extraction(tx: Tx, scope: Scope, result: ExtractionResult) -> dict[str, Any]:
    """The result of recording entities and relations, as an answer: counts, and the first of each kind."""
    of_scope = answer_shapes.scope(tx, scope)
    lists = {
        "entities": [answer_shapes.entity(entity) for entity in result.created],
        "facts": [_sentence(fact) for fact in result.facts],
        "waiting": _waiting_wordings(result.waiting),
        "facts_withdrawn": [_sentence(fact) for fact in result.withdrawn],
        "entities_forgotten": [answer_shapes.entity(entity) for entity in result.deleted],
        "possible_duplicates": of_scope.pop("possible_duplicates", [])
        + [
            {"new": answer_shapes.entity(new), **answer_shapes.candidate(existing)}
            for new, existing in result.possible_duplicates
        ],
        "rejected": [
            {
                "where": rejection.location,
                "what": rejection.summary,
                "why": rejection.reason,
                "near": list(rejection.suggestions),
            }
            for rejection in (*result.rejected_entities, *result.rejected_relations)
        ],
        "mapped_types": [{given: taken} for given, taken in result.mapped_types.items()],
        "unknown_types": [
            {"type": given, "entities": count}
            for given, count in sorted(result.unknown_types.items(), key=lambda entry: -entry[1])
        ],
    }
    shown = {name: _first(name, entries) for name, entries in lists.items()}
    return {
        **of_scope,
        "entities_added": len(result.created),
        "entities_merged": len(result.existing),
        "relations_proposed": result.relations,
        "relations_accepted": result.recorded + result.repeated,
        "relations_waiting": len(result.waiting),
        "relations_waiting_before": result.waiting_before,
        "relations_rejected": len(result.rejected_relations),
        **shown,
        "mapped_types": {given: taken for mapping in shown["mapped_types"] for given, taken in mapping.items()},
        "totals": {name: len(entries) for name, entries in lists.items()},
        "truncated_entities": result.truncated_entities,
        "truncated_relations": result.truncated_relations,
        "truncated": any(len(shown[name]) < len(entries) for name, entries in lists.items()),
        "verified": result.is_verified,
        "verification": _describe_verification(result),
        "see": _see_rest(result),
    }


def _first(name: str, entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first entries of a list, as many as the answer has room for."""
    return brief_answers.first(entries, room=MAX_CHARACTERS_OF_LISTS[name])


def _sentence(fact: Fact) -> dict[str, str]:
    return {"id": fact.id, "fact": _shorten(knowledge.facts.sentence(fact))}


def _relation(fact: ProposedFact) -> dict[str, str]:
    return {"id": fact.id, "fact": _shorten(f"{fact.subject} {fact.wording} {fact.object}")}


def _waiting_wordings(waiting: Sequence[ProposedFact]) -> list[dict[str, Any]]:
    """The wordings of relations that wait, most frequent first, each with its count and one of the relations."""
    by_wording: dict[tuple[str, str], list[ProposedFact]] = {}
    for fact in waiting:
        by_wording.setdefault((fact.wording_key, fact.reason), []).append(fact)
    return [
        {
            "wording": _shorten(facts[0].wording),
            "count": len(facts),
            "reason": facts[0].reason,
            "example": _relation(facts[0])["fact"],
        }
        for facts in sorted(by_wording.values(), key=lambda facts: -len(facts))
    ]


def _describe_verification(result: ExtractionResult) -> dict[str, Any]:
    """What was looked at before relations are said to be verified."""
    looked_at = (
        "whether its text names both ends of each relation and states it; relations that it does not state wait"
        if result.looked_up
        else "nothing: no text was handed in"
        if result.recorded + result.repeated
        else "nothing: no relation was accepted"
    )
    return {
        "looked_at": looked_at,
        "relations": result.looked_up,
        "in_text": result.looked_up - len(result.outside_text),
        "outside_text": _first("outside_text", [_relation(fact) for fact in result.outside_text]),
    }


def _see_rest(result: ExtractionResult) -> str:
    """How to see what an answer leaves out, and what to do with what waits."""
    parts = ["Lists have their first entries; totals counts all."]
    if result.facts:
        parts.append("recall_entity and get_episode_context show all facts.")
    if result.waiting:
        parts.append(
            "get_ontology_structure shows what waits, grouped by meaning; extend_vocabulary maps wordings to "
            "predicates, which makes facts of all that waits in them, or dismisses them."
        )
    if result.unknown_types:
        parts.append(
            "unknown_types are not in the vocabulary: these entities keep the word and have another type for now; "
            "adding the type with extend_vocabulary gives it to them."
        )
    return " ".join(parts)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS_OF_TEXT else text[: MAX_CHARACTERS_OF_TEXT - 1] + "…"
