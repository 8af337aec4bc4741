"""Link prediction over the facts of a group: methods compared on the newest facts, likely facts, doubtful facts.

A method is used only where it beats counting for certain: the lower end of the interval of its MRR is above the upper
end of that of popularity. In a graph with few facts none does, and nothing is suggested (ADR 0044).

A fact is in doubt if it does not follow from others, where nearly all of its kind do. Each fact is scored by Horn rules
that were mined without it, from four of five folds of the facts. Nothing is pruned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from keepgraph import store
from keepgraph.arrays import horn_rules, link_models
from keepgraph.arrays.horn_rules import HornRule, HornRuleModel, Prediction
from keepgraph.arrays.link_models import Check, ComplexModel, Figures, Floats, Integers, Mask, Model, Triples
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Fact, Predicate, Role
from keepgraph.store.transactions import Tx

# Likely facts that can be suggested: the vocabulary allows them, and no flag of a predicate contradicts them.

_ROLES_NOT_SUGGESTED: tuple[Role, ...] = ("mentions", "tags")
_FLAGS = frozenset({"functional", "inverse_functional", "asymmetric", "acyclic"})


@dataclass(frozen=True, slots=True)
class LikelyFact:
    """A fact that nobody recorded and that is likely.

    Attributes:
        subject, object: rows of entities.
        score: the confidence of the best rule, from 0 to 1.
        rules: those that speak for it, the most confident first, at most five.
        body: the rows of the facts from which the first of these concludes it.
    """

    subject: int
    predicate: Predicate
    object: int
    score: float
    rules: tuple[HornRule, ...]
    body: tuple[int, ...]


def fitting(tx: Tx, likely: tuple[LikelyFact, ...], *, limit: int) -> list[LikelyFact]:
    """The triples that the vocabulary allows and that contradict no flag of their predicate, in the same order."""
    vocabulary = graph_vocabulary.read(tx)
    entities = store.entities.by_rows(tx, sorted({row for each in likely for row in (each.subject, each.object)}))
    allowed: list[LikelyFact] = []
    for each in likely:
        if len(allowed) == limit:
            break
        subject, target, predicate = entities.get(each.subject), entities.get(each.object), each.predicate
        if subject is None or target is None or predicate.retired_at or predicate.role in _ROLES_NOT_SUGGESTED:
            continue
        if not vocabulary.fits(predicate, subject.type, target.type):
            continue
        if _contradicts_flag(tx, each):
            continue
        allowed.append(each)
    return allowed


def _contradicts_flag(tx: Tx, likely: LikelyFact) -> bool:
    """Whether the predicate allows one object or one subject that is there already, or no way back that is there."""
    flags = likely.predicate.flags
    if not flags & _FLAGS:
        return False
    [subject, target] = (store.entities.by_rows(tx, [row])[row] for row in (likely.subject, likely.object))
    of_subject = store.facts.touching(tx, subject, [likely.predicate.name])
    of_target = store.facts.touching(tx, target, [likely.predicate.name])
    return (
        ("functional" in flags and any(fact.subject.row == subject.row for fact in of_subject))
        or ("inverse_functional" in flags and any(fact.object == target for fact in of_target))
        or (
            bool(flags & {"asymmetric", "acyclic"})
            and any(_leads(fact, target.row, subject.row) for fact in of_subject)
        )
    )


def _leads(fact: Fact, subject: int, object: int) -> bool:
    return fact.subject.row == subject and fact.object is not None and fact.object.row == object


POPULARITY, HORN_RULES, COMPLEX = "popularity", "horn_rules", "complex"
TOO_FEW_FACTS = "too_few_facts"

MIN_FACTS = 500
"""Fewer leave less than fifty facts to test with: nothing is learned from them, whatever the figures."""

MAX_SUGGESTIONS = 200
MIN_CONFIDENCE = 0.5
"""Of a rule that suggests facts."""

_SHARE_HELD_OUT = 0.1
_MIN_HELD_OUT = 10
_MAX_HELD_OUT = 500
_MAX_CANDIDATES = 2_000
_HIGH_RANK = 10

_MAX_FACTS_OF_A_CALL = 100_000
_MAX_ROWS_OF_A_CALL = 2_000_000

Report = Callable[[str], None]
"""Called with the current step."""


@dataclass(frozen=True, slots=True)
class MethodFigures:
    """The figures of a method; None if it was left out, because it would take minutes."""

    method: str
    figures: Figures | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How well the methods rank the newest facts.

    Attributes:
        held_out: how many of the newest facts they were tested with.
        methods: popularity first.
        best: the method that beats popularity for certain; None if none does, or there are too few facts.
    """

    held_out: int
    methods: tuple[MethodFigures, ...]
    best: str | None


@dataclass(frozen=True, slots=True)
class Findings:
    """What was learned from the facts of a group.

    Attributes:
        method: the method that the suggestions come from, or TOO_FEW_FACTS.
        rules: the most confident first; none if nothing was learned.
        analysed: how many facts there are between entities.
    """

    method: str
    comparison: Comparison
    analysed: int
    rules: tuple[HornRule, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    likely: tuple[LikelyFact, ...] = ()
    doubtful: tuple[DoubtfulFact, ...] = ()


def learn(
    graph: GroupTriples,
    *,
    threshold: float,
    seed: int,
    methods: tuple[str, ...] = (HORN_RULES, COMPLEX),
    max_rows: int = horn_rules.MAX_ROWS,
    max_held_out: int = _MAX_HELD_OUT,
    check: Check = lambda: None,
    report: Report = lambda _: None,
) -> Findings:
    """Compare the methods, and suggest facts by the best one if it beats popularity; in memory alone, no transaction.

    Args:
        threshold: the score from which a fact is doubtful, from 0 to 1.
        seed: the same facts and seed give the same findings.
        methods: those that popularity is compared with.
        max_rows: the most rows that the joins of the rules may have.
        max_held_out: the most of the newest facts that are used for testing.
    """
    comparison = compare(
        graph, seed=seed, methods=methods, max_rows=max_rows, max_held_out=max_held_out, check=check, report=report
    )
    if comparison.best is None:
        return Findings(TOO_FEW_FACTS, comparison, len(graph.triples), predicates=graph.predicates)
    report("mining rules")
    triples = graph.both_ways
    rules = horn_rules.fit(triples, symmetric=graph.symmetric, max_rows=max_rows, check=check)
    embedding = None
    if comparison.best == COMPLEX:
        report("learning an embedding")
        embedding = link_models.fit_complex(triples, seed=seed, check=check)
    report("looking for likely facts")
    likely = _find_likely(graph, rules, embedding, check=check)
    report("looking for doubtful facts")
    return Findings(
        comparison.best,
        comparison,
        len(graph.triples),
        rules=rules.rules,
        predicates=graph.predicates,
        likely=likely,
        doubtful=find(graph, rules, threshold=threshold, seed=seed, max_rows=max_rows, check=check),
    )


def compare(
    graph: GroupTriples,
    *,
    seed: int,
    methods: tuple[str, ...] = (HORN_RULES, COMPLEX),
    max_rows: int = horn_rules.MAX_ROWS,
    max_held_out: int = _MAX_HELD_OUT,
    check: Check = lambda: None,
    report: Report = lambda _: None,
) -> Comparison:
    """The figures of popularity and of other methods on the newest tenth of the facts, which they were not fitted to.

    Of facts that were recorded in the same second it is chance, by the seed, which are the newest.
    """
    newest = _newest_tenth(graph, seed=seed)
    if len(newest) < _MIN_HELD_OUT:
        return Comparison(0, (), None)
    older = np.ones(len(graph.triples), dtype=bool)
    older[newest] = False
    train = graph.triples.take(older).with_symmetric(graph.is_symmetric)
    known = graph.known_both_ways
    held_out = graph.triples.take(newest[:max_held_out])
    fits: Mapping[str, Callable[[], Model]] = {
        POPULARITY: lambda: link_models.fit(train),
        HORN_RULES: lambda: horn_rules.fit(train, symmetric=graph.symmetric, max_rows=max_rows, check=check),
        COMPLEX: lambda: link_models.fit_complex(train, seed=seed, check=check),
    }
    measured = []
    for method in (POPULARITY, *methods):
        report(f"testing {method.replace('_', ' ')}")
        is_left_out = method == COMPLEX and not link_models.is_affordable(train)
        figures = (
            None if is_left_out else link_models.evaluate(fits[method](), held_out, known=known, seed=seed, check=check)
        )
        measured.append(MethodFigures(method, figures))
    return Comparison(len(held_out), tuple(measured), _best(measured) if len(graph.triples) >= MIN_FACTS else None)


def _newest_tenth(graph: GroupTriples, *, seed: int) -> Integers:
    """The positions of the newest tenth of the facts, in random order."""
    generator = np.random.default_rng(seed)
    order = np.lexsort((generator.random(len(graph.recorded)), graph.recorded))
    newest = order[len(order) - int(len(order) * _SHARE_HELD_OUT) :]
    return generator.permutation(newest)


def _best(measured: list[MethodFigures]) -> str | None:
    """The method with the highest MRR, if its interval is above that of popularity."""
    figures = {each.method: each.figures for each in measured if each.figures is not None}
    best = max((method for method in figures if method != POPULARITY), key=lambda one: figures[one].mrr, default=None)
    return best if best is not None and figures[best].low > figures[POPULARITY].high else None


def _find_likely(
    graph: GroupTriples, rules: HornRuleModel, embedding: ComplexModel | None, *, check: Check
) -> tuple[LikelyFact, ...]:
    """The facts for which a confident rule speaks; where the embedding is the best method, those that it ranks high.

    A fact for which no rule speaks is not suggested: nobody could be told why.
    """
    known = graph.known_both_ways
    likely = []
    for prediction in rules.predict(known, min_confidence=MIN_CONFIDENCE, limit=_MAX_CANDIDATES, check=check):
        check()
        if embedding is not None and not _is_ranked_high(embedding, prediction, known):
            continue
        speaking = tuple(rules.rules[position] for position in prediction.rules)
        likely.append(
            LikelyFact(
                int(graph.entities[prediction.subject]),
                graph.predicates[prediction.predicate],
                int(graph.entities[prediction.object]),
                round(speaking[0].confidence, 4),
                speaking,
                graph.body_facts(speaking[0], prediction.subject, prediction.object),
            )
        )
    return tuple(sorted(likely, key=lambda each: -each.score))


def _is_ranked_high(embedding: ComplexModel, prediction: Prediction, known: Triples) -> bool:
    """Whether both ends are among the first ten that are not known, each asked with the other."""
    subject, predicate, target = prediction.subject, prediction.predicate, prediction.object
    objects, subjects = known.objects_of(subject, predicate), known.subjects_of(predicate, target)
    return (
        link_models.filtered_rank(embedding.score_objects(subject, predicate), target, objects) <= _HIGH_RANK
        and link_models.filtered_rank(embedding.score_subjects(predicate, target), subject, subjects) <= _HIGH_RANK
    )


def rule_confidence(tx: Tx, *, subject: int, predicate: str, object: int) -> tuple[float, str] | None:
    """How certainly a triple holds by the rules of the group, from 0 to 1, and the best of them in words.

    Args:
        subject, object: rows of entities.

    Returns:
        None if no rule says anything of it, or there are too few facts for rules, or too many for one call.
    """
    learned = _rules_of_call(tx)
    if learned is None:
        return None
    graph, model = learned
    places = np.searchsorted(graph.entities, [subject, object])
    numbers = {term.name: number for number, term in enumerate(graph.predicates)}
    is_known = all(
        place < len(graph.entities) and graph.entities[place] == row
        for place, row in zip(places.tolist(), (subject, object), strict=True)
    )
    if not is_known or predicate not in numbers:
        return None
    score, speaking = model.confidence(int(places[0]), numbers[predicate], int(places[1]))
    return (round(score, 4), describe(speaking[0], graph.predicates)) if speaking else None


def _rules_of_call(tx: Tx) -> tuple[GroupTriples, HornRuleModel] | None:
    return tx.cached(("horn rules", tx.group), lambda: _fit_rules_of_call(tx))


def _fit_rules_of_call(tx: Tx) -> tuple[GroupTriples, HornRuleModel] | None:
    if not MIN_FACTS <= store.facts.count(tx) <= _MAX_FACTS_OF_A_CALL:
        return None
    graph = read(tx)
    if len(graph.triples) < MIN_FACTS:
        return None
    triples = graph.both_ways
    return graph, horn_rules.fit(triples, symmetric=graph.symmetric, max_rows=_MAX_ROWS_OF_A_CALL)


# Horn rules and the facts that they predict, as English sentences.


def describe(rule: HornRule, predicates: tuple[Predicate, ...]) -> str:
    """A rule as an English sentence: "If A reports to B and B works at C, then A works at C."."""
    last = "B" if len(rule.body) == 1 else "C"
    names = ["A", *(["B"] if len(rule.body) == 2 else []), last]
    conditions = [
        state(
            predicates[number], *((names[place + 1], names[place]) if is_inverse else (names[place], names[place + 1]))
        )
        for place, (number, is_inverse) in enumerate(rule.body)
    ]
    return f"If {' and '.join(conditions)}, then {state(predicates[rule.head], 'A', last)}."


def state(predicate: Predicate, subject: str, target: str) -> str:
    """A fact as an English sentence, without a full stop."""
    if not predicate.sentence:
        return f"{subject} {predicate.name.replace('_', ' ')} {target}"
    parts = predicate.sentence.replace("{subject}", "\0s").replace("{object}", "\0o")
    return parts.replace("\0s", subject).replace("\0o", target).rstrip(".")


# The facts of a group between two entities, as triples of numbers.


@dataclass(frozen=True)
class GroupTriples:
    """The facts of a group between entities, as triples.

    Attributes:
        facts: the rows of the facts that hold.
        triples: these facts, in the same order.
        recorded: the second of 1970 in which each was recorded.
        known: all triples ever recorded, retracted and ended ones too; these are not suggested.
        entities: the row of each entity, by its number.
        predicates: each predicate, by its number.
    """

    facts: Integers
    triples: Triples
    recorded: Integers
    known: Triples
    entities: Integers
    predicates: tuple[Predicate, ...]

    @property
    def is_symmetric(self) -> Mask:
        return np.array(["symmetric" in predicate.flags for predicate in self.predicates], dtype=bool)

    @property
    def symmetric(self) -> frozenset[int]:
        """The numbers of symmetric predicates."""
        return frozenset(np.flatnonzero(self.is_symmetric).tolist())

    @cached_property
    def both_ways(self) -> Triples:
        """The facts that hold, those of symmetric predicates in both directions."""
        return self.triples.with_symmetric(self.is_symmetric)

    @cached_property
    def known_both_ways(self) -> Triples:
        """All triples that were ever recorded, those of symmetric predicates in both directions."""
        return self.known.with_symmetric(self.is_symmetric)

    @cached_property
    def _positions(self) -> Mapping[tuple[int, int, int], int]:
        columns = (self.triples.subjects.tolist(), self.triples.predicates.tolist(), self.triples.objects.tolist())
        return {triple: position for position, triple in enumerate(zip(*columns, strict=True))}

    def body_facts(self, rule: HornRule, subject: int, object: int) -> tuple[int, ...]:
        """The rows of facts with which the body of a rule holds for two entities, by their numbers; one each atom."""
        atoms = rule.body
        if len(atoms) == 1:
            steps = [(subject, atoms[0], object)]
        else:
            middles = np.intersect1d(self._ends(subject, *atoms[0]), self._ends(object, atoms[1][0], not atoms[1][1]))
            middles = middles[(middles != subject) & (middles != object)]
            if not len(middles):
                return ()
            middle = int(middles[0])
            steps = [(subject, atoms[0], middle), (middle, atoms[1], object)]
        return tuple(self._row(start, *atom, end) for start, atom, end in steps)

    def _ends(self, start: int, predicate: int, is_inverse: bool) -> Integers:
        if is_inverse:
            return self.both_ways.subjects_of(predicate, start)
        return self.both_ways.objects_of(start, predicate)

    def _row(self, start: int, predicate: int, is_inverse: bool, end: int) -> int:
        subject, target = (end, start) if is_inverse else (start, end)
        position = self._positions.get((subject, predicate, target))
        if position is None:  # of a symmetric predicate, recorded the other way
            position = self._positions[target, predicate, subject]
        return int(self.facts[position])


def read(tx: Tx) -> GroupTriples:
    """The facts of the group between two entities."""
    rows = store.fact_columns.recorded_between_entities(tx)
    columns = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 6)
    ends = np.concatenate([columns[:, 1], columns[:, 2]])
    entities, numbers = np.unique(ends, return_inverse=True)
    subjects, objects = numbers[: len(columns)], numbers[len(columns) :]
    predicate_rows, predicates = np.unique(columns[:, 3], return_inverse=True)
    by_row = graph_vocabulary.read(tx).predicate_by_row
    known = Triples(subjects, predicates, objects, len(entities), len(predicate_rows))
    holds = columns[:, 5] == 1
    return GroupTriples(
        facts=columns[holds, 0],
        triples=known.take(holds),
        recorded=columns[holds, 4],
        known=known,
        entities=entities,
        predicates=tuple(by_row[row] for row in predicate_rows.tolist()),
    )


MAX_DOUBTFUL = 1_000

_FOLDS = 5
_MIN_FACTS_OF_PREDICATE = 20
_IMPLIED = 0.5
"""A fact with this score follows from others."""

_NEARLY_ALL = 0.9
"""Where a smaller share of the facts of a predicate follows, the rules have to say another object of the subject."""

_MIN_NEIGHBOURS = 2
_Z = 1.96


@dataclass(frozen=True, slots=True)
class DoubtfulFact:
    """A fact that does not follow from others, where nearly all facts of its predicate do.

    Attributes:
        fact: its row.
        score: from 0 to 1: the share that follows, times how little this one does.
        share: of the facts of its predicate that follow from others, the lower end of its interval.
    """

    fact: int
    score: float
    share: float


def find(
    graph: GroupTriples, model: HornRuleModel, *, threshold: float, seed: int, max_rows: int, check: Check
) -> tuple[DoubtfulFact, ...]:
    """The facts that do not follow from others where those of their predicate do, most doubtful first.

    A fact at a leaf (an entity with one neighbour) has nothing around it that could support it, and is not evidence.

    Args:
        model: the rules of all facts.
        threshold: the score from which a fact is doubtful, from 0 to 1.
    """
    scores = _scores_by_folds(graph, seed=seed, max_rows=max_rows, check=check)
    neighbours = _count_neighbours(graph.triples)
    is_examined = (neighbours[graph.triples.subjects] >= _MIN_NEIGHBOURS) & (
        neighbours[graph.triples.objects] >= _MIN_NEIGHBOURS
    )
    predicates = graph.triples.predicates
    count = len(graph.predicates)
    examined = np.bincount(predicates[is_examined], minlength=count)
    implied = np.bincount(predicates[is_examined & (scores >= _IMPLIED)], minlength=count)
    shares = np.where(examined >= _MIN_FACTS_OF_PREDICATE, _lower_end(implied, np.maximum(examined, 1)), 0.0)
    doubts = np.where(is_examined, shares[predicates] * (1 - scores), 0.0)
    order = np.lexsort((graph.facts, -doubts))
    chosen = order[doubts[order] >= threshold] if threshold > 0 else order[doubts[order] > 0]
    found = []
    for position in chosen.tolist():
        check()
        share = float(shares[predicates[position]])
        if share >= _NEARLY_ALL or _has_alternative(graph, model, position):
            found.append(DoubtfulFact(int(graph.facts[position]), round(float(doubts[position]), 4), round(share, 4)))
        if len(found) == MAX_DOUBTFUL:
            break
    return tuple(found)


def _has_alternative(graph: GroupTriples, model: HornRuleModel, position: int) -> bool:
    """Whether rules conclude another object instead of that of a fact."""
    triples = graph.triples
    scores = model.score_objects(int(triples.subjects[position]), int(triples.predicates[position]))
    scores[triples.objects[position]] = 0
    return bool(scores.max() >= _IMPLIED)


def _scores_by_folds(graph: GroupTriples, *, seed: int, max_rows: int, check: Check) -> Floats:
    """How certainly each fact follows from the other facts, by rules mined from the other folds, from 0 to 1.

    No body of a rule holds by the fact that it concludes, so the rules are applied to all facts.
    """
    folds = np.random.default_rng(seed).permutation(len(graph.triples)) % _FOLDS
    scores = np.zeros(len(graph.triples))
    for fold in range(_FOLDS):
        others = graph.triples.take(folds != fold).with_symmetric(graph.is_symmetric)
        rules = horn_rules.mine(others, symmetric=graph.symmetric, max_rows=max_rows, check=check)
        model = HornRuleModel(graph.both_ways, rules, max_rows=max_rows)
        scores[folds == fold] = model.score(graph.triples.take(folds == fold), check=check)
    return scores


def _count_neighbours(triples: Triples) -> Integers:
    """The number of different neighbours of each entity."""
    pairs = np.concatenate(
        [
            triples.subjects * triples.entity_count + triples.objects,
            triples.objects * triples.entity_count + triples.subjects,
        ]
    )
    unique = np.unique(pairs[np.concatenate([triples.subjects != triples.objects] * 2)])
    return np.bincount(unique // max(triples.entity_count, 1), minlength=triples.entity_count)


def _lower_end(count: Integers, total: Integers) -> Floats:
    """The lower end of the 95 % interval of a share (Wilson, 1927)."""
    share = count / total
    centre = share + _Z**2 / (2 * total)
    spread = _Z * np.sqrt(share * (1 - share) / total + _Z**2 / (4 * total**2))
    return (centre - spread) / (1 + _Z**2 / total)
