"""Differences between two claims: what both say, what only one says, and in how many respects they differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

from keepgraph import lazy
from keepgraph.language import (
    claim_events,
    claim_words,
    exclusive_values,
    factuality,
    opposites,
    synonyms,
    time_references,
)
from keepgraph.language.claim_words import Word
from keepgraph.language.claims import Claim
from keepgraph.language.quantities import Quantity
from keepgraph.language.time_references import Relation

Amounts: TypeAlias = Literal["none", "same", "compatible", "different", "unknown"]

MAX_MORE_WORDS = 2
"""So many words more may stand in the claim that another denies."""

_HARMLESS = frozenset(
    synonyms.root(word)
    for word in "member people person thing case fact time dr mr mrs ms prof sir project team today place".split()
)
_RESTRICTING = frozenset(
    "in on at for near with without during under over outside inside before after when while if because from to until "
    "since between among beyond behind above below except unless within through via as than".split()
)
_RULE = lazy.compile(r"\b(?:must|minimum|maximum|required?|requires|limit|limited|allow\w*|permit\w*|may|need\w*)\b")
_NOBODY = lazy.compile(r"\b(?:nobody|no one|none|nothing)\b")
_LIGHT_VERBS = frozenset(
    map(synonyms.root, "decided agreed voted chose opted use adopt introduce contain include".split())
)
_SAME_PREPOSITIONS = (
    {"in", "at"},
    {"to", "for"},
    {"of", "for"},
    {"of", "in"},
    {"on", "at"},
    {"of", "to"},
    {"with", "by"},
)
_CLEFT = lazy.compile(r"\b(?:is|was|are|were)\s(?:what|who|where|the one)\b")
_COMPARISON = lazy.compile(r"\bthan\b|\b(?:beat|beats|beaten|defeat\w*|outrank\w*|outperform\w*|preced\w+|exceed\w*)\b")
_TENSES = ({"present", "perfect"}, {"past", "perfect"})


def find(one: Claim, other: Claim) -> Difference | None:
    """How two claims differ; None where they share no word that carries meaning."""
    names = {word.text for claim in (one, other) for word in claim.words if word.is_name}
    one, other = (_with_names(claim, names) for claim in (one, other))
    shared_roots = one.roots & other.roots
    if not shared_roots:
        return None
    shared = tuple(word for word in one.words if word.root in shared_roots)
    ours, theirs = _rest(one, shared_roots), _rest(other, shared_roots)
    ours, theirs = _essential(one, ours, theirs), _essential(other, theirs, ours)
    return Difference(one, other, shared, ours, theirs)


@dataclass(frozen=True)
class Difference:
    """How two claims differ.

    Attributes:
        shared: the words of the first that the second has as well.
        ours, theirs: the words that only the first, only the second has, without those that change nothing.
    """

    one: Claim
    other: Claim
    shared: tuple[Word, ...]
    ours: tuple[Word, ...]
    theirs: tuple[Word, ...]

    @property
    def are_asserted(self) -> bool:
        """Whether both say that something is so, or is not so, and neither only says that it was once."""
        are_future = self.one.tense == self.other.tense == "future"
        return all(
            factuality.is_asserted(
                tuple(cue for cue in claim.cues if not (are_future and cue.words in ("will", "shall")))
            )
            and not claim.is_partly_negated
            and not any(cue.kind == "past" for cue in claim.cues)
            for claim in (self.one, self.other)
        )

    @cached_property
    def times(self) -> Relation:
        return time_references.compare(self.one.times, self.other.times)

    @property
    def is_same_time(self) -> bool:
        """Whether both speak of the same time, as far as they say it."""
        tenses = {self.one.tense, self.other.tense}
        are_same = len(tenses) == 1 or any(tenses == pair for pair in _TENSES)
        if not are_same or self.one.modality != self.other.modality or self._have_other_prepositions():
            return False
        return self.times == "same" and claim_events.bounds(self.one) == claim_events.bounds(self.other)

    def _have_other_prepositions(self) -> bool:
        """Whether a word that both have is joined by another preposition: `since breakfast`, `for breakfast`."""
        theirs = {word.root: word for word in self.other.words}
        for word in self.shared:
            pair = {word.preposition, theirs[word.root].preposition}
            if len(pair) == 2 and "" not in pair and "by" not in pair and pair not in _SAME_PREPOSITIONS:
                return True
        return False

    @property
    def has_more_words(self) -> bool:
        """Whether one says something besides, which the other does not."""
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
        """Whether the claim that denies says nothing besides what the other says, and that one little more."""
        one_denies = self.one.share[1] == 0.0
        if not one_denies and self.other.share[1] != 0.0:
            return not self.ours and not self.theirs and self.amounts in ("none", "same")
        denied, asserted = (self.ours, self.theirs) if one_denies else (self.theirs, self.ours)
        more_amounts = (self.one if one_denies else self.other).quantities
        if denied or (self.amounts == "unknown" and more_amounts) or len(asserted) > MAX_MORE_WORDS:
            return False
        denying = self.one if one_denies else self.other
        is_of_nobody = _NOBODY.search(denying.plain_text) is not None
        if len(self.shared) < 2 and asserted and not is_of_nobody:
            return False
        is_choice = bool({word.root for word in asserted} & _LIGHT_VERBS)
        return not any(
            word.preposition in _RESTRICTING
            or (word.is_of_subject and (word.is_attribute or not is_of_nobody))
            or (word.is_verb and not is_choice)
            for word in asserted
        )

    # Order

    @cached_property
    def is_reordered(self) -> bool:
        """Whether what does something in one is what it is done to in the other."""
        theirs = {word.root: word for word in self.other.words}
        pairs = [(word, theirs[word.root]) for word in self.shared if word.root in theirs]
        gained = any(not word.is_of_subject and match.is_of_subject for word, match in pairs)
        lost = any(word.is_of_subject and not match.is_of_subject for word, match in pairs)
        if any(_CLEFT.search(claim.plain_text) for claim in (self.one, self.other)):
            return False
        names = [word.root for word in self.shared if word.is_name]
        their_names = [word.root for word in self.other.words if word.root in names]
        are_same_voice = self.one.is_passive == self.other.is_passive
        if are_same_voice:
            copular = all(any(word.is_predicative for word in claim.words) for claim in (self.one, self.other))
            is_comparison = _COMPARISON.search(self.one.plain_text) is not None
            return (gained and lost and (not copular or is_comparison)) or (
                is_comparison and len(names) >= 2 and names != their_names
            )
        has_agent = any(word.preposition == "by" for claim in (self.one, self.other) for word in claim.words)
        return has_agent and len(names) >= 2 and names == their_names

    @property
    def is_exchanged_comparison(self) -> bool:
        """Whether both compare the same two, and nothing differs but which of them comes first."""
        return (
            self.is_reordered
            and not self.ours
            and not self.theirs
            and not self.shares_exclude
            and self.one.negations == self.other.negations == 0
            and self.one.is_passive == self.other.is_passive
            and all(_COMPARISON.search(claim.plain_text) for claim in (self.one, self.other))
        )

    @property
    def is_standing_comparison(self) -> bool:
        """Whether they compare with `than`, and so tell of no single event."""
        return " than " in self.one.plain_text

    # Amounts and dates

    @cached_property
    def amounts(self) -> Amounts:
        """How their amounts are related: unknown where one has more of them, or of other dimensions."""
        ours, theirs = self.one.quantities, self.other.quantities
        if not ours and not theirs:
            return "none"
        if len(ours) != len(theirs) or any(a.dimension != b.dimension for a, b in zip(ours, theirs, strict=True)):
            return "unknown"
        if self._have_other_limits():
            return "different"
        if not all(a.may_equal(b) for a, b in zip(ours, theirs, strict=True)):
            return "different" if sum(not a.may_equal(b) for a, b in zip(ours, theirs, strict=True)) == 1 else "unknown"
        return "same" if all(a.intervals == b.intervals for a, b in zip(ours, theirs, strict=True)) else "compatible"

    def _have_other_limits(self) -> bool:
        """Whether both are rules that set a limit of the same kind, and the limits differ."""
        if len(self.one.quantities) != 1 or not (
            _RULE.search(self.one.plain_text) and _RULE.search(self.other.plain_text)
        ):
            return False
        ours, theirs = self.one.quantities[0].limit, self.other.quantities[0].limit
        return ours is not None and theirs is not None and ours * theirs > 0 and abs(ours - theirs) > 0.01 * abs(ours)

    @property
    def are_amounts_of_subjects(self) -> bool:
        """Whether an amount with a unit stands before the verb, and so tells things apart: `the 5 km race`."""
        return any(
            amount.dimension
            and claim_words.verb_index(claim_words.WORD.findall(claim.plain_text[: amount.start + 1])) is None
            and claim_words.verb_index(claim_words.WORD.findall(claim.plain_text)) is not None
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
        """Whether they differ in one respect: one word of each, or one amount."""
        if self.is_reordered or self.shares_exclude or not self.is_same_time:
            return False
        if self.one.negations % 2 != self.other.negations % 2 or self.one.share != self.other.share:
            return False
        if self.one.negations % 2 == 1 or self._have_other_pronouns() or self._are_of_some():
            return False
        if self.amounts == "different":
            return not self.ours and not self.theirs
        return bool(self.ours) and bool(self.theirs) and self.amounts in ("none", "same")

    def _are_of_some(self) -> bool:
        """Whether they speak of some of several, or tell of one that may be another."""
        if not (self.is_plain or self.one.share == (1.0, 1.0)):
            return True
        return claim_events.are_of_any(self.one, self.other)

    def _have_other_pronouns(self) -> bool:
        """Whether it is not known that they are about the same person."""
        ours, theirs = self.one.pronouns, self.other.pronouns
        if ours == theirs:
            return False
        return bool(ours and theirs) or not any(word.is_name or word.is_of_subject for word in self.shared)

    @cached_property
    def opposite(self) -> tuple[str, str] | None:
        """The words in which they differ, if each is one and they exclude each other where they stand."""
        if len(self.ours) != 1 or len(self.theirs) != 1:
            return None
        ours, theirs = self.ours[0], self.theirs[0]
        kinds = set(opposites.find_kinds(ours.text, theirs.text))
        if ours.is_name or theirs.is_name:
            return None
        are_placed = not any(word.is_attribute or word.is_of_subject for word in (ours, theirs))
        kinds.discard("tension")
        if not are_placed:
            kinds -= {"state", "manner"}
        if not (ours.is_predicative and theirs.is_predicative):
            kinds.discard("state")
        if ours.is_of_subject or theirs.is_of_subject or ours.preposition or theirs.preposition:
            kinds.discard("verb")
        return (ours.text, theirs.text) if kinds else None

    @property
    def may_exclude(self) -> bool:
        """Whether it is hard to see how both can be true: words that are opposites somewhere, or all beside one not."""
        if any(opposites.find_kinds(word.text, match.text) for word in self.ours for match in self.theirs):
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
        """Whether the words in which they differ are values of which what both are about has only one."""
        return exclusive_values.exclude(
            self.one,
            self.ours,
            self.other,
            self.theirs,
            self.shared,
            is_of_many=claim_events.are_of_many(self.one, self.other),
            is_exclusive=is_exclusive,
        )


def _as_written(claim: Claim, words: tuple[Word, ...]) -> str:
    """Words as the sentence of their claim has them, capitals and all."""
    written = {match[0].lower(): match[0] for match in claim_words.WORD.finditer(claim.sentence)}
    return " ".join(written.get(word.text, word.text) for word in words)


def _with_names(claim: Claim, names: set[str]) -> Claim:
    """A claim in which the names of both claims are names, also where one begins a sentence."""
    if all(word.is_name or word.text not in names for word in claim.words):
        return claim
    words = [
        replace(word, is_name=True, root=word.text) if word.text in names and not word.is_name else word
        for word in claim.words
    ]
    return replace(claim, words=tuple(words))


def _rest(claim: Claim, shared: frozenset[str]) -> tuple[Word, ...]:
    return tuple(word for word in claim.words if word.root not in shared)


def _essential(claim: Claim, rest: tuple[Word, ...], other_rest: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words that only one claim has, without those that change nothing: titles, who did it, the rest of a name."""
    has_other_names = any(word.is_name for word in other_rest)
    kept = []
    for word in rest:
        index = claim.words.index(word)
        neighbours = claim.words[max(0, index - 1) : index + 2]
        extends_name = word.is_name and any(near.is_name and near not in rest for near in neighbours)
        is_agent = (
            claim.is_passive
            and word.preposition == "by"
            and not any(other.is_of_subject or other.preposition == "by" for other in other_rest)
        )
        if (
            word.root in _HARMLESS
            or is_agent
            or (extends_name and not has_other_names and not word.root.startswith("#"))
        ):
            continue
        kept.append(word)
    return tuple(kept)
