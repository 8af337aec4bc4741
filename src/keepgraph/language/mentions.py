"""Which names a text has in it: those that the graph knows, and those that are unmistakably names. Knows no table.

Every run of words is looked up at once by its key (`spans`); which of those found is meant here (`mentions`) is
decided by how the name is written, there and here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from keepgraph.language import common_words, normalisation, similarity
from keepgraph.language.sentences import Sentence, sentences
from keepgraph.language.tokenizer import ADDRESS, Piece, is_mark, pieces, undivided

MAX_WORDS = 8
"""Names of more words are not looked for in texts."""

MAX_SIGNS = 8
"""In scripts that do not divide words, names of more signs are not looked for within a longer run."""

MAX_LETTERS = 16
"""The same, in those of them that have letters: Thai, Khmer …"""

MAX_RUN = 4
"""So many words with a capital are one name at most."""

_BEFORE_A_MONTH = frozenset(
    "in since until till by of from during last next this mid early late on before after".split()
)
_AFTER_A_SUBJECT = frozenset(
    "is was has had says said thinks thought wants wanted needs needed uses used will can could would should does did "
    "reports reported depends owns owned agreed asked told sent wrote knows likes believes leads runs works joined "
    "left started finished became gets got suggested proposed decided prefers explained mentioned called".split()
)
_OF_PERSONS = frozenset(
    "said says thinks thought told asked agreed suggested proposed decided explained prefers wrote knows believes "
    "likes joined hopes wonders wants promised".split()
)
_ARTICLES = frozenset("the a an our my your their his her its this that these those each every any some no".split())
_JOINING = frozenset("of de da do dos das del della di van von der den la le el bin al".split())
_LARGE = 0.9
_FEW = 3

_CODE = re.compile(r"```.{0,20000}?(?:```|\Z)", re.DOTALL)
_IDENTIFIER = re.compile(r"(?<!`)`([^\s`]{2,40})`(?!`)")
_ACRONYM = re.compile(r"([A-Z][A-Z0-9]{1,5})s?")
_ROMAN = re.compile("[IVXLCDM]+")
_WITHIN = re.compile("[a-z0-9][A-Z]|^[A-Z]{2,}[a-z]{2}")
_DOTTED = re.compile(r"[A-Za-z]{2,20}\.(?:js|io|ai|net|NET)")
_NO_NAMES = frozenset(
    "OK FYI ASAP TODO FIXME NOTE NB TBD TBA TBC ETA AM PM UTC GMT CET CEST EST PST USD EUR GBP CHF AND OR NOT PS RE "
    "CC BCC FW FWD EOD EOW EOM WIP LGTM IMO IMHO AKA ID IDS BTW IIRC AFAIK OOO WFH NA NO YES VS EG IE RIP LOL OMG "
    "WTF RSVP Mr Mrs Ms Dr Prof QA DIY PTO FAQ TLDR DM XX XXX Q1 Q2 Q3 Q4 H1 H2 BC AD IT US UK EU TV PC OS CV HR "
    "CEO CTO CFO COO VP PHD MSC BSC".split()
)
_NAMES_ALL_THE_SAME = frozenset("REST SOAP SAP RUST DASH FLUX MAPS LAMP BASIC BERT BLOOM GIT GO SWIFT FLOW".split())
_UNITS = frozenset(
    "kHz MHz GHz THz kWh mAh dB kB KiB MiB GiB TiB kW MW mV kV mA GB MB TB KB Mbit Gbit Mbps Gbps PhD".split()
)
_GERMAN = frozenset(
    "der die das und ist nicht ein eine einen einem einer den dem des zu mit auf für im am vom zum zur wir ich sie es "
    "wird werden wurde haben hat sind bei aus nach über von als auch noch aber oder wenn dass".split()
)
_ENGLISH = frozenset(
    "the and is not a an of to with on for in at we i they it will be was have has are by from about as also but or if "
    "that this his her our".split()
)


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words that could be a name.

    Attributes:
        key: as names.key has it; a typographic apostrophe is looked up as a plain one too.
        start: the place of its first sign in the text.
        end: the place after its last.
    """

    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Named:
    """A name that is known, at its place in a text."""

    start: int
    end: int
    key: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A name that nobody knows yet, at its place in a text, and what type of thing it may be."""

    name: str
    start: int
    end: int
    kind: str


def spans(text: Text | str, beginnings: Container[str] | None = None) -> Iterator[Span]:
    """Every run of 1 to MAX_WORDS words of a text that could be a name; none crosses an empty line.

    In scripts that do not divide words, every run of 2 to MAX_SIGNS signs (MAX_LETTERS), and each whole run.

    Args:
        beginnings: those of the `parts` of the text with which some name begins; None leaves none out.
    """
    read = _as_text(text)
    cut = read.pieces
    for place, first in enumerate(cut):
        starts = [
            start
            for start in first.starts
            if beginnings is None or any(part in beginnings for part in _parts_at(read.text, first, start))
        ]
        if starts:
            for piece in _reached(cut, place):
                for end in piece.ends:
                    for start in starts:
                        yield from _spelled(read.text, start, end)
    for start, end in read.undivided:
        yield from _within(read.text, start, end, beginnings)


def words(text: Text | str) -> Iterator[Span]:
    """Every single word of a text."""
    read = _as_text(text)
    for piece in read.pieces:
        if piece.starts and piece.ends:
            yield Span(_key_of_word(read.text[piece.start : piece.end]), piece.start, piece.end)


def parts(text: Text | str) -> set[str]:
    """The keys of the words and signs with which a name may begin in a text."""
    read = _as_text(text)
    found = {part for piece in read.pieces for start in piece.starts for part in _parts_at(read.text, piece, start)}
    for start, end in read.undivided:
        found.update(map(_key_of_word, read.text[start:end]))
    return found


def mentions(
    text: Text | str,
    known: Mapping[str, Collection[str]],
    alone: Mapping[str, Collection[str]] | None = None,
    *,
    among: Iterable[Span] | None = None,
) -> list[Named]:
    """The known names in a text, in their order; the longest of those that overlap.

    How a name is written decides whether it is meant:

    - A name of several words, with digits or signs, or that is no English word (Priya Raman, Q3 2025, Django) is
      found in any letter case.
    - One in small letters (stress) is found in any, too, unless it is a word like `the`.
    - One that is an ordinary word with a capital (Mark, May, Stripe) is found only with a capital; not as a month; and
      where any word would have a capital, at the beginning of a sentence or in a title, only if it is no verb or
      adjective (Falcon), or if what follows shows that it is the subject: Mark said, Will's.
    - One that is an ordinary word but for its capitals (IT, REST) is found only as it is written.

    Args:
        known: the names that are known, by key: each as it is written in the graph, in one way or several.
        alone: words that are a part of one known name only, as a first name is: they are found where they stand
            alone, and not before or after another word with a capital, which makes them another's name.
        among: the spans of the text that are to be looked at; None looks at all.
    """
    partial = alone or {}
    setting = _as_text(text)
    found: dict[tuple[int, int], Named] = {}
    for span in spans(setting) if among is None else among:
        whole = any(_is_meant(setting, span, written) for written in known.get(span.key, ()))
        if whole or (
            any(_is_meant(setting, span, written) for written in partial.get(span.key, ()))
            and _stands_alone(setting, span)
        ):
            found.setdefault((span.start, span.end), Named(span.start, span.end, span.key))
    return _longest(found.values())


def proposed_names(text: Text | str, *, besides: Sequence[Named] = ()) -> list[Proposed]:
    """The words of a text that are unmistakably names, in their order.

    They are words with capitals within (PostgreSQL), two to six capitals (API, REST), identifiers in backticks, and
    words with a capital: up to four of them, not days and months, nor ordinary words with an article. At the beginning
    of a sentence and in titles, where any word has a capital, a single one is a name only if it is a given name or no
    English word. In a language where every noun has a capital, capitals say nothing.

    Args:
        besides: what is known already; names that overlap it are left out.
    """
    setting = _as_text(text)
    identifiers = [
        Proposed(found[1], found.start(1), found.end(1), "concept")
        for found in _IDENTIFIER.finditer(setting.text)
        if _is_identifier(found[1])
    ]
    taken = _Taken([(each.start, each.end) for each in besides])
    found = [each for each in identifiers if not taken.overlap(each.start, each.end)]
    elsewhere = [(each.start, each.end) for each in found] + [
        each.span() for pattern in (_CODE, ADDRESS) for each in pattern.finditer(setting.text)
    ]
    taken = _Taken([*((each.start, each.end) for each in besides), *elsewhere])
    large_nouns = _has_large_nouns(setting)
    for run in setting.runs():
        found += [
            each for each in _names_of(setting, run, large_nouns=large_nouns) if not taken.overlap(each.start, each.end)
        ]
    return sorted(found, key=lambda each: each.start)


def kind_of(name: str) -> str:
    """What type of thing a name is likely to be of: a person where it begins with a given name, else a concept."""
    words = normalisation.fold(name).split()
    written = name[:1].isupper() and 0 < len(words) <= MAX_RUN and common_words.is_given_name(words[0])
    if written and (len(words) > 1 or not common_words.is_ordinary(words[0])):
        return "person"
    return "project" if "project" in words else "concept"


def _as_text(text: Text | str) -> Text:
    return Text(text) if isinstance(text, str) else text


def _reached(cut: Sequence[Piece], place: int) -> Iterator[Piece]:
    """The pieces with which a run may end that begins with this one."""
    words = 1
    for piece in cut[place : place + 3 * MAX_WORDS]:
        if piece is not cut[place]:
            words += piece.after_space
            if piece.after_break or words > MAX_WORDS:
                return
        yield piece


def _spelled(text: str, start: int, end: int) -> Iterator[Span]:
    said = text[start:end]
    key = normalisation.key(said) if said.isascii() else " ".join(map(_key_of_word, said.split()))
    yield Span(key, start, end)
    if "’" in key:
        yield Span(key.replace("’", "'"), start, end)


@lru_cache(maxsize=8192)
def _key_of_word(word: str) -> str:
    return normalisation.key(word)


def _parts_at(text: str, piece: Piece, start: int) -> Iterator[str]:
    """How a name that begins here may begin: with the piece, or what is before a particle in it."""
    yield _key_of_word(text[start : piece.end])
    for end in piece.ends:
        if end < piece.end:
            yield _key_of_word(text[start:end])


def _within(text: str, start: int, end: int, beginnings: Container[str] | None) -> Iterator[Span]:
    """The names that may be in a run of a script without spaces: no letter is torn from its marks."""
    run = text[start:end]
    whole = normalisation.key(run)
    yield Span(whole, start, end)
    aligned = len(whole) == len(run)
    longest = MAX_LETTERS if run[0] < "\u2000" else MAX_SIGNS
    for first in range(len(run)):
        if is_mark(run[first]) or (first and _is_katakana(run[first]) and _is_katakana(run[first - 1])):
            continue
        if beginnings is not None and _key_of_word(run[first]) not in beginnings:
            continue
        for last in range(first + 2, min(first + longest, len(run)) + 1):
            after = run[last : last + 1]
            if last - first == len(run) or (after and is_mark(after)):
                continue
            if after and _is_katakana(after) and _is_katakana(run[last - 1]):
                continue
            key = whole[first:last] if aligned else normalisation.key(run[first:last])
            yield Span(key, start + first, start + last)


def _is_katakana(sign: str) -> bool:
    return "\u30a1" <= sign <= "\u30fc" and sign != "\u30fb"


def _longest(found: Iterable[Named]) -> list[Named]:
    """Those that are left if of two that overlap the longer stays, or the first."""
    kept: list[Named] = []
    occupied: set[int] = set()
    for each in sorted(found, key=lambda each: (each.start - each.end, each.start)):
        # A name is short: every place of it is cheaper to look at than a tree of intervals.
        if each.start not in occupied and each.end - 1 not in occupied:
            kept.append(each)
            occupied.update(range(each.start, each.end))
    return sorted(kept, key=lambda each: each.start)


def _is_meant(setting: Text, span: Span, written: str) -> bool:
    """Whether the name that is written so in the graph is meant where it stands in the text."""
    said = setting.text[span.start : span.end]
    small = span.key
    if " " in small:
        return said == written or not all(common_words.is_small(word) for word in small.split())
    if written == written.lower():
        return not common_words.is_small(small)
    if len(written) < _FEW or not written.isalpha():
        return said == written if len(written) < _FEW else True
    if not common_words.is_ordinary(small):
        return True
    if written[1:] != written[1:].lower():
        return said == written and not setting.is_shouted(span.start)
    if not said[0].isupper() or (common_words.is_of_calendar(small) and setting.is_date(span)):
        return False
    if not setting.says_nothing(span.start):
        return True
    return not common_words.may_begin(small) or setting.is_subject(span)


def _stands_alone(setting: Text, span: Span) -> bool:
    """Whether no other name stands beside a part of a name, that would make it another's."""
    before, after = setting.neighbours(span)
    said = setting.text[span.start : span.end]
    for place, word in ((before, setting.word(before)), (after, setting.word(after))):
        if place is None or not word[:1].isupper() or (len(word) > 1 and word.isupper() and not said.isupper()):
            continue
        small = word.lower()
        if common_words.is_small(small) or common_words.is_of_calendar(small):
            continue
        given = common_words.is_given_name(normalisation.fold(small)) and not common_words.is_ordinary(small)
        if place is before and setting.says_nothing(place[0]) and common_words.is_known(small) and not given:
            continue
        return False
    return True


class Text:
    """A text with what is to be known of the places where names stand; each found out when it is needed, once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def pieces(self) -> list[Piece]:
        return list(pieces(self.text))

    @cached_property
    def undivided(self) -> list[tuple[int, int]]:
        """The runs of scripts that do not divide words."""
        return [] if self.text.isascii() else undivided(self.text)

    @cached_property
    def sentences(self) -> list[Sentence]:
        return list(sentences(self.text))

    @cached_property
    def words(self) -> list[tuple[int, int]]:
        """The words by their places; what is joined within (O'Brien, Node.js) is one."""
        found: list[tuple[int, int]] = []
        for piece in self.pieces:
            if piece.starts or not found:
                found.append(
                    (piece.starts[0] if piece.starts else piece.start, piece.ends[0] if piece.ends else piece.end)
                )
            else:
                found[-1] = (found[-1][0], piece.ends[0] if piece.ends else piece.end)
        return found

    @cached_property
    def _starts_of_sentences(self) -> list[int]:
        return [each.start for each in self.sentences]

    @cached_property
    def _starts_of_words(self) -> list[int]:
        return [start for start, _ in self.words]

    @cached_property
    def _large(self) -> dict[int, bool]:
        """The starts of the sentences that are titles: nearly every word has a capital; True: all are in capitals."""
        found = {}
        for sentence in self.sentences:
            said = [self.text[a:b] for a, b in self.words_in(sentence) if self.text[a].isalpha()]
            telling = [word for word in said if not common_words.is_small(word.lower())]
            capital = sum(word[0].isupper() for word in telling)
            plain = sum(word[0].isupper() and common_words.is_only_ordinary(word.lower()) for word in said[1:])
            if len(said) >= _FEW and capital >= _LARGE * len(telling) and plain >= (1 if sentence.heading else 2):
                found[sentence.start] = sum(word.isupper() for word in said) >= _LARGE * len(said)
        return found

    def words_in(self, sentence: Sentence) -> list[tuple[int, int]]:
        first = bisect_right(self._starts_of_words, sentence.start - 1)
        last = bisect_right(self._starts_of_words, sentence.end - 1)
        return self.words[first:last]

    def sentence_at(self, place: int) -> Sentence | None:
        number = bisect_right(self._starts_of_sentences, place) - 1
        return self.sentences[number] if number >= 0 else None

    def sentence_around(self, start: int, end: int) -> tuple[int, int]:
        """The sentence in which a name stands, or the name itself."""
        sentence = self.sentence_at(start)
        return (sentence.start, sentence.end) if sentence and sentence.end >= end else (start, end)

    def begins(self, place: int) -> bool:
        """Whether a sentence begins here, or what is said after a colon or in quotes."""
        sentence = self.sentence_at(place)
        before = self.text[sentence.start if sentence else 0 : place]
        if not any(c.isalnum() for c in before):
            return True
        return before.rstrip(" *_`")[-1:] in (":", "“", '"', "«", "„", "|")

    def is_large(self, place: int) -> bool:
        sentence = self.sentence_at(place)
        return sentence is not None and sentence.start in self._large

    def is_shouted(self, place: int) -> bool:
        sentence = self.sentence_at(place)
        return sentence is not None and self._large.get(sentence.start, False)

    def says_nothing(self, place: int) -> bool:
        """Whether any word would have a capital here."""
        return self.begins(place) or self.is_large(place)

    def neighbours(self, span: Span) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """The words before and after a name, where nothing but a space is between."""
        first = bisect_right(self._starts_of_words, span.start) - 1
        before = self.words[first - 1] if first > 0 else None
        if before and self.text[before[1] : span.start] != " ":
            before = None
        after = self.words[first + 1] if first + 1 < len(self.words) else None
        if after and self.text[span.end : after[0]] != " ":
            after = None
        return before, after

    def word(self, place: tuple[int, int] | None) -> str:
        return self.text[place[0] : place[1]] if place else ""

    def is_date(self, span: Span) -> bool:
        """Whether the name of a month stands for the month: in May, May 5."""
        before, after = (self.word(place) for place in self.neighbours(span))
        return before.lower() in _BEFORE_A_MONTH or before.isdecimal() or after[:1].isdecimal()

    def is_subject(self, span: Span) -> bool:
        """Whether what follows a word is said of somebody: Mark said, Will's idea."""
        if self.text[span.end : span.end + 2] in ("'s", "’s"):
            return True
        following = self.word(self.neighbours(span)[1])
        return following in _AFTER_A_SUBJECT and following != self.text[span.start : span.end].lower()

    def runs(self) -> Iterator[list[tuple[int, int]]]:
        """Words that may be a name together: side by side in a sentence, all with a capital, or joined by `of`."""
        for sentence in self.sentences:
            run: list[tuple[int, int]] = []
            for place in self.words_in(sentence):
                word = self.text[place[0] : place[1]]
                if run and self.text[run[-1][1] : place[0]] != " ":
                    yield _trimmed(self.text, run)
                    run = []
                if _has_capital(word) or (run and word in _JOINING):
                    run.append(place)
                elif run:
                    yield _trimmed(self.text, run)
                    run = []
            if run:
                yield _trimmed(self.text, run)


class _Taken:
    """Places of a text that are taken already."""

    def __init__(self, places: Iterable[tuple[int, int]]) -> None:
        self._places: list[tuple[int, int]] = []
        for start, end in sorted(places):
            if self._places and start <= self._places[-1][1]:
                start, end = self._places[-1][0], max(end, self._places.pop()[1])
            self._places.append((start, end))
        self._starts = [start for start, _ in self._places]

    def overlap(self, start: int, end: int) -> bool:
        before = bisect_right(self._starts, end - 1) - 1
        return before >= 0 and self._places[before][1] > start


def _is_identifier(word: str) -> bool:
    """Whether a word in backticks is the name of something, and not a word that is only quoted, or an option."""
    if not (word[0].isalnum() or word[0] in "._@#/~") or not any(c.isalpha() for c in word):
        return False
    return not (word.isalpha() and word.islower() and (common_words.is_in_use(word) or common_words.is_small(word)))


def _has_capital(word: str) -> bool:
    return word[:1].isupper() or bool(_WITHIN.search(word)) or bool(_DOTTED.fullmatch(word))


def _trimmed(text: str, run: list[tuple[int, int]]) -> list[tuple[int, int]]:
    while run and text[run[-1][0] : run[-1][1]] in _JOINING:
        run = run[:-1]
    return run


def _names_of(setting: Text, run: Sequence[tuple[int, int]], *, large_nouns: bool) -> list[Proposed]:
    """The names in a run of words with capitals."""
    found: list[Proposed] = []
    together: list[tuple[int, int]] = []
    for place in run:
        word = setting.word(place)
        if own := _name_by_itself(setting, place, word):
            found += _of_words(setting, together, large_nouns=large_nouns)
            found.append(Proposed(own, place[0], place[0] + len(own), "concept"))
            together = []
        elif _ACRONYM.fullmatch(word) or (
            setting.is_large(place[0]) and common_words.is_known(word.lower()) and word not in _JOINING
        ):
            found += _of_words(setting, together, large_nouns=large_nouns)
            together = []
        else:
            together.append(place)
    return found + _of_words(setting, together, large_nouns=large_nouns)


def _name_by_itself(setting: Text, place: tuple[int, int], word: str) -> str | None:
    """A word that is a name wherever it stands, by its form: PostgreSQL, API (of APIs), Node.js."""
    if word in _UNITS or not word.isascii():
        return None
    if acronym := _ACRONYM.fullmatch(word):
        letters = acronym[1]
        if letters in _NO_NAMES or _ROMAN.fullmatch(letters) or sum(c.isalpha() for c in letters) < 2:
            return None
        shouted = letters not in _NAMES_ALL_THE_SAME and common_words.is_ordinary(letters.lower())
        return None if shouted or setting.is_shouted(place[0]) else letters
    return word if _WITHIN.search(word) or _DOTTED.fullmatch(word) else None


def _of_words(setting: Text, together: list[tuple[int, int]], *, large_nouns: bool) -> list[Proposed]:
    """A name of one to MAX_RUN words with a capital each, if these words make one."""
    text = setting.text
    together = _without_beginning(setting, _trimmed(text, list(together)))
    while together and text[together[0][0] : together[0][1]] in _JOINING:
        together = together[1:]
    kind = None
    for place in (together[-1:], together[:1]):
        if len(together) > 1 and place and setting.word(place[0]).lower() == "project":
            together, kind = [each for each in together if each != place[0]], "project"
    together = [each for each in together if setting.word(each) not in _NO_NAMES]
    if not together:
        return []
    said = [setting.word(place) for place in together]
    capitals = sum(word[0].isupper() for word in said)
    if capitals > MAX_RUN or not any(len(word) > 1 for word in said):
        return []
    start, end = together[0][0], together[-1][1]
    small = [word.lower() for word in said]
    given = common_words.is_given_name(normalisation.fold(said[0])) and not common_words.is_ordinary(small[0])
    if large_nouns and not given:
        return []
    if not (given or _is_name(setting, together, small)):
        return []
    name = text[start:end]
    following = setting.word(setting.neighbours(Span("", *together[-1]))[1]).lower()
    told = "project" if following == "project" else "person" if following in _OF_PERSONS else None
    return [Proposed(name, start, end, kind or told or kind_of(name))]


def _without_beginning(setting: Text, together: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A run without the words at its head that have their capital from the beginning of the sentence: Ask Priya."""
    while together:
        small = setting.word(together[0]).lower()
        first = setting.begins(together[0][0])
        if (
            common_words.is_of_calendar(small)
            or small in _ARTICLES
            or small == "i"
            or (first and common_words.is_small(small))
        ):
            together = together[1:]
        elif first and len(together) > 1 and common_words.may_begin(small):
            name = common_words.is_given_name(normalisation.fold(small)) and not common_words.is_known(
                setting.word(together[1]).lower()
            )
            if name:
                break
            together = together[1:]
        else:
            break
    while together and common_words.is_of_calendar(setting.word(together[-1]).lower()):
        together = together[:-1]
    return together


def _is_name(setting: Text, together: Sequence[tuple[int, int]], small: Sequence[str]) -> bool:
    """Whether words with a capital, none of them a given name at the head, are a name where they stand."""
    ordinary_all = all(common_words.is_ordinary(word) or similarity.means_unsaid(word) for word in small)
    if all(similarity.means_unsaid(word) or common_words.is_small(word) for word in small):
        return False
    if setting.begins(together[0][0]):
        return not all(common_words.is_known(word) for word in small) or (len(small) > 1 and not ordinary_all)
    before = setting.word(setting.neighbours(Span("", *together[0]))[0]).lower()
    return not (ordinary_all and before in _ARTICLES)


def _has_large_nouns(setting: Text) -> bool:
    """Whether a text is in a language where nouns have a capital, as far as its small words tell."""
    said = [setting.word(place) for place in setting.words[:2_000]]
    return sum(word in _GERMAN for word in said) > sum(word in _ENGLISH for word in said)
