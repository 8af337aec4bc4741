"""Whatever is recorded and asked, in whatever order, the graph is what a small model of it says."""

from __future__ import annotations

import tempfile
import unicodedata
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import keepgraph
from words import Caller, Clock, literal, rows

# Several spellings of few names, so that they meet again and again.
SPELLINGS = [
    "Ada",
    "ADA",
    " ada ",
    "João",
    "JOA\u0303O",
    "joão",
    "C",
    "C++",
    "c#",
    "Q3 2025",
    "Q3 2026",
    "q3  2025",
    "東京",
]
KINDS = ["person", "project", "decision", "concept", "source"]
# A resolution ends other facts, which is not modelled here: test_closing_blockers.py and test_merge_and_undo.py try it.
PREDICATES = ["decided_in", "belongs_to", "blocked_by", "depends_on", "tagged"]
things = st.builds(lambda kind, name: {"type": kind, "name": name}, st.sampled_from(KINDS), st.sampled_from(SPELLINGS))
texts = st.sampled_from(["done", "Done", "next-action"]).map(literal)
days = st.sampled_from([None, "2026-01-01", "2026-05-15", "2026-06-01"])
BAD = [
    {"predicate": "frobs"},
    {"object": {"type": "frob", "name": "x"}},
    {"subject": {"type": "person"}},
    {"confidence": 7},
]


def key(thing: dict[str, str]) -> tuple[str, str]:
    name = unicodedata.normalize("NFKC", " ".join(thing["name"].split())).casefold()
    return thing["type"], unicodedata.normalize("NFKC", name)


class AnyOrder(RuleBasedStateMachine):
    """The model: an id for each (type, key), and for each triple and interval a fact with its assertions."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "graph.db"
        self.clock = Clock()
        self.open()
        self.entities: dict[tuple[str, str], str] = {}
        self.facts: dict[tuple[str, ...], tuple[str, str]] = {}
        self.assertions = 0

    def open(self) -> None:
        self.call = Caller(keepgraph.open(self.path, clock=self.clock, zone=ZoneInfo("Europe/Zurich")))

    def teardown(self) -> None:
        if hasattr(self, "call"):
            self.call.graph.close()
            self.folder.cleanup()

    @rule(
        subject=things, predicate=st.sampled_from(PREDICATES), object=things | texts, start=days, together=st.booleans()
    )
    def record(self, subject, predicate, object, start, together):
        given = {"subject": subject, "predicate": predicate, "object": object}
        if start:
            given["valid_from"] = start
        answer = (
            self.call("record_facts", facts=[given])["results"][0] if together else self.call("record_fact", **given)
        )
        new = {key(each) for each in (subject, object) if "literal" not in each} - set(self.entities)
        end = object.get("literal") or key(object)
        triple = (key(subject), predicate, end)
        # Without a start the interval is meant that holds now, if there is one.
        open_one = next((fact for fact in self.facts if fact[:3] == triple and not fact[3]), None)
        held = [fact for fact in self.facts if fact[:3] == triple and fact[3] and fact[3] <= self.today()]
        known = (*triple, start) if start else open_one or (held[0] if held else (*triple, None))
        if known not in self.facts and open_one and start and start <= self.today():
            # A beginning that nobody knew is known now.
            self.facts[known] = self.facts.pop(open_one)

        assert {(each["type"], key(each)[1]) for each in answer["auto_created_entities"]} == new
        assert answer["deduplicated"] == (known in self.facts)
        if known in self.facts:
            assert (answer["fact_id"], answer["recorded_at"]) == self.facts[known]
        self.facts.setdefault(known, (answer["fact_id"], answer["recorded_at"]))
        for given_thing, told in ((subject, answer["subject"]), (object, answer["object"])):
            if "literal" not in given_thing:
                assert self.entities.setdefault(key(given_thing), told["id"]) == told["id"]
        self.assertions += 1

    @rule(subject=things, wrong=st.sampled_from(BAD), together=st.booleans())
    def refuse(self, subject, wrong, together):
        given = {"subject": subject, "predicate": "tagged", "object": literal("x"), **wrong}
        answer = (
            self.call("record_facts", facts=[given])["results"][0] if together else self.call("record_fact", **given)
        )

        assert "error" in answer

    @rule(asked=things, with_type=st.booleans())
    def recall(self, asked, with_type):
        kind, name = key(asked)
        answer = self.call("recall_entity", name_or_alias=f"{kind}:{name}" if with_type else asked["name"])
        meant = {
            each: known
            for each, known in self.entities.items()
            if each[1] == name and (not with_type or each[0] == kind)
        }

        if len(meant) == 1:
            (identity,) = meant.values()
            assert answer["entity"]["id"] == identity
            assert answer["resolution"]["method"] == "exact"
            self.check_facts(answer, next(iter(meant)))
        elif meant:
            assert answer["entity"] is None
            assert {each["id"] for each in answer["resolution"]["candidates"]} == set(meant.values())
        else:
            assert answer["resolution"]["method"] in ("none", "fuzzy")

    def check_facts(self, answer, thing):
        told = {each["id"] for each in answer["facts"]}
        held = {
            identity
            for (subject, _, end, start), (identity, _) in self.facts.items()
            if thing in (subject, end) and (not start or start <= self.today())
        }

        assert told == held

    @rule(days=st.integers(0, 20))
    def time_passes(self, days):
        self.clock.pass_by(days=days, seconds=1)

    @rule()
    def close_and_open_again(self):
        self.call.graph.close()
        self.open()

    @invariant()
    def nothing_is_lost_and_nothing_is_added(self):
        if not hasattr(self, "call"):
            return
        status = self.call("get_status")

        assert sum(status["entities"].values()) == len(self.entities)
        assert status["facts"] == len(self.facts)
        assert rows(self.path, "SELECT count(*) FROM provenance") == [(self.assertions,)]

    def today(self) -> str:
        return (self.clock.now + timedelta(hours=2)).date().isoformat()


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=4, stateful_step_count=25, parent=settings.get_profile("calm"))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_any_order_for_long():
    from hypothesis.stateful import run_state_machine_as_test

    run_state_machine_as_test(
        AnyOrder, settings=settings(max_examples=120, stateful_step_count=60, parent=settings.get_profile("calm"))
    )
