"""What a question says: its telling words, the names in it, and what is left of it to be understood.

It knows how names are looked up; where they are found, and what is made of it, it does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from keepgraph import store
from keepgraph.engine.knowledge.entities import MAX_NAME
from keepgraph.engine.resolution import resolver
from keepgraph.language import common_words, lexicons, mentions, normalisation
from keepgraph.language.mentions import Named
from keepgraph.store.database import Tx

MOST_WORDS = 32
"""So many different words of a question are looked for; of a longer one, those it says most often."""

_READ_FOR_NAMES = 2000
EMBEDDED = 2000
"""So many characters of a question are understood; the model reads no more."""
_GUESSED = 3
_PERSONS_WEIGHED = 50
_SHORT = 4
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?(?!\w)")


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a question, and whom it may mean: entities, names that are only proposed, and speakers.

    Attributes:
        entities: by their row numbers, each with how sure that is, from 0 to 1.
        proposals: by their row numbers.
        speakers: by their keys.
        of_person: whether it is the name of a person.
    """

    start: int
    end: int
    entities: tuple[tuple[int, float], ...] = ()
    proposals: tuple[int, ...] = ()
    speakers: tuple[str, ...] = ()
    of_person: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it is looked for.

    Attributes:
        text: as it was asked, without white space around it.
        match: a full-text query; empty if it has no words.
        match_texts: the same without the names of speakers, which are in every second turn of a conversation.
        meaning: what of it is compared with texts: a person's name draws a vector to greetings.
    """

    text: str
    names: tuple[Name, ...]
    match: tuple[str, ...]
    match_texts: tuple[str, ...]
    meaning: str

    @property
    def speakers(self) -> frozenset[str]:
        """The keys of the speakers that are named."""
        return frozenset(key for name in self.names for key in name.speakers)


def read(tx: Tx, asked: str, *, groups: Sequence[str]) -> Question:
    """What a question says, for a graph that knows some names."""
    text = asked.strip()
    found = names_in(tx, text, groups=groups)
    spoken = _without(text, [name for name in found if name.speakers])
    nameless = _without(text, [name for name in found if name.speakers or name.of_person])
    match = phrases(text)
    meant = nameless if _telling(nameless) else text
    return Question(text, tuple(found), match, phrases(spoken) or match, meant[:EMBEDDED])


def phrases(text: str) -> tuple[str, ...]:
    """The telling words of a text, each quoted for a full-text query. Where no word tells, every word does.

    A run of signs of a script without spaces is looked for by its pairs of neighbours, and as a whole.
    """
    counts: Counter[str] = Counter()
    for word in _telling(text) or [found[0] for found in _WORD.finditer(text)]:
        counts.update(_pieces(word.lower()))
    most = sorted(counts, key=lambda phrase: -counts[phrase])[:MOST_WORDS]
    return tuple(f'"{phrase}"' for phrase in most)


def names_in(tx: Tx, text: str, *, groups: Sequence[str]) -> list[Name]:
    """The names in a question that the graph knows, or nearly; in their order.

    Names and aliases as they are written, and words that are a part of one speaker's name only; then what looks like
    a name: nicknames of speakers, and what the fuzzy rung of the cascade takes it for.
    """
    head = text[:_READ_FOR_NAMES]
    speakers = _speakers(tx)
    keys = list(dict.fromkeys(span.key for span in mentions.spans(head)))
    known = store.retrieval.by_keys(tx, keys, groups=groups)
    written: dict[str, list[str]] = {key: [each.written for each in found] for key, found in known.items()}
    for key in keys:
        if key in speakers.whole:
            written.setdefault(key, []).append(speakers.whole[key])
    alone = _persons_by_a_part(tx, [key for key in keys if key not in written], groups=groups)
    parts = {key: [each.written] for key, each in alone.items()} | dict(speakers.parts)
    named = mentions.mentions(head, written, parts)
    known |= {key: [each] for key, each in alone.items()}
    found = [_known(known.get(each.key, ()), each, speakers) for each in named]
    found += _guessed(tx, head, named, speakers, groups=groups)
    return [_with_speakers(tx, name, speakers) for name in sorted(found, key=lambda name: name.start)]


@dataclass(frozen=True, slots=True)
class _Speakers:
    """Those who speak in the texts of a graph.

    Attributes:
        whole: their names by key.
        parts: words that are a part of one such name only, with the name as it is written there.
        of_part: the keys of the speakers, by such a word.
    """

    whole: Mapping[str, str]
    parts: Mapping[str, Sequence[str]]
    of_part: Mapping[str, str]


def _speakers(tx: Tx) -> _Speakers:
    def read() -> _Speakers:
        whole = store.retrieval.speakers(tx)
        owners: dict[str, set[str]] = {}
        for key in whole:
            for word in key.split() if " " in key else ():
                owners.setdefault(word, set()).add(key)
        of_part = {word: min(keys) for word, keys in owners.items() if len(keys) == 1 and word not in whole}
        spelled = {part.casefold(): part for name in whole.values() for part in name.split()}
        return _Speakers(whole, {word: (spelled.get(word, word),) for word in of_part}, of_part)

    return store.change_cache.kept(tx, "speakers", read)


def _persons_by_a_part(tx: Tx, keys: Sequence[str], *, groups: Sequence[str]) -> dict[str, store.retrieval.Known]:
    """The only person whose first or last name a word is, by that word: of given names, and of what is no English."""
    found: dict[str, store.retrieval.Known] = {}
    for word in [
        key for key in keys if key.isalpha() and (lexicons.is_given_name(key) or not common_words.is_known(key))
    ][:_GUESSED]:
        persons: dict[int, str] = {}
        for group in groups[:_GUESSED]:
            rows = store.mentions.persons_with_word(tx, f'"{word}"', group=group, limit=_PERSONS_WEIGHED)
            for row, _, surface in rows:
                ends = surface.split()
                part = next((each for each in (ends[0], ends[-1]) if normalisation.key(each) == word), None)
                if part:
                    persons[row] = part
        if len(persons) == 1:
            row, part = persons.popitem()
            found[word] = store.retrieval.Known(part, row, None, False, "person")
    return found


def _known(found: Iterable[store.retrieval.Known], named: Named, speakers: _Speakers) -> Name:
    entities = {each.entity: 1.0 if each.is_name else 0.95 for each in found if each.entity is not None}
    of_person = any(each.type == "person" for each in found)
    speaker = named.key if named.key in speakers.whole else speakers.of_part.get(named.key)
    return Name(
        start=named.start,
        end=named.end,
        entities=tuple(entities.items()),
        proposals=tuple(each.proposal for each in found if each.proposal is not None),
        speakers=(speaker,) if speaker else (),
        of_person=of_person or speaker is not None,
    )


def _guessed(tx: Tx, text: str, named: Sequence[Named], speakers: _Speakers, *, groups: Sequence[str]) -> list[Name]:
    """What looks like a name, or is all that is asked, and is none that is known: whom it may mean all the same."""
    spans = [(each.start, each.end, each.name) for each in mentions.proposed_names(text, besides=named)]
    spans = spans[:_GUESSED]
    if not spans and not named and 0 < len(_WORD.findall(text)) <= _SHORT and len(text) <= MAX_NAME:
        spans = [(0, len(text), text)]
    found = []
    for start, end, said in spans:
        called = _called(said, speakers)
        alike = _alike(tx, said, groups=groups)
        if called or alike:
            rows = tuple((row, score) for row, score, _ in alike)
            of_person = bool(called) or any(kind == "person" for _, _, kind in alike)
            found.append(Name(start, end, rows, speakers=called, of_person=of_person))
    return found


def _called(said: str, speakers: _Speakers) -> tuple[str, ...]:
    """The one speaker who is called so for short."""
    short = normalisation.fold(said)
    others = lexicons.nicknames(short) if short and " " not in short else frozenset()
    found = [key for key in speakers.whole if key.partition(" ")[0] in others]
    return tuple(found) if len(found) == 1 else ()


def _alike(tx: Tx, said: str, *, groups: Sequence[str]) -> list[tuple[int, float, str]]:
    """Entities that may be meant by a name that is not known, as row, score and type."""
    if "fuzzy" not in tx.settings.rungs:
        return []
    found = []
    for group in groups[:_GUESSED]:
        for each in resolver.look_alikes(replace(tx, group=group), said, runners_up=False):
            if each.score >= tx.settings.fuzzy:
                found.append((each.entity.row, each.score, each.entity.type))
    return sorted(found, key=lambda each: -each[1])[:_GUESSED]


def _with_speakers(tx: Tx, name: Name, speakers: _Speakers) -> Name:
    """A name with the speakers who are the entities that it means: they may be called otherwise there."""
    if not speakers.whole or not name.entities:
        return name
    keys = store.retrieval.keys_of(tx, [row for row, _ in name.entities])
    return replace(name, speakers=tuple(dict.fromkeys([*name.speakers, *(keys & speakers.whole.keys())])))


def _without(text: str, taken: Sequence[Name]) -> str:
    """A text without some names in it, and without the endings that make them possessives."""
    left, place = [], 0
    for name in taken:
        left.append(text[place : name.start])
        ending = _POSSESSIVE.match(text, name.end)
        place = ending.end() if ending else name.end
    left.append(text[place:])
    return " ".join("".join(left).split())


def _telling(text: str) -> list[str]:
    words = [found[0] for found in _WORD.finditer(text)]
    return [word for word in words if not _only_joins(word.lower().replace("’", "'"))]


def _only_joins(word: str) -> bool:
    return common_words.is_small(word) or ("'" in word and common_words.is_small(word.partition("'")[0]))


def _pieces(word: str) -> list[str]:
    spaced = normalisation.spaced(word)
    if spaced is None:
        return [word]
    signs = spaced.split()
    pairs = [f"{one} {other}" for one, other in pairwise(signs)]
    return [word, *(pairs or signs)]
