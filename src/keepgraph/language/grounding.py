"""Grounding: whether a text states a relation: both ends and its wording in one sentence.

A sentence may name one end by a pronoun or by what it is (she, the company), if the text names it before. A sentence
does not state what it denies, asks, supposes or plans.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache

from keepgraph import lazy
from keepgraph.language import common_words, factuality, first_person, inflection, quantities, sentences
from keepgraph.language.factuality import CueKind
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass

MIN_SHARE = 0.5
"""An end that is not a name is in a sentence that has at least this share of its words."""

_MIN_LETTERS_OF_STEM = 5  # Japan, in Japanese
_WORD = lazy.compile(r"[^\W_]+")
_WRAPPED = lazy.compile(r"[ \t]*\r?\n[ \t]*(?=[a-z])")
_ANAPHOR = lazy.compile(
    r"\b(?:he|she|it|they|his|her|its|their|him|them|who|which|this|these|those|er|sie|es|il|elle|ils|elles|él|ella|"
    r"(?:the|this|that|der|die|das|le|la|el) [a-z]\w+)\b",
    re.IGNORECASE,
)
_CLAUSE = lazy.compile(r"[;:]|,?\s(?:and|but|while|whereas|und|et|y)\s(?=[A-Z])|,\s(?:and|but|while|whereas)\s")
_OTHER_CLAUSE = lazy.compile(r"\s[a-z][\w\s]*,?\s(?:and|but|while|whereas)\s[A-Z]")
_COPULAS = frozenset("is are was were be been has have a an the".split())
_NO_ASSERTION = frozenset(("negation", "question", "condition", "possibility", "plan", "doubt"))


@dataclass(frozen=True, slots=True)
class End:
    """One end of a relation: the names that it has, and whether it is who speaks in the text."""

    names: tuple[str, ...]
    is_speaker: bool = False


@dataclass(frozen=True, slots=True)
class Wordings:
    """The words by which a text may state a relation.

    Attributes:
        stems: of the words that mean something.
        prepositions: those that state it alone, behind a form of `be`: in.
    """

    stems: frozenset[str]
    prepositions: frozenset[str]

    @classmethod
    def of(cls, texts: Collection[str]) -> Wordings:
        """The words of other wordings for one relation: the name and the labels of its predicate."""
        stems: set[str] = set()
        prepositions: set[str] = set()
        for text in texts:
            words = [_folded(word) for word in _WORD.findall(text.replace("_", " "))]
            telling = [_stem(word) for word in words if _is_telling(word)]
            stems.update(telling)
            if words and not telling and words[-1] in inflection.PREPOSITIONS:
                prepositions.add(words[-1])
        return cls(frozenset(stems), frozenset(prepositions))

    def has(self, word: str) -> bool:
        """Whether a folded word is one of them, inflected or not: works, working."""
        return _is_telling(word) and _stem(word) in self.stems


class GroundingText:
    """A text in which relations were read."""

    def __init__(self, text: str, *, before: str = "") -> None:
        """
        Args:
            before: what stands before it in its document.
        """
        unwrapped = _WRAPPED.sub(" ", text)
        self._sentences = [_Sentence(unwrapped[each.start : each.end]) for each in sentences.split(unwrapped)]
        self._before = _Sentence(before)

    def names(self, end: End) -> bool:
        """Whether the text names an end, or what stands before it does and the text refers to it."""
        if any(sentence.find(end) for sentence in self._sentences):
            return True
        is_known = bool(self._before.find(end))
        return is_known and any(_ANAPHOR.search(sentence.text) for sentence in self._sentences)

    def states(self, subject: End, wordings: Wordings, target: End) -> bool:
        """Whether a sentence states the relation, in any words that stand for it."""
        seen = [bool(self._before.find(end)) for end in (subject, target)]
        for sentence in self._sentences:
            subjects, targets = sentence.find(subject), sentence.find(target)
            subjects = [one for one in subjects if not any(_is_inside(one, other) for other in targets)]
            targets = [one for one in targets if not any(_is_inside(one, other) for other in subjects)]
            if subjects and targets:
                if any(sentence.states(one, wordings, other) for one in subjects for other in targets):
                    return True
                if not self._is_english:
                    return True  # the words of few languages are known
            elif ((subjects and seen[1]) or (targets and seen[0])) and sentence.states_of_other(
                subjects or targets, wordings, is_subject=not subjects
            ):
                return True
            seen = [seen[0] or bool(subjects), seen[1] or bool(targets)]
        return False

    @cached_property
    def _is_english(self) -> bool:
        """Whether most words without a capital are English."""
        words = [word for each in self._sentences for start, _, word in each.words if each.text[start].islower()]
        return 2 * sum(map(common_words.is_english, words)) > len(words)


Span = tuple[int, int]


class _Sentence:
    """A sentence with its words."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> list[tuple[int, int, str]]:
        return [(*match.span(), _folded(match[0])) for match in _WORD.finditer(self.text)]

    @cached_property
    def _has_speaker(self) -> bool:
        return any(first_person.is_pronoun(self.text[start:end]) for start, end, _ in self.words)

    def find(self, end: End) -> list[Span]:
        """Where the sentence names an end."""
        spans = [span for name in end.names for span in self._find_name(name)]
        if not spans and end.is_speaker and self._has_speaker:
            spans = [(start, stop) for start, stop, _ in self.words if first_person.is_pronoun(self.text[start:stop])]
        return spans

    def states(self, subject: Span, wordings: Wordings, target: Span) -> bool:
        """Whether the sentence says of what it names at two places what the wordings say."""
        first, second = sorted((subject, target))
        for place in self._places(wordings, (subject, target)):
            is_of_other = subject < place and _OTHER_CLAUSE.search(self.text, subject[1], place[0])
            if not is_of_other and self._is_asserted(first, place, second):
                return True
        between = self.text[subject[1] : target[0]] if subject < target else ""
        words = [_folded(word) for word in _WORD.findall(between)]
        prepositions = wordings.prepositions
        if quantities.is_time(self.text[slice(*target)]) and prepositions:
            prepositions |= {"in", "on", "at"}
        is_attached = not words or words[0] in _COPULAS or words[0] in prepositions or between.lstrip()[:1] in "(,"
        is_said = bool(prepositions.intersection(words)) and is_attached
        return is_said and self._is_asserted(first, (second[0], second[0]), second)

    def states_of_other(self, named: Sequence[Span], wordings: Wordings, *, is_subject: bool) -> bool:
        """Whether it says what the wordings say of what it names and of something that it only refers to.

        Args:
            is_subject: whether the other is the subject.
        """
        if any(cue.kind in _NO_ASSERTION for cue in factuality.find_cues(self.text)):
            return False
        return any(
            _ANAPHOR.search(self.text, 0, start if is_subject else len(self.text))
            for start, _ in self._places(wordings, named)
        )

    def _is_asserted(self, first: Span, wording: Span, second: Span) -> bool:
        """Whether no cue before a wording, in its clause, takes back what is said of two places.

        A cue of the past counts right before the wording or right behind both: formerly, until 2019.
        """
        start = max((match.end() for match in _CLAUSE.finditer(self.text, 0, first[0])), default=0)
        for cue in factuality.find_cues(self.text):
            is_part = any(begin < cue.end and cue.start < end for begin, end in (first, wording, second))
            is_before = start <= cue.start < wording[0] and cue.kind in _NO_ASSERTION
            is_past = cue.kind == "past" and (0 <= wording[0] - cue.end <= 1 or 0 <= cue.start - second[1] <= 1)
            if not is_part and (is_before or is_past or cue.kind == "question"):
                return False
        return True

    def _places(self, wordings: Wordings, besides: Sequence[Span]) -> Iterator[Span]:
        """Where a word of the wordings stands, outside the names."""
        for start, end, word in self.words:
            if not any(first <= start < last for first, last in besides) and wordings.has(word):
                yield start, end

    def _find_name(self, name: str) -> Iterator[Span]:
        asked = [_folded(word) for word in _WORD.findall(name)]
        words = self.words
        if not asked:
            return
        whole = [n for n in range(len(words) - len(asked) + 1) if [w for _, _, w in words[n : n + len(asked)]] == asked]
        if whole:
            yield from ((words[n][0], words[n + len(asked) - 1][1]) for n in whole)
            return
        if not name.isascii() and name in self.text:  # a script without spaces
            start = self.text.index(name)
            yield start, start + len(name)
            return
        telling = [word for word in asked if _is_telling(word) or word.isdecimal()] or asked
        is_name = name[:1].isupper() and len(asked) > 1
        found = [
            (n, wanted)
            for n, (_, _, word) in enumerate(words)
            for wanted in telling
            if _is_same(wanted, word) and not (is_name and self._is_of_longer_name(n, asked))
        ]
        if len({wanted for _, wanted in found}) >= MIN_SHARE * len(telling):
            places = [n for n, _ in found]
            yield words[min(places)][0], words[max(places)][1]

    def _is_of_longer_name(self, place: int, asked: Collection[str]) -> bool:
        """Whether a word stands beside another with a capital, with which it makes another name than the one asked."""
        start, end, _ = self.words[place]
        if not self.text[start].isupper():
            return False
        for other in (place - 1, place + 1):
            if 0 <= other < len(self.words):
                first, last, word = self.words[other]
                gap = self.text[min(end, last) : max(start, first)]
                opens = first == 0 and common_words.is_english(word)
                if gap == " " and self.text[first].isupper() and word not in asked and not opens:
                    return True
        return False


def _is_inside(one: Span, other: Span) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and one != other


def _is_telling(word: str) -> bool:
    return len(word) > 1 and not common_words.is_stop_word(word) and word not in inflection.PREPOSITIONS


def _stem(word: str) -> str:
    """The stem of a word; that of `like`, which is a preposition too, is the one of `likes`."""
    return inflection.stem(word).removesuffix("e")


def _is_same(wanted: str, word: str) -> bool:
    if wanted == word or inflection.stem(wanted) == inflection.stem(word):
        return True
    if wanted.isdecimal() or word.isdecimal():
        return wanted.lstrip("0") == word.lstrip("0")
    return len(wanted) >= _MIN_LETTERS_OF_STEM and word.startswith(wanted)


@lru_cache(maxsize=8192)
def _folded(word: str) -> str:
    return Name(word).folded or word.casefold()


# Relation evidence: the wordings that a sentence may have for a relation of two things that it names.
#
# For `Anna, who now works at Acme` it is `works at`, from the first to the second; for `Acme's chief is Anna` it is
# `is chief of`, from the second to the first. Which relation a wording stands for is decided elsewhere.

_MAX_BETWEEN = 160
"""With more characters between two names, a sentence is not about both."""

_NAME = r"(?:[A-Z][\w.&'’+#-]*|\d[\w.]*)(?:\s(?:of|de|van|von|der)?\s?[A-Z0-9][\w.&+#-]*)*"
_PARENTHESIS = lazy.compile(
    r"\s?\([^)]*\)|^\s?,(?! (?:and|or|who|which|that|the|a|an)\b)[^,]{1,60},(?=\s)|\s?—[^—]{1,60}—"
)
_APPOSITION = lazy.compile(r"^\s?,\s(?:who|which|that)?\s?[^,]{1,80},(?=\s[a-z])")
_RELATIVE = lazy.compile(r"^\s?,\s?(?:who|which|that)\s")
_JOINED_BEFORE = lazy.compile(rf"^(?:\s?,\s{_NAME}){{0,5}}\s?,?\s?(?:and|or|&)\s{_NAME}(?=\s)")
_JOINED_AFTER = lazy.compile(rf"(?<=\s){_NAME}(?:,\s{_NAME}){{0,6}},?\s(?:and|or|&|,)\s?$|(?<=\s){_NAME},\s?$")
_KIND_AFTER = lazy.compile(
    r"\s(?:(?:the|a|an|our|their|his|her|its|this)\s)?"
    r"(?:(?:[a-z][\w-]*\s)?(?!(?:of|about|for|with|from|to|by|in|on|at|near|like|and|or)$)[a-z][\w-]+"
    r"|(?:city|town|village|state|country|region|island|province|municipality|county|district|republic)\sof)$"
)
_IN_PHRASE = lazy.compile(
    r"\b(?:(?<!,\s)but|save|of|with|for|near|to|from|about|like|unlike|by|without|against|behind|besides?|between|than|as|except|"
    r"including|excluding|after|before|despite|following|replacing|succeeding|under|over|above|below|bar)"
    r"\s(?:the\s|a\s|an\s)?$",
    re.IGNORECASE,
)
_ARTICLE_AFTER = lazy.compile(r"\s(?:the|a|an|our|their|his|her|its)$")
_AS = lazy.compile(r"\sas (?:an?|the|our|their|its)?\s?(?:[a-z][\w-]*\s){1,4}(?=(?:at|for|in|with|on|of|by)\b)")
_LAST_VERB_PHRASE = lazy.compile(r"^.*\s(?:and|but)\s(?=[a-z])")
_SUBJECT_NEXT = lazy.compile(r"(?:^|[,;:.–—\"“]\s?|\b(?:that|and|but|because|so|while|since|when)\s)$", re.IGNORECASE)
_NOUN_BEFORE = lazy.compile(
    r"(?:^|[\s(,])(?:the|a|an)\s(?:[a-z-]+\s)?(?P<noun>[a-z][\w-]*(?:\s[a-z][\w-]+)?\sof)\s?(?:the\s)?$", re.I
)
_NOUN_AFTER = lazy.compile(r"^['’]s?\s(?:(?:new|current|present)\s)?(?P<noun>[a-z][\w-]*(?:\s[a-z][\w-]+)?)\b")
_COPULA = lazy.compile(r"^\s?(?:(?:,\s)?(?:who\s)?(?:is|are|remains|was)|,|:|–|—|\()\s?$")
_WAS = lazy.compile(r"\bwas\b")
_CLAUSE_END = lazy.compile(r"(?:;|:|,)?\s(?:but|while|whereas|although|though|and then)\s|;\s|!\s|,\s(?:and|so)\s")
_NEVER = lazy.compile(r"\bnever\b", re.IGNORECASE)
_AUXILIARY = lazy.compile(r"\b(?:ca|wo|can|be)\b|(?<=\s\s)to\b|^\s*to\b")
_PERFECT = lazy.compile(r"^(?P<before>[\s\w]*?)\b(?:has|have|['’]ve)\s+(?P<verb>[a-z]+)\b")
_UP_TO_NOW = lazy.compile(
    r"\bsince\b|\bfor (?:[\w-]+\s){1,4}(?:years?|months?|weeks?|days?|decades?|ages|while|time)\b|"
    r"\bfor (?:ages|years)\b|\b(?:these|the) past\b|\ball (?:her|his|their) life\b"
)
_CAPITALS = lazy.compile(r"(?:[A-Z]{2,}|[^A-Z])+")
_FREE_KINDS: frozenset[CueKind] = frozenset(("condition", "question"))


@dataclass(frozen=True, slots=True)
class Wording:
    """A wording that a sentence may have for a relation.

    Attributes:
        text: without negations and other cues.
        is_reversed: whether it leads from the second of the two things to the first.
        cues: the kinds of cues in or around it; none if the sentence asserts it.
        is_universal_denial: whether `never` denies it, whatever the tense.
    """

    text: str
    is_reversed: bool
    cues: frozenset[CueKind]
    is_universal_denial: bool


def wordings(sentence: str, first: tuple[int, int], second: tuple[int, int]) -> Iterator[Wording]:
    """The wordings for a relation between two names, the likeliest first.

    Args:
        first, second: the offsets of the names in the sentence, the end exclusive; the first stands before the second.
    """
    between = sentence[first[1] : second[0]]
    if len(between) > _MAX_BETWEEN or (re.match(r"['’]s?\s", sentence[second[1] :]) and not _COPULA.match(between)):
        return
    cues = _cues_around(sentence, first, second)
    plain = _without_cues(between)
    if _UP_TO_NOW.search(sentence[second[1] :]) or _UP_TO_NOW.search(sentence[: first[0]]):
        plain = _PERFECT.sub(_as_present, plain)
    before = sentence[: first[0]]
    # The father of Anna; everyone but Anna; Anna's father.
    is_other_subject = _IN_PHRASE.search(before) or between.startswith(("'", "’"))
    verbs = () if is_other_subject else tuple(_of_verbs(plain, is_subject=_SUBJECT_NEXT.search(before) is not None))
    seen: set[tuple[str, bool]] = set()
    for text, is_reversed in (*_of_nouns(sentence, first, second, between), *verbs):
        words = " ".join(text.split()).strip(" ,")
        if words and (words, is_reversed) not in seen:
            seen.add((words, is_reversed))
            yield Wording(words, is_reversed, cues, cues == {"negation"} and _NEVER.search(between) is not None)


def _of_verbs(between: str, *, is_subject: bool) -> Iterator[tuple[str, bool]]:
    """What stands between the names, with less and less of what may stand there besides the wording.

    Args:
        is_subject: whether the first name begins a clause, so that a second verb is of it too.
    """
    texts = [between]
    for pattern in (_AS, _PARENTHESIS, _APPOSITION, _RELATIVE, _JOINED_BEFORE, _JOINED_AFTER, _LAST_VERB_PHRASE):
        for text in list(texts) if is_subject or pattern is not _LAST_VERB_PHRASE else ():
            shorter = pattern.sub(" ", text)
            if shorter != text and shorter.strip():
                texts.append(shorter)
    for pattern in (_ARTICLE_AFTER, _KIND_AFTER):
        for text in list(texts):
            shorter = pattern.sub("", text.rstrip())
            if shorter != text.rstrip() and shorter.strip():
                texts.append(shorter)
    for text in texts:
        if _CAPITALS.fullmatch(text) and not text.lstrip().startswith(("'", "’")):
            yield text.lower(), False


def _of_nouns(
    sentence: str, first: tuple[int, int], second: tuple[int, int], between: str
) -> Iterator[tuple[str, bool]]:
    """Wordings that say what one is of the other: `Acme's chief is Anna`, `the chief of Acme is Anna`."""
    before, after = sentence[: first[0]], sentence[second[1] :]
    verb = "was" if _WAS.search(between) else "is"
    if (match := _NOUN_BEFORE.search(before)) and _COPULA.match(between):
        yield f"{verb} {match['noun']}", True
    if (match := _NOUN_AFTER.match(after)) and _COPULA.match(between):
        noun = match["noun"]
        yield f"{verb} {noun} of", False
        yield f"{verb} {noun.split()[0]} of", False
        yield f"{'had' if verb == 'was' else 'has'} {noun.split()[0]}", True
    if match := re.match(
        r"^\s?[,(]\s?(?:the|an?)?\s?(?P<noun>[a-z][\w-]*(?:\s[a-z][\w-]+)?\s(?:of|at|in|for))\s(?:the\s)?$", between
    ):
        yield f"is {match['noun']}", False


def _cues_around(sentence: str, first: tuple[int, int], second: tuple[int, int]) -> frozenset[CueKind]:
    """The kinds of the cues that bear on what a sentence says of two names: those of its clause, and conditions."""
    start = max((match.end() for match in _CLAUSE_END.finditer(sentence, 0, first[0])), default=0)
    following = _CLAUSE_END.search(sentence, second[1]) or re.compile(r"\sand\s").search(sentence, second[1])
    end = following.start() if following else len(sentence)
    inner_but = sentence.rfind(" but ", first[1], second[0])
    kinds: set[CueKind] = set(factuality.kinds(sentence, first, second))
    is_denied_above = factuality.is_denied_only_above(sentence[: first[0]])
    for cue in factuality.find_cues(sentence):
        names = any(begin <= cue.start < stop for begin, stop in (first, second))
        if names or (cue.kind not in _FREE_KINDS and not start <= cue.start < end):
            continue
        is_of_other = (cue.end <= first[0] and is_denied_above) or cue.start >= second[1] or cue.start < inner_but
        if cue.kind != "negation" or not is_of_other:
            kinds.add(cue.kind)
    return frozenset(kinds)


def _as_present(match: re.Match[str]) -> str:
    """A present perfect as a present: what somebody `has worked at` since 2019 is so now."""
    verb = match["verb"]
    if verb == "been" or not inflection.is_participle(verb):
        return match[0]
    return f"{match['before']}{inflection.stem(verb)}"


def _without_cues(between: str) -> str:
    """What stands between two names without the words that negate it, or say that it is a plan or possible."""
    plain = between
    for cue in reversed(factuality.find_cues(between)):
        if cue.kind in ("negation", "possibility", "plan", "doubt", "past"):
            plain = plain[: cue.start] + " " + plain[cue.end :]
    if plain != between:
        plain = _AUXILIARY.sub(" ", plain)
    return plain
