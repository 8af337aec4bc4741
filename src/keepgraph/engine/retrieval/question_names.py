"""Names in a question: what the graph knows by that name, exactly or nearly, and who speaks by that name in texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from keepgraph import lazy, store
from keepgraph.engine.knowledge.entities import MAX_NAME
from keepgraph.engine.resolution import fuzzy, name_parts
from keepgraph.engine.retrieval import fusion
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.language import (
    common_words,
    first_person,
    given_names,
    longer_names,
    mention_detection,
    name_similarity,
    proper_names,
)
from keepgraph.language.mention_detection import AnnotatedText, NameMatch
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle
from keepgraph.store.retrieval import KnownName
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
        names: by key.
        name_parts: words that are part of only one such name, with their spelling there.
        key_of_part: the key of the speaker, by such a word.
    """

    names: Mapping[str, str]
    name_parts: Mapping[str, Sequence[str]]
    key_of_part: Mapping[str, str]


def detect(tx: Tx, text: str, *, groups: Sequence[str]) -> list[QuestionName]:
    """Detect the names in a question that the graph knows, exactly or nearly; in order.

    First names and aliases as written, and words that are part of only one speaker's name; then what looks
    like a name: nicknames of speakers, and what fuzzy resolution takes it for. A question that names nobody may be
    about the owner of the graph: "what do you know about me?"
    """
    beginning = text[:_MAX_CHARACTERS]
    speakers = _speakers(tx)
    annotated = AnnotatedText(beginning)
    spans = list(mention_detection.candidate_spans(annotated))
    keys = list(dict.fromkeys(span.key for span in spans))
    known = store.retrieval.names_by_keys(tx, keys, groups=groups)
    spellings: dict[str, list[str]] = {key: [name.name for name in names] for key, names in known.items()}
    for key in keys:
        if key in speakers.names:
            spellings.setdefault(key, []).append(speakers.names[key])
    persons = _persons_by_name_part(tx, [key for key in keys if key not in spellings], groups=groups)
    parts: dict[str, Sequence[str]] = {key: [person.name] for key, person in persons.items()}
    parts |= speakers.name_parts
    known |= {key: [person] for key, person in persons.items()}
    vocabulary = graph_vocabulary.read(tx)
    matches = mention_detection.detect(annotated, {**parts, **spellings}, spans=spans)
    named_persons = {
        match.key
        for match in matches
        if match.key in parts or any(vocabulary.style(name.type) == "person" for name in known.get(match.key, ()))
    }
    longer = longer_names.find(annotated, matches, persons=named_persons)
    matches = [match for match in matches if match not in longer]
    names = [_known_name(vocabulary, known.get(match.key, ()), match, speakers) for match in matches]
    names += _guessed_names(tx, annotated, matches, speakers, groups=groups)
    if not names:
        names = _owners(tx, beginning, groups=groups)
    return [_with_speakers(tx, name, speakers) for name in sorted(names, key=lambda name: name.start)]


def lacks_owner(tx: Tx, text: str, *, groups: Sequence[str]) -> bool:
    """Whether a question is about the person who asks, names nothing known, and nobody owns these groups."""
    beginning = text[:_MAX_CHARACTERS]
    if _span_of_asker(beginning) is None or store.owners.rows(tx, groups):
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
        key_of_part = {word: min(keys) for word, keys in owners.items() if len(keys) == 1 and word not in names}
        spelling = {part.casefold(): part for name in names.values() for part in name.split()}
        return _Speakers(names, {word: (spelling.get(word, word),) for word in key_of_part}, key_of_part)

    return store.fact_changes.cached(tx, "speakers", read)


def _persons_by_name_part(tx: Tx, keys: Sequence[str], *, groups: Sequence[str]) -> dict[str, KnownName]:
    """The only person whose first or last name a word is, by that word.

    Only given names, and words that are not English, are looked up: other words are hardly names in a question.
    """
    words = [key for key in keys if key.isalpha() and (given_names.contains(key) or not common_words.is_english(key))]
    only: dict[str, KnownName] = {}
    for word in words[:_MAX_GUESSES]:
        persons = name_parts.persons(tx, word, groups=groups[:_MAX_GUESSES])
        if len(persons) == 1:
            entity = persons[0].entity
            only[word] = KnownName(persons[0].written, entity.row, None, False, entity.type)
    return only


def _known_name(
    vocabulary: Vocabulary, known: Sequence[KnownName], match: NameMatch, speakers: _Speakers
) -> QuestionName:
    """A name that the graph knows as written."""
    entities = {
        name.entity: fusion.EXACT_NAME if name.is_name else fusion.ALIAS for name in known if name.entity is not None
    }
    speaker = match.key if match.key in speakers.names else speakers.key_of_part.get(match.key)
    if speaker is None and not entities:
        speaker = next(iter(_speaker_by_nickname(Name(match.key), speakers)), None)
    return QuestionName(
        start=match.start,
        end=match.end,
        entities=tuple(entities.items()),
        proposals=tuple(name.proposal for name in known if name.proposal is not None),
        speakers=(speaker,) if speaker else (),
        is_person=speaker is not None
        or any(vocabulary.style(name.type) == "person" for name in known if name.entity is not None),
    )


def _guessed_names(
    tx: Tx, annotated: AnnotatedText, matches: Sequence[NameMatch], speakers: _Speakers, *, groups: Sequence[str]
) -> list[QuestionName]:
    """What looks like a name, or is the whole question, and is not known: with what it may mean all the same."""
    text = annotated.text
    spans = [(name.start, name.end, name.name) for name in proper_names.detect(annotated, besides=matches)]
    spans = spans[:_MAX_GUESSES]
    if not spans and not matches and 0 < len(_WORD.findall(text)) <= _MAX_WORDS_OF_A_NAME and len(text) <= MAX_NAME:
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
    rows = store.owners.rows(tx, groups)
    span = _span_of_asker(text) if rows else None
    return [QuestionName(*span, tuple((row, fusion.ALIAS) for row in rows), is_person=True)] if span else []


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
    keys = [key for key in speakers.names if key.partition(" ")[0] in nicknames]
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
    if not speakers.names or not name.entities:
        return name
    keys = store.retrieval.keys_of_entities(tx, [row for row, _ in name.entities])
    return replace(name, speakers=tuple(dict.fromkeys([*name.speakers, *(keys & speakers.names.keys())])))
