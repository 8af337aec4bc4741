"""The names in a text: one pass for chunks, questions and messages, with the names of the graph read once each.

A name is found as written; a person also by the first or the last name alone. A part of a longer, unknown name does not
count: Ana in Ana Souza. How a text shows which names it means is in `language.mention_detection`.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from keepgraph import store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import common_words, longer_names, mention_detection
from keepgraph.language.mention_detection import AnnotatedText, NameMatch, Span
from keepgraph.language.normalisation import Name
from keepgraph.language.proper_names import ProperName
from keepgraph.lazy import dataclass
from keepgraph.store.mentions import NameHit
from keepgraph.store.transactions import Tx

_MAX_PERSONS = 50
"""If this many people in all groups have a word in their names, that word alone means none of them."""


@dataclass(frozen=True, slots=True)
class Reading(NameMatch):
    """A span with the names that it may be, all matched in the same way.

    Attributes:
        how: name, part (of a person's name), ending (another one) or typo.
        hits: the names of entities; empty if the span is only the name of something else.
    """

    how: str
    hits: tuple[NameHit, ...]


@dataclass(frozen=True, slots=True)
class NamesInText:
    """The known names in a text, and the unknown names that a known one is only a part of."""

    known: Sequence[Reading] = ()
    longer: tuple[ProperName, ...] = ()


class Lookup:
    """The names of some groups, with a cache for the texts that are read in one transaction.

    Args:
        scope: the ids of projects; aliases that hold only in others are left out. Empty: every alias counts.
    """

    def __init__(self, tx: Tx, groups: Sequence[str], scope: Collection[str] = ()) -> None:
        self.tx = tx
        self.groups = groups
        self.scope = scope
        self.vocabulary = graph_vocabulary.read(tx)
        self._by_key: dict[str, tuple[NameHit, ...]] = {}
        self._is_prefix: dict[str, bool] = {}
        self._persons: dict[str, tuple[NameHit, ...]] = {}

    def by_keys(self, keys: Iterable[str]) -> dict[str, tuple[NameHit, ...]]:
        """The keys that are names or aliases, each with its entities."""
        requested = set(keys)
        if missing := sorted(requested - self._by_key.keys()):
            hits = self._holding(store.mentions.names_by_keys(self.tx, missing, groups=self.groups))
            self._by_key.update({key: hits.get(key, ()) for key in missing})
        return {key: self._by_key[key] for key in requested if self._by_key[key]}

    def by_letters(self, letters: Iterable[str]) -> dict[str, tuple[NameHit, ...]]:
        """The folded letters, with or without spaces, that are a name or alias, each with its entities."""
        return self._holding(store.mentions.names_by_letters(self.tx, sorted(set(letters)), groups=self.groups))

    def _holding(self, hits: Mapping[str, Sequence[NameHit]]) -> dict[str, tuple[NameHit, ...]]:
        """The names that hold everywhere, or in a project of the scope."""
        scope = self.scope
        return {
            asked: holding
            for asked, named in hits.items()
            if (holding := tuple(hit for hit in named if not (scope and hit.scope) or not hit.scope.isdisjoint(scope)))
        }

    def by_name(self, name: Name, *, of_type: str | None = None) -> tuple[NameHit, ...]:
        """The entities with this name; else the only person with this first or last name.

        Args:
            of_type: only entities of this type and its subtypes; None for any.
        """
        types = None if of_type is None else self.vocabulary.with_subtypes([of_type])
        hits = self.by_keys([name.key]).get(name.key, ())
        if matches := tuple(hit for hit in hits if types is None or hit.entity.type in types):
            return matches
        persons = self.persons(name.key) if " " not in name.key else ()
        return persons if len(persons) == 1 and (types is None or persons[0].entity.type in types) else ()

    def prefixes(self, keys: Iterable[str]) -> set[str]:
        """The keys with which some name begins."""
        requested = set(keys)
        if missing := sorted(requested - self._is_prefix.keys()):
            prefixes = set(store.mentions.prefixes_of_names(self.tx, missing, groups=self.groups))
            self._is_prefix.update({key: key in prefixes for key in missing})
        return {key for key in requested if self._is_prefix[key]}

    def persons(self, key: str) -> tuple[NameHit, ...]:
        """The people whose first or last name has this key, each once; none if `_MAX_PERSONS` have the word.

        Accents are ignored: Jurgen is a part of Jürgen Müller.
        """
        if key not in self._persons:
            self._persons[key] = self._read_persons(key)
        return self._persons[key]

    def _read_persons(self, key: str) -> tuple[NameHit, ...]:
        types = self.vocabulary.types_of_style("person")
        phrase, folded = store.full_text.phrase(key), Name(key).folded
        hits = store.mentions.entities_with_word(
            self.tx, phrase, of_types=types, groups=self.groups, limit=_MAX_PERSONS
        )
        found: dict[int, NameHit] = {}
        for entity, group, written in hits if len(hits) < _MAX_PERSONS else ():
            words = written.split()
            part = next((word for word in (words[0], words[-1]) if Name(word).folded == folded), None)
            if part and len(words) > 1:
                found.setdefault(entity.row, NameHit(part, entity, group, is_alias=False, scope=frozenset()))
        return tuple(found.values())

    def is_person(self, hit: NameHit) -> bool:
        return self.vocabulary.style(hit.entity.type) == "person"


def find(
    names: Lookup,
    text: AnnotatedText,
    *,
    spans: Sequence[Span] | None = None,
    words: Iterable[Span] | None = None,
    others: Mapping[str, Collection[str]] = MappingProxyType({}),
    persons: Container[str] = (),
) -> NamesInText:
    """The names in a text in their order; of those that overlap, the longest.

    Args:
        spans: where to look for names; None: wherever a name may begin.
        words: the words that may be a part of a person's name; None: those written like one.
        others: names of things that are not entities, as written, by key.
        persons: the keys of `others` that are names of people.
    """
    if spans is None:
        spans = list(mention_detection.candidate_spans(text, names.prefixes(mention_detection.prefix_keys(text))))
    hits = names.by_keys(span.key for span in spans)
    readings = []
    for span in spans:
        if span.key in hits or span.key in others:
            meant = tuple(hit for hit in hits.get(span.key, ()) if mention_detection.is_meant(text, span, hit.written))
            if meant or any(mention_detection.is_meant(text, span, name) for name in others.get(span.key, ())):
                readings.append(Reading(span.start, span.end, span.key, "name", meant))
    unknown = (span for span in words_of_persons(text) if span.key not in hits) if words is None else words
    readings += (part for part in name_parts(names, text, unknown) if len(part.hits) == 1)
    longest = mention_detection.longest(readings)
    return without_parts_of_longer(names, text, longest, longest, persons=persons)


def words_of_persons(text: AnnotatedText) -> Iterator[Span]:
    """The words that may be the first or the last name of a person."""
    for span in mention_detection.word_spans(text):
        if common_words.may_be_part_of_name(text.text[span.start : span.end], span.key):
            yield span


def name_parts(names: Lookup, text: AnnotatedText, words: Iterable[Span]) -> Iterator[Reading]:
    """The words that are the first or the last name of a person."""
    for span in words:
        hits = names.persons(span.key)
        if hits and mention_detection.is_meant(text, span, hits[0].written):
            yield Reading(span.start, span.end, span.key, "part", hits)


def without_parts_of_longer(
    names: Lookup,
    text: AnnotatedText,
    readings: Sequence[Reading],
    longest: Sequence[Reading],
    *,
    persons: Container[str] = (),
) -> NamesInText:
    """The readings, without those that are only a part of another name.

    Args:
        longest: the readings that no longer one overlaps. Within them, a common word, a typo or a part of a person's
            name does not count by itself.
        persons: keys of people who are not entities.
    """
    of_persons = {
        reading.key for reading in readings if reading.key in persons or any(map(names.is_person, reading.hits))
    }
    longer = longer_names.find(text, longest, persons=of_persons)
    by_place = {(each.start, each.end): each for each in longest}
    kept = []
    for reading in readings:
        around = by_place.get((reading.start, reading.end))
        is_nested = around is None
        if around is None:
            around = next((each for each in longest if each.start <= reading.start and reading.end <= each.end), None)
        if longer and around in longer and reading.how != "ending":  # Annas Rechner: a possessive, not a surname
            same = longer[around]
            hits = tuple(hit for hit in reading.hits if longer_names.is_same_name(same, hit.entity.name, hit.written))
            if hits:
                kept.append(replace(reading, hits=hits))
        elif not (around and is_nested and (reading.how != "name" or common_words.is_common(reading.key))):
            kept.append(reading)
    found = {reading.start for reading in kept}
    unknown = {name.start: name for match, name in longer.items() if name and match.start not in found}
    return NamesInText(kept, tuple(unknown.values()))
