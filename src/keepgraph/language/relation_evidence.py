"""Relation evidence: the wordings that a sentence may have for a relation of two things that it names.

For `Anna, who now works at Acme` it is `works at`, from the first to the second; for `Acme's chief is Anna` it is
`is chief of`, from the second to the first. Which relation a wording stands for is for others to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from keepgraph import lazy
from keepgraph.language import factuality, inflection
from keepgraph.language.factuality import CueKind
from keepgraph.lazy import dataclass

MAX_BETWEEN = 160
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
    r"\b(?:of|with|for|near|to|from|about|like|unlike|by|without|against|behind|besides?|between|than|as|except|"
    r"including|excluding|after|before|despite|following|replacing|succeeding|under|over|above|below|bar)"
    r"\s(?:the\s|a\s|an\s)?$",
    re.IGNORECASE,
)
_ARTICLE_AFTER = lazy.compile(r"\s(?:the|a|an|our|their|his|her|its)$")
_AS = lazy.compile(r"\sas (?:an?|the|our|their|its)?\s?(?:[a-z][\w-]*\s){1,4}(?=(?:at|for|in|with|on|of|by)\b)")
_LAST_VERB_PHRASE = lazy.compile(r"^.*\s(?:and|but)\s(?=[a-z])")
_SUBJECT_NEXT = lazy.compile(r"(?:^|[,;:.–—\"“]\s?|\b(?:that|and|but|because|so|while|since|when)\s)$", re.IGNORECASE)
_POSSESSIVE = lazy.compile(
    r"^['’]s?\s(?:(?:new|current|own|long-time|first|present)\s)?(?P<noun>[a-z][\w-]*(?:\s[a-z][\w-]+)?)"
    r"(?:\s(?:is|are|remains|was)|,|:|\s?[(–—]|)\s?$"
)
_NOUN_BEFORE = lazy.compile(
    r"(?:^|[\s(,])(?:the|a|an)\s(?:[a-z-]+\s)?(?P<noun>[a-z][\w-]*(?:\s[a-z][\w-]+)?\sof)\s?(?:the\s)?$", re.I
)
_NOUN_AFTER = lazy.compile(r"^['’]s?\s(?:(?:new|current|present)\s)?(?P<noun>[a-z][\w-]*(?:\s[a-z][\w-]+)?)\b")
_COPULA = lazy.compile(r"^\s?(?:(?:,\s)?(?:who\s)?(?:is|are|remains|was)|,|:|–|—|\()\s?$")
_WAS = lazy.compile(r"\bwas\b")
_TOGETHER = lazy.compile(r"^\s(?:are|have been|were|got)\s(?P<word>[a-z]+)\b")
_CLAUSE = lazy.compile(r"(?:;|:|,)?\s(?:but|while|whereas|although|though|and then)\s|;\s|!\s|,\s(?:and|so)\s")
_NEVER = lazy.compile(r"\bnever\b", re.IGNORECASE)
_ENDED = lazy.compile(r"^\W{0,3}(?:no longer|any ?more|no more|not any ?more)\b", re.IGNORECASE)
_AUXILIARY = lazy.compile(r"\b(?:ca|wo|can|be)\b|(?<=\s\s)to\b|^\s*to\b")
_DID_FOUND = lazy.compile(r"\b(?:did|do|does)\s+found\b")  # the base of founded, and not the past of find
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
        cues: the kinds of cues in or around it; none where the sentence asserts it.
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
    if len(between) > MAX_BETWEEN or (re.match(r"['’]s?\s", sentence[second[1] :]) and not _COPULA.match(between)):
        return
    cues = _cues_around(sentence, first, second)
    plain = _without_cues(between)
    if _UP_TO_NOW.search(sentence[second[1] :]) or _UP_TO_NOW.search(sentence[: first[0]]):
        plain = _PERFECT.sub(_as_present, plain)
    before = sentence[: first[0]]
    is_exempted = factuality.is_exception(before) or factuality.is_only_one(before)
    # The father of Anna; Anna's father.
    is_other_subject = (_IN_PHRASE.search(before) and not is_exempted) or between.startswith(("'", "’"))
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
    if match := _POSSESSIVE.match(between):
        yield f"{verb} {match['noun']} of", True
        yield f"{'had' if verb == 'was' else 'has'} {match['noun']}", False
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
    if (match := _TOGETHER.match(after)) and between.strip() in ("and", "&"):
        for preposition in ("to", "with", "of"):
            yield f"is {match['word']} {preposition}", False


def _cues_around(sentence: str, first: tuple[int, int], second: tuple[int, int]) -> frozenset[CueKind]:
    """The kinds of the cues that bear on what a sentence says of two names: those of its clause, and conditions."""
    start = max((match.end() for match in _CLAUSE.finditer(sentence, 0, first[0])), default=0)
    following = _CLAUSE.search(sentence, second[1]) or re.compile(r"\sand\s").search(sentence, second[1])
    end = following.start() if following else len(sentence)
    inner_but = sentence.rfind(" but ", first[1], second[0])
    kinds: set[CueKind] = set(factuality.kinds(sentence, first, second))
    before = sentence[: first[0]]
    is_exempted = "negation" in kinds or factuality.is_only_one(before)
    is_denied_above = factuality.is_denied_only_above(before)
    for cue in factuality.find_cues(sentence):
        names = any(begin <= cue.start < stop for begin, stop in (first, second))
        if names or (cue.kind not in _FREE_KINDS and not start <= cue.start < end):
            continue
        if cue.kind == "negation":
            if cue.end <= first[0] and (is_exempted or is_denied_above):
                continue
            is_after = cue.start >= second[1]
            if is_after and not _ENDED.match(sentence[second[1] :]):
                continue
            if cue.start < inner_but and not is_after:
                continue
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
        plain = _AUXILIARY.sub(" ", _DID_FOUND.sub("founded", plain))
    return plain
