"""Inflection of English relation wordings: one normal form for `works for`, `worked for` and `has been working for`.

Wordings are given as keys: words in lower case, with one space between.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Literal, TypeAlias

Tense: TypeAlias = Literal["past", "present", "future"]

PREPOSITIONS = frozenset(
    "about above across after against along among around as at before behind below beneath beside between beyond by "
    "during for from in inside into near of off on onto out outside over through to toward towards under until up upon "
    "via with within without".split()
)
_ARTICLES = frozenset("a an the".split())
_COPULAS = frozenset("is are was were be been being am".split())
_PERFECT = frozenset("has have had having".split())
_PAST_COPULAS = frozenset("was were".split())
_FUTURE = frozenset("will shall".split())
_EMPHATIC = frozenset("do does did".split())
_ADVERBS = frozenset(
    "currently presently now also still already formerly previously originally primarily mainly mostly usually often "
    "recently lately later eventually officially actively jointly once partly largely initially".split()
)

_PAST_ADVERBS = frozenset("formerly previously originally once initially".split())

# What a wording may consist of without saying anything: "is", "has", "of", "was the".
_EMPTY = (
    _ARTICLES
    | _COPULAS
    | _PERFECT
    | _FUTURE
    | _EMPHATIC
    | _ADVERBS
    | frozenset(
        "of in from for to with by at on as and or that which this these those it its there can could may might would "
        "should must get gets got s".split()
    )
)
_UNINFLECTED = _EMPTY | PREPOSITIONS | frozenset("not no never nor than like".split())

# Irregular verbs: the base, the past, and the participle where it differs.
_IRREGULAR = """
"|agree agreed|arise arose arisen|awake awoke awoken|bear bore|beat beat beaten|become became|begin began begun
bend bent|bet bet|bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought
build built|burn burnt|buy bought|cast cast|catch caught|choose chose chosen|come came come|cost cost|cut cut
deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|give gave given|go went gone|grow grew grown|guarantee guaranteed
hang hung|hear heard|hide hid hidden|hit hit|hold held|hurt hurt|keep kept|know knew known|lay laid|lead led
lean leant|learn learnt|leave left|lend lent|let let|lose lost|make made|mean meant|meet met
overcome overcame overcome|pay paid|put put|quit quit|read read|ride rode ridden|ring rang rung|rise rose risen
run ran run|say said|see saw seen|seek sought|sell sold|send sent|set set|shake shook shaken|shine shone|shoot shot
show showed shown|shut shut|sing sang sung|sink sank sunk|sit sat|sleep slept|speak spoke spoken|spend spent|spin spun
split split|spread spread|spring sprang sprung|stand stood|steal stole stolen|stick stuck|strike struck
swear swore sworn|swim swam swum|take took taken|teach taught|tear tore torn|tell told|think thought
throw threw thrown|undergo underwent undergone|understand understood|undertake undertook undertaken|wear wore worn
win won|withdraw withdrew withdrawn|write wrote written
"""


@lru_cache(maxsize=4096)
def normal_form(wording: str) -> tuple[str, ...]:
    """The words that carry the meaning, without tense, person, number, articles and adverbs; empty if there are none.

    A passive without a preposition keeps its `be`: somebody who "named" is not one who "is named".
    """
    words = [word for word in wording.split() if word not in _ARTICLES and word not in _ADVERBS]
    words, has_copula = _without_auxiliaries(words)
    if not words or says_nothing(" ".join(words)):
        return ()
    stems = tuple(map(stem, words))
    is_passive = has_copula and is_participle(words[0]) and (len(words) == 1 or words[1] not in PREPOSITIONS)
    return ("be", *stems) if is_passive else stems


@lru_cache(maxsize=4096)
def verb_forms(wording: str) -> tuple[tuple[str, ...], ...]:
    """The normal forms with the voice of the verb: `was sold to` is passive, `sells to` active, `sold to` either."""
    words = [word for word in wording.split() if word not in _ARTICLES and word not in _ADVERBS]
    rest, has_copula = _without_auxiliaries(words)
    if not rest or says_nothing(" ".join(words)):
        return ()
    stems = tuple(map(stem, rest))
    if not is_participle(rest[0]):
        return (stems,)
    if has_copula:
        return (("be", *stems),)
    has_preposition = len(rest) > 1 and rest[1] in PREPOSITIONS
    return (stems, ("be", *stems)) if has_preposition else (stems,)


@lru_cache(maxsize=4096)
def tense(wording: str, *, is_passive: bool) -> Tense:
    """The tense of a wording: future of `will work at`, past of `worked at`, `was led by` and `formerly owns`.

    A participle without an auxiliary is not past where it is a passive: `led by`, `located in`.

    Args:
        is_passive: whether a wording that may be passive or active is read as passive; see `verb_forms`.
    """
    all_words = [word for word in wording.split() if word not in _ARTICLES]
    words = [word for word in all_words if word not in _ADVERBS]
    if not words:
        return "present"
    first, following = words[0], words[1] if len(words) > 1 else ""
    if first in _FUTURE or (first in _COPULAS and following == "going" and words[2:3] == ["to"]):
        return "future"
    if first in _PAST_COPULAS or first in ("had", "did") or not _PAST_ADVERBS.isdisjoint(all_words):
        return "past"
    if first in _PERFECT and following not in _COPULAS and is_participle(following):
        return "past"
    if first in _COPULAS or first in _PERFECT:
        return "present"
    is_reduced = is_passive or (following == "by" and is_participle(first))
    return "past" if not is_reduced and _is_past(first) else "present"


def says_nothing(wording: str) -> bool:
    """Whether a wording consists of auxiliaries, articles and bare prepositions alone: `is`, `has`, `in`, `was the`."""
    return all(word in _EMPTY or not any(map(str.isalnum, word)) for word in wording.split())


def has_auxiliary(wording: str) -> bool:
    """Whether a wording begins with a form of to be."""
    return wording.partition(" ")[0] in _COPULAS


def without_auxiliaries(wording: str) -> list[str]:
    """The words after articles, adverbs and leading auxiliaries: of `will be built by`, `built by`."""
    return _without_auxiliaries([word for word in wording.split() if word not in _ARTICLES and word not in _ADVERBS])[0]


def is_participle(word: str) -> bool:
    """Whether a word may be the past participle of a verb."""
    return (word.endswith("ed") and len(word) > 4) or word in _participles()


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without its ending, for comparison only: `work` of works, `liv` of lives, `writ` of wrote."""
    if word in _UNINFLECTED:
        return word
    base = _bases().get(word, word)
    stem = _undoubled(_without_ending(base).removesuffix("e"))
    return stem if len(stem) > 1 and stem not in _UNINFLECTED else base


def _without_auxiliaries(words: list[str]) -> tuple[list[str], bool]:
    """The words after leading auxiliaries, and whether a form of to be was among these."""
    first = 0
    has_copula = False
    while first < len(words):
        word = words[first]
        following = words[first + 1] if first + 1 < len(words) else ""
        if word in _COPULAS:
            has_copula = True
        elif word in _PERFECT:
            if following not in _COPULAS and not is_participle(following):
                break
        elif word in _FUTURE or word in _EMPHATIC:
            if not following or following == "not":
                break
        else:
            break
        first += 1
    return words[first:], has_copula


def _is_past(word: str) -> bool:
    """Whether a word can only be the past of a verb: `worked`, `led`, and not `put`."""
    return word in _pasts() or (word.endswith("ed") and len(word) > 3 and not word.endswith("eed"))


def _without_ending(word: str) -> str:
    for ending, replacement, shortest in (
        ("ies", "y", 5),
        ("ied", "y", 5),
        ("ing", "", 5),
        ("ed", "", 4),
        ("sses", "ss", 5),
        ("xes", "x", 4),
        ("zes", "z", 5),
        ("ches", "ch", 5),
        ("shes", "sh", 5),
        ("oes", "o", 4),
        ("s", "", 4),
    ):
        if word.endswith(ending) and len(word) >= shortest:
            rest = word.removesuffix(ending)
            if (
                (ending == "s" and rest[-1] in "sui")
                or (ending == "ed" and rest[-1] == "e")
                or not any(letter in "aeiouy" for letter in rest)
            ):
                return word
            return rest + replacement
    return word


def _undoubled(stem: str) -> str:
    return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiou" else stem


@cache
def _bases() -> dict[str, str]:
    """The base of each irregular form."""
    return {form: forms[0] for forms in _irregular_verbs() for form in forms[1:]}


@cache
def _pasts() -> frozenset[str]:
    """The irregular forms of the past that are no bases."""
    bases = {forms[0] for forms in _irregular_verbs()}
    return frozenset(forms[1] for forms in _irregular_verbs() if len(forms) > 1) - bases


@cache
def _participles() -> frozenset[str]:
    return frozenset(forms[-1] for forms in _irregular_verbs()) | {"born", "built"}


def _irregular_verbs() -> list[list[str]]:
    return [verb.split() for line in _IRREGULAR.split("\n") for verb in line.split("|") if verb]
