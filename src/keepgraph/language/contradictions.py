"""Contradiction detection between texts in English, without a model: aligned claims that differ in one respect only.

Two claims contradict each other if they say the same of the same except for one difference, and that difference cannot
be: a negation, opposites, amounts that cannot be equal, dates of what happens once, values of which one thing has one,
shares such as all and none. Where claims differ in more than one respect, or one is limited where the other is not, it
is undecided: nothing is said that is not sure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

from keepgraph.language import claim_differences, claims, normalisation
from keepgraph.language.claim_differences import Difference
from keepgraph.language.claims import Claim
from keepgraph.lazy import dataclass

Verdict: TypeAlias = Literal["contradiction", "compatible", "undecided"]

MAX_PAIRS = 10
"""At most this many pairs of claims are returned."""

_MIN_ALIGNED = 0.5
_SURE = 0.95
_LIKELY = 0.85
_AGREEING = 0.9
_DIFFERENT = 0.8
_UNRELATED = 0.7
_UNEXCLUDED = 0.6


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """Two claims, one of each text, and how they relate.

    Attributes:
        first, second: the sentences.
        verdict: contradiction, compatible, or undecided.
        kind: what decided: negation, quantifier, opposite, amount, date, value, order, agreement, time, difference,
            unasserted, or model.
        confidence: from 0 to 1; 0 if it is undecided. See `Comparison`.
        explanation: one plain sentence.
    """

    first: str
    second: str
    verdict: Verdict
    kind: str
    confidence: float
    explanation: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two texts relate.

    Attributes:
        confidence: how certain the verdict is: of a contradiction 0.95 if the claims have the same words except for the
            difference, and 0.85 where one says something more besides; of compatible texts 0.9 where they agree, 0.8
            where one says more, or they speak of different times or things, 0.7 where they have too little in common
            to be compared, 0.6 where they differ and no rule finds that this excludes; 0 if it is undecided.
        pairs: the pairs that were decided, or that are near to each other, contradictions first; at most MAX_PAIRS.
    """

    verdict: Verdict
    confidence: float
    explanation: str
    pairs: tuple[ClaimPair, ...]


def compare(
    first: str,
    second: str,
    *,
    first_about: str | None = None,
    second_about: str | None = None,
    is_exclusive: Callable[[str], bool] = lambda wording: False,
) -> Comparison:
    """Whether two texts contradict each other.

    Args:
        first_about, second_about: whom or what the text is about; a pronoun at the beginning stands for it.
        is_exclusive: whether the wording of a relation is of one that a subject has to one thing at a time.
    """
    ours, theirs = claims.find(first, about=first_about), claims.find(second, about=second_about)
    abouts = [normalisation.key(about) for about in (first_about, second_about) if about]
    are_of_two = len(set(abouts)) == 2
    pairs = [
        pair for one in ours for other in theirs if (pair := _compare(one, other, is_exclusive, are_of_two=are_of_two))
    ]
    return join(pairs)


def join(pairs: Sequence[ClaimPair]) -> Comparison:
    """The verdict of two texts by their pairs.

    A contradiction counts for nothing if one of its sentences agrees with another sentence of the other text: that
    one says it in its own context.
    """
    agreeing = {sentence for pair in pairs if pair.kind == "agreement" for sentence in (pair.first, pair.second)}
    kept = [
        pair
        for pair in dict.fromkeys(pairs)
        if pair.verdict != "contradiction" or not {pair.first, pair.second} & agreeing
    ]
    order = {"contradiction": 0, "undecided": 1, "compatible": 2}
    kept.sort(key=lambda pair: (order[pair.verdict], -pair.confidence))
    shown = tuple(kept[:MAX_PAIRS])
    for verdict in ("contradiction", "undecided"):
        if shown and shown[0].verdict == verdict:
            return Comparison(shown[0].verdict, shown[0].confidence, shown[0].explanation, shown)
    if not shown:
        return Comparison("compatible", _UNRELATED, "The two texts make no statements about the same thing.", ())
    best = max(shown, key=lambda pair: pair.confidence)
    return Comparison("compatible", best.confidence, best.explanation, shown)


def _compare(one: Claim, other: Claim, is_exclusive: Callable[[str], bool], *, are_of_two: bool) -> ClaimPair | None:
    """The pair of two claims; None if they have too little in common to compare.

    Args:
        are_of_two: whether the texts are about two different things; then only claims with a common name
            are compared.
    """
    difference = claim_differences.find(one, other)
    if difference is None or _alignment(difference) < _MIN_ALIGNED:
        return None
    if are_of_two and not any(word.is_name for word in difference.shared):
        explanation = "They are about two different things."
        return ClaimPair(one.sentence, other.sentence, "compatible", "difference", _DIFFERENT, explanation)
    if difference.have_other_pronouns:
        explanation = "They are about different people, or what belongs to them."
        return ClaimPair(one.sentence, other.sentence, "compatible", "difference", _DIFFERENT, explanation)
    verdict, kind, confidence, explanation = _judge(difference, is_exclusive)
    return ClaimPair(one.sentence, other.sentence, verdict, kind, confidence, explanation)


def _alignment(difference: Difference) -> float:
    """How much of the claim that says less is in the other, from 0 to 1.

    The names that only one has count as one word.
    """
    sizes = [
        len(difference.shared) + sum(not word.is_name for word in rest) + any(word.is_name for word in rest)
        for rest in (difference.ours, difference.theirs)
    ]
    return len(difference.shared) / min(sizes)


_Judgement: TypeAlias = tuple[Verdict, str, float, str]


def _judge(difference: Difference, is_exclusive: Callable[[str], bool]) -> _Judgement:
    if not difference.are_asserted:
        return "undecided", "unasserted", 0.0, "At least one of the sentences does not assert its content."
    for rule in (_same, _order, _negation, _opposites, _amounts, _dates, _values):
        if judgement := rule(difference, is_exclusive):
            return judgement
    if difference.times == "different":
        return "compatible", "time", _DIFFERENT, "They speak of different times."
    if difference.ours and difference.theirs and not difference.may_exclude:
        return (
            "compatible",
            "difference",
            _UNEXCLUDED,
            "They say different things, and no rule makes these exclude each other.",
        )
    return "undecided", "difference", 0.0, "They are about the same thing, and it is unclear whether both can be true."


def _contradiction(difference: Difference, kind: str, explanation: str) -> _Judgement:
    return "contradiction", kind, _LIKELY if difference.has_more_words else _SURE, explanation


def _same(difference: Difference, _: Callable[[str], bool]) -> _Judgement | None:
    """Claims that say the same, or of which one says the same and more."""
    if (difference.ours and difference.theirs) or difference.is_reordered or difference.shares_exclude:
        return None
    if difference.ours or difference.theirs:
        if difference.amounts in ("same", "none") and difference.is_same_time:
            return "compatible", "agreement", _DIFFERENT, "One says the same as the other and more."
        return None
    if difference.one.modality != difference.other.modality:
        return None
    if difference.amounts in ("same", "none") and difference.times in ("same", "overlapping"):
        return "compatible", "agreement", _AGREEING, "Both say the same."
    if difference.amounts == "compatible" and difference.times == "same":
        return "compatible", "agreement", _AGREEING, "Their amounts can be the same."
    return None


def _order(difference: Difference, _: Callable[[str], bool]) -> _Judgement | None:
    """Claims that say of two things, in the other order, what can hold in one direction only: who beat whom."""
    if difference.is_exchanged_comparison and difference.times in ("same", "overlapping"):
        return _contradiction(difference, "order", "They say it of the same two, in opposite directions.")
    return None


def _negation(difference: Difference, _: Callable[[str], bool]) -> _Judgement | None:
    """Claims of which one denies what the other says, or says it of a share that excludes that of the other."""
    if (
        not difference.shares_exclude
        or difference.is_reordered
        or claim_differences.are_of_any(difference.one, difference.other)
    ):
        return None
    if not difference.is_same_time:
        return None
    if difference.amounts in ("different", "compatible") or not difference.only_positive_has_more:
        return None
    if difference.is_plain:
        return _contradiction(difference, "negation", "One says that it is so, and the other that it is not.")
    return _contradiction(
        difference, "quantifier", "They say it for shares that exclude each other, such as all and none."
    )


def _opposites(difference: Difference, _: Callable[[str], bool]) -> _Judgement | None:
    if difference.opposite is None or not difference.differs_once:
        return None
    one, other = difference.opposite
    return _contradiction(difference, "opposite", f"“{one}” and “{other}” exclude each other.")


def _amounts(difference: Difference, _: Callable[[str], bool]) -> _Judgement | None:
    if (
        difference.amounts != "different"
        or not difference.differs_once
        or difference.are_amounts_of_subjects
        or claim_differences.may_repeat(difference.one, difference.other)
    ):
        return None
    one, other = difference.unequal_amounts
    return _contradiction(difference, "amount", f"“{one}” and “{other}” cannot be the same amount.")


def _dates(difference: Difference, _: Callable[[str], bool]) -> _Judgement | None:
    if (
        difference.times != "different"
        or not claim_differences.happens_once(difference.one, difference.other, difference.shared)
        or difference.shares_exclude
        or difference.one.negations % 2 == 1
    ):
        return None
    if (
        difference.ours
        or difference.theirs
        or difference.amounts in ("different", "unknown")
        or difference.is_reordered
    ):
        return None
    return _contradiction(difference, "date", "Something that happens once has two different times.")


def _values(difference: Difference, is_exclusive: Callable[[str], bool]) -> _Judgement | None:
    if not difference.differs_once or not difference.are_values_exclusive(is_exclusive):
        return None
    one, other = difference.values
    return _contradiction(difference, "value", f"“{one}” and “{other}” are two values where only one is possible.")


def unresolved(pairs: Sequence[ClaimPair]) -> Iterator[ClaimPair]:
    """The pairs that are undecided though both sentences assert something."""
    return (pair for pair in pairs if pair.verdict == "undecided" and pair.kind != "unasserted")
