"""Exclusive values: whether a thing can have only one of the values that two claims give it.

It is so for values of one group of the lexicon (colours, cities), for what a definite description is (`the capital of X
is Y`), and for relations that the vocabulary of a graph says are to one thing at a time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from keepgraph.language import given_names, opposites, synonyms
from keepgraph.language.claim_words import Word
from keepgraph.language.claims import Claim

_LOCATED = frozenset(
    map(
        synonyms.root,
        "live lives located based born died headquartered headquarters situated buried held stands grew moored parked "
        "stationed happened capital".split(),
    )
)
_LOCATED_ONCE = frozenset(map(synonyms.root, "born died buried held happened founded built".split()))
_MADE_BY_ONE = frozenset(map(synonyms.root, "painted composed written sculpted drawn wrote".split()))
_WORKS = frozenset(
    "painting picture portrait fresco drawing sculpture statue novel book poem story play song symphony sonata "
    "concerto quartet overture opera operetta waltz aria ballet film article essay".split()
)
_COPULA_BEFORE = (
    r"\b(?:is|was|remains|will be|became|are|were)\s(?:\S+ly\s|now\s|still\s|currently\s|called\s|named\s)?"
)
_DEFINITE = r"(?:the|our|my|your|his|her|their|its|this)"
_LABEL_PREPOSITIONS = frozenset("from in at on".split())
_PLACE_LABELS = frozenset(
    map(
        synonyms.root,
        "platform room floor gate page building terminal hall apartment seat lane exit table stage".split(),
    )
)
_SHARED_ROLES = (
    r"(?:member|author|co-\w+|founder|editor|partner|friend|colleague|brother|sister|son|daughter|child|neighbou?r|"
    r"supplier|customer|client|employee|developer|sponsor|contributor|example|part|reason|player|actor|guest|speaker|"
    r"star|parent|problem|\w+s)"
)
_MAX_WORDING = 5


def exclude(
    one: Claim,
    ours: Sequence[Word],
    other: Claim,
    theirs: Sequence[Word],
    shared: Sequence[Word],
    *,
    is_of_many: bool,
    is_exclusive: Callable[[str], bool],
) -> bool:
    """Whether only one of two claims can be true because of the words that each has alone: `ours` and `theirs`.

    Args:
        shared: the words of the first that both have.
        is_of_many: whether one speaks of several things.
        is_exclusive: whether the vocabulary says of the wording of a relation that it is to one thing at a time.
    """
    if not ours or not theirs:
        return False
    groups, their_groups = (opposites.exclusive_group(_text(words)) for words in (ours, theirs))
    if _may_be_same(ours, theirs, groups, their_groups):
        return False
    are_names = all(word.is_name for word in (*ours, *theirs))
    if "musical key" in groups & their_groups:
        return not is_of_many and not ours[0].is_of_subject and not theirs[0].is_of_subject
    if common := groups & their_groups:
        if opposites.is_place_group(common):
            return not is_of_many and _are_located(one, ours, other, theirs, shared)
        return all(len(words) == 1 and _ends_claim(words[0]) for words in (ours, theirs))
    if not are_names:
        return False
    if all(len(words) == 1 and words[0].root.startswith("#") for words in (ours, theirs)):
        # A number that labels something: platform 4, room 12.
        is_labelled = any(word.root in _PLACE_LABELS for word in shared)
        return (
            is_labelled
            and not is_of_many
            and all(
                not words[0].is_of_subject and words[0].preposition in _LABEL_PREPOSITIONS for words in (ours, theirs)
            )
        )
    if any(word.root.startswith("#") for word in (*ours, *theirs)):
        return False
    if not is_of_many and _name_makers(one, ours, other, theirs, shared):
        return True
    if _is_definite(one, ours) and _is_definite(other, theirs):
        return True
    return any(map(is_exclusive, _wordings(one, ours))) and any(map(is_exclusive, _wordings(other, theirs)))


def _name_makers(
    one: Claim, ours: Sequence[Word], other: Claim, theirs: Sequence[Word], shared: Sequence[Word]
) -> bool:
    """Whether both claims say by whom one work is: `the painting is by X`, `the song was composed by X`."""
    if any(word.preposition != "by" or word.is_of_subject for word in (*ours, *theirs)):
        return False
    if not all(re.match(rf"^\s*(?:{_DEFINITE}|that)\s", claim.plain_text) for claim in (one, other)):
        return False
    if any(re.search(r"\bby\s.*\s(?:and|with|&)\s", claim.plain_text) for claim in (one, other)):
        return False
    verbs = [word for word in shared if word.is_verb]
    is_bare = any(word.text in _WORKS for word in shared) and all(
        re.search(r"\b(?:is|was)\sby\s", claim.plain_text) for claim in (one, other)
    )
    return is_bare or (bool(verbs) and all(word.root in _MADE_BY_ONE for word in verbs))


def _may_be_same(
    ours: Sequence[Word], theirs: Sequence[Word], groups: frozenset[str], their_groups: frozenset[str]
) -> bool:
    """Whether two values may be the same, or one may lie in the other: Bob and Robert, Oslo and Norway, WHO."""
    if opposites.is_place_group(groups | their_groups) and groups.isdisjoint(their_groups):
        return True
    if ours and theirs and len(ours) != len(theirs):
        short, long = sorted((ours, theirs), key=len)
        if _text(short).replace(".", "") == "".join(word.text[0] for word in long):
            return True
    return any(
        word.text.startswith(match.text) or match.text.startswith(word.text)
        or match.text in given_names.nicknames(word.text) or word.text in given_names.nicknames(match.text)
        for word in ours for match in theirs
        if not word.root.startswith("#")
    )  # fmt: skip


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _ends_claim(word: Word) -> bool:
    return (
        not word.is_of_subject
        and not word.is_attribute
        and not word.is_name
        and (word.is_predicative or not word.preposition)
    )


def _are_located(
    one: Claim, ours: Sequence[Word], other: Claim, theirs: Sequence[Word], shared: Sequence[Word]
) -> bool:
    """Whether both claims say where the same thing is, in the words for that."""
    if not all(word.preposition in ("in", "at") for word in (*ours, *theirs)):
        return _is_definite(one, ours) and _is_definite(other, theirs)
    verbs = [word for word in shared if not word.is_of_subject]
    is_past = one.tense in ("past", "perfect")
    if any(word.root in (_LOCATED_ONCE if is_past else _LOCATED) for word in verbs):
        return True
    if is_past:
        return False
    return not verbs and all(re.search(rf"{_COPULA_BEFORE}in\s", claim.plain_text) for claim in (one, other))


def _is_definite(claim: Claim, words: Sequence[Word]) -> bool:
    """Whether a claim says that these words name the one thing of a description: `the chief of X is Y`."""
    value = r"\s".join(re.escape(word.text) for word in words)
    honorific = r"(?:(?:dr|mr|mrs|ms|prof)\.?\s)?"
    text = claim.plain_text.strip(" .!")
    described_first = (
        rf"^(?:{_DEFINITE}\s.*|\S.*\s['’]s\s.*)\s?\b(?:is|was|remains|will be)\s(?:now\s|called\s|named\s)?"
        rf"{honorific}{value}$"
    )
    named_first = rf"^{honorific}{value}\s(?:is|was|remains|will be)\s(?:now\s)?(?:the\s|\S+\s['’]s\s)(?!\S+s\b)"
    if re.match(rf"^{_DEFINITE}\s(?:\w+\s){{0,2}}{_SHARED_ROLES}\s(?:of|in|at|for|is|was)\b", text):
        return False
    return bool(re.match(described_first, text) or re.match(named_first, text))


def _wordings(claim: Claim, words: Sequence[Word]) -> list[str]:
    """What may be the wording of the relation to a value: the words before it, fewer and fewer."""
    if any(word.is_of_subject for word in words):
        return []
    before = claim.plain_text.partition(f" {words[0].text}")[0].split()[-_MAX_WORDING:]
    return [" ".join(before[start:]) for start in range(len(before))]
