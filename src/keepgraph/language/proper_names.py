"""Proper names by rules: the words of a text that are clearly names, even if unknown to the graph."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from keepgraph import lazy
from keepgraph.language import (
    common_words,
    given_names,
    known_words,
    lexicons,
    name_styles,
    normalisation,
    ordinary_phrases,
    quantities,
    sentences,
    tokenizer,
    word_forms,
)
from keepgraph.language.mention_detection import AnnotatedText, NameMatch, Offsets
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle

MAX_CAPITALISED = 4
"""The most capitalised words in a name."""

_DETERMINERS = frozenset("the a an our my your their his her its this that these those each every any some no".split())
_NAME_PARTICLES = frozenset("of de da do dos das del della di van von der den la le el bin al".split())

_CODE = lazy.compile(r"```.{0,20000}?(?:```|\Z)", re.DOTALL)
_IDENTIFIER = lazy.compile(r"(?<!`)`([^\s`]{2,40})`(?!`)")
_NO_IDENTIFIER = lazy.compile(
    r"\.{0,2}/.*|.*/|.*=.*|.*\([^)].*|.*\[\.\.\.\].*|\.\w{1,5}|(?i:true|false|none|null|nil|undefined)"
)
_LINK_ADDRESS = lazy.compile(r"!\[[^\]\n]{0,200}\]|\]\([^\s()]{1,500}|\[\[[^\[\]|#\n]{0,200}#[^\[\]|\n]{1,200}")
"""The text of an image, the address of a link, and a wiki link to a heading."""
_ACRONYM = lazy.compile(r"([A-Z][A-Z0-9]{1,5})s?")
_ROMAN_NUMERAL = lazy.compile("[IVXLCDM]+")
_CONTRACTION = lazy.compile(r"['’](?:t|ll|ve|re|m|d)(?!\w)", re.IGNORECASE)
_INNER_CAPITAL = lazy.compile("[a-z0-9][A-Z]|^[A-Z]{2,}[a-z]{2}")
_SURNAME = lazy.compile("[A-Z][a-z]{1,3}[A-Z][a-z]+")
_NOT_NAMES = frozenset(
    "OK FYI ASAP TODO FIXME NOTE NB TBD TBA TBC ETA AM PM UTC GMT CET CEST EST PST USD EUR GBP CHF AND OR NOT PS RE "
    "CC BCC FW FWD EOD EOW EOM WIP LGTM IMO IMHO AKA ID IDS BTW IIRC AFAIK OOO WFH NA NO YES VS EG IE RIP LOL OMG "
    "WTF RSVP Mr Mrs Ms Dr Prof QA DIY PTO FAQ TLDR DM XX XXX Q1 Q2 Q3 Q4 H1 H2 BC AD IT US UK EU TV PC OS CV HR "
    "CEO CTO CFO COO VP PHD MSC BSC PR PRS LOC True False None Null Inc Ltd LLC LLP PLC Corp GmbH AG KG SA SARL SL "
    "SpA Herr Frau Madame Monsieur Señor Señora Signor Signora".split()
)
_UNITS = frozenset(
    "kHz MHz GHz THz kWh mAh dB kB KiB MiB GiB TiB kW MW mV kV mA GB MB TB KB Mbit Gbit Mbps Gbps PhD".split()
)
# This many words from the beginning decide the language of a text.
_WORDS_FOR_LANGUAGE = 500


@dataclass(frozen=True, slots=True)
class ProperName:
    """A name by its offsets in the text, with the style that names of such entities have."""

    name: str
    start: int
    end: int
    style: NameStyle


def detect(text: AnnotatedText | str, *, besides: Sequence[NameMatch | ProperName] = ()) -> list[ProperName]:
    """The words of a text that are unmistakably names, in their order.

    They are words with inner capitals (PostgreSQL), two to six capitals (API, PDF), identifiers in backticks, and
    words with a capital: up to MAX_CAPITALISED of them, not days and months, nor ordinary words with an article. At the
    beginning of a sentence and in titles, where any word has a capital, a single one is a name only if it is a given
    name or no frequent word. Where nouns have capitals, as in German, or no word has any, as in Korean, a name is one
    that is known to be one, that has words beside it, or that has no determiner.

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
            *(match.span() for pattern in (_CODE, _LINK_ADDRESS) for match in pattern.finditer(annotated.text)),
            *tokenizer.address_spans(annotated.text),
        ]
    )
    for run in capitalised_runs(annotated):
        names += [name for name in names_in_run(annotated, run) if not excluded.overlap(name.start, name.end)]
    if not annotated.text.isascii():
        names += [name for name in _names_without_case(annotated) if not excluded.overlap(name.start, name.end)]
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
    """Whether a word in backticks is the name of something, not an option, a path, a value or a quoted word."""
    if not (word[0].isalnum() or word[0] in "._@#~") or not any(c.isalpha() for c in word):
        return False
    if _NO_IDENTIFIER.fullmatch(word):
        return False
    return not (
        word.isalpha() and word.islower() and (common_words.is_frequent(word) or common_words.is_stop_word(word))
    )


@lru_cache(maxsize=4)
def _languages(text: AnnotatedText) -> frozenset[str]:
    """The languages other than English that a text may be in, by its function words."""
    return (
        word_forms.languages(text.word(offsets).lower() for offsets in text.words[:_WORDS_FOR_LANGUAGE]) or frozenset()
    )


@lru_cache(maxsize=4)
def capitalised_runs(text: AnnotatedText) -> tuple[list[Offsets], ...]:
    """Words that may be one name: side by side in a sentence, each with a capital, or a particle such as `of`.

    They are cached, because known names are looked for in them, and then unknown ones.
    """
    return tuple(run for run in _runs(text) if run)


def _runs(text: AnnotatedText) -> Iterator[list[Offsets]]:
    for sentence in text.sentences:
        run: list[Offsets] = []
        for offsets in text.words_in(sentence):
            word = text.text[offsets[0] : offsets[1]]
            between = text.text[run[-1][1] : offsets[0]] if run else " "
            if between == ". " and sentences.is_title(text.word(run[-1])):
                run.pop()
            elif between not in (" ", ". "):  # a full stop within a sentence is that of an abbreviation or an initial
                yield _without_particles(text, run)
                run = []
            if _has_capital(word) or (run and word in _NAME_PARTICLES):
                run.append(offsets)
            elif run:
                yield _without_particles(text, run)
                run = []
        if run:
            yield _without_particles(text, run)


def _has_capital(word: str) -> bool:
    return word[:1].isupper() or bool(_INNER_CAPITAL.search(word))


def _without_particles(text: AnnotatedText, run: list[Offsets]) -> list[Offsets]:
    """A run without the particles at its head and its end."""
    while run and text.word(run[0]) in _NAME_PARTICLES:
        run = run[1:]
    while run and text.word(run[-1]) in _NAME_PARTICLES:
        run = run[:-1]
    return run


def names_in_run(text: AnnotatedText, run: Sequence[Offsets]) -> list[ProperName]:
    """The names in a run of words with capitals: single words that are names by their form, and what is between."""
    names: list[ProperName] = []
    pending: list[Offsets] = []
    for offsets in run:
        word = text.word(offsets)
        is_surname = bool(pending) and _SURNAME.fullmatch(word)
        if not is_surname and (name := _name_by_form(word)):
            names += _name_of_words(text, pending)
            names.append(ProperName(name, offsets[0], offsets[0] + len(name), "term"))
            pending = []
        elif (
            word in _NOT_NAMES
            or _ACRONYM.fullmatch(word)
            or (text.is_in_heading(offsets[0]) and common_words.is_common(word.lower()))
        ):
            names += _name_of_words(text, pending)
            pending = []
        else:
            pending.append(offsets)
    return names + _name_of_words(text, pending)


def _name_by_form(word: str) -> str | None:
    """A word that is a name by its form, wherever it is: PostgreSQL, API (of APIs)."""
    if word in _UNITS or word in _NOT_NAMES:
        return None
    if acronym := _ACRONYM.fullmatch(word):
        is_shouted_word = common_words.is_common(acronym[1].lower())
        return None if is_shouted_word or _ROMAN_NUMERAL.fullmatch(acronym[1]) else acronym[1]
    return word if _INNER_CAPITAL.search(word) else None


def _name_of_words(text: AnnotatedText, run: list[Offsets]) -> list[ProperName]:
    """The names that words with a capital each make, of at most MAX_CAPITALISED of them; an empty list for none."""
    run = _without_particles(text, _without_sentence_start(text, _without_particles(text, list(run))))
    run, is_title = _without_title_word(text, run)
    run = [offsets for offsets in run if not _is_contracted(text, offsets)]
    if not run:
        return []
    names = [_name_of_part(text, part) for part in _names_apart(text, run)]
    return [_proper_name(text, name, is_title=is_title) for name in names if name]


def _name_of_part(text: AnnotatedText, run: list[Offsets]) -> list[Offsets]:
    """The words of a run that are one name; an empty list if none are."""
    languages = _languages(text)
    nouns_have_capitals = bool(languages) and languages <= known_words.WITH_CAPITALS_OF_NOUNS
    if nouns_have_capitals:
        run = _without_nouns(text, run)
    words = [text.word(offsets) for offsets in run]
    if sum(word[0].isupper() for word in words) > MAX_CAPITALISED or not any(len(word) > 1 for word in words):
        return []
    is_name = nouns_have_capitals or _is_given_name(words[0]) or _is_name(text, run, [word.lower() for word in words])
    return run if is_name else []


def _is_given_name(word: str) -> bool:
    return given_names.contains(normalisation.Name(word).folded) and not common_words.is_common(word.lower())


def _names_apart(text: AnnotatedText, run: list[Offsets]) -> list[list[Offsets]]:
    """The words of a run without what is possessed, and as two where a full name of a person stands before a particle.

    Tomasz of Vertrag von Tomasz; Ada Obi and Lumen Labs of Ada Obi of Lumen Labs.
    """
    for position in range(1, len(run) - 1):
        particle, first, after = (text.word(run[place]) for place in (position, 0, position + 1))
        if particle not in _NAME_PARTICLES:
            continue
        before = text.text[run[0][0] : run[position - 1][1]]
        rest = _without_particles(text, run[position + 1 :])
        if name_styles.is_full_name(before):
            if particle == "of" or not _is_known_name(text, run[position + 1]):
                return [run[:position], rest]
        elif _is_given_name(after) and not _is_given_name(first):
            return _names_apart(text, rest)
    return [run]


def _without_nouns(text: AnnotatedText, run: list[Offsets]) -> list[Offsets]:
    """The words of a run that are a name where nouns have capitals: Ana of `hat Ana Kuchen`, Kiel of `nach Kiel`.

    They are several, or stand where a noun would have a determiner.
    """
    if run and name_styles.is_institution(text.text[run[0][0] : run[-1][1]]):
        return run
    for is_noun, numbers in groupby(range(len(run)), lambda number: _is_noun(text, run, number)):
        words = _without_particles(text, [run[number] for number in numbers])
        if is_noun or not words:
            continue
        has_determiner = _is_determiner(text.word(text.neighbours(*words[0])[0]))
        if len(words) > 1 or not has_determiner:
            return words if _is_known_name(text, words[0]) else run[run.index(words[0]) :]
    return []


def _is_noun(text: AnnotatedText, run: Sequence[Offsets], number: int) -> bool:
    """Whether a word of a run is an ordinary one where it stands, and no surname or particle after a person's name."""
    word = text.word(run[number])
    before = next((o for o in reversed(run[:number]) if text.word(o) not in _NAME_PARTICLES), None)
    is_joined = word in _NAME_PARTICLES or before != run[number - 1] or known_words.is_person(word.lower())
    may_be_surname = is_joined or common_words.is_frequent(normalisation.Name(word).folded)
    if before and may_be_surname and _is_known_name(text, before):
        return False
    return known_words.is_frequent(word.lower(), _languages(text))


def _is_determiner(word: str) -> bool:
    return word.lower() in lexicons.words("determiners")


def _is_known_name(text: AnnotatedText, offsets: Offsets) -> bool:
    word = text.word(offsets)
    lower_case = word.lower()
    if _is_given_name(word):
        return True
    is_known = known_words.is_person(lower_case) or known_words.is_place(lower_case)
    return is_known and not known_words.is_frequent(lower_case, _languages(text))


def _names_without_case(text: AnnotatedText) -> Iterator[ProperName]:
    """The words of scripts without letter case that are known to be names, or are those of institutions."""
    for token in text.tokens:
        if text.text[token.start : token.end].lower() != text.text[token.start : token.end].upper():
            continue
        for end in reversed(token.ends):
            word = text.text[token.start : end]
            if not word.isalpha() or known_words.is_frequent(word, ()):
                break
            is_place = known_words.is_place(word) or name_styles.is_institution(word)
            if is_place or known_words.is_person(word):
                yield ProperName(word, token.start, end, "term" if is_place else "person")
                break


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
            or quantities.is_calendar_word(word)
            or word in _DETERMINERS
            or (
                is_first
                and len(run) > 1
                and _begins_sentence(text.word(run[0]), before=text.word(run[1]), languages=_languages(text))
            )
        ):
            run = run[1:]
        else:
            break
    while run and quantities.is_calendar_word(text.word(run[-1]).lower()):
        run = run[:-1]
    return run


def _begins_sentence(word: str, *, before: str, languages: Collection[str]) -> bool:
    """Whether the first word of a sentence has its capital from there: Ask and Emailed of Priya, Will of a plan."""
    is_given_name = given_names.contains(normalisation.Name(word).folded)
    if is_given_name:
        return False
    is_past_tense = word.endswith("ed") and ordinary_phrases.is_ordinary_word(word.lower())
    if is_past_tense or common_words.may_begin_sentence(word.lower()):
        return True
    return _is_given_name(before) and known_words.is_frequent(word.lower(), languages)


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
    all_ordinary = all(map(common_words.is_common, lower_case))
    is_start = text.is_sentence_start(run[0][0])
    if ordinary_phrases.is_ordinary(lower_case):
        return False
    if is_start:
        languages = _languages(text)
        is_frequent = all(common_words.is_english(w) or known_words.is_frequent(w, languages) for w in lower_case)
        return not is_frequent or (len(run) > 1 and not all_ordinary)
    before, _ = text.neighbours(*run[0])
    return not (all_ordinary and text.word(before).lower() in _DETERMINERS)
