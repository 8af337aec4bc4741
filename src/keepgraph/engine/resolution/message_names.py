"""The names in a message: what it names, in one pass over all its spans, and what it only nearly names.

All readings of overlapping spans count, so that a longer name does not hide a shorter one inside it. A span is looked
up by its key and by its letters alone, which makes `billing_service`, `billing-service`, `BillingService` and “billing
service” one name. A lower-case word may have one typo, and a word an ending of up to two letters. Similar names are
never taken: they are unclear, as are several entities that fit equally well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TypeAlias

from keepgraph import lazy, store
from keepgraph.engine.resolution import candidates, name_parts, resolver
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import common_words, longer_names, mention_detection, proper_names
from keepgraph.language.mention_detection import AnnotatedText, NameMatch, Span
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import Candidate, Entity
from keepgraph.store.mentions import NameHit
from keepgraph.store.transactions import Tx

_MIN_LETTERS = 4
"""A name of fewer letters is found only by its key: C is not C++, nor IT it."""

_MIN_LETTERS_MISTYPED = 5
_MIN_LETTERS_INFLECTED = 3
_MAX_ENDING = 2
_MAX_WORDS_CORRECTED = 24
_MAX_WORDS_OF_CORRECTED = 4
_MAX_UNKNOWN_NAMES = 4
"""How many unknown names are compared with known ones: each takes milliseconds."""

_MAX_CANDIDATES = 5
_SCORES = {"name": 1.0, "alias": 0.95, "part": 0.9, "ending": 0.9, "typo": 0.85}

_BETWEEN_PARTS = lazy.compile(r"(?<=\w)[_\-/](?=\w)|(?<=\w)_|_(?=\w)")


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity that a message names.

    Attributes:
        words: as the message writes them, first where it names the entity in several ways.
        how: name, alias, part (of a person's name), ending (another ending), typo, or similar (initials, a nickname).
        score: how sure it is, from 0 to 1.
        reason: in words, where the words do not show it.
    """

    entity: Entity
    words: str
    start: int
    how: str
    score: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class UnclearName:
    """Words that may mean one of several entities, or something that is only called similarly."""

    words: str
    start: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class MessageNames:
    """What a message names, each entity once, and what it may name; both in the order of the message."""

    named: tuple[NamedEntity, ...] = ()
    unclear: tuple[UnclearName, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reading:
    """A span with the names that it may be, all in the same way."""

    start: int
    end: int
    key: str
    how: str
    hits: tuple[NameHit, ...]


_Choice: TypeAlias = tuple[_Reading, NameHit]

_Persons: TypeAlias = Callable[[str], tuple[NameHit, ...]]
"""The persons of whose names a key is a part; each key of a message is looked up once."""


def find(
    tx: Tx, message: str, *, groups: Sequence[str], scope: Collection[str] = (), context: Sequence[Entity] = ()
) -> MessageNames:
    """Find what a message names.

    Args:
        groups: where names are looked up; of equal names, that in the group named first is meant.
        scope: the ids of projects: an alias that holds in others alone is no name. Empty: all are.
        context: entities that tell equals apart, such as the projects of the scope.
    """
    text = AnnotatedText(message)
    spaced = AnnotatedText(_BETWEEN_PARTS.sub(" ", message)) if _BETWEEN_PARTS.search(message) else text
    readings = _known(tx, text, spaced, groups=groups, scope=scope)
    persons = lru_cache(maxsize=None)(partial(name_parts.persons, tx, groups=groups))
    readings += _name_parts(text, readings, persons)
    readings += _corrected(tx, text, spaced, readings, persons, groups=groups, scope=scope)
    readings = _without_parts_of_longer(tx, text, readings)
    named, unclear = _choose(tx, text, readings, groups=groups, context=context)
    similar_named, similar = _similar(tx, text, readings, groups=groups, scope=scope)
    first: dict[int, NamedEntity] = {}
    for each in sorted([*named, *similar_named], key=lambda each: (-each.score, each.start)):
        first.setdefault(each.entity.row, each)
    return MessageNames(
        tuple(sorted(first.values(), key=lambda each: each.start)),
        tuple(sorted([*unclear, *similar], key=lambda each: each.start)),
    )


# By key and by letters


def _known(
    tx: Tx, text: AnnotatedText, spaced: AnnotatedText, *, groups: Sequence[str], scope: Collection[str]
) -> list[_Reading]:
    """The spans that are a name as it is written, in any division into words."""
    keys_of: dict[tuple[int, int], set[str]] = {}
    for span in mention_detection.candidate_spans(text):
        keys_of.setdefault((span.start, span.end), set()).add(span.key)
    for span in mention_detection.candidate_spans(spaced) if spaced is not text else ():
        keys_of.setdefault((span.start, span.end), set())
    spans = {
        (start, end): (sorted(keys) or [_key(text.text[start:end])], _letters_of(text.text[start:end]))
        for (start, end), keys in keys_of.items()
    }
    hits = store.mentions.names_by_keys_or_letters(
        tx,
        keys=sorted({key for keys, _ in spans.values() for key in keys}),
        letters=sorted({letters for _, letters in spans.values() if len(letters) >= _MIN_LETTERS}),
        groups=groups,
    )
    readings = []
    for (start, end), (keys, letters) in spans.items():
        for key in keys:
            found = {*hits.get(("key", key), ()), *hits.get(("letters", letters), ())}
            meant = [
                hit
                for hit in sorted(found, key=lambda hit: (hit.entity.row, hit.written))
                if _holds(hit, scope) and _is_meant(tx, text, Span(key, start, end), hit, scope)
            ]
            if meant:
                readings.append(_Reading(start, end, key, "name", tuple(meant)))
    return readings


def _letters_of(words: str) -> str:
    """The letters by which a span is looked up; none where a sign is at its end, as a shorter span has the same."""
    return _letters(words) if words[:1].isalnum() and words[-1:].isalnum() else ""


def _letters(words: str) -> str:
    return "".join(_folded(word) for word in words.split())


@lru_cache(maxsize=8192)
def _key(words: str) -> str:
    return Name(words).key


@lru_cache(maxsize=8192)
def _folded(word: str) -> str:
    return Name(word).folded.replace(" ", "")


def _holds(hit: NameHit, scope: Collection[str]) -> bool:
    """Whether a name holds in the scope: everywhere, or in a project of it."""
    return not scope or not hit.scope or not hit.scope.isdisjoint(scope)


def _is_meant(tx: Tx, text: AnnotatedText, span: Span, hit: NameHit, scope: Collection[str]) -> bool:
    """Whether words that are a name mean it: a common word does with a capital, or as a noun that names no person."""
    if mention_detection.is_meant(text, span, hit.written):
        return True
    spelling = text.text[span.start : span.end]
    if " " in span.key or spelling != spelling.lower() or len(span.key) < _MIN_LETTERS:
        return False
    if common_words.may_begin_sentence(span.key) or graph_vocabulary.read(tx).style(hit.entity.type) == "person":
        return bool(hit.scope and not hit.scope.isdisjoint(scope))
    return hit.written.lower() == spelling


# Persons by their first or last name


def _name_parts(text: AnnotatedText, readings: Sequence[_Reading], persons: _Persons) -> list[_Reading]:
    """The words that are the first or the last name of persons, and no name as they are."""
    occupied = {(reading.start, reading.end) for reading in readings}
    found = []
    for span in mention_detection.word_spans(text):
        word = text.text[span.start : span.end]
        if (span.start, span.end) in occupied or not common_words.may_be_part_of_name(word, span.key):
            continue
        hits = persons(span.key)
        if hits and mention_detection.is_meant(text, span, hits[0].written):
            found.append(_Reading(span.start, span.end, span.key, "part", hits))
    # O'Brien, Jean-Luc: the words that are joined.
    for start, end in text.words:
        word = text.text[start:end]
        if not word.isalpha() and word[:1].isupper() and (start, end) not in occupied:
            whole = word.removesuffix("'s").removesuffix("’s")
            if hits := persons(_key(whole)):
                found.append(_Reading(start, start + len(whole), _key(whole), "part", hits))
    return found


# With a typo, or another ending


def _corrected(
    tx: Tx,
    text: AnnotatedText,
    spaced: AnnotatedText,
    readings: Sequence[_Reading],
    persons: _Persons,
    *,
    groups: Sequence[str],
    scope: Collection[str],
) -> list[_Reading]:
    """The spans that are a name but for a typo in a lower-case word, or for the ending of a word."""
    words = list(mention_detection.word_spans(spaced))
    spans = [span for span in words if not _is_within(span.start, span.end, readings)]
    corrections = _corrections(tx, [(text.text[span.start : span.end], span.key) for span in spans])
    if not corrections:
        return []
    letters: dict[str, list[tuple[int, int, str]]] = {}
    for first in range(len(words)):
        spelled, how = [""], "name"
        for word in words[first : first + _MAX_WORDS_OF_CORRECTED]:
            written = text.text[word.start : word.end]
            options = corrections.get(word.key, ())
            how = min([how, *(each for _, each in options)], key=lambda each: _SCORES[each])
            spelled = [a + b for a in spelled for b in (_folded(written), *(other for other, _ in options))][:32]
            if how != "name":
                for each in spelled:
                    letters.setdefault(each, []).append((words[first].start, word.end, how))
    hits = store.mentions.names_by_keys_or_letters(tx, keys=(), letters=sorted(letters), groups=groups)
    found = []
    for (_, spelled_so), named in hits.items():
        for start, end, how in letters[spelled_so]:
            meant = tuple(hit for hit in named if _holds(hit, scope))
            if meant and not _is_within(start, end, readings) and _letters(text.text[start:end]) != spelled_so:
                found.append(_Reading(start, end, _key(text.text[start:end]), how, meant))
    for span in spans:
        for other, how in corrections.get(span.key, ()):
            if how != "ending" or not text.text[span.start].isupper() or _is_within(span.start, span.end, found):
                continue
            if hits_of_part := persons(other):
                found.append(_Reading(span.start, span.end, span.key, how, hits_of_part))
    return found


def _corrections(tx: Tx, words: Iterable[tuple[str, str]]) -> dict[str, list[tuple[str, str]]]:
    """The words of names that these words may be with a typo or another ending, by key; each with how.

    Args:
        words: each as it is written, and its key. English words, and those that are in names, have none.
    """
    from rapidfuzz.distance import OSA

    unknown = {
        key: written
        for written, key in words
        if len(key) > _MIN_LETTERS_INFLECTED and key.isalpha() and not common_words.is_stop_word(key)
    }
    unknown = {key: written for key, written in unknown.items() if not common_words.is_common(key)}
    unknown = dict(sorted(unknown.items(), key=lambda each: -len(each[0]))[:_MAX_WORDS_CORRECTED])
    folded = {key: _folded(key) for key in unknown}
    near = store.word_references.near(
        tx, set(folded.values()), [candidates.fragments_of(word) for word in folded.values() if len(word) > 1]
    )
    others = sorted(near)
    corrections: dict[str, list[tuple[str, str]]] = {}
    for key, word in folded.items():
        if word in near:
            continue
        is_typo = unknown[key] == unknown[key].lower() and not common_words.is_english(key)
        for other in others:
            how = ""
            if _is_inflected(word, other):
                how = "ending"
            elif is_typo and min(len(word), len(other)) >= _MIN_LETTERS_MISTYPED and OSA.distance(word, other) == 1:
                how = "typo"
            if how and not common_words.is_common(other):
                corrections.setdefault(key, []).append((other, how))
    return corrections


def _is_inflected(word: str, other: str) -> bool:
    """Whether two words differ in an ending of at most two letters alone: Jürgens, Волкова, Datenbanken."""
    stem = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        stem += 1
    endings = word[stem:], other[stem:]
    if stem < _MIN_LETTERS_INFLECTED or max(map(len, endings)) > _MAX_ENDING:
        return False
    # An ending in the place of another is inflection in scripts that inflect so; elsewhere it is another word.
    return not endings[1] if word.isascii() else not endings[1] or max(map(len, endings)) == 1


def _is_within(start: int, end: int, readings: Iterable[_Reading]) -> bool:
    return any(reading.start <= start and end <= reading.end for reading in readings)


# What is meant


def _without_parts_of_longer(tx: Tx, text: AnnotatedText, readings: Sequence[_Reading]) -> list[_Reading]:
    """The readings without those that are only a part of another name: Ana of Ana Souza, a word of a longer name."""
    matches = {(reading.start, reading.end): NameMatch(reading.start, reading.end, reading.key) for reading in readings}
    longest = mention_detection.longest(matches.values())
    style = graph_vocabulary.read(tx).style
    persons = {reading.key for reading in readings if any(style(hit.entity.type) == "person" for hit in reading.hits)}
    longer = longer_names.find(text, longest, persons=persons)
    kept = []
    for reading in readings:
        around = next((each for each in longest if each.start <= reading.start and reading.end <= each.end), None)
        if around is None:  # it overlaps a longer one
            kept.append(reading)
            continue
        if around in longer and reading.how != "ending":  # Annas Rechner: a possessive, no surname
            hits = tuple(
                hit for hit in reading.hits if longer_names.is_same_name(longer[around], hit.entity.name, hit.written)
            )
            if hits:
                kept.append(replace(reading, hits=hits))
            continue
        is_nested = (around.start, around.end) != (reading.start, reading.end)
        if is_nested and (reading.how != "name" or common_words.is_common(reading.key)):
            continue
        kept.append(reading)
    return kept


def _choose(
    tx: Tx, text: AnnotatedText, readings: Sequence[_Reading], *, groups: Sequence[str], context: Sequence[Entity]
) -> tuple[list[NamedEntity], list[UnclearName]]:
    """The entity that each reading means; of several, the one that the scope or the rest of the message tells."""
    by_span: dict[tuple[int, int], list[tuple[tuple[int, ...], _Choice]]] = {}
    for reading in readings:
        for hit in reading.hits:
            rank = (list(_SCORES).index(reading.how), not hit.scope, hit.is_alias, groups.index(hit.group))
            by_span.setdefault((reading.start, reading.end), []).append((rank, (reading, hit)))
    several: list[list[_Choice]] = []
    for ranked in by_span.values():
        best = min(rank for rank, _ in ranked)
        several.append(list({choice[1].entity.row: choice for rank, choice in ranked if rank == best}.values()))
    chosen = [choices[0] for choices in several if len(choices) == 1]
    certain = [*context, *(hit.entity for _, hit in chosen)]
    ids = {entity.id for entity in certain}
    unclear = []
    for choices in several:
        if len(choices) == 1:
            continue
        tied = [Candidate(hit.entity, hit.written, reading.how, _SCORES[reading.how]) for reading, hit in choices]
        told = [choice for choice in choices if not choice[1].scope.isdisjoint(ids)]
        if len(told) != 1 and certain and (closest := resolver.closest_to_context(tx, tied, certain)):
            told = [choice for choice in choices if choice[1].entity.row == closest[0].entity.row]
        if len(told) == 1:
            chosen += told
        else:
            reading = choices[0][0]
            unclear.append(
                UnclearName(text.text[reading.start : reading.end], reading.start, tuple(tied[:_MAX_CANDIDATES]))
            )
    return [_named(text, reading, hit) for reading, hit in chosen], unclear


def _named(text: AnnotatedText, reading: _Reading, hit: NameHit) -> NamedEntity:
    how = "alias" if hit.is_alias and reading.how == "name" else reading.how
    return NamedEntity(hit.entity, text.text[reading.start : reading.end], reading.start, how, _SCORES[how])


def _similar(
    tx: Tx, text: AnnotatedText, readings: Sequence[_Reading], *, groups: Sequence[str], scope: Collection[str]
) -> tuple[list[NamedEntity], list[UnclearName]]:
    """What unknown names stand for, by initials, as a nickname or an abbreviation; what is only similar is unclear."""
    matches = [NameMatch(reading.start, reading.end, reading.key) for reading in readings]
    named, unclear = [], []
    for name in proper_names.detect(text, besides=matches)[:_MAX_UNKNOWN_NAMES]:
        for group in groups:
            resolution = resolver.resolve_by_letters(
                replace(tx, group=group, projects=frozenset(scope)), Name(name.name)
            )
            if resolution.entity is None:
                continue
            if resolution.reason:
                named.append(
                    NamedEntity(
                        resolution.entity, name.name, name.start, "similar", resolution.score, resolution.reason
                    )
                )
            else:
                candidate = Candidate(resolution.entity, resolution.entity.name, "similar", resolution.score)
                unclear.append(UnclearName(name.name, name.start, (candidate,)))
            break
    return named, unclear
