"""Extraction by the client: entities and relations that a language model read in a text, as entities and facts.

Nothing is lost: a relation whose wording or ends do not fit the vocabulary, or that its text does not say, waits as a
proposed fact. What cannot be read at all is rejected with the reason; what is beyond the limits is counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.knowledge import entities, proposed_facts
from keepgraph.engine.knowledge.relations import Relation, RelationRecorder
from keepgraph.engine.resolution import fuzzy
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import name_similarity, normalisation, sentences, time_references
from keepgraph.language.grounding import GroundingText
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Entity, Episode, Fact, Proposal, ProposedFact, Ref
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_ENTITIES = 1000
MAX_RELATIONS = 500
"""What one call may bring; more is not recorded, but counted."""

MAX_TYPE = 100
"""The longest word for a type that is kept with an entity, in characters."""

MAX_COMPARED = 1000
"""At most this many new names, the first ones, are compared with the others."""


@dataclass(frozen=True, slots=True)
class ExtractedPart:
    """What was read in one part of a text.

    Attributes:
        location: what the lists belong to: `chunks[0]`; empty for the call itself.
        text: the part of the text; None if none was given.
        entities, relations: as the client gave them.
    """

    location: str
    text: str | None
    entities: Sequence[Any]
    relations: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Rejection:
    """An entity or a relation that was not recorded.

    Attributes:
        location: its place in the argument: `chunks[0].relations[2]`.
        summary: what it is, in a few words.
        reason: why it was rejected.
        suggestions: what may be meant.
    """

    location: str
    summary: str
    reason: str
    suggestions: tuple[str, ...] = ()


@dataclass(slots=True)
class ExtractionResult:
    """What became of an extraction. Each relation was recorded, is repeated, waits, or was rejected.

    Attributes:
        created, existing: entities that are new, and those that were there.
        facts: the facts that were recorded or known; `recorded` and `repeated` count the relations of these two.
        waiting: the relations that wait as proposed facts; `waiting_before` counts those that already did.
        mapped_types: other wordings of types, with the type that was taken in their place.
        unknown_types: the types that were given and are not in the vocabulary, with the number of their entities.
        rejected_entities, rejected_relations: what was not recorded.
        relations: how many relations were given, those beyond the limit left out.
        truncated_entities, truncated_relations, truncated_chunks: how many were beyond the limits.
        withdrawn: facts that an earlier version of the text stated, and that nothing supports any more.
        deleted: entities that came with an earlier version, and that nothing supports any more.
        possible_duplicates: new entities, each with another that may be the same.
        looked_up: how many relations were compared with their text and could be facts.
        outside_text: the waiting relations that the text does not state.
    """

    created: list[Entity] = field(default_factory=list)
    existing: list[Entity] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    recorded: int = 0
    repeated: int = 0
    waiting: list[ProposedFact] = field(default_factory=list)
    waiting_before: int = 0
    mapped_types: dict[str, str] = field(default_factory=dict)
    unknown_types: dict[str, int] = field(default_factory=dict)
    rejected_entities: list[Rejection] = field(default_factory=list)
    rejected_relations: list[Rejection] = field(default_factory=list)
    relations: int = 0
    truncated_entities: int = 0
    truncated_relations: int = 0
    truncated_chunks: int = 0
    withdrawn: list[Fact] = field(default_factory=list)
    deleted: list[Entity] = field(default_factory=list)
    possible_duplicates: list[tuple[Entity, Candidate]] = field(default_factory=list)
    looked_up: int = 0
    outside_text: list[ProposedFact] = field(default_factory=list)

    @property
    def is_verified(self) -> bool:
        """Whether there are accepted relations, and the text says each: the others wait."""
        return 0 < self.looked_up - len(self.outside_text) == self.recorded + self.repeated


def record(tx: Tx, entities: Sequence[Any], relations: Sequence[Any], *, source: str) -> ExtractionResult:
    """Record entities and relations that were found in a conversation, without any text."""
    result = ExtractionResult()
    recorder = ExtractionRecorder(tx, [ExtractedPart("", None, entities, relations)], source=source, result=result)
    recorder.record_entities()
    recorder.record_relations(tx)
    return result


class ExtractionRecorder:
    """Records the entities of an extraction first, then its relations, which say what the names without a type are."""

    def __init__(self, tx: Tx, parts: Sequence[ExtractedPart], *, source: str, result: ExtractionResult) -> None:
        """
        Args:
            source: the source of the facts.
            result: is filled.
        """
        self._tx = tx
        self._parts = parts
        self._source = source[: knowledge.facts.MAX_SOURCE]
        self._result = result
        self._count = 0
        self._rows: set[int] = set()
        self._texts: dict[int, GroundingText] = {}
        self._given_types = self._find_given_types()
        self._relations = self._parse_relations()
        names = [str(argument["name"]) for part in parts for argument in part.entities if _has_name(argument)]
        self._recorder = RelationRecorder(tx, [relation for _, _, relation in self._relations], names=names)

    def record_entities(self) -> list[list[Entity]]:
        """The entities of each part, found or created; the others are added to the rejections."""
        return [self._record_part(part) for part in self._parts]

    def record_relations(self, tx: Tx) -> None:
        """Record the relations as facts, or propose them; then compare the new names with those that there are.

        Args:
            tx: in the episode that states the relations.
        """
        dismissed = store.proposals.dismissed_wordings(tx)
        for location, part, relation in self._relations:
            self._record_relation(tx, location, self._text_of(part), relation, dismissed)
        self._result.possible_duplicates += _possible_duplicates(tx, self._result.created[:MAX_COMPARED])

    # Entities

    def _record_part(self, part: ExtractedPart) -> list[Entity]:
        entities = []
        prefix = f"{part.location}{'.' if part.location else ''}"
        for number, argument in enumerate(part.entities):
            if self._count >= MAX_ENTITIES:
                self._result.truncated_entities += 1
                continue
            self._count += 1
            entity = self._find_or_create(argument, f"{prefix}entities[{number}]")
            if entity is not None:
                entities.append(entity)
        return entities

    def _find_or_create(self, argument: Any, location: str) -> Entity | None:
        name = argument.get("name") if isinstance(argument, Mapping) else None
        if not isinstance(name, str) or not normalisation.key(name):
            self._reject(location, str(name)[:80], "it has no name")
            return None
        if len(normalisation.clean(name)) > knowledge.entities.MAX_NAME:
            reason = f"its name has more than {knowledge.entities.MAX_NAME} characters"
            self._reject(location, name[:80] + "…", reason)
            return None
        given_type = argument.get("type")
        entity_type = self._type(given_type) or self._only_given_type(name)
        unknown_type = given_type if entity_type is None and isinstance(given_type, str) else ""
        unknown_type = normalisation.clean(unknown_type)[:MAX_TYPE]
        try:
            with self._tx.savepoint():
                entity, created = self._typed(name, entity_type) if entity_type else self._untyped(name, unknown_type)
        except errors.KeepgraphError as error:
            hint = f". {error.hint}" if isinstance(error, errors.EntityNotFound) and error.hint else ""
            self._reject(location, name, f"{error.message}{hint}")
            return None
        if unknown_type and not self._is_known(unknown_type):
            self._result.unknown_types[unknown_type] = self._result.unknown_types.get(unknown_type, 0) + 1
        if entity.type != given_type:
            self._result.mapped_types.setdefault(given_type if isinstance(given_type, str) else "", entity.type)
        if entity.row not in self._rows:
            self._rows.add(entity.row)
            (self._result.created if created else self._result.existing).append(entity)
        return entity

    def _typed(self, name: str, entity_type: str) -> tuple[Entity, bool]:
        """The entity of a name whose type was given: one whose type was only assumed gets this one."""
        vocabulary = graph_vocabulary.read(self._tx)
        named = knowledge.entities.all_named(self._tx, Name(name))
        if not any(vocabulary.is_kind_of(entity.type, entity_type) for entity in named):
            for entity in named:
                if changed := entities.change_assumed_type(self._tx, entity, entity_type, is_assumed=False):
                    return changed, False
        return knowledge.entities.find_or_create(
            self._tx, Ref(type=entity_type, name=name), error_class=errors.SubjectRequired
        )

    def _is_known(self, entity_type: str) -> bool:
        return bool(graph_vocabulary.find_all(self._tx, store.vocabulary.ENTITY_TYPE, entity_type))

    def _untyped(self, name: str, unknown_type: str) -> tuple[Entity, bool]:
        """The entity of a name without a type: the one that has the name, else one of the type that relations want.

        Args:
            unknown_type: the type that was given and is not in the vocabulary, which a new entity keeps as a property.
        """
        vocabulary = graph_vocabulary.read(self._tx)
        wanted = self._recorder.type_of(self._tx, name)
        if named := knowledge.entities.all_named(self._tx, Name(name)):
            fitting = [entity for entity in named if wanted and vocabulary.is_kind_of(entity.type, wanted)]
            chosen = named if len(named) == 1 else fitting
            if len(chosen) != 1:
                raise errors.Ambiguous(f"{len(named)} entities are called {name[:80]!r}; give its type")
            changed = entities.change_assumed_type(self._tx, chosen[0], wanted) if wanted else None
            return changed or chosen[0], False
        knowledge.owner.substitute(self._tx, Ref(name=name))  # refuses "me" where the graph has no owner
        entity_type = wanted or vocabulary.default_type(graph_vocabulary.DEFAULT_STYLE)
        entity, created = knowledge.entities.find_or_create(
            self._tx, Ref(type=entity_type, name=name), error_class=errors.SubjectRequired
        )
        if created:
            store.entities.mark(self._tx, [entity.row])
            if unknown_type:
                entities.keep_given(self._tx, entity, unknown_type)
        return entity, created

    def _find_given_types(self) -> dict[str, set[str]]:
        """The types that were given to the names, by key."""
        given_types: dict[str, set[str]] = {}
        for part in self._parts:
            for argument in part.entities:
                if _has_name(argument) and (entity_type := self._type(argument.get("type"))):
                    given_types.setdefault(normalisation.key(argument["name"]), set()).add(entity_type)
        return given_types

    def _only_given_type(self, name: str) -> str | None:
        types = self._given_types.get(normalisation.key(name), set())
        return next(iter(types)) if len(types) == 1 else None

    def _type(self, given: Any) -> str | None:
        """The type of the vocabulary for a given one, by name, label or singular; None if it is unknown or abstract."""
        if not isinstance(given, str):
            return None
        for wording in (given, given.strip(), graph_vocabulary.singular(given)):
            if wording and graph_vocabulary.find_all(self._tx, store.vocabulary.ENTITY_TYPE, wording):
                try:
                    entity_type = entities.assumed_type(self._tx, wording)
                except errors.EntityTypeUnknown:
                    continue  # retired, and nothing replaces it
                return None if entity_type.is_abstract else entity_type.name
        return None

    def _reject(self, location: str, summary: str, reason: str) -> None:
        self._result.rejected_entities.append(Rejection(location, summary, reason))

    # Relations

    def _parse_relations(self) -> list[tuple[str, int, Relation]]:
        """The relations that can be read, each with its location and the number of its part; others are rejected."""
        given = [
            (f"{part.location}{'.' if part.location else ''}relations[{number}]", place, relation)
            for place, part in enumerate(self._parts)
            for number, relation in enumerate(part.relations)
        ]
        self._result.truncated_relations += max(len(given) - MAX_RELATIONS, 0)
        parsed = []
        for location, part, argument in given[:MAX_RELATIONS]:
            self._result.relations += 1
            try:
                parsed.append((location, part, self._parse(argument, self._parts[part].text)))
            except _RelationInvalid as error:
                self._result.rejected_relations.append(Rejection(location, _summary(argument), error.reason))
        return parsed

    def _parse(self, argument: Any, text: str | None) -> Relation:
        if not isinstance(argument, Mapping):
            raise _RelationInvalid("it is not an object")
        subject = _end(argument, "from", limit=proposed_facts.MAX_NAME)
        target = _end(argument, "to", limit=proposed_facts.MAX_OBJECT)
        wording = argument.get("type") or argument.get("relation_type")
        if not isinstance(wording, str) or not proposed_facts.wording_key(wording):
            raise _RelationInvalid("it has no type")
        if normalisation.key(subject) == normalisation.key(target) and not self._has_several(subject):
            raise _RelationInvalid("both of its ends are the same entity")
        return Relation(
            subject=subject,
            wording=normalisation.clean(wording),
            object=target,
            subject_type=self._only_given_type(subject),
            object_type=self._only_given_type(target),
            confidence=_confidence(argument),
            source=self._source,
            evidence=_evidence(text or "", subject, target),
        )

    def _has_several(self, name: str) -> bool:
        """Whether several entities have a name: a person Georgia, and a place."""
        named = knowledge.entities.all_named(self._tx, Name(name))
        return len(self._given_types.get(normalisation.key(name), ())) > 1 or len(named) > 1

    def _text_of(self, part: int) -> GroundingText | None:
        """The text of a part, after the name of its source and the part before it; None if it was not given."""
        text = self._parts[part].text
        if text is None:
            return None
        if part not in self._texts:
            before = (self._parts[number].text or "" for number in sorted({0, max(part - 1, 0)} - {part}))
            self._texts[part] = GroundingText(text, before="\n".join([self._source, *before]))
        return self._texts[part]

    def _record_relation(
        self, tx: Tx, location: str, text: GroundingText | None, relation: Relation, dismissed: Mapping[str, str]
    ) -> None:
        outcome = self._recorder.record(tx, relation, text=text)
        if outcome.fact is None and proposed_facts.wording_key(relation.wording) in dismissed:
            reason = f"relations in {relation.wording[:80]!r} were dismissed"
            rejection = Rejection(location, _text(relation), reason)
            self._result.rejected_relations.append(rejection)
        elif outcome.fact is None:
            proposed, is_new = proposed_facts.propose(tx, relation, outcome.reason or "wording")
            self._result.waiting.append(proposed)
            self._result.waiting_before += not is_new
            if outcome.is_ungrounded:
                self._result.looked_up += 1
                self._result.outside_text.append(proposed)
        else:
            self._result.repeated += outcome.is_repeated
            self._result.recorded += not outcome.is_repeated
            if outcome.fact.row not in {fact.row for fact in self._result.facts}:
                self._result.facts.append(outcome.fact)
            self._result.looked_up += text is not None
            for entity in outcome.created:
                if entity.row not in self._rows:
                    self._rows.add(entity.row)
                    self._result.created.append(entity)


class _RelationInvalid(Exception):
    """A relation that cannot be read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _has_name(argument: Any) -> bool:
    return isinstance(argument, Mapping) and isinstance(argument.get("name"), str)


def _end(relation: Mapping[str, Any], side: str, *, limit: int) -> str:
    name = relation.get(side)
    if not isinstance(name, str) or not normalisation.key(name):
        raise _RelationInvalid(f"it lacks {side!r}, the name of an entity")
    name = normalisation.clean(name)
    if len(name) > limit:
        raise _RelationInvalid(f"{side!r} has more than {limit:,} characters")
    return name


def _confidence(relation: Mapping[str, Any]) -> float:
    """The confidence of a relation, from 0 to 1; a larger number is a percentage. 1 if it cannot be read."""
    value = relation.get("confidence")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 1.0
    number = value / 100 if 1 < value <= 100 else value
    return float(number) if 0 <= number <= 1 else 1.0


def _evidence(text: str, *ends: str) -> str:
    """The first sentence of a text that has these names; empty if there is none."""
    folded = [_folded(end) for end in ends]
    for sentence in sentences.split(text):
        words = text[sentence.start : sentence.end]
        if all(end in _folded(words) for end in folded):
            return words
    return ""


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _summary(relation: Any) -> str:
    if not isinstance(relation, Mapping):
        return str(relation)[:80]
    predicate = relation.get("type") or relation.get("relation_type") or "?"
    return f"{str(relation.get('from', '?'))[:80]} {str(predicate)[:80]} {str(relation.get('to', '?'))[:80]}"


def _text(relation: Relation) -> str:
    return f"{relation.subject[:80]} {relation.wording[:80]} {relation.object[:80]}"


def _possible_duplicates(tx: Tx, created: Sequence[Entity]) -> list[tuple[Entity, Candidate]]:
    """New entities, each with another that may be the same: an existing one, or a new one that came before it."""
    assumed = store.entities.among(tx, [entity.row for entity in created])
    new = {entity.row for entity in created}
    pairs = []
    for entity in created:
        candidates = (
            _similar_of_any_type(tx, entity)
            if entity.row in assumed
            else knowledge.entities.possible_duplicates(tx, entity)
        )
        pairs += [
            (entity, candidate)
            for candidate in candidates
            if candidate.entity.row not in new or candidate.entity.row < entity.row
        ]
    return pairs


def _similar_of_any_type(tx: Tx, entity: Entity) -> list[Candidate]:
    """Entities whose name is similar to that of one whose type is only assumed."""
    ranked = fuzzy.rank(tx, Name(entity.name), include_weak=False)
    return [
        candidate
        for candidate in ranked
        if candidate.score >= name_similarity.MATCH_THRESHOLD and candidate.entity.row != entity.row
    ][: knowledge.entities.MAX_DUPLICATES]


# Fact arguments: a fact proposed from a text as arguments of `record_fact`, with its source and its day.
#
# All that offers such a fact takes them from here: the answer of a call that adds a text, and review.


def of_episode(tx: Tx, proposal: Proposal, episode: Episode) -> Proposal:
    """A proposed fact with the source and the day that its text gives it.

    A decision is dated by its sentence, else by its text: what was decided in a note of March was decided in March. It
    is not dated if that would be today, or later.
    """
    written_on, today = (timestamps.local_date(at, tx.zone) for at in (episode.occurred_at, tx.at))
    _, decided_on = time_references.split(" ".join((proposal.evidence or "").split()), not_after=written_on)
    day = decided_on or written_on
    is_dated = day < today and _decides(graph_vocabulary.read(tx), proposal)
    return replace(proposal, source=f"{episode.name} ({episode.id})", valid_from=day if is_dated else None)


def arguments(
    proposal: Proposal, *, subject: Mapping[str, Any] | None = None, target: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The arguments of `record_fact` for a proposed fact, without its confidence.

    Args:
        subject, target: references to its ends, if more than their names is known.
    """
    if proposal.object is None:
        target = {"literal": proposal.literal}
    made: dict[str, Any] = {
        "subject": subject or {"type": proposal.subject_type, "name": proposal.subject},
        "predicate": proposal.predicate,
        "object": target or {"type": proposal.object_type, "name": proposal.object},
    }
    if proposal.valid_from:
        made["valid_from"] = proposal.valid_from
    if proposal.source:
        made["source"] = proposal.source
    return made


def _decides(vocabulary: Vocabulary, proposal: Proposal) -> bool:
    """Whether a proposed fact says that something was decided, or what a decision belongs to."""
    role = vocabulary.role(proposal.predicate or "")
    ends = {proposal.subject_type, proposal.object_type}
    return role == "decides" or (role == "part_of" and not ends.isdisjoint(vocabulary.decision_types))
