"""Proper names by rules: the words of a text that are unmistakably names, though the graph does not know them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from keepgraph.language import (
    common_words,
    given_names,
    lexicons,
    name_marks,
    name_similarity,
    name_styles,
    normalisation,
    numbers,
    ordinary_phrases,
)
from keepgraph.language.annotated_text import AnnotatedText, Offsets
from keepgraph.language.mention_detection import NameMatch
from keepgraph.language.tokenizer import ADDRESS
from keepgraph.model import NameStyle

MAX_CAPITALISED = 4
"""A name has at most so many words with a capital."""

_DETERMINERS = frozenset("the a an our my your their his her its this that these those each every any some no".split())
_NAME_PARTICLES = frozenset("of de da do dos das del della di van von der den la le el bin al".split())

_CODE = re.compile(r"```.{0,20000}?(?:```|\Z)", re.DOTALL)
_IDENTIFIER = re.compile(r"(?<!`)`([^\s`]{2,40})`(?!`)")
_NO_IDENTIFIER = re.compile(
    r"\.{0,2}/.*|.*/|.*=.*|.*\([^)].*|.*\[\.\.\.\].*|\.\w{1,5}|(?i:true|false|none|null|nil|undefined)"
)
_IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]")
_ACRONYM = re.compile(r"([A-Z][A-Z0-9]{1,5})s?")
_ROMAN_NUMERAL = re.compile("[IVXLCDM]+")
_CONTRACTION = re.compile(r"['’](?:t|ll|ve|re|m|d)(?!\w)", re.IGNORECASE)
_INNER_CAPITAL = re.compile("[a-z0-9][A-Z]|^[A-Z]{2,}[a-z]{2}")
_DOTTED_NAME = re.compile(r"[A-Za-z]{2,20}\.(?:js|io|ai|net|NET)")
_NOT_NAMES = frozenset(
    "OK FYI ASAP TODO FIXME NOTE NB TBD TBA TBC ETA AM PM UTC GMT CET CEST EST PST USD EUR GBP CHF AND OR NOT PS RE "
    "CC BCC FW FWD EOD EOW EOM WIP LGTM IMO IMHO AKA ID IDS BTW IIRC AFAIK OOO WFH NA NO YES VS EG IE RIP LOL OMG "
    "WTF RSVP Mr Mrs Ms Dr Prof QA DIY PTO FAQ TLDR DM XX XXX Q1 Q2 Q3 Q4 H1 H2 BC AD IT US UK EU TV PC OS CV HR "
    "CEO CTO CFO COO VP PHD MSC BSC PR PRS LOC True False None Null Inc Ltd LLC LLP PLC Corp GmbH AG".split()
)
# Acronyms that are spelled like ordinary words; other such words in capitals are taken to be shouted.
_WORDLIKE_ACRONYMS = frozenset("REST SOAP SAP RUST DASH FLUX MAPS LAMP BASIC BERT BLOOM GIT GO SWIFT FLOW".split())
_UNITS = frozenset(
    "kHz MHz GHz THz kWh mAh dB kB KiB MiB GiB TiB kW MW mV kV mA GB MB TB KB Mbit Gbit Mbps Gbps PhD".split()
)
_GERMAN_FUNCTION_WORDS = frozenset(
    "der die das und ist nicht ein eine einen einem einer den dem des zu mit auf für im am vom zum zur wir ich sie es "
    "wird werden wurde haben hat sind bei aus nach über von als auch noch aber oder wenn dass".split()
)
_ENGLISH_FUNCTION_WORDS = frozenset(
    "the and is not a an of to with on for in at we i they it will be was have has are by from about as also but or if "
    "that this his her our".split()
)
# So many words from the beginning decide in which language a text is.
_WORDS_FOR_LANGUAGE = 2_000


@dataclass(frozen=True, slots=True)
class ProperName:
    """A name by its offsets in the text, with the style that names of such entities have."""

    name: str
    start: int
    end: int
    style: NameStyle


def detect(text: AnnotatedText | str, *, besides: Sequence[NameMatch] = ()) -> list[ProperName]:
    """The words of a text that are unmistakably names, in their order.

    They are words with inner capitals (PostgreSQL), two to six capitals (API, REST), identifiers in backticks, and
    words with a capital: up to MAX_CAPITALISED of them, not days and months, nor ordinary words with an article. At the
    beginning of a sentence and in titles, where any word has a capital, a single one is a name only if it is a given
    name or no English word. In German, where every noun has a capital, capitals say nothing.

    Args:
        besides: names that are known already; names that overlap them are left out.
    """
    annotated = text if isinstance(text, AnnotatedText) else AnnotatedText(text)
    known = _Intervals((match.start, match.end) for match in besides)
    identifiers = [
        ProperName(match[1], match.start(1), match.end(1), "term")
        for match in _IDENTIFIER.finditer(annotated.text)
        if _is_identifier(match[1])
    ]
    names = [name for name in identifiers if not known.overlap(name.start, name.end)]
    excluded = _Intervals(
        [
            *((match.start, match.end) for match in besides),
            *((name.start, name.end) for name in names),
            *(match.span() for pattern in (_CODE, _IMAGE, ADDRESS) for match in pattern.finditer(annotated.text)),
        ]
    )
    is_german = _is_german(annotated)
    for run in _capitalised_runs(annotated):
        names += [
            name
            for name in _names_in_run(annotated, run, is_german=is_german)
            if not excluded.overlap(name.start, name.end)
        ]
    return sorted(names, key=lambda name: name.start)


class _Intervals:
    """Stretches of a text, merged where they overlap."""

    def __init__(self, intervals: Iterable[Offsets]) -> None:
        self._merged: list[Offsets] = []
        for start, end in sorted(intervals):
            if self._merged and start <= self._merged[-1][1]:
                start, end = self._merged[-1][0], max(end, self._merged.pop()[1])
            self._merged.append((start, end))
        self._starts = [start for start, _ in self._merged]

    def overlap(self, start: int, end: int) -> bool:
        index = bisect_right(self._starts, end - 1) - 1
        return index >= 0 and self._merged[index][1] > start


def _is_identifier(word: str) -> bool:
    """Whether a word in backticks is the name of something, and no option, path, value or word that is only quoted."""
    if not (word[0].isalnum() or word[0] in "._@#~") or not any(c.isalpha() for c in word):
        return False
    if _NO_IDENTIFIER.fullmatch(word):
        return False
    return not (
        word.isalpha() and word.islower() and (common_words.is_frequent(word) or common_words.is_stop_word(word))
    )


def _is_german(text: AnnotatedText) -> bool:
    """Whether a text is in German, as far as its function words tell."""
    words = [text.word(offsets) for offsets in text.words[:_WORDS_FOR_LANGUAGE]]
    german = sum(word in _GERMAN_FUNCTION_WORDS for word in words)
    return german > sum(word in _ENGLISH_FUNCTION_WORDS for word in words)


def _capitalised_runs(text: AnnotatedText) -> Iterator[list[Offsets]]:
    """Words that may be one name: side by side in a sentence, each with a capital, or a particle such as `of`."""
    for sentence in text.sentences:
        run: list[Offsets] = []
        for offsets in text.words_in(sentence):
            word = text.text[offsets[0] : offsets[1]]
            if run and text.text[run[-1][1] : offsets[0]] != " ":
                yield _without_final_particles(text, run)
                run = []
            if _has_capital(word) or (run and word in _NAME_PARTICLES):
                run.append(offsets)
            elif run:
                yield _without_final_particles(text, run)
                run = []
        if run:
            yield _without_final_particles(text, run)


def _has_capital(word: str) -> bool:
    return word[:1].isupper() or bool(_INNER_CAPITAL.search(word)) or bool(_DOTTED_NAME.fullmatch(word))


def _without_final_particles(text: AnnotatedText, run: list[Offsets]) -> list[Offsets]:
    while run and text.word(run[-1]) in _NAME_PARTICLES:
        run = run[:-1]
    return run


def _names_in_run(text: AnnotatedText, run: Sequence[Offsets], *, is_german: bool) -> list[ProperName]:
    """The names in a run of words with capitals: single words that are names by their form, and what is between."""
    names: list[ProperName] = []
    pending: list[Offsets] = []
    for offsets in run:
        word = text.word(offsets)
        if name := _name_by_form(text, offsets, word):
            names += _name_of_words(text, pending, is_german=is_german)
            names.append(ProperName(name, offsets[0], offsets[0] + len(name), "term"))
            pending = []
        elif _ACRONYM.fullmatch(word) or (
            text.is_title_case(offsets[0]) and common_words.is_english(word.lower()) and word not in _NAME_PARTICLES
        ):
            names += _name_of_words(text, pending, is_german=is_german)
            pending = []
        else:
            pending.append(offsets)
    return names + _name_of_words(text, pending, is_german=is_german)


def _name_by_form(text: AnnotatedText, offsets: Offsets, word: str) -> str | None:
    """A word that is a name by its form, wherever it stands: PostgreSQL, API (of APIs), Node.js."""
    if word in _UNITS or not word.isascii():
        return None
    if acronym := _ACRONYM.fullmatch(word):
        letters = acronym[1]
        if letters in _NOT_NAMES or _ROMAN_NUMERAL.fullmatch(letters) or sum(c.isalpha() for c in letters) < 2:
            return None
        is_shouted_word = letters not in _WORDLIKE_ACRONYMS and common_words.is_common(letters.lower())
        return None if is_shouted_word or text.is_all_capitals(offsets[0]) else letters
    return word if _INNER_CAPITAL.search(word) or _DOTTED_NAME.fullmatch(word) else None


def _name_of_words(text: AnnotatedText, run: list[Offsets], *, is_german: bool) -> list[ProperName]:
    """The name that one to MAX_CAPITALISED words with a capital each make; an empty list if they make none."""
    run = _without_sentence_start(text, _without_final_particles(text, list(run)))
    while run and text.word(run[0]) in _NAME_PARTICLES:
        run = run[1:]
    run, is_title = _without_title_word(text, run)
    run = [offsets for offsets in run if text.word(offsets) not in _NOT_NAMES and not _is_contracted(text, offsets)]
    if not run or all(text.word(offsets).lower() in lexicons.words("heading_words") for offsets in run):
        return []
    words = [text.word(offsets) for offsets in run]
    if sum(word[0].isupper() for word in words) > MAX_CAPITALISED or not any(len(word) > 1 for word in words):
        return []
    lower_case = [word.lower() for word in words]
    begins_with_given_name = given_names.contains(normalisation.Name(words[0]).folded) and not common_words.is_common(
        lower_case[0]
    )
    if not begins_with_given_name and (is_german or not _is_name(text, run, lower_case)):
        return []
    return [_proper_name(text, part, is_title=is_title) for part in _person_and_place(text, run)]


def _person_and_place(text: AnnotatedText, run: list[Offsets]) -> list[list[Offsets]]:
    """The words of a run as two names where a full name of a person stands before `of`: Ada Obi of Lumen Labs."""
    for position, offsets in enumerate(run):
        if text.word(offsets) == "of":
            before = text.text[run[0][0] : run[position - 1][1]]
            if name_styles.is_full_name(before):
                return [run[:position], run[position + 1 :]]
    return [run]


def _proper_name(text: AnnotatedText, run: Sequence[Offsets], *, is_title: bool) -> ProperName:
    start, end = run[0][0], run[-1][1]
    style = "title" if is_title else name_styles.in_context(text, start, end)
    return ProperName(text.text[start:end], start, end, style)


def _without_sentence_start(text: AnnotatedText, run: list[Offsets]) -> list[Offsets]:
    """A run without the words at its head that have their capital from the beginning of a sentence: Ask Priya.

    Interjections, articles, and days and months, at the head or the end, are taken off too.
    """
    while run:
        word = text.word(run[0]).lower()
        is_first = text.is_sentence_start(run[0][0])
        is_exclaimed = word in lexicons.words("interjections") and (is_first or len(run) == 1)
        if (
            is_exclaimed
            or numbers.is_calendar_word(word)
            or word in _DETERMINERS
            or word == "i"
            or (is_first and common_words.is_stop_word(word))
        ):
            run = run[1:]
        elif is_first and len(run) > 1 and common_words.may_begin_sentence(word):
            is_given_name = given_names.contains(normalisation.Name(word).folded) and not common_words.is_english(
                text.word(run[1]).lower()
            )
            if is_given_name:
                break
            run = run[1:]
        else:
            break
    while run and numbers.is_calendar_word(text.word(run[-1]).lower()):
        run = run[:-1]
    return run


def _is_contracted(text: AnnotatedText, offsets: Offsets) -> bool:
    """Whether a word is the beginning of a contraction, which has its capital from the sentence: Don of Don't."""
    return bool(_CONTRACTION.match(text.text, offsets[1]))


def _without_title_word(text: AnnotatedText, run: list[Offsets]) -> tuple[list[Offsets], bool]:
    """A run without the word `project` at its end or its head, and whether it had one: Project Atlas is Atlas."""
    is_title = False
    for end in (run[-1:], run[:1]):
        if len(run) > 1 and end and text.word(end[0]).lower() == name_styles.TITLE_WORD:
            run, is_title = [offsets for offsets in run if offsets != end[0]], True
    return run, is_title


def _is_name(text: AnnotatedText, run: Sequence[Offsets], lower_case: Sequence[str]) -> bool:
    """Whether words with a capital, which do not begin with a given name, are a name where they stand."""
    all_ordinary = all(common_words.is_common(word) or name_similarity.is_generic(word) for word in lower_case)
    if all(name_similarity.is_generic(word) or common_words.is_stop_word(word) for word in lower_case):
        return False
    is_start = text.is_sentence_start(run[0][0])
    if ordinary_phrases.is_ordinary(lower_case) and not name_marks.is_marked(text, run, lower_case):
        return False
    if is_start and name_marks.is_defined(text, run):
        return True
    if is_start:
        return not all(common_words.is_english(word) for word in lower_case) or (len(run) > 1 and not all_ordinary)
    before, _ = text.neighbours(*run[0])
    return not (all_ordinary and text.word(before).lower() in _DETERMINERS)
