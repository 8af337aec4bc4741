"""Events in claims: what happens once, what may have happened twice, and what is said of any one of several."""

from __future__ import annotations

from collections.abc import Iterable

from keepgraph import lazy
from keepgraph.language import synonyms
from keepgraph.language.claim_words import Word
from keepgraph.language.claims import Claim

_ONCE = frozenset(
    map(
        synonyms.root,
        "born die founded established built completed opened launch release publish signed expire start end close join "
        "left retire marry graduate happen arrive depart elected discovered invented deadline due scheduled created "
        "introduced premiere inaugurated demolished abolished".split(),
    )
)
_EVENTS = frozenset(
    map(
        synonyms.root,
        "meeting deadline party wedding exam election concert interview appointment flight match birthday lecture "
        "workshop hearing funeral ceremony conference launch release demo review".split(),
    )
)
_STATIC = lazy.compile(
    r"\b(?:is|are|was|were|has|have|had|be|cost\w*|weigh\w*|measur\w+|last\w*|t[ao]k\w+|h[eo]ld\w*|contain\w*|need\w*|"
    r"own\w*|employ\w*|earn\w*|total\w*|score\w*|won|wins?|cover\w*|span\w*)\b"
)
_HAPPENINGS = lazy.compile(
    r"\b(?:kill\w*|injur\w*|destroy\w*|damag\w*|attract\w*|dr[ae]w\w*|rais\w*|caus\w*|produc\w*|ended|began)\b"
)
_TRANSPORT = lazy.compile(r"\b(?<!last )(?<!first )(?:bus|train|ferry|tram|boat|shuttle|coach)\b")
_PERSONAL_START = lazy.compile(r"^\s*(?:he|she|they|we|i|you)\s")
_INDEFINITE_START = lazy.compile(r"^\s*(?:a|an)\s")
_ANY = lazy.compile(r"^\s*(?:another|one)\s")
_PROGRESSIVE = lazy.compile(r"\b(?:is|are)\s(?:not\s)?\w+ing\b")
_INDEFINITE = lazy.compile(r"\s(?:a|an|another|some|any)\s")
_DATE_PARTS = frozenset("year month day quarter season decade span relative".split())


def happens_once(one: Claim, other: Claim, shared: Iterable[Word]) -> bool:
    """Whether two claims tell what happens once, or has one date or one time of the day, and only that time differs.

    Args:
        shared: the words of the first that both have.
    """
    words = list(shared)
    is_event = any(word.root in _EVENTS and word.is_of_subject for word in words)
    if not (is_event or any(word.root in _ONCE for word in words)) or are_of_many(one, other):
        return False
    if one.tense != other.tense or bounds(one) != bounds(other):
        return False
    ours, theirs = _parts(one), _parts(other)
    differing = {
        "date" if part in _DATE_PARTS else part
        for part in ours.keys() & theirs.keys()
        if ours[part].isdisjoint(theirs[part])
    }
    if differing in ({"clock"}, {"hour"}) and any(
        _TRANSPORT.search(claim.plain_text) or (claim.tense == "past" and _is_personal(claim)) for claim in (one, other)
    ):
        return False
    return len(differing) == 1 and (is_event or differing != {"weekday"})


def may_repeat(one: Claim, other: Claim) -> bool:
    """Whether two claims tell what was done, without a time: that may have been done twice."""
    if one.tense not in ("past", "perfect") or one.times:
        return False
    return any(
        not _STATIC.search(claim.plain_text) and (_is_personal(claim) or not _HAPPENINGS.search(claim.plain_text))
        for claim in (one, other)
    )


def are_of_many(one: Claim, other: Claim) -> bool:
    """Whether one claim speaks of any or of several: `trains leave`, `Tom started a company`."""
    for claim in (one, other):
        subject = [word for word in claim.words if word.is_of_subject and not word.preposition]
        if subject and not subject[-1].is_name and subject[-1].text.endswith("s") and subject[-1].text[-2:] != "ss":
            return True
        if _INDEFINITE.search(claim.plain_text):
            return True
    return False


def are_of_any(one: Claim, other: Claim) -> bool:
    """Whether one claim tells of one that may be another than that of the other: `a patient died`."""
    return any(
        _ANY.match(claim.plain_text)
        or (
            _INDEFINITE_START.match(claim.plain_text)
            and (claim.tense in ("past", "perfect") or _PROGRESSIVE.search(claim.plain_text))
        )
        for claim in (one, other)
    )


def bounds(claim: Claim) -> set[str]:
    """The words that make its times limits: since, until."""
    return {time.bound for time in claim.times if time.bound}


def _is_personal(claim: Claim) -> bool:
    return bool(_PERSONAL_START.match(claim.plain_text) or (claim.words and claim.words[0].is_name))


def _parts(claim: Claim) -> dict[str, set[str | int]]:
    parts: dict[str, set[str | int]] = {}
    for time in claim.times:
        for part, value in time.parts.items():
            parts.setdefault(part, set()).add(value)
    return parts
