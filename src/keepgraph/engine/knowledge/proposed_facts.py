"""Proposed facts: relations that wait in their own words until somebody accepts or dismisses their wording.

A proposed fact is in no answer about what is known. Its wording never enters the vocabulary by itself: `admit` maps it
to a predicate, of which it becomes a label, and records all facts that wait in it; `dismiss` deletes them, and what is
handed in in that wording later is not proposed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from keepgraph import errors, store
from keepgraph.engine import vocabulary
from keepgraph.engine.knowledge import entities, predicates, relations
from keepgraph.engine.knowledge.predicates import PredicateMatch
from keepgraph.engine.knowledge.relations import Relation, RelationRecorder, RelationWordings
from keepgraph.engine.vocabulary import graph_vocabulary, wording_groups
from keepgraph.engine.vocabulary.definitions import LabelDefinition
from keepgraph.engine.vocabulary.wording_groups import WaitingRelation, WordingGroup
from keepgraph.language import inflection, normalisation
from keepgraph.language.grounding import GroundingText
from keepgraph.model import Entity, Fact, ProposedFact
from keepgraph.store.transactions import Tx

MAX_NAME = 200
MAX_WORDING = 200
MAX_OBJECT = 1000
MAX_GROUPED = 50_000
"""How many proposed facts are looked at for the groups: those that came first."""

_LANGUAGE_UNKNOWN = "und"


@dataclass(frozen=True, slots=True)
class Admission:
    """What accepting wordings did.

    Attributes:
        predicate: the name of the predicate to which they were mapped.
        labels: the wordings that became labels of it.
        facts: the facts that were recorded, and those that said the same already.
        recorded, repeated: how many proposed facts these two were.
        created: the entities that were created.
        waiting: what still waits, because its ends do not fit or a name means several entities.
    """

    predicate: str = ""
    labels: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    recorded: int = 0
    repeated: int = 0
    created: tuple[Entity, ...] = ()
    waiting: tuple[ProposedFact, ...] = ()

    @property
    def admitted(self) -> int:
        """How many proposed facts no longer wait."""
        return self.recorded + self.repeated

    def with_more(self, other: Admission) -> Admission:
        """This, with what the same wordings did in another group."""
        return replace(
            self,
            facts=self.facts + other.facts,
            recorded=self.recorded + other.recorded,
            repeated=self.repeated + other.repeated,
            created=self.created + other.created,
            waiting=self.waiting + other.waiting,
        )


@dataclass(frozen=True, slots=True)
class Dismissal:
    """What dismissing wordings did: the wordings, and the proposed facts that were deleted."""

    wordings: tuple[str, ...]
    deleted: tuple[ProposedFact, ...]


def propose(tx: Tx, relation: Relation, reason: str) -> tuple[ProposedFact, bool]:
    """Keep a relation that cannot be a fact yet; returns it, and whether it is new.

    The same relation of the same text is kept once. A wording that is too long is cut; then it stands in full in the
    evidence, unless there is a sentence for that.

    Args:
        reason: "wording", "ends" or "name"; see `model.ProposedFact`.
    """
    wording = normalisation.clean(relation.wording)
    is_long = len(wording) > MAX_WORDING
    short = f"{wording[: MAX_WORDING - 1]}…" if is_long else wording
    fact = ProposedFact(
        row=0,
        id="",
        subject=normalisation.clean(relation.subject),
        subject_type=relation.subject_type,
        wording=short,
        wording_key=wording_key(short),
        object=normalisation.clean(relation.object),
        object_type=relation.object_type,
        confidence=relation.confidence,
        source=relation.source,
        evidence=relation.evidence or (wording if is_long else ""),
        episode=tx.episode,
        session=tx.session,
        recorded_at=tx.at,
        reason=reason,
    )
    if row := store.proposals.find_row(tx, fact):
        return replace(fact, row=row), False
    fact = replace(fact, id=tx.new_id("prop"))
    return replace(fact, row=store.proposals.insert(tx, fact)), True


def wording_key(wording: str) -> str:
    """How wordings are compared; one without any letter or digit, such as an arrow, stands for itself."""
    return vocabulary.graph_vocabulary.wording_key(wording) or normalisation.clean(wording).casefold()


def group(tx: Tx) -> list[WordingGroup]:
    """The wordings in which facts wait, grouped by meaning; the largest group first, and last what says nothing.

    Reads only. The first call in a graph computes the vectors of the wordings, if the model is installed.
    """
    waiting = store.proposals.waiting(tx, limit=MAX_GROUPED)
    types = _types_by_name(tx, waiting)
    return wording_groups.group(
        tx,
        [
            WaitingRelation(
                wording=fact.wording,
                key=fact.wording_key,
                subject=fact.subject,
                object=fact.object,
                subject_type=fact.subject_type or types.get(normalisation.key(fact.subject)),
                object_type=fact.object_type or types.get(normalisation.key(fact.object)),
                reason=fact.reason,
                evidence=fact.evidence,
            )
            for fact in waiting
        ],
    )


def admit(tx: Tx, *, wordings: Sequence[str], predicate: str) -> Admission:
    """Accept wordings as labels of a predicate, and record all facts that wait in them.

        This covers all groups, which share the vocabulary. Facts that wait in another inflection or voice of these
        wordings are recorded as well. Each fact has the source, the text and the session of its relation. What does not
    fit stays, with the reason.

        Args:
            predicate: the name of a predicate, or of an inverse: then the ends of the facts are swapped.

        Raises:
            errors.PredicateUnknown: the predicate does not exist.
            errors.VocabularyInvalid: a wording means nothing by itself, such as "is" or "has", or is empty or too long.
    """
    match = predicates.find_matches(tx, predicate)[0]
    texts = _by_key(wordings)
    for key, text in texts.items():
        if inflection.says_nothing(key):
            raise errors.VocabularyInvalid(
                f"{text!r} means nothing by itself: facts in it would mean anything",
                hint="Dismiss it, or record the facts that matter with a more specific predicate.",
            )
    labels = _add_labels(tx, match, texts)
    store.proposals.delete_dismissed(tx, texts)
    admission = Admission(match.predicate.name, labels)
    for tx_of_group in _in_groups(tx):
        waiting = store.proposals.waiting(tx_of_group)
        matches = {**_inflected(tx_of_group, waiting, match), **{key: [match] for key in texts}}
        chosen = [fact for fact in waiting if fact.wording_key in matches]
        admission = admission.with_more(_record(tx_of_group, chosen, matches=matches))
    return admission


def admit_known(tx: Tx) -> Admission:
    """Record the proposed facts whose wording now means a predicate and whose ends fit: after words were added.

    First, entities with a missing type get it if the vocabulary now has it. This covers all groups, which share the
    vocabulary. Names and literals are examined as in an extraction, because nobody has reviewed
    these facts.
    """
    entities.apply_given(tx)
    admission = Admission()
    wordings_now = RelationWordings(tx)
    for tx_of_group in _in_groups(tx):
        waiting = store.proposals.waiting(tx_of_group)
        admission = admission.with_more(
            _record(tx_of_group, [fact for fact in waiting if wordings_now.find(fact.wording)])
        )
    return admission


def dismiss(tx: Tx, wordings: Sequence[str]) -> Dismissal:
    """Delete the facts that wait in these wordings, and note not to propose relations in them again.

    This covers the group of the transaction, and others where facts wait in them.

    Raises:
        errors.VocabularyInvalid: a wording is empty or too long.
    """
    texts = _by_key(wordings)
    deleted: list[ProposedFact] = []
    for tx_of_group in _in_groups(tx):
        waiting = store.proposals.waiting(tx_of_group, wording_keys=texts)
        store.proposals.delete(tx, [fact.row for fact in waiting])
        deleted += waiting
        for key in texts if tx_of_group.group == tx.group else dict.fromkeys(fact.wording_key for fact in waiting):
            store.proposals.insert_dismissed(tx_of_group, wording=texts[key], wording_key=key, dismissed_at=tx.at)
    return Dismissal(tuple(texts.values()), tuple(deleted))


def _in_groups(tx: Tx) -> list[Tx]:
    """The transaction in its own group, and in each other group with waiting facts."""
    others = [group_id for group_id in store.proposals.counts_by_group(tx) if group_id != tx.group]
    return [tx, *(replace(tx, group=group_id) for group_id in others)]


def _by_key(given: Sequence[str]) -> dict[str, str]:
    """Wordings by their keys.

    Raises:
        errors.VocabularyInvalid: one is empty or too long.
    """
    texts: dict[str, str] = {}
    for text in given:
        clean = normalisation.clean(text)
        key = wording_key(clean)
        if not key or len(clean) > MAX_WORDING:
            raise errors.VocabularyInvalid(
                f"a wording has 1 to {MAX_WORDING} characters, not {clean[:60]!r}",
                hint="Give wordings as the proposed facts have them.",
            )
        texts.setdefault(key, clean)
    return texts


def _add_labels(tx: Tx, match: PredicateMatch, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Make wordings labels of a predicate, or of its inverse; returns those that it did not have."""
    kind = store.vocabulary.PREDICATE
    term = graph_vocabulary.read(tx).predicate_by_name[match.wording_predicate]
    if term.retired_at is not None:
        term = match.predicate
    existing = [label.label for label in store.vocabulary.labels(tx, kind, [term.row]).get(term.row, ())]
    known = {vocabulary.graph_vocabulary.wording_key(text) for text in (term.name, *existing)}
    labels = [text for key, text in texts.items() if key not in known]
    definitions = [LabelDefinition(_LANGUAGE_UNKNOWN, "alternative", text) for text in labels]
    vocabulary.terms.add_labels(tx, kind, term.row, definitions)
    return tuple(labels)


def _inflected(tx: Tx, waiting: Sequence[ProposedFact], match: PredicateMatch) -> dict[str, list[PredicateMatch]]:
    """The wordings that now mean this predicate, as another inflection or voice of a label, by their keys."""
    wordings_now = RelationWordings(tx)
    unknown = {fact.wording_key: fact.wording for fact in waiting if fact.reason == relations.WORDING}
    matches = {
        key: [found for found in wordings_now.find(wording) if found.predicate.name == match.predicate.name]
        for key, wording in unknown.items()
    }
    return {key: known for key, known in matches.items() if known}


def _record(
    tx: Tx,
    chosen: Sequence[ProposedFact],
    *,
    matches: Mapping[str, Sequence[PredicateMatch]] | None = None,
) -> Admission:
    """Record proposed facts, and delete those that are now facts.

    Args:
        matches: the predicates for wordings that somebody accepted, by their keys; None to use the vocabulary.
    """
    recorder = RelationRecorder(
        tx, [_relation(fact) for fact in chosen], matches=matches, is_accepted=matches is not None
    )
    result = _Counts()
    texts: dict[int, GroundingText] = {}
    for fact in chosen:
        tx_of_fact = replace(tx, session=fact.session, episode=fact.episode)
        outcome = recorder.record(tx_of_fact, _relation(fact), text=_text_of(tx, fact, texts))
        result.created += outcome.created
        if outcome.fact is None:
            reason = outcome.reason or relations.ENDS
            store.proposals.set_reason(tx, fact.row, reason)
            result.waiting.append(replace(fact, reason=reason))
        else:
            store.proposals.delete(tx, [fact.row])
            result.facts.setdefault(outcome.fact.row, outcome.fact)
            result.repeated += outcome.is_repeated
    return Admission(
        facts=tuple(result.facts.values()),
        recorded=len(chosen) - len(result.waiting) - result.repeated,
        repeated=result.repeated,
        created=tuple(result.created),
        waiting=tuple(result.waiting),
    )


def _text_of(tx: Tx, fact: ProposedFact, texts: dict[int, GroundingText]) -> GroundingText | None:
    """The text that a proposed fact was read in, each once; None if it was not stored."""
    if fact.episode is None:
        return None
    if fact.episode not in texts:
        episode = store.episodes.by_rows(tx, [fact.episode])[fact.episode]
        texts[fact.episode] = GroundingText(store.episodes.text(tx, episode), before=episode.name)
    return texts[fact.episode]


@dataclass(slots=True)
class _Counts:
    """What was recorded so far."""

    facts: dict[int, Fact] = field(default_factory=dict)
    repeated: int = 0
    created: list[Entity] = field(default_factory=list)
    waiting: list[ProposedFact] = field(default_factory=list)


def _relation(fact: ProposedFact) -> Relation:
    return Relation(
        subject=fact.subject,
        wording=fact.wording,
        object=fact.object,
        subject_type=fact.subject_type,
        object_type=fact.object_type,
        confidence=fact.confidence,
        source=fact.source,
        evidence=fact.evidence,
    )


def _types_by_name(tx: Tx, waiting: Sequence[ProposedFact]) -> dict[str, str]:
    """The types of the entities that the names in proposed facts mean, by key; unknown names are left out."""
    default = graph_vocabulary.read(tx).default_type(graph_vocabulary.DEFAULT_STYLE)
    keys = {normalisation.key(name) for fact in waiting for name in (fact.subject, fact.object)}
    return {
        key: entity_type
        for key, (entity_type, is_assumed) in store.proposals.types_of_names(tx, sorted(keys)).items()
        if not (is_assumed and entity_type == default)
    }
