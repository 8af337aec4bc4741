"""Link prediction over the facts of a group: methods compared on the newest facts, likely facts, doubtful facts.

A method is used only where it beats counting for certain: the lower end of the interval of its MRR is above the upper
end of that of popularity. In a graph with few facts none does, and nothing is suggested (ADR 0044).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from keepgraph import store
from keepgraph.arrays import horn_rules, link_models
from keepgraph.arrays.horn_rules import HornRule, HornRuleModel, Prediction
from keepgraph.arrays.link_models import Check, ComplexModel, Figures, Integers, Model, Triples
from keepgraph.engine.analysis import doubtful_facts
from keepgraph.engine.analysis.doubtful_facts import DoubtfulFact, GroupTriples
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Fact, Predicate, Role
from keepgraph.store.transactions import Tx

# Likely facts that can be suggested: those that the vocabulary allows and no flag of a predicate speaks against.

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
    """Those that the vocabulary allows and that contradict no flag of their predicate, in the same order."""
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
    """The figures of a method; None where it was left out, because it would take minutes."""

    method: str
    figures: Figures | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How well the methods rank the newest facts.

    Attributes:
        held_out: how many of the newest facts they were tested with.
        methods: popularity first.
        best: the method that beats popularity for certain; None where none does, or there are too few facts.
    """

    held_out: int
    methods: tuple[MethodFigures, ...]
    best: str | None


@dataclass(frozen=True, slots=True)
class Findings:
    """What was learned from the facts of a group.

    Attributes:
        method: the method that the suggestions come from, or TOO_FEW_FACTS.
        rules: the most confident first; none where nothing was learned.
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
        doubtful=doubtful_facts.find(graph, rules, threshold=threshold, seed=seed, max_rows=max_rows, check=check),
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
    """How surely the rules of the group say that a triple holds, from 0 to 1, and the best of them in words.

    Args:
        subject, object: rows of entities.

    Returns:
        None where no rule says anything of it, or there are too few facts for rules, or too many for one call.
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
    return store.fact_changes.cached(tx, ("horn rules", tx.group), lambda: _fit_rules_of_call(tx))


def _fit_rules_of_call(tx: Tx) -> tuple[GroupTriples, HornRuleModel] | None:
    if not MIN_FACTS <= store.facts.count(tx) <= _MAX_FACTS_OF_A_CALL:
        return None
    graph = doubtful_facts.read(tx)
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
