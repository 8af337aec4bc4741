"""Wordings of relations: the predicates that one may mean, by name, label, inverse, inflection or voice.

A wording without meaning of its own (`is`, `has`, `in`) means no predicate. Nor does an inflection in another tense:
who "will work at" an organisation does not work there yet, and who "worked at" it may have left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from keepgraph import errors, store
from keepgraph.engine.knowledge import predicates
from keepgraph.engine.knowledge.predicates import PredicateMatch
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import inflection
from keepgraph.model import Predicate
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class RelationMatch:
    """A predicate that the wording of a relation may mean.

    Attributes:
        predicate: with its ends as the wording has them.
        subject_type: the type that the wording gives the subject: `place`, or a kind of it, in "is a city in".
    """

    predicate: PredicateMatch
    subject_type: str | None = None


class RelationWordings:
    """Finds the predicates for the wordings of relations, in the current vocabulary."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._by_form: dict[tuple[str, ...], list[str]] | None = None
        self._matches: dict[str, tuple[RelationMatch, ...]] = {}

    def find(self, wording: str) -> tuple[RelationMatch, ...]:
        """The predicates that a wording may mean, best first; empty if none is known."""
        if wording not in self._matches:
            matches: dict[tuple[str, bool], RelationMatch] = {}
            for match in self._find(wording):
                stored = match.predicate
                own = replace(match, predicate=replace(stored, given=wording))
                matches.setdefault((stored.predicate.name, stored.is_reversed), own)
            self._matches[wording] = tuple(matches.values())
        return self._matches[wording]

    def _find(self, wording: str) -> Iterable[RelationMatch]:
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
            yield from self._of_named_type(key)

    def _named(self, wording: str, key: str) -> list[RelationMatch]:
        """The matches of a wording that means nothing by itself: those of a predicate with it as its name."""
        words = key.split()
        is_located = inflection.has_auxiliary(key) and words[-1] in inflection.PREPOSITIONS  # "is in"
        is_name = key.replace(" ", "_") in graph_vocabulary.read(self._tx).predicate_by_name
        return self._labelled(wording) if is_located or is_name else []

    def _labelled(self, wording: str) -> list[RelationMatch]:
        """The matches of a wording that is a name or a label, or the name of one predicate and a label of another."""
        kind = store.vocabulary.PREDICATE
        by_row = graph_vocabulary.read(self._tx).predicate_by_row
        labelled = store.vocabulary.find_by_label(self._tx, kind, graph_vocabulary.wording_key(wording))
        texts = [wording] if graph_vocabulary.find_all(self._tx, kind, wording) else []
        texts += [by_row[row].name for row in labelled if row in by_row]
        matches: list[RelationMatch] = []
        for text in texts:
            # A retired predicate without a replacement does not count.
            with suppress(errors.PredicateUnknown):
                matches += [RelationMatch(match) for match in predicates.find_matches(self._tx, text)]
        return matches

    def _inflected(self, key: str, forms: Iterable[tuple[str, ...]]) -> list[RelationMatch]:
        """The matches of names and labels with one of these forms, except those in another tense.

        A single word that takes a literal is a noun: "addressed" gives no address.
        """
        return [
            match
            for form in forms
            for label in self._labels(form)
            for match in self._labelled(label)
            if (len(form) > 1 or match.predicate.predicate.literal_kind is None)
            and self._is_of_same_time(key, form, label, match)
        ]

    def _labels(self, form: tuple[str, ...]) -> list[str]:
        """The names and labels of predicates that have a form."""
        if self._by_form is None:
            self._by_form = _labels_by_form(self._tx)
        return self._by_form.get(form, [])

    def _is_of_same_time(self, key: str, form: tuple[str, ...], label: str, match: RelationMatch) -> bool:
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
        predicate = match.predicate.predicate
        return tense == "past" and (_is_of_event(predicate) or self._is_lasting(key, predicate))

    def _is_lasting(self, key: str, predicate: Predicate) -> bool:
        """Whether a wording such as "was part of" describes a state of things, not of people, which come and go."""
        vocabulary = graph_vocabulary.read(self._tx)
        has_people = any(vocabulary.style(one) == "person" for one in predicate.targets)
        return inflection.has_auxiliary(key) and not predicate.sources and not has_people

    def _in_other_voice(self, key: str, forms: Iterable[tuple[str, ...]]) -> Iterable[RelationMatch]:
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
                    if known.predicate.predicate.literal_kind is None and self._is_of_same_time(
                        key, form, label, known
                    ):
                        yield RelationMatch(_reversed(known.predicate))

    def _of_named_type(self, key: str) -> Iterable[RelationMatch]:
        """The matches of a wording that also names the type of the subject: for `is a coastal town in`, `is in`."""
        words = key.split()
        if len(words) < 4 or not inflection.has_auxiliary(key) or words[1] not in ("a", "an", "the", "one"):
            return
        if words[-1] not in inflection.PREPOSITIONS:
            return
        for length in (1, 2):
            noun = " ".join(words[-1 - length : -1])
            named = graph_vocabulary.find(self._tx, store.vocabulary.ENTITY_TYPE, noun)
            if named is not None and len(words) >= 3 + length:
                for match in self._labelled(f"is {words[-1]}"):
                    yield replace(match, subject_type=named.name)
                return


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
