"""Link prediction over numbers: planted rules are mined, ranks are those of a plain count, chance is seeded."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.arrays import horn_rules, link_models
from keepgraph.arrays.link_models import Triples
from laws import examples

ENTITIES, PREDICATES = 7, 3
TRIPLES = st.lists(
    st.tuples(st.integers(0, ENTITIES - 1), st.integers(0, PREDICATES - 1), st.integers(0, ENTITIES - 1)),
    min_size=1,
    max_size=40,
)
REPORTS_TO, WORKS_AT, KNOWS = range(3)


def triples_of(rows: list[tuple[int, int, int]], *, entities: int = ENTITIES, predicates: int = PREDICATES) -> Triples:
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Triples(columns[:, 0], columns[:, 1], columns[:, 2], entities, predicates)


def firm(people: int, *, without: tuple[int, ...] = ()) -> Triples:
    """Everybody reports to one of three, and works where this one does; but for some, of whom that is not known."""
    rows = [(person, REPORTS_TO, person % 3) for person in range(3, people)]
    rows += [(person, WORKS_AT, people + person % 3) for person in range(people) if person not in without]
    return triples_of(rows, entities=people + 3)


def mine_slowly(rows: set[tuple[int, int, int]]) -> dict[tuple, tuple[int, int]]:
    """Support and body size of every rule, by looking at all pairs and all middles."""
    edges = {(s, (p, False), o) for s, p, o in rows if s != o} | {(o, (p, True), s) for s, p, o in rows if s != o}
    atoms = list(product(range(PREDICATES), (False, True)))
    nodes = range(ENTITIES)
    rules = {}
    for body in [(atom,) for atom in atoms] + list(product(atoms, atoms)):
        pairs = {
            (x, y)
            for x, y in product(nodes, nodes)
            if x != y
            and (
                (x, body[0], y) in edges
                if len(body) == 1
                else any((x, body[0], z) in edges and (z, body[1], y) in edges for z in nodes if z not in (x, y))
            )
        }
        for head in range(PREDICATES):
            support = sum((x, (head, False), y) in edges for x, y in pairs)
            if support >= 2 and body != ((head, False),):
                rules[head, body] = (support, len(pairs))
    return rules


@given(TRIPLES)
@examples(15, sweep=300)
def test_the_rules_are_those_of_a_search_through_all_pairs(rows):
    mined = horn_rules.mine(triples_of(rows))

    assert mine_slowly(set(rows)) == {(rule.head, rule.body): (rule.support, rule.body_size) for rule in mined}


@given(TRIPLES, st.data())
@examples(15, sweep=300)
def test_an_answer_ranks_after_what_is_better_and_in_the_middle_of_its_equals(rows, data):
    known = triples_of(rows)
    scores = np.array(data.draw(st.lists(st.integers(0, 3), min_size=ENTITIES, max_size=ENTITIES)), dtype=float)
    subject, predicate, answer = rows[0]
    others = [o for o in range(ENTITIES) if o != answer and (subject, predicate, o) not in rows]
    better, equal = (sum(test(scores[o]) for o in others) for test in (scores[answer].__lt__, scores[answer].__eq__))

    assert 1 + better + equal / 2 == link_models.filtered_rank(scores, answer, known.objects_of(subject, predicate))


def test_a_planted_rule_predicts_what_is_missing_and_says_why():
    facts = firm(60, without=(30, 31))
    model = horn_rules.fit(facts)
    predicted = model.predict(facts, min_confidence=0.5, limit=10)
    best = model.rules[predicted[0].rules[0]]

    assert {(30, WORKS_AT, 60), (31, WORKS_AT, 61)} == {(one.subject, one.predicate, one.object) for one in predicted}
    assert (
        best.head,
        best.body,
        best.support,
        best.body_size,
    ) == (WORKS_AT, ((REPORTS_TO, False), (WORKS_AT, False)), 55, 57)
    assert best.counter_examples == 2


def test_scores_of_pairs_of_questions_and_of_single_triples_agree():
    facts = firm(60, without=(30, 31))
    model = horn_rules.fit(facts)
    asked = facts.take(np.arange(0, len(facts), 7))
    one_by_one = [
        model.confidence(*triple)[0]
        for triple in zip(asked.subjects.tolist(), asked.predicates.tolist(), asked.objects.tolist(), strict=True)
    ]
    by_question = [
        model.score_objects(*pair)[end]
        for *pair, end in zip(asked.subjects.tolist(), asked.predicates.tolist(), asked.objects.tolist(), strict=True)
    ]

    assert one_by_one == pytest.approx(model.score(asked).tolist())
    assert by_question == pytest.approx(model.score(asked).tolist(), abs=1e-5)


def test_two_facts_between_one_pair_are_a_rule_of_one_atom():
    rows = [(node, predicate, node + 10) for node in range(5) for predicate in (REPORTS_TO, KNOWS)]
    rules = horn_rules.mine(triples_of(rows, entities=20))

    assert {(REPORTS_TO, ((KNOWS, False),), 5), (KNOWS, ((REPORTS_TO, False),), 5)} == {
        (rule.head, rule.body, rule.support) for rule in rules
    }


def test_a_symmetric_predicate_is_no_rule_for_itself():
    facts = triples_of([(node, KNOWS, node + 1) for node in range(6)])
    is_symmetric = np.array([False, False, True])
    rules = horn_rules.mine(facts.with_symmetric(is_symmetric), symmetric=frozenset({KNOWS}))

    assert all((KNOWS, True) not in rule.body for rule in rules)


def test_paths_through_hubs_are_left_out_where_the_joins_would_be_too_large():
    star = triples_of([(leaf, WORKS_AT, 0) for leaf in range(1, 200)], entities=200)

    assert horn_rules.mine(star, max_rows=1_000) == ()


@pytest.mark.parametrize("rows", [[], [(0, 0, 0)], [(0, 0, 1)], [(0, 0, 1), (0, 0, 1)]], ids=str)
def test_hardly_any_triples_are_learned_from_without_an_error(rows):
    facts = triples_of(rows)
    models = [link_models.fit(facts), horn_rules.fit(facts), link_models.fit_complex(facts, seed=0, epochs=1)]
    figures = [link_models.evaluate(model, facts, known=facts, seed=0) for model in models]

    assert horn_rules.mine(facts) == ()
    assert all(0 <= one.low <= one.mrr <= one.high <= 1 and one.questions == 2 * len(rows) for one in figures)


def test_popularity_is_the_share_of_an_end():
    model = link_models.fit(triples_of([(0, 0, 1), (2, 0, 1), (0, 0, 3), (0, 1, 4)]))

    assert model.score_objects(5, 0).tolist() == [0, 2 / 3, 0, 1 / 3, 0, 0, 0]
    assert model.score_subjects(1, 4).tolist() == [1, 0, 0, 0, 0, 0, 0]


def test_an_embedding_learns_what_it_is_shown_and_the_same_seed_learns_the_same():
    facts = firm(40)
    known = {seed: link_models.fit_complex(facts, seed=seed, dimensions=16) for seed in (0, 1)}
    again = link_models.fit_complex(facts, seed=0, dimensions=16)
    figures = link_models.evaluate(known[0], facts, known=facts, seed=0)

    assert figures.mrr > 2 * link_models.evaluate(link_models.fit(facts), facts, known=facts, seed=0).mrr
    assert np.array_equal(known[0].entities, again.entities)
    assert not np.array_equal(known[0].entities, known[1].entities)


def test_a_check_ends_the_work():
    class Stop(Exception):
        pass

    def check() -> None:
        raise Stop

    facts = firm(40)
    model = horn_rules.fit(facts)
    for work in (
        lambda: horn_rules.mine(facts, check=check),
        lambda: model.predict(facts, min_confidence=0.5, limit=1, check=check),
        lambda: link_models.fit_complex(facts, seed=0, check=check),
        lambda: link_models.evaluate(model, facts, known=facts, seed=0, check=check),
    ):
        with pytest.raises(Stop):
            work()
