"""Relation verdicts: whether a relation holds, by five judges: what is known, the vocabulary, rules, texts, structure.

A relation is accepted if it is known, or if a text states it, and nothing contradicts it. No other judge accepts
anything, and none accepts because it ran out of time (ADR 0045).

Relations between two names are created and deleted by their ends, not by id. A new name without a type gets the type
that the predicate wants; it stays assumed until somebody gives one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.knowledge import entities, facts, literals, predicates, validity
from keepgraph.engine.knowledge.predicates import LITERAL, PredicateMatch
from keepgraph.engine.knowledge.relations import Relation, RelationRecorder
from keepgraph.engine.resolution import resolver
from keepgraph.engine.verification import conflicts, text_evidence
from keepgraph.engine.verification.conflicts import Conflict
from keepgraph.engine.verification.text_evidence import TextVerdict
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.english import with_article
from keepgraph.language.normalisation import Name
from keepgraph.model import ADVISORY_FLAGS, Candidate, Entity, Fact, RecordedFact, Ref, Resolution
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

Level = Literal["known", "contradicted", "grounded", "supported", "unverified"]

_WEAK_KINDS = ("rests_on_ended", "retracted", *ADVISORY_FLAGS)
"""What does not contradict a relation: its object has ended, it was retracted (which is judged as known), or it is
merely unusual beside another."""

_TEXT_SCORES = {"says": 1.0, "uncertain": 0.5, "denies": 0.0}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge says, in a word and in a sentence.

    Attributes:
        judge: known, vocabulary, rules, text or structure.
        verdict: a word for it, such as fits, silent, or says.
    """

    judge: str
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class RelationVerdict:
    """The verdict on a relation.

    Attributes:
        subject, object: how the two names were resolved.
        fact: the relation as recorded, or as it would be; None if its words or names are unknown.
        structure_score: from 0 to 1, see `relation_structure.score`.
        text_score: 1 if a text states it, 0.5 if that is uncertain, 0 if one denies it; None if none is found.
        evidence: the supporting facts.
        sentence: what texts say.
    """

    level: Level
    subject: Resolution
    object: Resolution
    predicate: str | None
    fact: Fact | None
    structure_score: float
    text_score: float | None
    judgements: tuple[Judgement, ...]
    evidence: tuple[Fact, ...]
    sentence: TextVerdict
    conflicts: tuple[Conflict, ...] = ()

    @property
    def is_accepted(self) -> bool:
        return self.level in ("known", "grounded")


@dataclass(slots=True)
class _Case:
    """A relation being judged."""

    subject: Resolution
    object: Resolution
    match: PredicateMatch | None
    fact: Fact | None = None
    known: tuple[Fact, ...] = ()
    judgements: list[Judgement] = field(default_factory=list)
    conflicts: tuple[Conflict, ...] = ()
    is_contradicted: bool = False
    ended_at: str | None = None
    is_misfit: bool = False

    def add(self, judge: str, verdict: str, reason: str) -> None:
        self.judgements.append(Judgement(judge, verdict, reason))


def judge(
    tx: Tx,
    subject: str,
    wording: str,
    target: str,
    *,
    texts: Sequence[str] = (),
    confidence: float = 0.5,
    asks_rules: bool = True,
) -> RelationVerdict:
    """Judge whether a relation holds between two things, which are resolved as for readers.

    An unknown name or word is not an error: the verdict says so.

    Args:
        subject, target: names, aliases or ids; the target may be a literal if the predicate takes one.
        wording: a predicate, or another wording of it.
        texts: what the caller has read; they take precedence over stored texts.
        confidence: how certain the caller is, from 0 to 1.
        asks_rules: whether to ask rules learned from the facts too, which takes time and accepts nothing.
    """
    matches = text_evidence.find_matches(tx, wording)
    case = _Case(_resolve(tx, subject), _resolve(tx, target), None)
    case.match = _choose(tx, matches, case.subject.entity, case.object.entity)
    case.fact = _draft(tx, case, target)
    _judge_known(tx, case)
    _judge_vocabulary(tx, case, wording, subject, target)
    _judge_rules(tx, case, subject, target)
    text = _judge_text(tx, case, wording, subject, target, texts)
    structure_score, is_supported = _judge_structure(tx, case, confidence=confidence, asks_rules=asks_rules)
    return RelationVerdict(
        level=_level(case, text, is_supported),
        subject=case.subject,
        object=case.object,
        predicate=case.match.predicate.name if case.match else None,
        fact=case.known[0] if case.known else case.fact,
        structure_score=structure_score,
        text_score=_TEXT_SCORES.get(text.verdict),
        judgements=tuple(case.judgements),
        evidence=case.known,
        sentence=text,
        conflicts=case.conflicts,
    )


def _resolve(tx: Tx, name: str) -> Resolution:
    return resolver.resolve(tx, Name(name)) if Name(name).key else Resolution(None, "none", 0.0)


def _choose(
    tx: Tx, matches: Sequence[PredicateMatch], subject: Entity | None, target: Entity | None
) -> PredicateMatch | None:
    """The predicate that fits what the names mean; else the first."""
    vocabulary = graph_vocabulary.read(tx)
    types = subject.type if subject else None, target.type if target else None
    return predicates.choose(vocabulary, matches, *types) or next(iter(matches), None)


def _draft(tx: Tx, case: _Case, target: str) -> Fact | None:
    """The relation as an unrecorded fact; None if its words or names are unknown."""
    subject, match = case.subject.entity, case.match
    if subject is None or match is None:
        return None
    if _takes_literal(tx, match) and not match.is_reversed and target.strip():
        literal = target.strip()[: literals.MAX_LITERAL]
        with suppress(errors.LiteralInvalid):  # a literal of another kind is judged as a misfit
            literal = literals.read(tx, match.predicate, literal)
        fact = _fact(tx, subject, match, literal=literal)
        fact = replace(fact, literal=validity.known_spelling(tx, fact, match.predicate))
        is_literal = match.predicate.literal_kind is not None or case.object.entity is None
        if is_literal or validity.find_known(tx, fact, match.predicate):
            return fact
    if case.object.entity is None:
        return None
    ends = (case.object.entity, subject) if match.is_reversed else (subject, case.object.entity)
    return _fact(tx, ends[0], match, object=ends[1])


def _fact(
    tx: Tx, subject: Entity, match: PredicateMatch, *, object: Entity | None = None, literal: str | None = None
) -> Fact:
    return Fact(
        row=0,
        id="",
        subject=subject,
        predicate=match.predicate.name,
        object=object,
        literal=literal,
        confidence=1.0,
        recorded_at=tx.at,
        valid_from=None,
        valid_to=None,
        predicate_sentence=match.predicate.sentence,
    )


def _takes_literal(tx: Tx, match: PredicateMatch) -> bool:
    return predicates.fits(graph_vocabulary.read(tx), match, None, LITERAL)


def _judge_known(tx: Tx, case: _Case) -> None:
    """Whether the relation is recorded, has ended, or was retracted, and by whom."""
    fact, match = case.fact, case.match
    if fact is None or match is None:
        case.add("known", "unknown", "It cannot be looked up, because not all of its names and words are known.")
        return
    now = tx.at
    said = validity.find_known(tx, fact, match.predicate)
    case.known = tuple(store.facts.by_rows(tx, [one.row for one in said if validity.holds_at(one, now)]))
    sentence = facts.sentence(fact)
    if case.known:
        since = timestamps.local_date(case.known[0].recorded_at, tx.zone)
        case.add("known", "known", f"“{sentence}” has been recorded since {since}, and holds.")
        return
    twin = store.group_conflicts.retracted_twin(tx, fact, predicate=match.predicate.row)
    if said:
        last = max(said, key=lambda one: one.valid_to or "~")
        if last.valid_to is not None and last.valid_to <= now:
            case.ended_at = last.valid_to
            until = timestamps.format_end(last.valid_to, tx.zone)
            case.add("known", "ended", f"“{sentence}” was recorded, and held until {until}.")
        else:
            begins = timestamps.local_date(last.valid_from or now, tx.zone)
            case.add("known", "later", f"“{sentence}” is recorded, and holds from {begins} on.")
    elif twin is not None:
        case.is_contradicted = True
        by = conflicts.describe_retraction(tx, twin)
        case.add("known", "retracted", f"“{sentence}” was recorded once, and retracted {by}.")
    else:
        case.add("known", "unknown", f"“{sentence}” is not recorded.")


def _judge_vocabulary(tx: Tx, case: _Case, wording: str, subject: str, target: str) -> None:
    """Whether the words and names are known, and the predicate connects these types."""
    vocabulary, match = graph_vocabulary.read(tx), case.match
    if match is None:
        near = predicates.unknown(tx, wording)
        case.add("vocabulary", "unknown_word", f"{near.message.rstrip('.')}. {near.hint or ''}".strip())
        return
    takes_literal = _takes_literal(tx, match)
    ends = ((subject, case.subject, False), (target, case.object, takes_literal))
    missing = [name.strip()[:80] for name, resolution, is_open in ends if resolution.entity is None and not is_open]
    if missing:
        if ambiguous := next((res.hint for _, res, is_open in ends if res.is_ambiguous and not is_open), None):
            case.add("vocabulary", "unknown_name", ambiguous)
            return
        names = " and ".join(f"“{name}”" for name in missing)
        case.add("vocabulary", "unknown_name", f"{names} {'is' if len(missing) == 1 else 'are'} not known.")
        return
    fact = case.fact
    if fact is None or not vocabulary.fits(
        match.predicate, fact.subject.type, fact.object.type if fact.object else None
    ):
        case.is_misfit = True
        case.add("vocabulary", "misfit", f"{match.predicate.name} does not connect these types.")
    elif fact.literal is not None and literals.normalise(fact.literal, match.predicate.literal_kind, tx.zone) is None:
        case.is_misfit = True
        takes = literals.describe(match.predicate.literal_kind)
        case.add("vocabulary", "misfit", f"{match.predicate.name} takes {takes}.")
    else:
        case.add("vocabulary", "fits", f"{match.predicate.name} connects these types.")


def _judge_rules(tx: Tx, case: _Case, subject: str, target: str) -> None:
    """Whether it is compatible with what is recorded."""
    fact = case.known[0] if case.known else case.fact or _stand_in(tx, case, subject, target)
    if fact is None:
        case.add("rules", "unknown", "No rule can be checked, because not all of its names and words are known.")
        return
    case.conflicts = tuple(
        conflict for conflict in conflicts.of_fact(tx, fact) if case.known or conflict.kind != "retracted"
    )
    grave = [conflict for conflict in case.conflicts if conflict.kind not in _WEAK_KINDS]
    if grave:
        case.is_contradicted = True
        case.add("rules", "contradicted", grave[0].statement)
    elif case.conflicts:
        case.add("rules", "doubtful", case.conflicts[0].statement)
    else:
        case.add("rules", "fits", "No rule contradicts it.")


def _stand_in(tx: Tx, case: _Case, subject: str, target: str) -> Fact | None:
    """The relation as a fact with one unknown end: a rule may contradict it whatever that end is."""
    match = case.match
    known = case.subject.entity, case.object.entity
    if match is None or known == (None, None) or match.predicate.literal_kind is not None:
        return None
    vocabulary = graph_vocabulary.read(tx)
    ends = [
        entity or Entity(-1, "", _likely_type(vocabulary, allowed), name.strip(), "")
        for entity, name, allowed in zip(known, (subject, target), (match.sources, match.targets), strict=True)
    ]
    first, second = reversed(ends) if match.is_reversed else ends
    return _fact(tx, first, match, object=second)


def _likely_type(vocabulary: Vocabulary, allowed: Sequence[str]) -> str:
    """The first type that an end may have."""
    return next(iter(entities.usable_type(vocabulary, allowed)), vocabulary.default_type("term"))


def _judge_text(tx: Tx, case: _Case, wording: str, subject: str, target: str, texts: Sequence[str]) -> TextVerdict:
    """What the given texts and the stored ones say."""
    if case.fact is not None:
        source: Entity | str = case.fact.subject
        other: Entity | str = case.fact.object or case.fact.literal or target
        predicate = case.fact.predicate
    else:
        source, other = case.subject.entity or subject.strip(), case.object.entity or target.strip()
        predicate = case.match.predicate.name if case.match else wording
        if case.match is not None and case.match.is_reversed:
            source, other = other, source
    given = [text for text in texts if text.strip()]
    verdict = text_evidence.judge(tx, subject=source, predicate=predicate, object=other, texts=given)
    since = (case.known[0].valid_from or case.known[0].recorded_at) if case.known else ""
    if verdict.verdict == "denies" and _is_later(tx, verdict, since):
        case.is_contradicted = True
    if verdict.verdict == "says" and case.ended_at is not None and _is_later(tx, verdict, case.ended_at):
        case.ended_at = None
    case.add("text", verdict.verdict, verdict.reason)
    return verdict


def _is_later(tx: Tx, text: TextVerdict, moment: str) -> bool:
    """Whether a text is from an instant or later; one that the caller gave is from now."""
    episode = store.episodes.by_id(tx, text.source) if text.source else None
    return episode is None or episode.occurred_at >= moment


def _judge_structure(tx: Tx, case: _Case, *, confidence: float, asks_rules: bool) -> tuple[float, bool]:
    """The score of the structure, and whether it supports the relation."""
    subject, target = case.subject.entity, case.object.entity
    is_typed = case.match is not None
    if subject is None or target is None:
        case.add("structure", "unknown", "Nothing is known around it, because not all of its names are known.")
        return _score(_Structure(), confidence=confidence, is_typed=is_typed), False
    is_open = asks_rules and not case.known and not case.is_contradicted
    structure = _measure(tx, subject, target, fact=case.fact if is_open else None)
    verdict = "supports" if structure.supports else "open"
    case.add("structure", verdict, _describe(structure, subject, target))
    return _score(structure, confidence=confidence, is_typed=is_typed), structure.supports


def _level(case: _Case, text: TextVerdict, is_supported: bool) -> Level:
    is_said = text.verdict == "says"
    if case.match is None:
        return "contradicted" if case.is_contradicted else "unverified"
    if case.is_contradicted or case.is_misfit:
        return "contradicted"
    if case.ended_at is not None:
        return "contradicted"
    if case.known:
        return "known"
    if is_said:
        return "grounded"
    return "supported" if is_supported else "unverified"


# The structure around a relation: true degrees, common neighbours and their overlap, and the score made of them.
#
# A rule learned from the facts (engine/analysis/link_prediction.py) may state the relation too. The score has the
# weights of HydraMem's SR-MKG, which was computed there without degrees or neighbours, so that nothing could exceed
# 0.45. It supports a relation, and accepts none.

_MAX_DEGREE = 100_000
_MAX_NEIGHBOURS = 5_000
"""How many neighbours of the entity with fewer are compared."""

_MAX_NAMED = 5

_MIN_COMMON = 2
_MIN_OVERLAP = 0.1
_MIN_RULE_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class _Structure:
    """What the graph around two entities suggests about a relation between them.

    Attributes:
        degrees: the facts that connect each of the two with others.
        common: how many entities are connected with both.
        names: the names of the first of them.
        overlap: the share of common neighbours among those of either, from 0 to 1 (Jaccard).
        rule, rule_confidence: the best learned rule that states the relation, in words, and how often such a rule is
            right, from 0 to 1; None if there is none.
    """

    degrees: tuple[int, int] = (0, 0)
    common: int = 0
    names: tuple[str, ...] = ()
    overlap: float = 0.0
    rule: str | None = None
    rule_confidence: float | None = None

    @property
    def supports(self) -> bool:
        """Whether a rule states it, or the two have enough around them in common, so that a relation is likely."""
        has_rule = self.rule_confidence is not None and self.rule_confidence >= _MIN_RULE_CONFIDENCE
        return has_rule or (self.common >= _MIN_COMMON and self.overlap >= _MIN_OVERLAP)


def _measure(tx: Tx, subject: Entity, target: Entity, *, fact: Fact | None = None) -> _Structure:
    """The structure around two entities, from the facts that hold.

    Args:
        fact: the relation between the two, if learned rules are to be asked about it.
    """
    degrees = tuple(store.neighbourhood.degree(tx, one, limit=_MAX_DEGREE) for one in (subject, target))
    fewer, more = (subject, target) if degrees[0] <= degrees[1] else (target, subject)
    nearby = store.neighbourhood.connected(tx, fewer, limit=_MAX_NEIGHBOURS)
    common = store.neighbourhood.are_neighbours(tx, more, sorted(nearby)) - {subject.row, target.row}
    either = degrees[0] + degrees[1] - len(common)
    entities = store.entities.by_rows(tx, sorted(common)[:_MAX_NAMED])
    rule = _find_rule(tx, fact) if fact else None
    return _Structure(
        degrees=(degrees[0], degrees[1]),
        common=len(common),
        names=tuple(entity.name for entity in entities.values()),
        overlap=min(1.0, len(common) / either) if either else 0.0,
        rule=rule[1] if rule else None,
        rule_confidence=rule[0] if rule else None,
    )


def _describe(structure: _Structure, subject: Entity, target: Entity) -> str:
    """The structure around two entities in one sentence, and the rule in another."""
    named = f": {', '.join(structure.names)}" if structure.names else ""
    more = f" and {structure.common - len(structure.names)} more" if structure.common > len(structure.names) else ""
    sentence = (
        f"{subject.name} has {_count(structure.degrees[0], 'connection')} and {target.name} has "
        f"{_count(structure.degrees[1], 'connection')}; "
        f"they have {_count(structure.common, 'neighbour')} in common{named}{more}."
    )
    if structure.rule is None or structure.rule_confidence is None:
        return sentence
    return f"{sentence} A rule that is right in {structure.rule_confidence:.0%} of cases says it: {structure.rule}"


def _score(structure: _Structure, *, confidence: float, is_typed: bool) -> float:
    """A number from 0 to 1, to four decimals: how well a relation fits what is around it.

    Args:
        confidence: the caller's, from 0 to 1; a rule's confidence counts instead if it is higher.
        is_typed: whether the relation is a word of the vocabulary.
    """
    isolated = 0.3 if 0 in structure.degrees else 0.0
    base = max(confidence or 0.5, structure.rule_confidence or 0.0)
    total = 0.4 * base + 0.4 * structure.overlap + (0.05 if is_typed else 0.0) - isolated
    return round(min(1.0, max(0.0, total)), 4)


def _find_rule(tx: Tx, fact: Fact) -> tuple[float, str] | None:
    """The confidence of the best rule that states a fact between two entities, and the rule in words."""
    if fact.object is None:
        return None
    # Imported here, because it needs numpy and much code, and is often unused.
    from keepgraph.engine.analysis import link_prediction

    return link_prediction.rule_confidence(
        tx, subject=fact.subject.row, predicate=fact.predicate, object=fact.object.row
    )


def _count(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


MAX_FACTS = 200

_EXACT_METHODS = ("exact", "alias")


@dataclass(frozen=True, slots=True)
class DeletedRelation:
    """What was deleted between two things, and what is left.

    Attributes:
        subject, object: how the two names were resolved; only exactly or by an alias.
        predicate: the predicate that the wording means; None if none.
        facts: the retracted ones.
        others: the remaining facts between the two.
    """

    subject: Resolution
    object: Resolution
    predicate: str | None
    facts: tuple[Fact, ...] = ()
    others: tuple[Fact, ...] = ()


def create(
    tx: Tx,
    subject: str,
    wording: str,
    target: str,
    *,
    subject_type: str | None = None,
    object_type: str | None = None,
    source: str | None = None,
    confidence: float = 1.0,
    valid_from: str | None = None,
    valid_to: str | None = None,
) -> RecordedFact:
    """Record a relation between two names or ids; new names become entities.

    Raises:
        As `knowledge.facts.record`.
    """
    matches = text_evidence.find_matches(tx, wording)
    if not matches:
        raise predicates.unknown(tx, wording)
    predicate = wording
    if not _is_recordable(tx, wording):  # an inflection: "is working at"
        predicate = matches[0].predicate.name
        if matches[0].is_reversed:
            subject, target, subject_type, object_type = target, subject, object_type, subject_type
    takes_literal = all(match.predicate.literal_kind is not None for match in matches)
    if matches[0].predicate.role == "tags" and object_type is None and not matches[0].is_reversed:
        takes_literal = not target.lower().startswith("ent_") and not knowledge.entities.find_named(tx, target, ())
    ends = _ref(tx, subject, subject_type), target if takes_literal else _ref(tx, target, object_type)

    def record(first: Ref, second: Ref | str) -> RecordedFact:
        with tx.savepoint():
            recorded = knowledge.facts.record(
                tx,
                subject=first,
                predicate=predicate,
                object=second,
                source=source,
                confidence=confidence,
                valid_from=valid_from,
                valid_to=valid_to,
            )
            untyped = [end for end in ends if isinstance(end, Ref) and not end.id and not end.type]
            for entity in recorded.created if untyped else ():
                _refuse_namesake(tx, entity)
            return recorded

    try:
        return record(*ends)
    except errors.EntityTypeUnknown:
        if subject_type or object_type:
            raise
    # A name is new, and several types fit.
    recorder = RelationRecorder(tx, [Relation(subject, predicate, target)], is_accepted=True)
    typed = [_typed(tx, recorder, end) if isinstance(end, Ref) else end for end in ends]
    recorded = record(_as_ref(typed[0]), typed[1])
    store.entities.mark(tx, [entity.row for entity in recorded.created])
    return recorded


def _refuse_namesake(tx: Tx, created: Entity) -> None:
    """
    Raises:
        errors.Ambiguous: a name without a type became a new entity, though things of other types have that name.
    """
    namesakes = [entity for entity in _named(tx, created.name) if entity != created]
    if namesakes:
        types = ", ".join(dict.fromkeys(entity.type for entity in namesakes))
        raise errors.Ambiguous(
            f"“{created.name}” is known ({types}), and this relation needs {with_article(created.type)}",
            hint=f"If you mean another one, give its type: {created.type}:{created.name}.",
            candidates=[{"id": entity.id, "type": entity.type, "name": entity.name} for entity in namesakes],
        )


def delete(tx: Tx, subject: str, wording: str, target: str) -> DeletedRelation:
    """Retract the facts of one predicate between two things, whenever they held; other facts between them stay.

    Names match exactly or by alias: similar ones are candidates.
    """
    ends = _resolve_exactly(tx, subject), _resolve_exactly(tx, target)
    matches = text_evidence.find_matches(tx, wording)
    predicate = matches[0].predicate.name if matches else None
    if ends[0].entity is None:
        return DeletedRelation(*ends, predicate)
    between = _between(tx, ends[0].entity, ends[1].entity, target)
    doomed = [fact for fact in between if any(_is_meant(fact, ends[0].entity, match) for match in matches)]
    for fact in doomed:
        knowledge.facts.retract(tx, fact)
    gone = {fact.row for fact in doomed}
    return DeletedRelation(*ends, predicate, tuple(doomed), tuple(fact for fact in between if fact.row not in gone))


def _is_recordable(tx: Tx, wording: str) -> bool:
    """Whether facts can be recorded with this wording."""
    try:
        predicates.find_matches(tx, wording)
    except errors.PredicateUnknown:
        return False
    return True


def _ref(tx: Tx, name: str, entity_type: str | None) -> Ref:
    """What a name or an id means to a writer; `person:Ada` is an Ada of that type, unless something has that name."""
    text = name.strip()
    if text.lower().startswith("ent_"):
        return Ref(id=text)
    prefix, colon, rest = text.partition(":")
    named_type, rest = prefix.strip().lower(), rest.strip()
    is_typed = colon and rest and entity_type is None and named_type in graph_vocabulary.read(tx).type_by_name
    if is_typed and not store.entities.by_key(tx, Name(text).key):
        entity_type, text = named_type, rest
    ref = knowledge.owner.substitute(tx, Ref(type=entity_type, name=text))
    if ref.id is None and ref.type is None:
        named = _named(tx, text)
        return Ref(id=named[0].id) if len(named) == 1 else ref
    return ref


def _named(tx: Tx, name: str) -> list[Entity]:
    """The entities with exactly this name, else those with this alias."""
    key = Name(name).key
    return store.entities.by_key(tx, key) or [entity for entity, _ in store.entities.by_alias_key(tx, key)]


def _typed(tx: Tx, recorder: RelationRecorder, ref: Ref) -> Ref:
    """A name with a type: of what it names, or as the relation wants."""
    if ref.id is not None or ref.type is not None or ref.name is None:
        return ref
    if known := knowledge.entities.find_named(tx, ref.name, ()):
        return Ref(id=known.id)
    entity_type = recorder.type_of(tx, ref.name) or entities.first_usable(graph_vocabulary.read(tx), ())
    return Ref(type=entity_type, name=ref.name)


def _as_ref(end: Ref | str) -> Ref:
    return end if isinstance(end, Ref) else Ref(name=end)


def _resolve_exactly(tx: Tx, name: str) -> Resolution:
    if not Name(name).key:
        return Resolution(None, "none", 0.0)
    resolution = resolver.resolve(tx, Name(name))
    if resolution.entity is None or resolution.method in _EXACT_METHODS:
        return resolution
    guessed = Candidate(resolution.entity, resolution.entity.name, resolution.method, resolution.score)
    return Resolution(None, "none", 0.0, (guessed, *resolution.candidates))


def _between(tx: Tx, subject: Entity, target: Entity | None, text: str) -> Sequence[Fact]:
    """The facts between two things that are not retracted, newest first; the other end may be a literal."""
    rows = store.neighbourhood.facts_between_two(tx, subject, target, limit=MAX_FACTS) if target else []
    rows += store.neighbourhood.facts_with_literal(tx, subject, text.strip(), limit=MAX_FACTS)
    return store.facts.by_rows(tx, rows) if rows else []


def _is_meant(fact: Fact, subject: Entity, match: PredicateMatch) -> bool:
    """Whether a fact says what a wording says of a subject, in the same direction."""
    if fact.predicate != match.predicate.name:
        return False
    if "symmetric" in match.predicate.flags:
        return True
    return (fact.subject.row == subject.row) != match.is_reversed or fact.object == fact.subject
