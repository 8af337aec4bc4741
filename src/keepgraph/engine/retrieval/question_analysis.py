"""Analysis of a question: its words for full-text search, the names in it, and its text without those names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from keepgraph import lazy
from keepgraph.engine.retrieval import question_names
from keepgraph.engine.retrieval.fusion import Key
from keepgraph.engine.retrieval.question_names import QuestionName
from keepgraph.language import common_words, normalisation
from keepgraph.lazy import dataclass
from keepgraph.store.transactions import Tx

MAX_PHRASES = 32
"""So many different words of a question are looked for; of a longer one, those it says most often."""

MAX_EMBEDDED_CHARACTERS = 2000
"""So many characters of a question are embedded; the model reads no more."""

_WORD = lazy.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_POSSESSIVE = lazy.compile(r"['’]s?(?!\w)")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, ready for the retrievers.

    Attributes:
        text: as it was asked, without white space around it.
        phrases: its words for a full-text query; none if it has no words.
        phrases_for_chunks: the same without the names of speakers, which are in every second turn of a conversation.
        without_names: the text that is compared with turns of conversations by vector, without the names of speakers
            and known persons: a name draws the vector to greetings (ADR 0028).
    """

    text: str
    names: tuple[QuestionName, ...]
    phrases: tuple[str, ...]
    phrases_for_chunks: tuple[str, ...]
    without_names: str

    @property
    def speakers(self) -> frozenset[str]:
        """The keys of the speakers that are named."""
        return frozenset(key for name in self.names for key in name.speakers)

    @property
    def nodes(self) -> tuple[Key, ...]:
        """The entities and the proposed names that are named, each once."""
        keys = (
            key
            for name in self.names
            for key in (*(row for row, _ in name.entities), *(-row for row in name.proposals))
        )
        return tuple(dict.fromkeys(keys))


def analyse(tx: Tx, question: str, *, groups: Sequence[str]) -> Question:
    """Analyse a question, with the names that the graph knows in these groups."""
    text = question.strip()
    names = question_names.detect(tx, text, groups=groups)
    without_speakers = _without(text, [name for name in names if name.speakers])
    without_persons = _without(text, [name for name in names if name.speakers or name.is_person])
    words = phrases(text)
    return Question(
        text,
        tuple(names),
        phrases=words,
        phrases_for_chunks=phrases(without_speakers) or words,
        without_names=(without_persons if _content_words(without_persons) else text)[:MAX_EMBEDDED_CHARACTERS],
    )


def phrases(text: str) -> tuple[str, ...]:
    """The words of a text without stop words, each quoted for a full-text query; if all are stop words, all of them.

    The ending of a possessive is left out, for it would have to stand in the text, too. A run of characters of a script
    without spaces is looked for as a whole, and by its pairs of neighbours.
    """
    counts: Counter[str] = Counter()
    for word in _content_words(text) or _words(text):
        counts.update(_segments(_POSSESSIVE.sub("", word.lower())))
    most_frequent = sorted(counts, key=lambda phrase: -counts[phrase])[:MAX_PHRASES]
    return tuple(f'"{phrase}"' for phrase in most_frequent)


def has_content(text: str) -> bool:
    """Whether a text has any word that is no stop word."""
    return bool(_content_words(text))


def _content_words(text: str) -> list[str]:
    return [word for word in _words(text) if not _is_stop_word(word.lower().replace("’", "'"))]


def _words(text: str) -> list[str]:
    return [match[0] for match in _WORD.finditer(text)]


def _is_stop_word(word: str) -> bool:
    return common_words.is_stop_word(word) or ("'" in word and common_words.is_stop_word(word.partition("'")[0]))


def _segments(word: str) -> list[str]:
    """The word; in a script without spaces, also its pairs of neighbouring characters."""
    segmented = normalisation.segment_characters(word)
    if segmented is None:
        return [word]
    characters = segmented.split()
    pairs = [f"{one} {other}" for one, other in pairwise(characters)]
    return [word, *(pairs or characters)]


def _without(text: str, names: Sequence[QuestionName]) -> str:
    """A text without some names in it, and without the endings that make them possessives."""
    parts, position = [], 0
    for name in names:
        parts.append(text[position : name.start])
        possessive = _POSSESSIVE.match(text, name.end)
        position = possessive.end() if possessive else name.end
    parts.append(text[position:])
    return " ".join("".join(parts).split())
