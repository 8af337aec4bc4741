"""The embedding step of name resolution, with vectors whose cosines are given: when the nearest name is the answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from keepgraph import store
from keepgraph.engine import vector_backfill
from keepgraph.engine.resolution import embedding
from keepgraph.language import paraphrases
from keepgraph.language.normalisation import Name
from keepgraph.model import Candidate, Resolution
from words import Caller, concept, literal, person

NOTHING = Resolution(None, "none", 0.0)
Resolve = Callable[..., Resolution]


@pytest.fixture
def resolve(call: Caller, monkeypatch: pytest.MonkeyPatch) -> Resolve:
    """Resolves a query among entities with these cosines; of some, the fuzzy step has a score."""
    monkeypatch.setattr(vector_backfill, "unavailable_reason", lambda tx: None)
    monkeypatch.setattr(paraphrases, "is_possible", lambda *_, **__: True)

    def resolve(
        query: str,
        cosines: dict[str, float],
        *,
        persons: tuple[str, ...] = (),
        fuzzy: dict[str, float] | None = None,
    ) -> Resolution:
        for name in cosines:
            call.record(person(name) if name in persons else concept(name), "tagged", literal("here"))
        with call.graph.database.read("test") as tx:
            entities = {name: store.entities.by_key(tx, Name(name).key)[0] for name in cosines}
            nearest = sorted(((entities[name], name, cosine) for name, cosine in cosines.items()), key=lambda e: -e[2])
            monkeypatch.setattr(vector_backfill, "nearest_entities", lambda *_, **__: nearest)
            weak = tuple(Candidate(entities[name], name, "fuzzy", score) for name, score in (fuzzy or {}).items())
            return embedding.resolve(tx, Name(query), of_types=None, by_letters=weak, fallback=NOTHING)

    return resolve


def answer(resolution: Resolution) -> str | None:
    return resolution.entity and resolution.entity.name


@pytest.mark.parametrize(
    ("query", "cosine", "is_it"),
    [
        ("login system", 0.7, True),
        ("login system", 0.3, False),
        ("login", 0.75, True),
        ("login", 0.749, False),  # a single word is near many others
    ],
)
def test_the_nearest_name_is_the_answer_if_it_is_near_enough(resolve, query, cosine, is_it):
    resolution = resolve(query, {"Authentication service": cosine})

    assert answer(resolution) == ("Authentication service" if is_it else None)


@pytest.mark.parametrize(
    ("cosines", "expected"),
    [
        ({"Falcon of prey": 0.8, "Login service": 0.71}, "Falcon of prey"),
        ({"Falcon of prey": 0.8, "Login service": 0.73}, None),
        ({"Release 2 plan": 0.8, "Release 3 plan": 0.79}, "Release 2 plan"),  # another number does not compete
    ],
)
def test_what_is_nearly_as_near_makes_the_answer_uncertain(resolve, cosines, expected):
    query = "plan of release 2" if "Release 2 plan" in cosines else "bird service"

    assert answer(resolve(query, cosines)) == expected


def test_a_person_is_no_answer_and_no_rival(resolve):
    resolution = resolve("login system", {"Ada": 0.9, "Authentication service": 0.8}, persons=("Ada",))

    assert answer(resolution) == "Authentication service"
    assert resolution.candidates == ()


def test_a_name_in_a_script_that_the_model_hardly_knows_is_no_answer(resolve):
    assert answer(resolve("login system", {"東京タワー": 0.95})) is None


@pytest.mark.parametrize(
    ("name", "is_comparable"),
    [("abcd", True), ("abc", False), ("abc 東京", True), ("ab 東京", False), ("Ada", False), ("Ada Lovelace", False)],
)
def test_a_name_of_which_the_model_knows_too_little_is_not_compared(graph, name, is_comparable):
    with graph.database.read("test") as tx:
        assert embedding.is_comparable(tx, Name(name), of_types=None) is is_comparable
        assert not embedding.is_comparable(tx, Name(name), of_types=("person",))


def test_the_answer_is_not_among_the_other_candidates(resolve):
    resolution = resolve("login system", {"Authentication service": 0.8}, fuzzy={"Authentication service": 0.62})

    assert answer(resolution) == "Authentication service"
    assert resolution.candidates == ()


def test_without_an_answer_the_candidates_are_the_best_of_both_steps(resolve):
    resolution = resolve(
        "login", {"Login page": 0.6, "Authentication service": 0.5, "Soup": 0.44}, fuzzy={"Login page": 0.65}
    )

    assert [(each.entity.name, each.method) for each in resolution.candidates] == [
        ("Login page", "fuzzy"),
        ("Authentication service", "embedding"),
    ]
