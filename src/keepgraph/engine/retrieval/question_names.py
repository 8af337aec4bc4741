"""Names in a question: what the graph knows by that name, exactly or nearly, and who speaks by that name in texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from keepgraph import lazy, store
from keepgraph.engine.knowledge.entities import MAX_NAME
from keepgraph.engine.resolution import fuzzy, text_names
from keepgraph.engine.resolution.text_names import Lookup, Reading
from keepgraph.engine.retrieval import fusion
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import (
    common_words,
    first_person,
    given_names,
    mention_detection,
    name_similarity,
    proper_names,
)
from keepgraph.language.mention_detection import AnnotatedText
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle
from keepgraph.store.transactions import Tx

_MAX_CHARACTERS = 2000
"""Names are searched for in the beginning of a long question."""

_MAX_GUESSES = 3
"""How many unknown names are compared with known ones, in how many groups, for how many results: each costs time."""

_MAX_WORDS_OF_A_NAME = 4
"""A question of at most this many words, without a known name, may itself be a name."""

_WORD = lazy.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class QuestionName:
    """A name in a question, and what it may mean: entities, names that are only proposed, and speakers.

    Attributes:
        start, end: offsets in the question.
        entities: by row number, each with how sure that is, from 0 to 1.
        proposals: by row number.
        speakers: by their keys.
        is_person: whether it is the name of a known person; a proposed name is of none, for its type is a guess.
    """

    start: int
    end: int
    entities: tuple[tuple[int, float], ...] = ()
    proposals: tuple[int, ...] = ()
    speakers: tuple[str, ...] = ()
    is_person: bool = False


@dataclass(frozen=True, slots=True)
class _Speakers:
    """The speakers in the texts of a graph.

    Attributes:
        keys: those of their names.
        spellings: their names, and words that are part of only one of these, each as it is written there, by key.
        key_of: the key of the speaker, by the key of the name or of such a word.
    """

    keys: frozenset[str]
    spellings: Mapping[str, str]
    key_of: Mapping[str, str]


def detect(tx: Tx, text: str, *, groups: Sequence[str]) -> list[QuestionName]:
    """Detect the names in a question that the graph knows, exactly or nearly; in order.

    First names and aliases as written, and words that are part of only one speaker's name; then what looks
    like a name: nicknames of speakers, and what fuzzy resolution takes it for. A question that names nobody may be
    about the owner of the graph: "what do you know about me?"
    """
    beginning = text[:_MAX_CHARACTERS]
    speakers = _speakers(tx)
    annotated = AnnotatedText(beginning)
    lookup = Lookup(tx, groups)
    spans = list(mention_detection.candidate_spans(annotated))
    keys = list(dict.fromkeys(span.key for span in spans))
    known = lookup.by_keys(keys)
    proposed = store.retrieval.proposed_names(tx, keys, groups=groups)
    others = {key: [name for _, name in names] for key, names in proposed.items()}
    for key in keys:
        if key in speakers.spellings:
            others.setdefault(key, []).append(speakers.spellings[key])
    unknown = [key for key in keys if key.isalpha() and key not in known and key not in others]
    # Other words are hardly names in a question.
    parts = [key for key in unknown if given_names.contains(key) or not common_words.is_english(key)][:_MAX_GUESSES]
    found = text_names.find(
        lookup,
        annotated,
        spans=spans,
        words=[span for span in spans if span.key in parts],
        others=others,
        persons=speakers.spellings,
    ).known
    names = [_known_name(lookup, reading, proposed.get(reading.key, ()), speakers) for reading in found]
    names += _guessed_names(tx, annotated, found, speakers, groups=groups)
    if not names:
        names = _owners(tx, beginning, groups=groups)
    return [_with_speakers(tx, name, speakers) for name in sorted(names, key=lambda name: name.start)]


def lacks_owner(tx: Tx, text: str, *, groups: Sequence[str]) -> bool:
    """Whether a question is about the person who asks, names nothing known, and nobody owns these groups."""
    beginning = text[:_MAX_CHARACTERS]
    if _span_of_asker(beginning) is None or store.groups.rows(tx, groups):
        return False
    # Names that are only similar do not count: "me" is not nearly "Mel".
    exact_only = replace(tx, settings=replace(tx.settings, rungs=()))
    return not detect(exact_only, text, groups=groups)


def _speakers(tx: Tx) -> _Speakers:
    def read() -> _Speakers:
        names = store.conversations.speakers(tx)
        owners: dict[str, set[str]] = {}
        for key in names:
            for word in key.split() if " " in key else ():
                owners.setdefault(word, set()).add(key)
        key_of = {word: min(keys) for word, keys in owners.items() if len(keys) == 1 and word not in names}
        parts = {part.casefold(): part for name in names.values() for part in name.split()}
        spellings = {word: parts.get(word, word) for word in key_of} | names
        return _Speakers(frozenset(names), spellings, key_of | {key: key for key in names})

    return store.fact_changes.cached(tx, "speakers", read)


def _known_name(
    names: Lookup, reading: Reading, proposals: Sequence[tuple[int, str]], speakers: _Speakers
) -> QuestionName:
    """A name that the graph knows as written."""
    speaker = speakers.key_of.get(reading.key)
    if speaker is None and not reading.hits:
        speaker = next(iter(_speaker_by_nickname(Name(reading.key), speakers)), None)
    return QuestionName(
        start=reading.start,
        end=reading.end,
        entities=tuple(
            (hit.entity.row, fusion.ALIAS if hit.is_alias or reading.how == "part" else fusion.EXACT_NAME)
            for hit in reading.hits
        ),
        proposals=tuple(row for row, _ in proposals),
        speakers=(speaker,) if speaker else (),
        is_person=speaker is not None or any(map(names.is_person, reading.hits)),
    )


def _guessed_names(
    tx: Tx, annotated: AnnotatedText, known: Sequence[Reading], speakers: _Speakers, *, groups: Sequence[str]
) -> list[QuestionName]:
    """What looks like a name, or is the whole question, and is not known: with what it may mean all the same."""
    text = annotated.text
    spans = [(name.start, name.end, name.name) for name in proper_names.detect(annotated, besides=known)]
    spans = spans[:_MAX_GUESSES]
    if not spans and not known and 0 < len(_WORD.findall(text)) <= _MAX_WORDS_OF_A_NAME and len(text) <= MAX_NAME:
        spans = [(0, len(text), text)]
    names = []
    for start, end, written in spans:
        name = Name(written)
        nicknamed = _speaker_by_nickname(name, speakers)
        similar = _similar_entities(tx, name, groups=groups)
        if nicknamed or similar:
            entities = tuple((row, score) for row, score, _ in similar)
            is_person = bool(nicknamed) or any(style == "person" for _, _, style in similar)
            names.append(QuestionName(start, end, entities, speakers=nicknamed, is_person=is_person))
    return names


def _owners(tx: Tx, text: str, *, groups: Sequence[str]) -> list[QuestionName]:
    """The words that mean the owner of the graph, where the question asks about the one who asks and names nobody."""
    span = _span_of_asker(text)
    rows = store.groups.rows(tx, groups) if span else ()
    return [QuestionName(*span, tuple((row, fusion.ALIAS) for row in rows), is_person=True)] if span and rows else []


@lru_cache(maxsize=8)
def _span_of_asker(text: str) -> tuple[int, int] | None:
    """The words by which a question asks about the one who asks; None where it does not, or names somebody."""
    span = first_person.find_in_question(text)
    if span is None or any(not first_person.is_pronoun(name.name) for name in proper_names.detect(text, besides=())):
        return None
    return span


def _speaker_by_nickname(name: Name, speakers: _Speakers) -> tuple[str, ...]:
    """The speaker with this nickname, if there is only one."""
    is_word = name.folded and " " not in name.folded
    nicknames = given_names.nicknames(name.folded) if is_word else frozenset()
    keys = [key for key in speakers.keys if key.partition(" ")[0] in nicknames]
    return tuple(keys) if len(keys) == 1 else ()


def _similar_entities(tx: Tx, name: Name, *, groups: Sequence[str]) -> list[tuple[int, float, NameStyle]]:
    """Entities with a similar name, as row number, score and the style of their names."""
    if "fuzzy" not in tx.settings.rungs:
        return []
    similar = []
    vocabulary = graph_vocabulary.read(tx)
    for group in groups[:_MAX_GUESSES]:
        for candidate in fuzzy.rank(replace(tx, group=group), name, include_weak=False):
            if candidate.score >= name_similarity.MATCH_THRESHOLD:
                similar.append((candidate.entity.row, candidate.score, vocabulary.style(candidate.entity.type)))
    return sorted(similar, key=lambda scored: -scored[1])[:_MAX_GUESSES]


def _with_speakers(tx: Tx, name: QuestionName, speakers: _Speakers) -> QuestionName:
    """The name with the speakers who are the entities that it means: texts may call them by another name."""
    if not speakers.keys or not name.entities:
        return name
    keys = store.retrieval.keys_of_entities(tx, [row for row, _ in name.entities])
    return replace(name, speakers=tuple(dict.fromkeys([*name.speakers, *(keys & speakers.keys)])))
