"""Name styles: whether a name is a person's, a title or a term, by its words and context."""

from __future__ import annotations

from keepgraph import lazy
from keepgraph.language import (
    common_words,
    given_names,
    known_words,
    lexicons,
    normalisation,
)
from keepgraph.language.mention_detection import AnnotatedText
from keepgraph.model import NameStyle

TITLE_WORD = "project"
"""The word that marks what follows as a title: the project Atlas."""

_MAX_WORDS = 4

_VERBS_OF_PERSONS = frozenset(
    "said says thinks thought told asked agreed suggested proposed decided explained prefers wrote knows believes "
    "likes joined hopes wonders wants promised "
    "talks talked asks tells suspects feels felt lives lived works worked born died married emailed called phoned "
    "resigned retired emigrated studied teaches taught visits visited met attended chaired presented apologised "
    "apologized volunteered remembers remembered worries worried insists insisted complained agrees argued".split()
)
_TITLES_OF_PERSONS = frozenset(
    "colleague friend boss manager lawyer doctor teacher author director engineer founder husband wife son daughter "
    "brother sister mother father cousin neighbour neighbor mentor professor president minister singer actor actress "
    "writer poet painter composer designer developer maintainer nurse judge captain coach".split()
)
_HONORIFIC = (
    r"(?:Mr|Mrs|Ms|Dr|Prof|Professor|Uncle|Aunt|Auntie|Herr|Frau|Tante|Onkel|Doktor|(?:[Mm]onsieur|[Mm]adame|[Ss]eñora?|"
    r"[Ss]ignora?|[Ss]enhora?|[Dd]octeur|[Dd]octora?|[Dd]ottor|[Dd]outora?|tante|oncle|t[ií][ao]|zi[ao]|тётя|дядя)|"
    r"Nurse|Judge|Sister|Captain|Senator|Sir|Lady|Lord|Coach|Miss)"
)
_AFTER_HONORIFIC = lazy.compile(rf"(?<!\w){_HONORIFIC}\.? \Z")
_BEGINS_WITH_HONORIFIC = lazy.compile(rf"{_HONORIFIC} [^\W\d_a-z]")
_PARTICLES = frozenset("van von der den de di da dos del della bin ibn al el ter ten zu".split())
_TITLE_CASE = lazy.compile(r"[^\W\d_][^\W\d_]+(?:[-'’][^\W\d_]+)*")


def guess(name: str) -> NameStyle:
    """How a name is likely made: a person's if it begins with a given name, a title if it says `project`, a term."""
    words = _words_in_latin(name)
    if is_institution(name):
        return "term"
    if name[:1].isupper() and 0 < len(words) <= _MAX_WORDS and _begins_with_given_name(words):
        return "person"
    return "title" if TITLE_WORD in words else "term"


def is_institution(name: str) -> bool:
    """Whether a name begins or ends with a noun of institutions: Mercy Hospital, University of Oslo, Banco Sabadell.

    In Korean it ends a word: 부산대학교.
    """
    nouns = lexicons.words("institution_words")
    words = name.casefold().split() if name.isascii() else normalisation.Name(name).folded.split()
    if len(words) > 1:
        return not nouns.isdisjoint((words[0], words[-1]))
    return bool(words) and name > "\uac00" and any(words[0][start:] in nouns for start in range(2, len(words[0])))


def in_context(text: AnnotatedText, start: int, end: int) -> NameStyle:
    """How the name between two offsets of a text is likely made, by its words and the words beside it.

    A full name that no list has is taken for that of a person where it has no frequent word in it, or where the verb
    after it is a person's.
    """
    name = text.text[start:end]
    after = _word_after(text, start, end)
    if after == TITLE_WORD:
        return "title"
    if is_institution(name):
        return "term"
    is_addressed = _AFTER_HONORIFIC.search(text.text, max(0, start - 12), start)
    if is_addressed or _BEGINS_WITH_HONORIFIC.match(name):
        return "person"
    style = guess(name)
    if style != "term":
        return style
    if known_words.is_place(name.lower()):
        return "term"
    is_person = is_full_name(name) or known_words.is_person(name.lower()) or _is_persons_by_verb(name, after)
    return "person" if is_person else "term"


def is_title(word: str) -> bool:
    """Whether a word with a capital before the name of a person is a title: Dr, Aunt, Captain, Director."""
    return bool(_BEGINS_WITH_HONORIFIC.match(f"{word} Ada")) or word.lower() in _TITLES_OF_PERSONS


def is_full_name(name: str) -> bool:
    """Whether a name looks like the full name of a person: by its first name, or because it has no frequent word."""
    words = [word for word in name.split() if word not in _PARTICLES]
    if not 2 <= len(words) <= 3 or not all(map(_TITLE_CASE.fullmatch, words)):
        return False
    if _begins_with_given_name(_words_in_latin(name)):
        return True
    return not any(
        common_words.is_english(word) or known_words.is_frequent(word, known_words.LANGUAGES)
        for word in (words[0].lower(), words[-1].lower())
    )


def _word_after(text: AnnotatedText, start: int, end: int) -> str:
    """The word after a name, in small letters."""
    last = start + text.text[start:end].rfind(" ") + 1
    return text.word(text.neighbours(last, end)[1]).lower()


def _words_in_latin(name: str) -> list[str]:
    """The folded words of a name, in Latin letters, as the lexicon of given names has them: Анна is anna."""
    folded = normalisation.Name(name)
    return (folded.latin or folded.folded).split()


def _begins_with_given_name(words: list[str]) -> bool:
    """Whether folded words begin with a given name; a word that is also common does not count alone: Mark."""
    first = words[0]
    return given_names.contains(first) and not (len(words) == 1 and common_words.is_common(first))


def _is_persons_by_verb(name: str, after: str) -> bool:
    """Whether the verb after what may be a full name says that it is a person's."""
    words = [word for word in name.split() if word not in _PARTICLES]
    return 2 <= len(words) <= 3 and after in _VERBS_OF_PERSONS
