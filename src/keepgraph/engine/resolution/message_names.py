"""The names in a message: what it names, in one pass over all its spans, and what it only nearly names.

All readings of overlapping spans count, so that a longer name does not hide a shorter one inside it. A span is looked
up by its key and by its letters alone, which makes `billing_service`, `billing-service`, `BillingService` and “billing
service” one name. A lower-case word may have one typo, and a word an ending of up to two letters. Similar names are
never taken: they are unclear, as are several entities that fit equally well.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from keepgraph import store
from keepgraph.engine.resolution import candidates, resolver, text_names
from keepgraph.engine.resolution.text_names import Lookup, Reading
from keepgraph.language import (
    common_words,
    given_names,
    known_words,
    mention_detection,
    ordinary_phrases,
    proper_names,
    word_forms,
)
from keepgraph.language.mention_detection import AnnotatedText, Offsets, Span
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.ml import frequent_words
from keepgraph.model import Candidate, Entity
from keepgraph.store.mentions import NameHit
from keepgraph.store.transactions import Tx

_MIN_LETTERS = 4
"""Shorter names are found only by their key: C is not C++, and IT is not it."""

_MIN_LETTERS_MISTYPED = 5
_MIN_LETTERS_INFLECTED = 3
_MAX_ENDING = 2
_MAX_WORDS_CORRECTED = 24
_MAX_WORDS_OF_CORRECTED = 4
_MAX_UNKNOWN_NAMES = 4
"""At most this many unknown names are compared with known ones; each takes milliseconds."""

_MAX_CANDIDATES = 5
_SCORES = {"name": 1.0, "alias": 0.95, "part": 0.9, "ending": 0.9, "typo": 0.85}

_FIRST_WITHOUT_CASE = "\u0250"
"""Words in scripts from here on are never taken for ordinary ones: most have no lower case, and no list has them."""
_MAX_TELLING = 8
"""At most this many content words before a name, and as many after it."""
_INDEFINITE = frozenset(
    "a an another any some his her its their your ein eine einen einem einer un une una uno".split()
)
_LIKELY = 1.5
"""A name with these log odds is evidence for the other names."""
_BESIDE = 3.5
"""What another likely name in the message adds to the log odds."""


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity that a message names.

    Attributes:
        words: the first words of the message that name the entity.
        how: name, alias, part (of a person's name), ending (another ending), typo, or similar (initials, a nickname).
        score: how certain it is, from 0 to 1.
        reason: in words, unless it is obvious.
    """

    entity: Entity
    words: str
    start: int
    how: str
    score: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class UnclearName:
    """Words that may mean one of several entities, or an entity with a similar name."""

    words: str
    start: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class MessageNames:
    """The entities that a message names, each once, and words that may name one; both in the order of the message."""

    named: tuple[NamedEntity, ...] = ()
    unclear: tuple[UnclearName, ...] = ()


_Choice: TypeAlias = tuple[Reading, NameHit]


def find(
    tx: Tx, message: str, *, groups: Sequence[str], scope: Collection[str] = (), context: Sequence[Entity] = ()
) -> MessageNames:
    """Find what a message names.

    Args:
        groups: where names are looked up; of equal names, the one in the first of these groups counts.
        scope: the ids of projects; aliases that hold only in others are left out. Empty: every alias counts.
        context: entities that decide between equal names, such as the projects of the scope.
    """
    names = Lookup(tx, groups, scope)
    text = AnnotatedText(message)
    readings = _known(names, text)
    readings += _name_parts(names, text, readings)
    readings += _corrected(names, text, readings)
    longest = mention_detection.longest(readings)
    known = text_names.without_parts_of_longer(names, text, readings, longest).known
    known = _meant(names, text, known)
    named, unclear = _choose(names, text, known, context=context)
    similar_named, similar = _similar(names, text, known)
    first: dict[int, NamedEntity] = {}
    for each in sorted([*named, *similar_named], key=lambda each: (-each.score, each.start)):
        first.setdefault(each.entity.row, each)
    return MessageNames(
        tuple(sorted(first.values(), key=lambda each: each.start)),
        tuple(sorted([*unclear, *similar], key=lambda each: each.start)),
    )


def _known(names: Lookup, text: AnnotatedText) -> list[Reading]:
    """The spans that are a name as written, however it is divided into words."""
    keys_of: dict[tuple[int, int], set[str]] = {}
    for span in mention_detection.candidate_spans(text):
        keys_of.setdefault((span.start, span.end), set()).add(span.key)
    spans = {(start, end): (sorted(keys), _letters_of(text.text[start:end])) for (start, end), keys in keys_of.items()}
    by_key = names.by_keys(key for keys, _ in spans.values() for key in keys)
    by_letters = names.by_letters(letters for _, letters in spans.values() if len(letters) >= _MIN_LETTERS)
    readings = []
    for (start, end), (keys, letters) in spans.items():
        for key in keys:
            found = {*by_key.get(key, ()), *by_letters.get(letters, ())}
            meant = [
                hit
                for hit in sorted(found, key=lambda hit: (hit.entity.row, hit.written))
                if mention_detection.is_meant(text, Span(key, start, end), hit.written)
                or _may_be_meant(names, text.text[start:end], hit)
            ]
            if meant:
                readings.append(Reading(start, end, key, "name", tuple(meant)))
    return readings


def _letters_of(words: str) -> str:
    """The letters by which a span is looked up; none if it ends in a sign, as a shorter span has the same."""
    return _letters(words) if words[:1].isalnum() and words[-1:].isalnum() else ""


def _letters(words: str) -> str:
    return "".join(_folded(word) for word in words.split())


@lru_cache(maxsize=8192)
def _key(words: str) -> str:
    return Name(words).key


@lru_cache(maxsize=8192)
def _folded(word: str) -> str:
    return Name(word).folded.replace(" ", "")


def _name_parts(names: Lookup, text: AnnotatedText, readings: Sequence[Reading]) -> list[Reading]:
    """The words that are only the first or the last name of a person, and not a whole name."""
    occupied = {(reading.start, reading.end) for reading in readings}
    words = (span for span in text_names.words_of_persons(text) if (span.start, span.end) not in occupied)
    found = list(text_names.name_parts(names, text, words))
    # O'Brien, Jean-Luc: the words that are joined.
    for start, end in text.words:
        word = text.text[start:end]
        if not word.isalpha() and word[:1].isupper() and (start, end) not in occupied:
            whole = word.removesuffix("'s").removesuffix("’s")
            if hits := names.persons(_key(whole)):
                found.append(Reading(start, start + len(whole), _key(whole), "part", hits))
    return found


def _corrected(names: Lookup, text: AnnotatedText, readings: Sequence[Reading]) -> list[Reading]:
    """The spans that are a name except for a typo in a lower-case word, or the ending of a word."""
    words = list(mention_detection.word_spans(text))
    spans = [span for span in words if not _is_within(span.start, span.end, readings)]
    corrections = _corrections(
        names.tx,
        [(text.text[span.start : span.end], span.key) for span in spans],
        languages=word_forms.languages(span.key for span in words),
    )
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
    found = []
    for spelled_so, hits in names.by_letters(letters).items():
        for start, end, how in letters[spelled_so]:
            if not _is_within(start, end, readings) and _letters(text.text[start:end]) != spelled_so:
                found.append(Reading(start, end, _key(text.text[start:end]), how, hits))
    for span in spans:
        for other, how in corrections.get(span.key, ()):
            if how != "ending" or not text.text[span.start].isupper() or _is_within(span.start, span.end, found):
                continue
            if persons := names.persons(other):
                found.append(Reading(span.start, span.end, span.key, how, persons))
    return found


def _corrections(
    tx: Tx, words: Iterable[tuple[str, str]], *, languages: Collection[str] | None
) -> dict[str, list[tuple[str, str]]]:
    """For each key, the words of names that it may be with a typo or another ending, and which of the two.

    Args:
        words: each as written, and its key. Words that occur in names are left out.
        languages: of the message; their ordinary words are left out. Empty for English, where names take no endings:
            falcons are not Falcon.
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
        if known_words.is_frequent(key, languages or ()) and unknown[key] == unknown[key].lower():
            continue
        is_typo = unknown[key] == unknown[key].lower() and not common_words.is_english(key)
        for other in others:
            how = ""
            if _is_inflected(word, other):
                how = "ending" if languages != frozenset() else ""
            elif is_typo and min(len(word), len(other)) >= _MIN_LETTERS_MISTYPED and OSA.distance(word, other) == 1:
                how = "typo"
            if how and not common_words.is_common(other):
                corrections.setdefault(key, []).append((other, how))
    return corrections


def _is_inflected(word: str, other: str) -> bool:
    """Whether two words differ only in an ending of at most two letters: Jürgens, Волкова, Datenbanken."""
    stem = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        stem += 1
    endings = word[stem:], other[stem:]
    return stem >= _MIN_LETTERS_INFLECTED and len(endings[0]) <= _MAX_ENDING and not endings[1]


def _is_within(start: int, end: int, readings: Iterable[Reading]) -> bool:
    return any(reading.start <= start and end <= reading.end for reading in readings)


def _meant(names: Lookup, text: AnnotatedText, readings: Sequence[Reading]) -> list[Reading]:
    """The readings, without those that are more likely ordinary words or a part of somebody else's name.

    Other names show that the message is about what the graph knows. The same words mean the same throughout the
    message, and all entities that they may mean: none is dropped silently.
    """
    languages = word_forms.languages(span.key for span in mention_detection.word_spans(text)) or ()
    telling = [offsets for offsets in text.words if _tells(text.word(offsets).lower())]
    odds: dict[str, float] = {}
    for reading in readings:
        words = text.text[reading.start : reading.end]
        if words not in odds and _may_be_ordinary(text, reading, languages):
            odds[words] = max(
                _LIKELY
                if (names.is_person(hit) and " " in reading.key) or not hit.scope.isdisjoint(names.scope)
                else _log_odds(names, text, reading, hit, telling, is_english=not languages)
                for hit in reading.hits
            )
    odds_of = [(reading, odds.get(text.text[reading.start : reading.end], _LIKELY)) for reading in readings]
    likely = [reading for reading, own in odds_of if own >= _LIKELY]
    return [
        reading
        for reading, own in odds_of
        if own >= 0 or (own + _BESIDE >= 0 and any(_is_apart(reading, other) for other in likely))
    ]


def _is_apart(reading: Reading, other: Reading) -> bool:
    return other.end <= reading.start or reading.end <= other.start


def _may_be_meant(names: Lookup, words: str, hit: NameHit) -> bool:
    """Whether a common word in lower case may still be a name; a person's only within the scope."""
    is_word = words.islower() and len(words) >= _MIN_LETTERS_INFLECTED and not common_words.is_stop_word(words)
    return is_word and not (names.is_person(hit) and hit.scope.isdisjoint(names.scope))


def _may_be_ordinary(text: AnnotatedText, reading: Reading, languages: Collection[str]) -> bool:
    """Whether words may be ordinary ones: in lower case, or capitalised as any word is in this place."""
    words, of_nouns = text.text[reading.start : reading.end], known_words.WITH_CAPITALS_OF_NOUNS
    if len(words) < _MIN_LETTERS_INFLECTED or words >= _FIRST_WITHOUT_CASE or not words.replace(" ", "").isalpha():
        return False
    if words.islower() or not words[1:].islower():
        return words.islower()
    # An English word, such as Lantern, is not capitalised as a German noun.
    is_foreign = common_words.is_frequent(reading.key) and not known_words.is_frequent(reading.key, of_nouns)
    return text.capital_is_expected(reading.start) or not (is_foreign or of_nouns.isdisjoint(languages))


def _log_odds(
    names: Lookup, text: AnnotatedText, reading: Reading, hit: NameHit, telling: Sequence[Offsets], *, is_english: bool
) -> float:
    """The log odds that words mean an entity: by the words, their neighbours, and the other words of the message.

    A logistic regression on 513 messages gave the coefficients; the first two were then set by hand for fewer misses.

    Args:
        telling: the content words of the message. Those near the name are compared with what is recorded about the
            entity; that they are not recorded counts against it only in English.
    """
    near = bisect_left(telling, (reading.start, 0))
    around = telling[max(0, near - _MAX_TELLING) : near + _MAX_TELLING]
    others = list({text.word(each).lower(): None for each in around if not reading.start <= each[0] < reading.end})
    phrase = store.full_text.phrase(hit.entity.name)
    recorded = store.mentions.count_words_recorded(names.tx, hit.entity, phrase, others)
    is_known, recorded = recorded is not None, (recorded or 0) + (hit.entity.type in others)
    before, after = (text.word(offsets) for offsets in text.neighbours(reading.start, reading.end))
    is_person = names.is_person(hit)
    is_word_after = after.islower() and _tells(after)
    is_compound = is_word_after and not is_person and before.lower() != "the"
    is_longer = is_word_after and is_person and _is_like_name(after, besides=hit.entity.name)
    frequency = min(map(_frequency, reading.key.split()))
    is_against = is_known and is_english and not is_person and frequency > 0
    unrecorded = min(len(others) - recorded, 4) / 4 if is_against else 0
    return (
        (3.8 - 1.3 * is_person)
        - 2.1 * frequency
        - 4.0 * (before.lower() in _INDEFINITE)
        - 0.9 * is_compound
        - 3.6 * is_longer
        + (2.5 * (recorded > 0) - 3.0 * unrecorded)
    )


def _tells(word: str) -> bool:
    """Whether a word says what a text is about: it is not a function word."""
    is_function = common_words.is_stop_word(word) or word in word_forms.function_words()
    return len(word) > 2 and word.isalpha() and not is_function


def _frequency(word: str) -> float:
    """How frequent a word is, from 0 to 1; 0 for a given name that is not also a common word."""
    if given_names.contains(word) and not common_words.is_common(word):
        return 0
    is_known = common_words.is_frequent(word) or known_words.is_frequent(word, known_words.LANGUAGES)
    return (is_known + (word in frequent_words.very_frequent())) / 2


def _is_like_name(word: str, *, besides: str) -> bool:
    """Whether a word in lower case is more likely a surname than an ordinary word, and not a part of the known name."""
    own = any(word[:_MIN_LETTERS] == part[:_MIN_LETTERS] for part in _key(besides).split())
    ordinary = ordinary_phrases.is_ordinary_word(word) or common_words.is_common(word)
    return not (own or ordinary or known_words.is_frequent(word, known_words.LANGUAGES))


def _choose(
    names: Lookup, text: AnnotatedText, readings: Sequence[Reading], *, context: Sequence[Entity]
) -> tuple[list[NamedEntity], list[UnclearName]]:
    """The entity that each reading means; of several, the one that the scope or the rest of the message decides for."""
    by_span: dict[tuple[int, int], list[tuple[tuple[int, ...], _Choice]]] = {}
    for reading in readings:
        for hit in reading.hits:
            rank = (list(_SCORES).index(reading.how), not hit.scope, hit.is_alias, names.groups.index(hit.group))
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
        if len(told) != 1 and certain and (closest := resolver.closest_to_context(names.tx, tied, certain)):
            told = [choice for choice in choices if choice[1].entity.row == closest[0].entity.row]
        if len(told) == 1:
            chosen += told
        else:
            reading = choices[0][0]
            unclear.append(
                UnclearName(text.text[reading.start : reading.end], reading.start, tuple(tied[:_MAX_CANDIDATES]))
            )
    return [_named(text, reading, hit) for reading, hit in chosen], unclear


def _named(text: AnnotatedText, reading: Reading, hit: NameHit) -> NamedEntity:
    how = "alias" if hit.is_alias and reading.how == "name" else reading.how
    return NamedEntity(hit.entity, text.text[reading.start : reading.end], reading.start, how, _SCORES[how])


def _similar(
    names: Lookup, text: AnnotatedText, readings: Sequence[Reading]
) -> tuple[list[NamedEntity], list[UnclearName]]:
    """What unknown names stand for, by initials, as a nickname or an abbreviation; what is only similar is unclear."""
    named, unclear = [], []
    for name in proper_names.detect(text, besides=readings)[:_MAX_UNKNOWN_NAMES]:
        for group in names.groups:
            within = replace(names.tx, group=group, projects=frozenset(names.scope))
            resolution = resolver.resolve_by_letters(within, Name(name.name))
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
