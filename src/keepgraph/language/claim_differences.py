"""Differences between two claims: what both say, what only one says, and in how many respects they differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

from keepgraph import lazy
from keepgraph.language import claims, factuality, given_names, opposites, time_references
from keepgraph.language.claims import Claim, Word
from keepgraph.language.quantities import Quantity
from keepgraph.language.time_references import Relation

Amounts: TypeAlias = Literal["none", "same", "compatible", "different", "unknown"]

_RULE = lazy.compile(r"\b(?:must|minimum|maximum|required?|requires|limit|limited|allow\w*|permit\w*|may|need\w*)\b")
_NOBODY = lazy.compile(r"\b(?:nobody|no one|none|nothing)\b")
_COMPARISON = lazy.compile(r"\bthan\b|\b(?:beat|beats|beaten|defeat\w*|outrank\w*|outperform\w*|preced\w+|exceed\w*)\b")
_PRESENT = {"present", "perfect"}


def find(one: Claim, other: Claim) -> Difference | None:
    """How two claims differ; None if they share no content word."""
    names = {word.text for claim in (one, other) for word in claim.words if word.is_name}
    one, other = (_with_names(claim, names) for claim in (one, other))
    shared_roots = one.roots & other.roots
    if not shared_roots:
        return None
    shared = tuple(word for word in one.words if word.root in shared_roots)
    return Difference(one, other, shared, _rest(one, shared_roots), _rest(other, shared_roots))


@dataclass(frozen=True)
class Difference:
    """How two claims differ.

    Attributes:
        shared: the words of the first that the second has as well.
        ours, theirs: the words that only the first, only the second has.
    """

    one: Claim
    other: Claim
    shared: tuple[Word, ...]
    ours: tuple[Word, ...]
    theirs: tuple[Word, ...]

    @property
    def are_asserted(self) -> bool:
        """Whether both state or deny something, and neither only speaks of the past."""
        are_future = self.one.tense == self.other.tense == "future"
        return all(
            factuality.is_asserted(tuple(cue for cue in claim.cues if not (are_future and cue.kind == "plan")))
            and not claim.is_partly_negated
            and not any(cue.kind == "past" for cue in claim.cues)
            for claim in (self.one, self.other)
        )

    @cached_property
    def times(self) -> Relation:
        return time_references.compare(self.one.times, self.other.times)

    @property
    def is_same_time(self) -> bool:
        """Whether both speak of the same time, if they say."""
        tenses = {self.one.tense, self.other.tense}
        are_same = len(tenses) == 1 or tenses == _PRESENT
        if not are_same or self.one.modality != self.other.modality or self._have_other_prepositions():
            return False
        return self.times == "same"

    def _have_other_prepositions(self) -> bool:
        """Whether a word that both have is joined by another preposition: `since breakfast`, `for breakfast`."""
        theirs = {word.root: word for word in self.other.words}
        for word in self.shared:
            pair = {word.preposition, theirs[word.root].preposition}
            if len(pair) == 2 and "" not in pair:
                return True
        return False

    @property
    def have_other_pronouns(self) -> bool:
        """Whether they are about different people: he and she, our and their."""
        ours, theirs = self.one.pronouns, self.other.pronouns
        return bool(ours and theirs) and ours.isdisjoint(theirs)

    @property
    def has_more_words(self) -> bool:
        """Whether one says something that the other does not."""
        return len(self.one.words) - len(self.shared) + len(self.other.words) - len(self.shared) > 2

    # Shares

    @property
    def shares_exclude(self) -> bool:
        """Whether they say it for shares of which only one can be right."""
        (low, high), (other_low, other_high) = self.one.share, self.other.share
        return low > other_high or other_low > high

    @property
    def is_plain(self) -> bool:
        return self.one.is_plain and self.other.is_plain

    @property
    def only_positive_has_more(self) -> bool:
        """Whether the denying claim adds nothing, and the other limits neither its subject nor where it is so."""
        one_denies = self.one.share[1] == 0.0
        denied, asserted = (self.ours, self.theirs) if one_denies else (self.theirs, self.ours)
        denying = self.one if one_denies else self.other
        is_of_nobody = _NOBODY.search(denying.plain_text) is not None
        if denied or (len(self.shared) < 2 and asserted and not is_of_nobody):
            return False
        return is_of_nobody or not any(word.is_of_subject or word.preposition for word in asserted)

    # Order

    @cached_property
    def is_reordered(self) -> bool:
        """Whether the subject of one is the object of the other."""
        theirs = {word.root: word for word in self.other.words}
        pairs = [(word, theirs[word.root]) for word in self.shared]
        names = [word.root for word in self.shared if word.is_name]
        their_names = [word.root for word in self.other.words if word.root in names]
        if self.one.is_passive != self.other.is_passive:
            has_agent = any(word.preposition == "by" for claim in (self.one, self.other) for word in claim.words)
            return has_agent and len(names) >= 2 and names == their_names
        gained = any(match.is_of_subject and not word.is_of_subject for word, match in pairs)
        lost = any(word.is_of_subject and not match.is_of_subject for word, match in pairs)
        copular = all(any(word.is_predicative for word in claim.words) for claim in (self.one, self.other))
        is_comparison = _COMPARISON.search(self.one.plain_text) is not None
        return (gained and lost and (not copular or is_comparison)) or (is_comparison and names != their_names)

    @property
    def is_exchanged_comparison(self) -> bool:
        """Whether both compare the same two things in opposite order, and nothing else differs."""
        return (
            self.is_reordered
            and not self.ours
            and not self.theirs
            and self.is_plain
            and not self.shares_exclude
            and all(_COMPARISON.search(claim.plain_text) for claim in (self.one, self.other))
        )

    # Amounts and dates

    @cached_property
    def amounts(self) -> Amounts:
        """How their amounts are related: unknown where one has more of them, or several differ."""
        ours, theirs = self.one.quantities, self.other.quantities
        if not ours and not theirs:
            return "none"
        if len(ours) != len(theirs) or any(a.dimension != b.dimension for a, b in zip(ours, theirs, strict=True)):
            return "unknown"
        if self._have_other_limits():
            return "different"
        unequal = sum(not one.may_equal(other) for one, other in zip(ours, theirs, strict=True))
        if unequal:
            return "different" if unequal == 1 else "unknown"
        return "same" if all(a.intervals == b.intervals for a, b in zip(ours, theirs, strict=True)) else "compatible"

    def _have_other_limits(self) -> bool:
        """Whether both set a limit of the same kind, and the limits differ."""
        ours, theirs = self.one.quantities[0].limit, self.other.quantities[0].limit
        is_rule = _RULE.search(self.one.plain_text) and _RULE.search(self.other.plain_text)
        return bool(is_rule) and ours is not None and theirs is not None and ours * theirs > 0 and ours != theirs

    @property
    def are_amounts_of_subjects(self) -> bool:
        """Whether an amount with a unit stands before the verb, and so names another thing: `the 5 km race`."""
        return any(
            amount.dimension
            and claims.verb_index(claims.WORD.findall(claim.plain_text[: amount.start + 1])) is None
            and claims.verb_index(claims.WORD.findall(claim.plain_text)) is not None
            for claim in (self.one, self.other)
            for amount in claim.quantities
        )

    @property
    def unequal_amounts(self) -> tuple[str, str]:
        pairs: list[tuple[Quantity, Quantity]] = list(zip(self.one.quantities, self.other.quantities, strict=True))
        return next(
            ((a.words, b.words) for a, b in pairs if not a.may_equal(b)), (pairs[0][0].words, pairs[0][1].words)
        )

    # Words

    @property
    def differs_once(self) -> bool:
        """Whether they differ in only one word each, or one amount."""
        if self.is_reordered or not self.is_same_time or self.one.share != self.other.share:
            return False
        if self.one.negations % 2 == 1 or are_of_any(self.one, self.other):
            return False
        if not self.is_plain and self.one.share != (1.0, 1.0):
            return False
        if self.amounts == "different":
            return not self.ours and not self.theirs
        return bool(self.ours) and bool(self.theirs) and self.amounts in ("none", "same")

    @cached_property
    def opposite(self) -> tuple[str, str] | None:
        """The words in which they differ, if each is one and they exclude each other where they stand."""
        if len(self.ours) != 1 or len(self.theirs) != 1:
            return None
        ours, theirs = self.ours[0], self.theirs[0]
        if ours.is_of_subject and theirs.is_of_subject:
            return None  # two things: hot drinks and cold ones
        return (ours.text, theirs.text) if opposites.exclude(ours.text, theirs.text) else None

    @property
    def may_exclude(self) -> bool:
        """Whether both can hardly be true: words that are opposites in some context, or `all` beside `not one`."""
        if any(
            opposites.exclude(word.text, match.text, may_be_tension=True) for word in self.ours for match in self.theirs
        ):
            return self.one.negations % 2 == self.other.negations % 2
        shares = (self.one.share, self.other.share)
        is_of_all = [share == (1.0, 1.0) for share in shares]
        is_denied = [claim.negations % 2 == 1 for claim in (self.one, self.other)]
        return (is_of_all[0] and is_denied[1]) or (is_of_all[1] and is_denied[0])

    @property
    def values(self) -> tuple[str, str]:
        """The words that only one has, as texts."""
        return _as_written(self.one, self.ours), _as_written(self.other, self.theirs)

    def are_values_exclusive(self, is_exclusive: Callable[[str], bool]) -> bool:
        """Whether they differ in values of which their subject has only one."""
        return _exclude(
            self.one,
            self.ours,
            self.other,
            self.theirs,
            self.shared,
            is_exclusive=is_exclusive,
        )


def _as_written(claim: Claim, words: tuple[Word, ...]) -> str:
    """Words as the sentence of their claim has them, capitals and all."""
    written = {match[0].lower(): match[0] for match in claims.WORD.finditer(claim.sentence)}
    return " ".join(written.get(word.text, word.text) for word in words)


def _with_names(claim: Claim, names: set[str]) -> Claim:
    """A claim in which the names of both claims count as names, even at the beginning of a sentence."""
    if all(word.is_name or word.text not in names for word in claim.words):
        return claim
    words = [
        replace(word, is_name=True, root=word.text) if word.text in names and not word.is_name else word
        for word in claim.words
    ]
    return replace(claim, words=tuple(words))


def _rest(claim: Claim, shared: frozenset[str]) -> tuple[Word, ...]:
    return tuple(word for word in claim.words if word.root not in shared)


# Exclusive values: whether a thing can have only one of the values that two claims give it.
#
# It is so for values of one group of the lexicon (colours, cities), for what a definite description is (`the capital of
# X is Y`), and for relations that the vocabulary of a graph says are to one thing at a time.

_LOCATED = frozenset(
    map(
        opposites.root,
        "live lives located based born died headquartered headquarters situated buried held stands grew moored parked "
        "stationed happened capital".split(),
    )
)
_LOCATED_ONCE = frozenset(map(opposites.root, "born died buried held happened founded built".split()))
_MADE_BY_ONE = frozenset(map(opposites.root, "painted composed written sculpted drawn wrote".split()))
_DEFINITE = r"(?:the|our|my|your|his|her|their|its|this)"
_LABEL_PREPOSITIONS = frozenset("from in at on".split())
_PLACE_LABELS = frozenset(
    map(
        opposites.root,
        "platform room floor gate page building terminal hall apartment seat lane exit table stage".split(),
    )
)
_SHARED_ROLES = (
    r"(?:member|author|co-\w+|founder|editor|partner|friend|colleague|brother|sister|son|daughter|child|neighbou?r|"
    r"supplier|customer|client|employee|developer|sponsor|contributor|example|part|reason|player|actor|guest|speaker|"
    r"star|parent|problem|\w+s)"
)
_MAX_WORDING = 5


def _exclude(
    one: Claim,
    ours: Sequence[Word],
    other: Claim,
    theirs: Sequence[Word],
    shared: Sequence[Word],
    *,
    is_exclusive: Callable[[str], bool],
) -> bool:
    """Whether only one of two claims can be true because of the words that each has alone: `ours` and `theirs`.

    Args:
        shared: the words of the first that both have.
        is_exclusive: whether the vocabulary says of the wording of a relation that it is to one thing at a time.
    """
    if not ours or not theirs:
        return False
    groups, their_groups = (opposites.exclusive_group(_text(words)) for words in (ours, theirs))
    if common := groups & their_groups:
        return not opposites.is_place_group(common) or _are_located(one, ours, other, theirs, shared)
    if opposites.is_place_group(groups | their_groups) or not all(word.is_name for word in (*ours, *theirs)):
        return False  # Oslo may lie in Norway
    if all(word.root.startswith("#") for word in (*ours, *theirs)):
        # A number that labels something: platform 4, room 12.
        return any(word.root in _PLACE_LABELS for word in shared) and all(
            word.preposition in _LABEL_PREPOSITIONS for word in (*ours, *theirs)
        )
    if _may_be_same(ours, theirs):
        return False
    return (
        (
            all(word.preposition == "by" for word in (*ours, *theirs))
            and any(word.root in _MADE_BY_ONE for word in shared)
        )
        or (_is_definite(one, ours) and _is_definite(other, theirs))
        or (any(map(is_exclusive, _wordings(one, ours))) and any(map(is_exclusive, _wordings(other, theirs))))
    )


def _may_be_same(ours: Sequence[Word], theirs: Sequence[Word]) -> bool:
    """Whether two names may be of the same: Bob and Robert."""
    return any(
        word.text.startswith(match.text) or match.text.startswith(word.text)
        or match.text in given_names.nicknames(word.text) or word.text in given_names.nicknames(match.text)
        for word in ours for match in theirs
    )  # fmt: skip


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _are_located(
    one: Claim, ours: Sequence[Word], other: Claim, theirs: Sequence[Word], shared: Sequence[Word]
) -> bool:
    """Whether both claims say where the same thing is, in the words for that."""
    if not all(word.preposition in ("in", "at") for word in (*ours, *theirs)):
        return _is_definite(one, ours) and _is_definite(other, theirs)
    verbs = [word for word in shared if not word.is_of_subject]
    is_past = one.tense in ("past", "perfect")
    return any(word.root in (_LOCATED_ONCE if is_past else _LOCATED) for word in verbs) or not (is_past or verbs)


def _is_definite(claim: Claim, words: Sequence[Word]) -> bool:
    """Whether a claim says that these words name the one thing of a description: `the chief of X is Y`."""
    value = r"(?:(?:dr|mr|mrs|ms|prof)\.?\s)?" + r"\s".join(re.escape(word.text) for word in words)
    text = claim.plain_text.strip(" .!")
    described_first = (
        rf"^(?:{_DEFINITE}\s.*|\S.*\s['’]s\s.*)\b(?:is|was|remains|will be)\s(?:now\s|called\s|named\s)?{value}$"
    )
    named_first = rf"^{value}\s(?:is|was|remains|will be)\s(?:now\s)?(?:the\s|\S+\s['’]s\s)(?!\S+s\b)"
    if re.match(rf"^{_DEFINITE}\s(?:\w+\s){{0,2}}{_SHARED_ROLES}\s(?:of|in|at|for|is|was)\b", text):
        return False
    return bool(re.match(described_first, text) or re.match(named_first, text))


def _wordings(claim: Claim, words: Sequence[Word]) -> list[str]:
    """What may be the wording of the relation to a value: the words before it, fewer and fewer."""
    if any(word.is_of_subject for word in words):
        return []
    before = claim.plain_text.partition(f" {words[0].text}")[0].split()[-_MAX_WORDING:]
    return [" ".join(before[start:]) for start in range(len(before))]


# Events in claims: what happens once, what may have happened twice, and what is said of any one of several.

_ONCE = frozenset(
    map(
        opposites.root,
        "born die founded established built completed opened launch release publish signed expire start end close join "
        "left retire marry graduate happen arrive depart elected discovered invented due scheduled created "
        "introduced premiere inaugurated demolished abolished".split(),
    )
)
_STATIC = lazy.compile(
    r"\b(?:is|are|was|were|has|have|had|be|cost\w*|weigh\w*|measur\w+|last\w*|t[ao]k\w+|h[eo]ld\w*|contain\w*|need\w*|"
    r"own\w*|employ\w*|earn\w*|total\w*|score\w*|won|wins?|cover\w*|span\w*)\b"
)
_INDEFINITE_START = lazy.compile(r"^\s*(?:a|an)\s")
_ANY = lazy.compile(r"^\s*(?:another|one)\s")
_DATE_PARTS = frozenset("year month day quarter season decade span relative".split())


def happens_once(one: Claim, other: Claim, shared: Iterable[Word]) -> bool:
    """Whether two claims say what happens once, or has one date or one time of the day, and only that time differs.

    Args:
        shared: the words of the first that both have.
    """
    is_once = any(word.root in _ONCE for word in shared)
    is_dated = all(map(_is_dated, (one, other)))
    if one.tense != other.tense or not (is_once or is_dated) or _are_of_many(one, other):
        return False
    ours, theirs = time_references.parts(one.times), time_references.parts(other.times)
    differing = {
        "date" if part in _DATE_PARTS else part
        for part in ours.keys() & theirs.keys()
        if ours[part].isdisjoint(theirs[part])
    }
    return len(differing) == 1 and (is_dated or differing != {"weekday"})


def _is_dated(claim: Claim) -> bool:
    """Whether a claim says of one thing when it is, and nothing else: `the meeting is at 3 pm`."""
    before = claim.plain_text[: min((time.start for time in claim.times), default=0) + 1]
    # Not in the past: the flood was in 1953, and another one in 1962.
    return re.match(rf"\s*(?:{_DEFINITE}|\S.*['’]s)\s.*\b(?:is|will be)\s(?:(?:on|at|in)\s)?$", before) is not None


def may_repeat(one: Claim, other: Claim) -> bool:
    """Whether two claims say what was done without a time: it may have been done twice."""
    if one.tense not in ("past", "perfect") or one.times:
        return False
    return any(not _STATIC.search(claim.plain_text) for claim in (one, other))


def _are_of_many(one: Claim, other: Claim) -> bool:
    """Whether one claim speaks of several: `trains leave`."""
    for claim in (one, other):
        subject = [word for word in claim.words if word.is_of_subject and not word.preposition]
        if subject and not subject[-1].is_name and subject[-1].text.endswith("s") and subject[-1].text[-2:] != "ss":
            return True
    return False


def are_of_any(one: Claim, other: Claim) -> bool:
    """Whether the claims may be about different individuals: `a patient died`."""
    return any(
        _ANY.match(claim.plain_text)
        or (_INDEFINITE_START.match(claim.plain_text) and claim.tense in ("past", "perfect"))
        for claim in (one, other)
    )
