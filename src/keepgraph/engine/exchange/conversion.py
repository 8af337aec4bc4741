"""Conversion of records of other programs into entities, facts and episodes, so that nothing of a file is lost.

An entity whose type is not in the vocabulary becomes a concept, which keeps the type as the property `entityType`. A
relation whose predicate is not in the vocabulary stays text: its line is kept unchanged in an episode that mentions
both ends. What is in the graph already stays, so a file may be imported again, also after it has grown.

Texts are stored as episodes, and updated if a later import brings more of them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from keepgraph import english, errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.exchange import import_state, rdf_individuals
from keepgraph.engine.exchange.export import Survey
from keepgraph.engine.exchange.import_state import DEFAULT_CONFIDENCE, IMPORTED, EndsWarning
from keepgraph.engine.exchange.rdf_individuals import TermMapping
from keepgraph.engine.knowledge import projects, scopes
from keepgraph.engine.texts import storage
from keepgraph.engine.texts.storage import Annotation, ChunkDraft, Outcome
from keepgraph.engine.vocabulary import graph_vocabulary, sets, terms
from keepgraph.formats import detection, records
from keepgraph.formats.records import ReadError, Record, Skipped
from keepgraph.language import chunking, identifiers, normalisation, utf8
from keepgraph.language.chunking import TextChunk
from keepgraph.model import Entity, Episode, Fact, Ref
from keepgraph.store import journal
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_CHARACTERS = 8_000_000
"""A longer text is refused."""

Annotations = tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text, with its speaker and what it is about; joined, the parts are the text."""

    text: str
    speaker: str | None = None
    annotations: Annotations = ()


def upsert(
    tx: Tx,
    parts: Sequence[TextPart],
    *,
    kind: str,
    name: str,
    source: str,
    occurred_at: str | None = None,
    existing: Episode | None = None,
) -> Outcome:
    """Store a text as a new episode, or update an existing one; chunks whose text stays are kept.

    Args:
        occurred_at: a timestamp; None for now, or for that of the existing episode.
        existing: the episode to update.

    Raises:
        errors.EpisodeInvalid: the text is empty or too long.
    """
    text = "".join(part.text for part in parts)
    if not text:
        raise errors.EpisodeInvalid("the text is empty")
    if len(text) > MAX_CHARACTERS:
        raise errors.EpisodeInvalid(f"the text has {len(text):,} characters; at most {MAX_CHARACTERS:,} are allowed")
    return storage.upsert(
        tx,
        existing=existing,
        kind=kind,
        name=english.shorten(" ".join(name.split()), storage.MAX_NAME),
        source=source,
        digest=utf8.digest(text),
        occurred_at=occurred_at,
        chunks=lambda: _chunks(parts),
    ).outcome


def _chunks(parts: Sequence[TextPart]) -> Iterator[ChunkDraft]:
    """The parts as chunks; longer ones are divided."""
    for part in parts:
        if len(part.text) <= chunking.TARGET_BYTES:
            yield TextChunk(part.text, speaker=part.speaker), part.annotations
        else:
            for text_chunk in chunking.split(part.text, kind="text"):
                yield TextChunk(text_chunk.text, speaker=part.speaker), part.annotations


_TYPE_PROPERTY = "entityType"
_MAX_SOURCE_CHARACTERS = 1_500
_MAX_LINE_CHARACTERS = MAX_CHARACTERS // 2
"""Characters of a line that is kept as text, and of the lines in one episode, at most."""


@dataclass(frozen=True, slots=True)
class RecordResult:
    """The result of a record.

    Attributes:
        outcome: None if it was refused, or left out on purpose.
        partial_errors: why parts of it were refused, while the rest was imported.
        kept_as_text: a summary of its line if that was kept as text: {from, relationType, to} or {name, entityType}.
        warning: why the ends of a fact, or its literal, do not fit its predicate; it was imported all the same.
    """

    position: int
    outcome: Outcome | None = None
    error: errors.KeepgraphError | None = None
    partial_errors: tuple[errors.KeepgraphError, ...] = ()
    kept_as_text: Mapping[str, str] | None = None
    warning: EndsWarning | None = None


_Lines: TypeAlias = list[tuple[records.Entity | records.Fact, Annotations]]
"""Records whose lines will be kept as text, with annotations of the entities that they mention."""


class _AlreadyAsserted(Exception):
    """The same source has asserted the same fact before; nothing must be written.

    Attributes:
        fact: the fact.
    """

    def __init__(self, fact: Fact) -> None:
        super().__init__()
        self.fact = fact


class RecordImport:
    """Imports records of one file, in batches; each batch is one call.

    Args:
        format: one of `detection.FORMATS`.
        source: the path of the file; facts and episodes get it as their source.
        add_terms: whether entity types and predicates that the vocabulary lacks are added to it.
        strict: import nothing of a record with a refused part, and no record after it.

    Attributes:
        counts: what was new: entities, facts, episodes, words.
        mapping: what the terms of the file become.
    """

    def __init__(
        self,
        database: Database,
        *,
        format: str,
        source: str,
        survey: Survey,
        add_terms: bool = False,
        strict: bool = False,
    ) -> None:
        self._database, self._format, self._survey, self._strict = database, format, survey, strict
        self._source, self._file = source[-_MAX_SOURCE_CHARACTERS:], import_state.file_name(source)
        self._line_digests: set[bytes] = set()
        self._found_by: dict[tuple[int, str], str] = {}  # of an entity: its position and name, if not found by the name
        self.counts: Counter[str] = Counter()
        with database.read(import_state.TOOL) as tx:
            self.mapping = rdf_individuals.map_vocabulary(tx, survey, add_terms=add_terms)
            for episode in store.episodes.by_source(tx, self._source, kind="json"):
                self._line_digests.update(map(_line_digest, store.episodes.text(tx, episode).split("\n")))
        mappings = (*self.mapping.entity_types.values(), *self.mapping.predicates.values())
        if any(mapping.how == "added" for mapping in mappings):
            self._add_terms()

    def import_batch(self, batch: Sequence[Record]) -> list[RecordResult]:
        """Import records in one call; returns their results in order. With `strict` an error ends the list."""
        results: list[RecordResult] = []
        lines: _Lines = []
        with self._database.write(import_state.TOOL) as tx:
            tx = journal.begin_call(tx)
            counts_before = Counter(self.counts)
            try:
                for record in batch:
                    results.append(self._import_record(tx, record, lines))
                    if self._strict and results[-1].error:
                        break
                self._keep_lines(tx, lines)
                store.transfer.note(tx, file=self._file)
            except BaseException:
                self.counts = counts_before
                raise
        self._line_digests.update(_line_digest(record.line) for record, _ in lines)
        return results

    def _add_terms(self) -> None:
        with self._database.write(import_state.TOOL) as tx:
            tx = journal.begin_call(tx)
            for kind, mappings in (
                (store.vocabulary.ENTITY_TYPE, self.mapping.entity_types),
                (store.vocabulary.PREDICATE, self.mapping.predicates),
            ):
                for term, mapping in mappings.items():
                    if mapping.how != "added" or not mapping.term:
                        continue
                    if graph_vocabulary.read(tx).term(kind, mapping.term) is None:
                        description = f"Imported from {self._file}, where it is {term[:200]!r}."
                        of_set = sets.find_or_insert(tx, IMPORTED, version=IMPORTED)
                        terms.insert_plain(tx, kind, name=mapping.term, description=description, of_set=of_set)
                        self.counts["words"] += 1

    def _import_record(self, tx: Tx, record: Record, lines: _Lines) -> RecordResult:
        if isinstance(record, ReadError):
            return RecordResult(record.position, error=record.error)
        if isinstance(record, Skipped):
            return RecordResult(record.position)
        counts_before, lines_before = Counter(self.counts), len(lines)
        try:
            with tx.savepoint():
                if isinstance(record, records.Entity):
                    return self._import_entity(tx, record, lines)
                if isinstance(record, records.Episode):
                    return self._import_conversation(tx, record)
                return self._import_fact(tx, record, lines)
        except (errors.InvalidRequest, errors.Conflict) as error:
            self.counts = counts_before
            del lines[lines_before:]
            if isinstance(record, records.Episode) or not 0 < len(record.line) <= _MAX_LINE_CHARACTERS:
                return RecordResult(record.position, error=error)
            # What cannot be an entity or a fact is kept as its line.
            outcome = self._keep_as_text(record, (), lines)
            summary = {**_summary(record), "because": error.message}
            return RecordResult(record.position, outcome, kept_as_text=summary)

    # Entities

    def _import_entity(self, tx: Tx, record: records.Entity, lines: _Lines) -> RecordResult:
        mapping = self.mapping.entity_types[record.type]
        name = self._name_to_find(tx, record)
        if name != record.name:
            self._found_by[record.position, record.name] = name
        entity, created = self._find_or_create(tx, record.type, name)
        changed = created
        refusals: list[errors.KeepgraphError] = []
        known_keys = {normalisation.key(name) for name in (entity.name, *store.entities.aliases(tx, entity))}
        if name != record.name and not knowledge.entities.all_named(tx, normalisation.Name(record.name)):
            record = replace(record, aliases=(record.name, *record.aliases))  # found by an identifier
        if shared := [alias for alias in record.aliases if _is_phone_of_another(tx, alias, entity)]:
            record = replace(record, properties={**record.properties, identifiers.PHONE: "; ".join(shared)})
        for alias in record.aliases:
            if normalisation.key(alias) in known_keys or alias in shared:
                continue
            try:
                knowledge.entities.add_aliases(tx, entity, [alias])
                changed = True
            except (errors.AliasTaken, errors.AliasInvalid) as error:
                refusals.append(error)
        changed |= self._complete(tx, entity, record, mapping, refusals)
        if refusals and self._strict:
            raise refusals[0]
        changed |= self._keep_observations(tx, entity, record)
        if refusals and record.line:
            annotations = ({"how": "given", "id": entity.id},)
            changed |= self._keep_as_text(record, annotations, lines) is Outcome.ADDED
            because = "; ".join(error.message for error in refusals)
            summary = {**_summary(record), "because": because}
            return RecordResult(record.position, _outcome(changed), kept_as_text=summary)
        return RecordResult(record.position, _outcome(changed), partial_errors=tuple(refusals))

    def _name_to_find(self, tx: Tx, record: records.Entity) -> str:
        """By which name to look for an entity: an identifier that the graph knows, else its own.

        Several people may have one telephone number: it counts only together with the name. One that has the name and
        other identifiers of the same kind is another one: an identifier is added to the name.
        """
        own = {each for alias in record.aliases if (each := identifiers.canonical(alias))}
        key, types = normalisation.key(record.name), self._types(tx, record.type)
        for identifier in sorted(own):
            for bearer in store.entities.bearers(tx, normalisation.key(identifier)):
                if bearer.type not in types:
                    continue
                if identifiers.kind(identifier) != identifiers.PHONE or _is_called(tx, bearer, key):
                    return identifier
        for entity in store.entities.by_key(tx, key) if own else ():
            aliases = store.entities.aliases(tx, entity)
            theirs = {identifiers.kind(each) for alias in aliases if (each := identifiers.canonical(alias))}
            if shared := theirs & {identifiers.kind(each) for each in own} - {identifiers.PAGE}:
                telling = min(each for each in own if identifiers.kind(each) in shared)
                return f"{record.name[: knowledge.entities.MAX_NAME - len(telling) - 3]} ({telling})"
        return record.name

    def _types(self, tx: Tx, file_type: str) -> Collection[str]:
        """The type that one of the file becomes, and its subtypes."""
        term = self.mapping.entity_types[file_type].term
        return graph_vocabulary.read(tx).with_subtypes([term]) if term else ()

    def _find_or_create(self, tx: Tx, file_type: str, name: str) -> tuple[Entity, bool]:
        """
        Raises:
            errors.InvalidRequest, errors.Ambiguous: it cannot be a name, or several entities have it.
        """
        default_type = self.mapping.default_type
        mapping = self.mapping.entity_types.get(file_type, TermMapping(default_type, "same"))
        if mapping.term is not None and mapping.term != default_type:
            self._change_default_type(tx, file_type, mapping.term, name)
        entity, created = knowledge.entities.find_or_create(
            tx, Ref(type=mapping.term, name=name), error_class=errors.InvalidArguments
        )
        self.counts["entities"] += created
        if created and file_type and mapping.how != "same":
            self._update(tx, entity, summary="", properties={_TYPE_PROPERTY: file_type})
        return entity, created

    def _change_default_type(self, tx: Tx, file_type: str, entity_type: str, name: str) -> None:
        """Give an entity of the default type the type that it had in a file, now that the vocabulary has that type.

        Such an entity came with an import before the type was added to the vocabulary.
        """
        key = normalisation.key(name)
        if store.entities.by_key(tx, key, of_types=[entity_type]):
            return
        for entity in store.entities.by_key(tx, key, of_types=[self.mapping.default_type]):
            properties = json.loads(store.transfer.entities_by_id(tx, [entity.id])[entity.id].properties)
            if properties.get(_TYPE_PROPERTY) == file_type:
                store.transfer.set_entity_type(tx, entity.row, knowledge.entities.find_type(tx, entity_type))
                tx.memo.clear()

    def _complete(
        self,
        tx: Tx,
        entity: Entity,
        record: records.Entity,
        mapping: TermMapping,
        refusals: list[errors.KeepgraphError],
    ) -> bool:
        """Give an entity the summary and the properties that it lacks; whether it lacked any."""
        existing = store.transfer.entities_by_id(tx, [entity.id])[entity.id]
        ours = json.loads(existing.properties)
        theirs = dict(record.properties)
        if record.type and mapping.how != "same":
            theirs.setdefault(_TYPE_PROPERTY, record.type)
        differing = [name for name in theirs if name in ours and ours[name] != theirs[name]]
        if record.summary and existing.summary and record.summary != existing.summary:
            differing.insert(0, "summary")
        if differing:
            names = ", ".join(name[:60] for name in differing[:5])
            refusals.append(errors.ImportConflict(f"{entity.name!r} is in this graph with different {names}"))
        missing = theirs.keys() - ours.keys()
        if not missing and not (record.summary and not existing.summary):
            return False
        self._update(tx, entity, summary=existing.summary or record.summary, properties={**theirs, **ours})
        return True

    def _update(self, tx: Tx, entity: Entity, *, summary: str, properties: Mapping[str, object]) -> None:
        text = json.dumps(properties, ensure_ascii=False, sort_keys=True)
        store.entities.set_particulars(tx, entity.row, summary=summary, properties=text)

    def _keep_observations(self, tx: Tx, entity: Entity, record: records.Entity) -> bool:
        """Keep the observations about an entity as an episode, a paragraph each; whether one of them was new."""
        source = f"{self._source}#{normalisation.key(record.name)}"
        existing = store.episodes.first_by_source(tx, source, kind="text")
        text = _as_paragraphs(store.episodes.text(tx, existing)) if existing else ""
        new = [
            observation
            for observation in dict.fromkeys(record.observations)
            if observation.strip() and _as_paragraphs(observation) not in text
        ]
        if not new:
            return False
        annotations = ({"how": "given", "id": entity.id},)
        parts_before: list[TextPart] = []
        if existing:
            parts_before = [
                TextPart(chunk.text, annotations=chunk.annotations) for chunk in store.episodes.chunks(tx, existing)
            ]
        if parts_before:
            parts_before[-1] = TextPart(f"{parts_before[-1].text}\n\n", annotations=annotations)
        last = len(new) - 1
        parts = [
            TextPart(observation if number == last else f"{observation}\n\n", annotations=annotations)
            for number, observation in enumerate(new)
        ]
        if not parts_before and _is_in_graph(tx, parts, name=entity.name):
            return False  # the same file, imported from another path
        outcome = upsert(tx, [*parts_before, *parts], kind="text", name=entity.name, source=source, existing=existing)
        self.counts["episodes"] += outcome is Outcome.ADDED
        return True

    # Facts

    def _import_fact(self, tx: Tx, record: records.Fact, lines: _Lines) -> RecordResult:
        mapping = self.mapping.predicates[record.predicate]
        if mapping.term is None and not record.line:
            raise errors.PredicateUnknown(
                f"{record.predicate[:100]!r} is not a predicate",
                hint="Use a word of the vocabulary, or add those of the file: --add-words.",
            )
        sources, targets = self._ends(tx, record.predicate)
        name = self._found_by.get((record.position, record.subject), record.subject)
        subject = self._find_endpoint(tx, name, record.subject_type, allowed=sources)
        target = None
        if record.object:
            name = self._found_by.get((record.position, record.object), record.object)
            target = self._find_endpoint(tx, name, record.object_type, allowed=targets)
        outcome = None
        # Go and GO are one name here. A line about the two is kept as text, instead of a fact of one about itself.
        is_merged = (
            bool(record.line) and target is not None and subject.id == target.id and record.subject != record.object
        )
        if mapping.term is None or record.properties or is_merged:
            ids = dict.fromkeys(entity.id for entity in (subject, target) if entity)
            annotations = tuple({"how": "given", "id": public_id} for public_id in ids)
            outcome = self._keep_as_text(record, annotations, lines)
        if mapping.term is None or is_merged:
            return RecordResult(record.position, outcome, kept_as_text=_summary(record))
        warning = None
        # A wording may stand for several predicates: the ends decide.
        predicate = record.predicate if mapping.how == "synonym" else mapping.term
        try:
            with tx.savepoint():
                warning = self._record_fact(tx, record, predicate, subject, target)
            outcome = Outcome.ADDED
        except _AlreadyAsserted as already:
            self._add_scope(tx, record, already.fact, is_new=False)
        return RecordResult(record.position, outcome or Outcome.UNCHANGED, warning=warning)

    def _ends(self, tx: Tx, predicate: str) -> tuple[Sequence[str], Sequence[str]]:
        """The types that a predicate of the file connects; none if it connects any, or has no counterpart."""
        mapping = self.mapping.predicates[predicate]
        if mapping.term is None:
            return (), ()
        match = knowledge.predicates.find_matches(tx, predicate if mapping.how == "synonym" else mapping.term)[0]
        return match.sources, match.targets

    def _find_endpoint(self, tx: Tx, name: str, file_type: str | None, *, allowed: Sequence[str]) -> Entity:
        """The entity of a name in a fact.

        Args:
            allowed: the types that the predicate connects at this end. If there is only one, a new name without a type
                in the file gets it.

        Raises:
            errors.InvalidRequest, errors.Ambiguous: it cannot be a name, or several entities have it.
        """
        if file_type is None and self._format == detection.MEMORY_SERVER:
            key = normalisation.key(name)
            # If the file does not give a type, the graph may.
            existing = store.entities.by_key(tx, key) if key not in self._survey.declared_types else []
            if len(existing) == 1:
                return existing[0]
            fitting = knowledge.entities.usable_type(graph_vocabulary.read(tx), allowed)
            if key not in self._survey.declared_types and len(fitting) == 1 and not existing:
                ref = Ref(type=fitting[0], name=name)
                entity, created = knowledge.entities.find_or_create(tx, ref, error_class=errors.InvalidArguments)
                self.counts["entities"] += created
                return entity
            return self._find_or_create(tx, self._survey.declared_types.get(key, ""), name)[0]
        if file_type is None:
            try:
                return knowledge.entities.find(tx, Ref(name=name))
            except errors.EntityNotFound as error:
                error.hint = "To create it, give its type: in a column subject_type or object_type, or as person:NAME."
                raise
        return self._find_or_create(tx, file_type, name)[0]

    def _record_fact(
        self, tx: Tx, record: records.Fact, predicate: str, subject: Entity, target: Entity | None
    ) -> EndsWarning | None:
        """Record a fact; returns why its ends or its literal do not fit, if they do not.

        Raises:
            _AlreadyAsserted: by the same source, with the same confidence.
            errors.InvalidRequest: a value is not allowed.
        """
        source = record.source or self._source
        if len(source) > knowledge.facts.MAX_SOURCE:
            raise errors.InvalidArguments(
                f"the source has {len(source):,} characters; {knowledge.facts.MAX_SOURCE:,} at most"
            )
        confidence = DEFAULT_CONFIDENCE if record.confidence is None else record.confidence
        recorded = knowledge.facts.record(
            tx,
            subject=Ref(id=subject.id),
            predicate=predicate,
            object=Ref(id=target.id) if target else record.literal or "",
            source=source,
            confidence=confidence,
            valid_from=record.valid_from,
            valid_to=record.valid_to,
            refuse_misfits=False,
            may_correct=False,
        )
        assertions = store.transfer.count_assertions(tx, recorded.fact.row, source, confidence)
        if recorded.effect == "nothing_changed" or (recorded.effect == "repeated" and assertions > 1):
            raise _AlreadyAsserted(recorded.fact)
        self._add_scope(tx, record, recorded.fact, is_new=not recorded.deduplicated)
        self.counts["facts"] += not recorded.deduplicated
        return EndsWarning(recorded.fact.predicate, recorded.ends_warning) if recorded.ends_warning else None

    def _add_scope(self, tx: Tx, record: records.Fact, fact: Fact, *, is_new: bool) -> None:
        """Let a fact hold in the project that its record names, which is created if new.

        Raises:
            errors.ScopeUnknown: it names a group.
        """
        if record.scope is None:
            return
        scope = projects.find_or_create(tx, record.scope)
        if scope.project is None:
            raise errors.ScopeUnknown(f"{record.scope[:100]!r} is a group, not a project", hint="Name a project.")
        scopes.add_to_fact(tx, fact, scope.project, is_new=is_new)
        self.counts["entities"] += scope.created

    # Episodes

    def _keep_as_text(self, record: records.Entity | records.Fact, annotations: Annotations, lines: _Lines) -> Outcome:
        """Add the line of a record to those that are kept as text, unless the graph has it.

        Raises:
            errors.EpisodeInvalid: it is too long.
        """
        if len(record.line) > _MAX_LINE_CHARACTERS:
            raise errors.EpisodeInvalid(
                f"the line has {len(record.line):,} characters; {_MAX_LINE_CHARACTERS:,} can be kept"
            )
        is_kept = _line_digest(record.line) in self._line_digests
        if is_kept or any(record.line == other.line for other, _ in lines):
            return Outcome.UNCHANGED
        lines.append((record, annotations))
        return Outcome.ADDED

    def _keep_lines(self, tx: Tx, lines: _Lines) -> None:
        """Write the lines of a batch as episodes that are not too long."""
        parts: list[TextPart] = []
        for record, line_annotations in lines:
            if parts and sum(len(part.text) for part in parts) + len(record.line) > _MAX_LINE_CHARACTERS:
                self._keep_episode(tx, parts)
                parts = []
            parts.append(TextPart(f"{record.line}\n", annotations=line_annotations))
        if parts:
            self._keep_episode(tx, parts)

    def _keep_episode(self, tx: Tx, lines: Sequence[TextPart]) -> None:
        if _is_in_graph(tx, lines):
            return
        upsert(tx, lines, kind="json", name=self._file, source=self._source)
        self.counts["episodes"] += 1

    def _import_conversation(self, tx: Tx, record: records.Episode) -> RecordResult:
        existing = store.episodes.first_by_source(tx, record.source, kind="message")
        if existing and record.text != (text := store.episodes.text(tx, existing)) and len(record.text) <= len(text):
            return RecordResult(record.position, Outcome.UNCHANGED)  # an older export: conversations only grow
        parts = [
            TextPart(text, speaker=turn.speaker) for text, turn in zip(record.turn_texts, record.turns, strict=True)
        ]
        occurred_at = timestamps.from_datetime(record.started_at) if record.started_at else None
        day = f" of {occurred_at[:10]}" if occurred_at else ""
        outcome = upsert(
            tx,
            parts,
            kind="message",
            name=record.name or f"Conversation{day}",
            source=record.source,
            occurred_at=occurred_at,
            existing=existing,
        )
        self.counts["episodes"] += outcome is Outcome.ADDED
        return RecordResult(record.position, outcome)


def batches(file_records: Iterable[Record], *, max_records: int, max_characters: int) -> Iterator[list[Record]]:
    """Records in batches; a batch ends at this many records, or above this many characters of text."""
    batch: list[Record] = []
    length = 0
    for record in file_records:
        batch.append(record)
        length += _text_length(record)
        if len(batch) == max_records or length > max_characters:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _text_length(record: Record) -> int:
    if isinstance(record, records.Episode):
        return sum(len(turn.text) for turn in record.turns)
    return sum(map(len, record.observations)) if isinstance(record, records.Entity) else 0


def _is_called(tx: Tx, entity: Entity, key: str) -> bool:
    return key in map(normalisation.key, (entity.name, *store.entities.aliases(tx, entity)))


def _is_phone_of_another(tx: Tx, alias: str, entity: Entity) -> bool:
    if identifiers.kind(alias) != identifiers.PHONE:
        return False
    return any(bearer.row != entity.row for bearer in store.entities.bearers(tx, normalisation.key(alias)))


def _is_in_graph(tx: Tx, parts: Sequence[TextPart], *, name: str | None = None) -> bool:
    """Whether the graph has an episode with exactly this text, and with this name if one is given."""
    same = store.episodes.by_digest(tx, utf8.digest("".join(part.text for part in parts)))
    return any(name in (None, episode.name) for episode in same)


def _outcome(changed: bool) -> Outcome:
    return Outcome.ADDED if changed else Outcome.UNCHANGED


def _summary(record: records.Entity | records.Fact) -> dict[str, str]:
    """The fields of a line that a report shows."""
    if isinstance(record, records.Fact):
        target = (record.object or "")[:200]
        return {"from": record.subject[:200], "relationType": record.predicate[:200], "to": target}
    return {"name": record.name[:200], "entityType": record.type[:200]}


def _as_paragraphs(text: str) -> str:
    """The text between empty lines, so that a search for a paragraph finds only whole paragraphs."""
    return f"\n\n{text}\n\n"


def _line_digest(line: str) -> bytes:
    return hashlib.sha256(line.strip().encode()).digest()
