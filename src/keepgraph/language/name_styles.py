"""Name styles: whether a name is a person's, a title or a term, by its words and context."""

from __future__ import annotations

import re

from keepgraph import lazy
from keepgraph.language import (
    common_words,
    given_names,
    known_words,
    lexicons,
    name_similarity,
    normalisation,
    ordinary_phrases,
)
from keepgraph.language.mention_detection import AnnotatedText
from keepgraph.model import NameStyle

TITLE_WORD = "project"
"""The word that tells a title beside it: the project Atlas."""

_MAX_WORDS = 4

_SPEECH_VERBS = frozenset(
    "said says thinks thought told asked agreed suggested proposed decided explained prefers wrote knows believes "
    "likes joined hopes wonders wants promised".split()
)
_VERBS_OF_PERSONS = _SPEECH_VERBS | frozenset(
    "talks talked asks tells suspects feels felt lives lived works worked born died married emailed called phoned "
    "resigned retired emigrated studied teaches taught visits visited met attended chaired presented apologised "
    "apologized volunteered remembers remembered worries worried insists insisted complained agrees argued".split()
)
_BEFORE_PERSONS = frozenset(
    "met meet meeting asked ask told tell emailed email called phoned thanked thank interviewed by colleague "
    "friend boss manager lawyer doctor teacher author director engineer founder husband wife son daughter brother "
    "sister mother father cousin neighbour neighbor mentor professor president minister singer actor actress writer "
    "poet painter composer designer developer maintainer".split()
)
_BEFORE_THINGS = frozenset(
    "the a an this that in at on onto into to near via using use uses used install installed run running runs through "
    "across called named titled".split()
)
_LABELS_OF_PERSONS = lazy.compile(
    r"(?:attendees|participants|present|apologies|absent|authors?|speakers?|members|people|guests|contributors|"
    r"maintainers?|cc|with|by)\b[^:\n]{0,20}:[^.;\n]*",
    re.IGNORECASE,
)
_HONORIFIC = (
    r"(?:Mr|Mrs|Ms|Dr|Prof|Professor|Uncle|Aunt|Auntie|Herr|Frau|Tante|Onkel|Doktor|(?:[Mm]onsieur|[Mm]adame|[Ss]eñora?|"
    r"[Ss]ignora?|[Ss]enhora?|[Dd]octeur|[Dd]octora?|[Dd]ottor|[Dd]outora?|tante|oncle|t[ií][ao]|zi[ao]|тётя|дядя))"
)
_AFTER_HONORIFIC = lazy.compile(rf"(?<!\w){_HONORIFIC}\.? \Z")
_BEGINS_WITH_HONORIFIC = lazy.compile(rf"{_HONORIFIC} [^\W\d_a-z]")
_TITLE_OF_PROFESSION = lazy.compile(
    r"(?<!\w)(Nurse|Judge|Justice|Maestro|Sister|Brother|Father|Rabbi|Imam|Captain|Colonel|Sergeant|Lieutenant|Inspector|"
    r"Detective|Senator|Ambassador|Reverend|Rev\.|Bishop|Cardinal|Sir|Dame|Lady|Lord|Coach|Miss|Mister|Mme|Mlle) "
    r"(?=[^\W\d_a-z][\w'’\-])"
)
_BEFORE_FIELD = frozenset(["of", "for"])
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
    """Whether a name ends with a noun of institutions, or goes on behind it: Mercy Hospital, University of Oslo.

    A noun that is not English may be the first word: Banco Sabadell. In Korean it ends a word: 부산대학교.
    """
    nouns = lexicons.words("institution_words")
    words = name.casefold().split() if name.isascii() else normalisation.Name(name).folded.split()
    head = next((words[:place] for place, word in enumerate(words) if place and word in _BEFORE_FIELD), words)
    if len(words) > 1:
        return head[-1] in nouns or (words[0] in nouns and not common_words.is_english(words[0]))
    return bool(words) and name > "\uac00" and any(words[0][start:] in nouns for start in range(2, len(words[0])))


def in_context(text: AnnotatedText, start: int, end: int) -> NameStyle:
    """How the name between two offsets of a text is likely made, by its words and the words beside it.

    A full name that no list has is taken for that of a person where it has no English word in it, or where a verb or a
    role beside it is a person's; and not where what stands before it is said of things and places.
    """
    name = text.text[start:end]
    before, after = _words_beside(text, start, end)
    if after == TITLE_WORD:
        return "title"
    if is_institution(name):
        return "term"
    is_addressed = _AFTER_HONORIFIC.search(text.text, max(0, start - 12), start)
    if _has_title_of_profession(text.text[max(0, start - 16) : end], name):
        return "person"
    if after in _SPEECH_VERBS or is_addressed or _BEGINS_WITH_HONORIFIC.match(name):
        return "person"
    style = guess(name)
    if style != "term":
        return style
    if known_words.is_place(name.lower()):
        return "term"
    if before in _BEFORE_THINGS or text.text[start - 1 : start] in ('"', "“", "«"):
        return "term"
    is_person = is_full_name(name) or known_words.is_person(name.lower()) or _is_persons_by_context(text, start, end)
    return "person" if is_person else "term"


def is_title(word: str) -> bool:
    """Whether a word with a capital before the name of a person is a title: Dr, Aunt, Captain, Director."""
    is_profession = _TITLE_OF_PROFESSION.match(f"{word} Ada") is not None
    return is_profession or bool(_BEGINS_WITH_HONORIFIC.match(f"{word} Ada")) or word.lower() in _BEFORE_PERSONS


def _has_title_of_profession(text: str, name: str) -> bool:
    """Whether the title of a profession stands before a name or begins it: Nurse Bianchi, and not Brother Printer.

    Args:
        text: the name and what stands before it.
    """
    for title in _TITLE_OF_PROFESSION.finditer(text):
        titled = text[title.start() :]
        if titled == name or titled == f"{title[1]} {name}":
            words = titled.split()[1:]
            is_english = all(common_words.is_english(word.lower()) for word in words)
            return not is_english or given_names.contains(words[0].lower())
    return False


def is_full_name(name: str) -> bool:
    """Whether a name looks like the full name of a person: by its first name, or for want of an English word in it.

    That it has no English word means nothing of a name in another script.
    """
    words = [word for word in name.split() if word not in _PARTICLES]
    lower_case = [word.lower() for word in words]
    if not 2 <= len(words) <= 3 or not all(map(_TITLE_CASE.fullmatch, words)) or not _may_be_of_person(lower_case):
        return False
    if _begins_with_given_name(_words_in_latin(name)):
        return True
    return not normalisation.Name(name).latin and not any(
        common_words.is_english(word) or known_words.is_frequent(word, known_words.LANGUAGES)
        for word in (lower_case[0], lower_case[-1])
    )


def _words_beside(text: AnnotatedText, start: int, end: int) -> tuple[str, str]:
    """The words before and after a name, in small letters."""
    last = start + text.text[start:end].rfind(" ") + 1
    before, after = text.neighbours(start, end)[0], text.neighbours(last, end)[1]
    return text.word(before).lower(), text.word(after).lower()


def _words_in_latin(name: str) -> list[str]:
    """The folded words of a name, in Latin letters, as the lexicon of given names has them: Анна is anna."""
    folded = normalisation.Name(name)
    return (folded.latin or folded.folded).split()


def _begins_with_given_name(words: list[str]) -> bool:
    """Whether folded words begin with a given name; one that is a word as well does not name a thing: Helm Charts."""
    first = words[0]
    if not given_names.contains(first):
        return False
    if len(words) == 1:
        return not common_words.is_common(first)
    return not (
        common_words.is_frequent(first) and given_names.is_nickname(first) and ordinary_phrases.is_plain_word(words[-1])
    )


def _may_be_of_person(lower_case: list[str]) -> bool:
    return not any(
        name_similarity.is_generic(word)
        or common_words.is_stop_word(word)
        or ordinary_phrases.is_plain_word(word)
        or word in lexicons.words("well_known_names")
        for word in lower_case
    )


def _is_persons_by_context(text: AnnotatedText, start: int, end: int) -> bool:
    """Whether a verb, a role or a label beside a full name says that it is a person's."""
    words = [word for word in text.text[start:end].split() if word not in _PARTICLES]
    lower_case = [word.lower() for word in words]
    if not 2 <= len(words) <= 3 or not all(map(_TITLE_CASE.fullmatch, words)) or not _may_be_of_person(lower_case):
        return False
    if ordinary_phrases.is_ordinary_word(lower_case[0]) or common_words.is_common(lower_case[-1]):
        return False
    before, after = _words_beside(text, start, end)
    sentence = text.sentence_at(start)
    label = _LABELS_OF_PERSONS.match(text.text, sentence.start if sentence else 0, start)
    return before in _BEFORE_PERSONS or after in _VERBS_OF_PERSONS or (label is not None and label.end() == start)
