"""The last rung: names that mean the same in other words. Guards keep apart what a model finds near and people do not.

A vector says that two names are about the same, not that they are the same: versions, opposites and siblings
(another word in the same frame) are as near as paraphrases. So numbers and dates must agree, sense must not be turned
round, and a person is never found by meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from keepgraph import errors, store
from keepgraph.engine.backfill import requests, vectors
from keepgraph.language import antonyms, lexicons, normalisation, numbers, similarity
from keepgraph.model import Candidate, Resolution
from keepgraph.store.database import Tx

MAX_CANDIDATES = 5

_MARGIN = 0.08
_SINGLE_WORD = 0.75
_WORTH_NAMING = 0.45
_STEM = 5
_FEW_LETTERS = 4
_LOOKS_ALIKE = 0.6
_IN_PASSING = ("one", "first", "second", "third")
_YEARS = range(1900, 2100)

_COUNTED = {**numbers.CARDINALS, **numbers.ORDINALS}


def resolve(tx: Tx, asked: str, *, of_type: str | None, otherwise: Resolution) -> Resolution:
    """The entity whose name means the same, else `otherwise`, with the reason if meaning could not be asked.

    Raises:
        pending.Wanted: names wait for their vectors, and may still be given some.
    """
    words = normalisation.words(normalisation.fold(asked))
    says_little = sum(map(len, words)) < _FEW_LETTERS or not _can_be_read(words)
    if of_type == "person" or says_little or _looks_like_a_person(asked, words):
        return otherwise
    if reason := vectors.off(tx):
        return replace(otherwise, off=reason)
    waiting = store.vectors.waiting(tx)
    if waiting:
        requests.want(tx, requests.NAMES, vectors.some_of_names)
    try:
        near = [each for each in vectors.nearest(tx, asked, of_type=of_type) if each[0].type != "person"]
    except errors.ModelUnavailable as error:
        return replace(otherwise, off=error.message)
    found = [
        Candidate(entity, name, "embedding", round(cosine, 3), f"“{name}” means about the same")
        for entity, name, cosine in near
    ]
    best = next((each for each in found if _may_be_meant(tx, words, each)), None)
    others = _others(otherwise.candidates, found)
    if best is None or _too_close(best, words, found):
        return replace(otherwise, candidates=others, waiting=waiting)
    runners_up = tuple(each for each in others if each.entity.row != best.entity.row)
    return Resolution(best.entity, "embedding", best.score, runners_up, best.because, waiting=waiting)


def _looks_like_a_person(asked: str, words: Sequence[str]) -> bool:
    return len(words) <= 3 and asked.istitle() and lexicons.is_given_name(words[0])


def _can_be_read(words: Sequence[str]) -> bool:
    """Whether the model knows the letters: what it cannot read is all the same to it."""
    letters = [c for word in words for c in word if c.isalpha()]
    return sum(c.isascii() for c in letters) > len(letters) / 2


def _others(alike: Iterable[Candidate], near: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Candidates of both rungs: those that look like it, then those that are about the same."""
    found: dict[int, Candidate] = {}
    for candidate in (*alike, *(each for each in near if each.score >= _WORTH_NAMING)):
        found.setdefault(candidate.entity.row, candidate)
    return tuple(sorted(found.values(), key=lambda each: -each.score)[:MAX_CANDIDATES])


def _too_close(best: Candidate, asked: Sequence[str], found: Sequence[Candidate]) -> bool:
    """Whether another is as near, or nearer and shut out: then the question is about something in between.

    One of another number or date is no rival.
    """
    rivals = (other for other in found if other.entity.row != best.entity.row and other.score > best.score - _MARGIN)
    return any(_numbers_agree(asked, normalisation.words(normalisation.fold(other.matched))) for other in rivals)


def _numbers_agree(asked: Sequence[str], known: Sequence[str]) -> bool:
    ours, theirs = _numbers(asked), _numbers(known)
    counted = {_COUNTED[word] for word in asked if word in _COUNTED and word not in _IN_PASSING}
    others = theirs | {_COUNTED[word] for word in known if word in _COUNTED}
    left = theirs - ours - counted - _dates(asked)
    if ours and any(number not in _YEARS for number in left):
        return False  # a number out of a version
    passing = {_COUNTED[word] for word in asked if word in _IN_PASSING}
    if others and not passing <= others:
        return False
    return ours <= others and counted <= others and _dates(asked) <= _dates(known) | theirs


def _may_be_meant(tx: Tx, asked: Sequence[str], found: Candidate) -> bool:
    least = tx.settings.embedding if len(asked) > 1 else max(_SINGLE_WORD, tx.settings.embedding)
    if found.score < least:
        return False
    known = normalisation.words(normalisation.fold(found.matched))
    if not _numbers_agree(asked, known) or not _can_be_read(known):
        return False
    hinted = found.entity.type in asked
    if antonyms.turned_round(asked, known, hinted=hinted) or antonyms.opposed(asked, known):
        return False
    ours, theirs, shared = _compared(asked, known)
    if not ours and not theirs:
        return False  # the same words in another order: their letters have had their say
    if len(asked) == len(known) == 1 and similarity.shares(asked[0], known[0]) > _LOOKS_ALIKE:
        return False  # Arbeitnehmer is not Arbeitgeber
    if not ours and found.entity.type == "concept":
        return False  # a part of what a thing is called is another thing
    if ours and any(_is_passed_over(name, theirs, asked) for name in _proper_names_in(found.matched)):
        return False  # it is about somewhere or something else
    if any(store.entities.by_key(tx, word) for word in ours):
        return False  # it is about something else that is known
    more = hinted or bool(ours)
    if found.entity.type == "decision" and ours:
        # It begins with what is done; a verb that is not known may be any.
        refused = antonyms.is_against(asked[0]) or antonyms.is_against(known[0])
        if asked[0] in ours and known[0] in theirs and not refused and not antonyms.agree(asked[0], known[0]):
            return False
        if len(ours) + len(theirs) > 2:
            ours, theirs = ([word for word in each if word not in (asked[0], known[0])] for each in (ours, theirs))
    return not shared or _is_paraphrase(ours, theirs, shared, more=more)


def _is_paraphrase(ours: Sequence[str], theirs: Sequence[str], shared: Sequence[str], *, more: bool) -> bool:
    """Whether names with words in common say the same, rather than something else in the same frame.

    One word on each side that the other has not makes a sibling, unless both only say what is done. Words that
    only the question has make it narrower, words that only the name has make it wider; a thing and its part differ,
    unless the question says `more` than the part: what is done, or what kind of thing is meant.
    """
    if len(ours) == 1 and len(theirs) == 1:
        return antonyms.agree(ours[0], theirs[0])
    if not theirs and ours:
        return all(similarity.means_unsaid(word) for word in ours)
    if all(antonyms.is_action(word) for word in ours):
        return more or len(shared) > 1
    return any(not antonyms.is_action(word) and not similarity.means_unsaid(word) for word in shared)


def _proper_names_in(name: str) -> list[list[str]]:
    """The folded words that are capital within a sentence, neighbours together; none where all are, as in a title."""
    words = name.split()[1:]
    capital = [word[:1].isupper() and not word.isupper() for word in words]
    if all(capital):
        return []
    return [
        [folded for word, _ in run for folded in normalisation.fold(word).split()]
        for proper, run in groupby(zip(words, capital, strict=True), key=lambda each: each[1])
        if proper
    ]


def _is_passed_over(name: Sequence[str], theirs: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether nothing in the question stands for a proper name, not even its initials: IE11."""
    initials = "".join(word[0] for word in name)
    return all(word in theirs for word in name) and not any(
        len(initials) > 1 and word.startswith(initials) for word in asked
    )


def _compared(asked: Sequence[str], known: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """The words that only the question has, those that only the name has, and those of the question in both."""
    theirs = [word for word in known if not similarity.is_small(word)]
    ours, shared = [], []
    for word in asked:
        if similarity.is_small(word):
            continue
        twin = next((other for other in theirs if _same_stem(word, other)), None)
        if twin is None:
            ours.append(word)
        else:
            theirs.remove(twin)
            shared.append(word)
    return ours, theirs, shared


def _same_stem(one: str, other: str) -> bool:
    if one == other or str(_COUNTED.get(one, one)) == str(_COUNTED.get(other, other)):
        return True
    if one in lexicons.spelled_out(other) or other in lexicons.spelled_out(one):
        return True
    common = min(len(one), len(other))
    return common >= _STEM - 1 and one[: max(_STEM, common - 3)] == other[: max(_STEM, common - 3)]


def _numbers(words: Iterable[str]) -> set[int]:
    return {int(number) for word in words for number in re.findall(r"\d{1,9}", word)}


def _dates(words: Sequence[str]) -> set[object]:
    months = {numbers.MONTHS[word] for word in words if word in numbers.MONTHS}
    return {*months, *numbers.DAYS.intersection(words)}
