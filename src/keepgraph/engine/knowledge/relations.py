"""Relations extracted by others, as facts: the predicate of the wording, and the entities of the names.

A relation becomes a fact if its wording means a predicate and its ends fit; else `Outcome.reason` says why not.

A wording may mean predicates by name, label, inverse, inflection or voice. A wording without meaning of its own (`is`,
`has`, `in`) means no predicate. Nor does an inflection in another tense: who "will work at" an organisation does not
work there yet, and who "worked at" it may have left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import entities, facts, literals, predicates
from keepgraph.engine.knowledge.predicates import LITERAL, PredicateMatch
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import first_person, inflection, name_shapes, normalisation, quantities
from keepgraph.language.grounding import End, GroundingText, Wordings
from keepgraph.language.normalisation import Name
from keepgraph.model import Entity, Fact, Predicate, Ref
from keepgraph.store.transactions import Tx

WORDING, ENDS, NAME = "wording", "ends", "name"
"""What a relation waits for: its wording is unknown, its ends do not fit, or a name means several entities."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two names, in the words of its extractor.

    Attributes:
        subject_type, object_type: the entity types that came with the names; None if not given.
        evidence: the sentence of the text with both ends; empty if there is none.
    """

    subject: str
    wording: str
    object: str
    subject_type: str | None = None
    object_type: str | None = None
    confidence: float = 1.0
    source: str | None = None
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a relation: a fact, or the reason why it waits.

    Attributes:
        fact: the recorded or already existing fact; None if the relation waits.
        is_repeated: whether the fact existed.
        created: the entities that were created for it.
        reason: "wording", "ends" or "name"; None if there is a fact.
        is_ungrounded: whether it waits because its text does not say it.
    """

    fact: Fact | None = None
    is_repeated: bool = False
    created: tuple[Entity, ...] = ()
    reason: str | None = None
    is_ungrounded: bool = False


class RelationRecorder:
    """Records relations as facts, using what all of them together say about names without a type."""

    def __init__(
        self,
        tx: Tx,
        relations: Iterable[Relation],
        *,
        names: Iterable[str] = (),
        matches: Mapping[str, Sequence[PredicateMatch]] | None = None,
        is_accepted: bool = False,
    ) -> None:
        """
        Args:
            relations: all that are to be recorded.
            names: other names that came with them.
            matches: the predicates for wordings, by their keys; None to use the vocabulary.
            is_accepted: whether a person has accepted the wordings; then names and literals are taken as given.
        """
        self._wordings = RelationWordings(tx)
        self._matches = matches
        self._is_accepted = is_accepted
        relations = list(relations)
        ends = [name for relation in relations for name in (relation.subject, relation.object)]
        self._is_cased = not is_accepted and name_shapes.are_cased([*ends, *names])
        self._ends: dict[str, End] = {}
        self._words_of: dict[tuple[str, str], Wordings] = {}
        self._wanted: dict[str, list[Sequence[str]]] = defaultdict(list)
        for relation in relations:
            self._note_wanted_types(relation, self._best_first(tx, relation))

    def type_of(self, tx: Tx, name: str) -> str | None:
        """The type that the relations want for a name without one; None if they want none, or none suits."""
        wanted = self._wanted.get(normalisation.key(name), ())
        return self._choose(tx, name, wanted)

    def record(self, tx: Tx, relation: Relation, *, text: GroundingText | None = None) -> Outcome:
        """Record a relation as a fact, if possible.

        Args:
            text: the text it was read in; only what it says becomes a fact. An accepted wording need not be in it.
                None if it was not stored.
        """
        matches = self._best_first(tx, relation)
        ends = self._named_ends(tx, relation) if text is not None and matches else None
        if text is not None and ends is not None and not all(map(text.names, ends)):
            return Outcome(reason=ENDS, is_ungrounded=True)
        reason: str | None = WORDING
        is_ungrounded = False
        for match in matches:
            if text is not None and ends is not None and not self._is_accepted:
                subject, target = ends
                if not text.states(subject, self._words(tx, relation.wording, match), target):
                    is_ungrounded = True
                    continue
            outcome = self._try(tx, relation, match)
            if outcome.fact is not None:
                return outcome
            reason = outcome.reason if reason == WORDING or outcome.reason == NAME else reason
        is_ungrounded = is_ungrounded and reason == WORDING
        return Outcome(reason=ENDS if is_ungrounded else reason, is_ungrounded=is_ungrounded)

    def _named_ends(self, tx: Tx, relation: Relation) -> tuple[End, End]:
        return self._end_in_text(tx, relation.subject), self._end_in_text(tx, relation.object)

    def _end_in_text(self, tx: Tx, name: str) -> End:
        """An end with its names in the graph: a text may use another one."""
        if name not in self._ends:
            named = entities.all_named(tx, Name(name))
            owner = store.groups.find(tx)
            names = [text for entity in named for text in (entity.name, *store.entities.aliases(tx, entity))]
            is_pronoun = first_person.is_pronoun(name)
            is_speaker = is_pronoun or (owner is not None and any(entity.row == owner.row for entity in named))
            self._ends[name] = End(tuple(dict.fromkeys([*([] if is_pronoun else [name]), *names])), is_speaker)
        return self._ends[name]

    def _words(self, tx: Tx, wording: str, match: PredicateMatch) -> Wordings:
        """The words by which a text may state a relation: its own, and those of its predicate and its inverses."""
        predicate = match.predicate.name
        if (wording, predicate) not in self._words_of:
            vocabulary = graph_vocabulary.read(tx)
            terms = [vocabulary.predicate_by_name[name] for name in (predicate, *vocabulary.inverses(predicate))]
            labels = store.vocabulary.labels(tx, store.vocabulary.PREDICATE, [term.row for term in terms])
            texts = [term.name for term in terms] + [label.label for each in labels.values() for label in each]
            self._words_of[wording, predicate] = Wordings.of([wording, *texts])
        return self._words_of[wording, predicate]

    def _find(self, relation: Relation) -> Sequence[PredicateMatch]:
        if self._matches is None:
            return self._wordings.find(relation.wording)
        return self._matches.get(graph_vocabulary.wording_key(relation.wording), ())

    def _best_first(self, tx: Tx, relation: Relation) -> Sequence[PredicateMatch]:
        """The predicates for a relation: first those that fit the types in names such as "Harvard University"."""
        matches = self._find(relation)
        if len(matches) < 2:
            return matches
        vocabulary = graph_vocabulary.read(tx)
        named = entities.named_in(tx, relation.subject), entities.named_in(tx, relation.object)

        def misfits(match: PredicateMatch) -> int:
            ends = (match.sources, match.targets)
            return sum(
                one is not None and not vocabulary.fits_side(allowed, one)
                for one, allowed in zip(named, ends, strict=True)
            )

        return sorted(matches, key=misfits)

    def _note_wanted_types(self, relation: Relation, matches: Sequence[PredicateMatch]) -> None:
        sides: Mapping[str, list[Sequence[str]]] = {"subject": [], "object": []}
        for match in matches:
            if not self._may_hold(relation, match):
                continue
            sides["subject"].append(match.sources)
            if match.predicate.literal_kind is None:
                sides["object"].append(match.targets)
        for name, wanted in ((relation.subject, sides["subject"]), (relation.object, sides["object"])):
            types = [entity_type for allowed in wanted for entity_type in allowed]
            if types:
                self._wanted[normalisation.key(name)].append(list(dict.fromkeys(types)))

    def _may_hold(self, relation: Relation, match: PredicateMatch) -> bool:
        """Whether the object fits the predicate: a date where it takes dates, else a name."""
        kind = match.predicate.literal_kind
        if kind == "date":
            return quantities.is_time(relation.object)
        return kind is not None or name_shapes.is_noun_phrase(relation.object)

    def _try(self, tx: Tx, relation: Relation, match: PredicateMatch) -> Outcome:
        try:
            with tx.savepoint():
                return self._record(tx, relation, match)
        except _Waits as waits:
            return Outcome(reason=waits.reason)
        except (errors.EndsInvalid, errors.LiteralInvalid, errors.EntityTypeUnknown):
            return Outcome(reason=ENDS)
        # Several have the name, or another thing has it; or it is too long, or "me", and the graph has no owner.
        except (
            errors.Ambiguous,
            errors.AliasTaken,
            errors.AliasInvalid,
            errors.SubjectRequired,
            errors.EntityNotFound,
        ):
            return Outcome(reason=NAME)

    def _record(self, tx: Tx, relation: Relation, match: PredicateMatch) -> Outcome:
        if not self._may_hold(relation, match) and not self._is_accepted:
            raise _Waits(ENDS)
        created: list[Entity] = []
        subject = self._end(tx, relation.subject, relation.subject_type, match.sources, match, created)
        literal = self._literal(tx, relation, match)
        target: Ref | str
        if literal is None:
            target_entity = self._end(tx, relation.object, relation.object_type, match.targets, match, created)
            if target_entity.row == subject.row:
                raise _Waits(ENDS)
            target = Ref(id=target_entity.id)
        else:
            target = literal
        first, second = Ref(id=subject.id), target
        if match.is_reversed and isinstance(second, Ref):
            first, second = second, first
        recorded = facts.record(
            tx,
            subject=first,
            predicate=match.predicate.name,
            object=second,
            source=relation.source,
            confidence=relation.confidence,
        )
        return Outcome(recorded.fact, recorded.deduplicated, tuple(created))

    def _literal(self, tx: Tx, relation: Relation, match: PredicateMatch) -> str | None:
        """The object as a literal, if the predicate takes one; None if it takes an entity."""
        kind = match.predicate.literal_kind
        if kind is not None:
            if not predicates.fits(graph_vocabulary.read(tx), match, None, LITERAL):
                raise _Waits(ENDS)
            text = literals.clean(relation.object)
            written = quantities.date_in_iso(text) if kind == "date" else None
            literal = literals.normalise(written or text, kind, tx.zone)
            if literal is None:
                raise _Waits(ENDS)
            return literal
        is_open = not match.targets and not match.is_reversed
        if self._is_accepted and is_open and not name_shapes.is_noun_phrase(relation.object):
            named = entities.all_named(tx, Name(relation.object))
            return None if named else literals.clean(relation.object)
        return None

    def _end(
        self,
        tx: Tx,
        name: str,
        given_type: str | None,
        allowed: Sequence[str],
        match: PredicateMatch,
        created: list[Entity],
    ) -> Entity:
        """The entity at one end of a relation, found or created.

        Args:
            given_type: the type that came with the name.
            allowed: the types that the end may have; none for any.
            created: if the entity is new, it is added here.
        """
        vocabulary = graph_vocabulary.read(tx)
        is_binding = match.predicate.has_binding_ends
        named = entities.all_named(tx, Name(name))
        if not named and given_type is None and first_person.is_pronoun(name):
            raise _Waits(NAME)  # "me" means nobody while the graph has no owner
        if given_type is not None:
            named = [entity for entity in named if vocabulary.is_kind_of(entity.type, given_type)]
        fitting = [entity for entity in named if vocabulary.fits_side(allowed, entity.type)]
        if not fitting and not is_binding:
            fitting = named
        if len(fitting) > 1:
            raise _Waits(NAME)
        if fitting:
            return fitting[0]
        if given_type is not None and not named:
            if is_binding and not vocabulary.fits_side(allowed, given_type):
                raise _Waits(ENDS)
            return self._create(tx, name, given_type, created)
        wanted = self._wanted_type(tx, name, allowed)
        if wanted is None:
            raise _Waits(ENDS)
        for entity in named:
            if changed := entities.change_assumed_type(tx, entity, wanted):
                return changed
        if named:
            raise _Waits(ENDS)
        entity = self._create(tx, name, wanted, created)
        if created and created[-1].row == entity.row:
            store.entities.mark(tx, [entity.row])
        return entity

    def _wanted_type(self, tx: Tx, name: str, allowed: Sequence[str]) -> str | None:
        """The type for a name without one: what all relations want, if it fits here, else what this one wants."""
        vocabulary = graph_vocabulary.read(tx)
        wanted = self.type_of(tx, name)
        if wanted is not None and vocabulary.fits_side(allowed, wanted):
            return wanted
        chosen = self._choose(tx, name, [allowed])
        if chosen is None and self._is_accepted and (not allowed or name_shapes.is_noun_phrase(name)):
            return entities.first_usable(vocabulary, allowed)
        return chosen

    def _choose(self, tx: Tx, name: str, wanted: Sequence[Sequence[str]]) -> str | None:
        named = entities.named_in(tx, name)
        return entities.choose(graph_vocabulary.read(tx), name, wanted, named=named, is_cased=self._is_cased)

    def _create(self, tx: Tx, name: str, entity_type: str, created: list[Entity]) -> Entity:
        entity, is_new = entities.find_or_create(
            tx, Ref(type=entity_type, name=name), error_class=errors.SubjectRequired
        )
        if is_new:
            created.append(entity)
        return entity


class _Waits(Exception):
    """A relation that cannot be a fact yet."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class RelationWordings:
    """Finds the predicates for the wordings of relations, in the current vocabulary."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._by_form: dict[tuple[str, ...], list[str]] | None = None
        self._matches: dict[str, tuple[PredicateMatch, ...]] = {}

    def find(self, wording: str) -> tuple[PredicateMatch, ...]:
        """The predicates that a wording may mean, best first; empty if none is known."""
        if wording not in self._matches:
            matches: dict[tuple[str, bool], PredicateMatch] = {}
            for match in self._find(wording):
                matches.setdefault((match.predicate.name, match.is_reversed), replace(match, given=wording))
            self._matches[wording] = tuple(matches.values())
        return self._matches[wording]

    def _find(self, wording: str) -> Iterable[PredicateMatch]:
        key = graph_vocabulary.wording_key(wording)
        if inflection.says_nothing(key):
            yield from self._named(wording, key)
            return
        forms = inflection.verb_forms(key)
        if exact := self._labelled(wording):
            yield from exact
        elif inflected := self._inflected(key, forms):
            yield from inflected
        else:
            yield from self._in_other_voice(key, forms)

    def _named(self, wording: str, key: str) -> list[PredicateMatch]:
        """The matches of a wording that means nothing by itself: those of a predicate with it as its name."""
        words = key.split()
        is_located = inflection.has_auxiliary(key) and words[-1] in inflection.PREPOSITIONS  # "is in"
        is_name = key.replace(" ", "_") in graph_vocabulary.read(self._tx).predicate_by_name
        return self._labelled(wording) if is_located or is_name else []

    def _labelled(self, wording: str) -> list[PredicateMatch]:
        """The matches of a wording that is a name or a label, or the name of one predicate and a label of another."""
        kind = store.vocabulary.PREDICATE
        by_row = graph_vocabulary.read(self._tx).predicate_by_row
        labelled = store.vocabulary.find_by_label(self._tx, kind, graph_vocabulary.wording_key(wording))
        texts = [wording] if graph_vocabulary.find_all(self._tx, kind, wording) else []
        texts += [by_row[row].name for row in labelled if row in by_row]
        matches: list[PredicateMatch] = []
        for text in texts:
            # A retired predicate without a replacement does not count.
            with suppress(errors.PredicateUnknown):
                matches += predicates.find_matches(self._tx, text)
        return matches

    def _inflected(self, key: str, forms: Iterable[tuple[str, ...]]) -> list[PredicateMatch]:
        """The matches of names and labels with one of these forms, except those in another tense.

        A single word that takes a literal is a noun: "addressed" gives no address.
        """
        return [
            match
            for form in forms
            for label in self._labels(form)
            for match in self._labelled(label)
            if (len(form) > 1 or match.predicate.literal_kind is None)
            and self._is_of_same_time(key, form, label, match)
        ]

    def _labels(self, form: tuple[str, ...]) -> list[str]:
        """The names and labels of predicates that have a form."""
        if self._by_form is None:
            self._by_form = _labels_by_form(self._tx)
        return self._by_form.get(form, [])

    def _is_of_same_time(self, key: str, form: tuple[str, ...], label: str, match: PredicateMatch) -> bool:
        """Whether what a wording says holds now, given a predicate with this label.

        The past is right if the label is in the past as well, if the predicate is of an event, or if the
        relation does not end, like that of a place that "was located in" another.
        """
        is_passive = form[:1] == ("be",)
        tense = inflection.tense(key, is_passive=is_passive)
        if tense == "present":
            return True
        if tense == inflection.tense(graph_vocabulary.wording_key(label), is_passive=is_passive):
            return True
        predicate = match.predicate
        return tense == "past" and (_is_of_event(predicate) or self._is_lasting(key, predicate))

    def _is_lasting(self, key: str, predicate: Predicate) -> bool:
        """Whether a wording such as "was part of" describes a state of things, not of people, which come and go."""
        vocabulary = graph_vocabulary.read(self._tx)
        has_people = any(vocabulary.style(one) == "person" for one in predicate.targets)
        return inflection.has_auxiliary(key) and not predicate.sources and not has_people

    def _in_other_voice(self, key: str, forms: Iterable[tuple[str, ...]]) -> Iterable[PredicateMatch]:
        """The matches of the same verb in the other voice, with its ends swapped: for `mentored by`, `mentors`.

        Only a single verb has another voice: "works for" has none.
        """
        for form in forms:
            match form:
                case ("be", verb, "by"):
                    others = self._labels((verb,))
                case (verb,):
                    others = self._labels(("be", verb, "by"))
                case _:
                    continue
            for label in others:
                for known in self._labelled(label):
                    if known.predicate.literal_kind is None and self._is_of_same_time(key, form, label, known):
                        yield _reversed(known)


def _labels_by_form(tx: Tx) -> dict[tuple[str, ...], list[str]]:
    """The names and labels of usable predicates, by the forms of their verbs."""
    labels = store.vocabulary.labels(tx, store.vocabulary.PREDICATE)
    by_form: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for term in graph_vocabulary.read(tx).predicates:
        texts = [term.name] if term.retired_at is not None and term.replaced_by else []
        if term.retired_at is None:
            texts = [term.name, *(label.label for label in labels.get(term.row, ()))]
        for text in texts:
            for form in inflection.verb_forms(graph_vocabulary.wording_key(text)):
                by_form[form][text] = None
    return {form: list(texts) for form, texts in by_form.items()}


def _is_of_event(predicate: Predicate) -> bool:
    """Whether a predicate describes an event: read by "{subject} founded {object}", or called `founded`."""
    words = graph_vocabulary.wording_key(
        predicate.sentence.replace("{subject}", " ").replace("{object}", " ")
    ) or graph_vocabulary.wording_key(predicate.name)
    return inflection.tense(words, is_passive=False) == "past"


def _reversed(match: PredicateMatch) -> PredicateMatch:
    """The same predicate for a wording with its ends swapped."""
    return replace(match, is_reversed=not match.is_reversed, sources=match.targets, targets=match.sources)
