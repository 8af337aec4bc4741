"""Times in questions: properties that are instants compare with dates, datetimes and texts, and have components."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

import keepgraph
from words import Caller, Clock, fact, literal, person

FIRST, SECOND, TODAY = (datetime(2026, 5, day, 9, tzinfo=UTC) for day in (1, 14, 15))
ACME = {"type": "organisation", "name": "Acme"}


@pytest.fixture
def ask(call: Caller, clock: Clock) -> Any:
    """A graph of three days; the third is today."""
    clock.now = FIRST
    started = "2026-05-01T00:00:00Z"
    call("record_fact", **fact(person("Ada"), "works_at", ACME, valid_from=started))
    call("record_fact", **fact(person("Ada"), "tagged", literal("1990-12-10")))
    clock.now = SECOND
    call("record_fact", **fact(person("Ada"), "reports_to", person("Grace")))
    clock.now = TODAY
    call("record_fact", **fact(person("Eve"), "works_at", ACME, valid_from="2025-01-01T00:00:00Z"))
    return lambda query, **parameters: call("run_cypher", query=query, parameters=parameters)


def rows(answer: dict[str, Any]) -> list[Any]:
    """The values of the first column, in one order."""
    if answer["type"] == "scalar":
        return [answer["result"]]
    return sorted(row[0] for row in answer["rows"])


NAMES, TEXTS, COUNT = "RETURN n.name", "RETURN r.text", "RETURN count(r)"
ALL, RECENT, OLD = ["Acme", "Ada", "Eve", "Grace"], ["Eve", "Grace"], ["Acme", "Ada"]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"MATCH (n) WHERE n.created_at > datetime() - duration('P7D') {NAMES}", RECENT),
        (f"MATCH (n) WHERE datetime() - duration({{days: 7}}) > n.created_at {NAMES}", OLD),
        (f"MATCH (n) WHERE n.created_at > date() - duration('P7D') {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at > localdatetime() - duration('P7D') {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at > timestamp() - 604800000 {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at.epochMillis > timestamp() - 604800000 {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at + duration('P7D') > datetime() {NAMES}", RECENT),
        (f"MATCH (n) WHERE duration.between(n.created_at, datetime()).days < 7 {NAMES}", RECENT),
        (f"MATCH (n) WITH n, n.created_at AS at WHERE at > datetime() - duration('P7D') {NAMES}", RECENT),
        (f"MATCH (n) WITH n AS m, 1 AS one WITH m AS n WHERE n.created_at > datetime('2026-05-10') {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at > $since {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at > datetime($since) {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at > datetime().epochMillis - 604800000 {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at IN $days {NAMES}", OLD),
        (f"MATCH (n) WHERE n.created_at >= '2026-05-01' {NAMES}", ALL),
        (f"MATCH (n) WHERE n.created_at >= '2026-05-14T11:00:00+02:00' {NAMES}", RECENT),
        (f"MATCH (n) WHERE n.created_at > '2026-05-14T11:00:00+02:00' {NAMES}", ["Eve"]),
        (f"MATCH (n) WHERE n.created_at = datetime('2026-05-14T09:00:00Z') {NAMES}", ["Grace"]),
        (f"MATCH (n) WHERE n.created_at < datetime('2026-05-14T09:00:00.0001Z') {NAMES}", ["Acme", "Ada", "Grace"]),
        (f"MATCH (n) WHERE n.created_at <= datetime('2026-05-14T08:59:59.9999Z') {NAMES}", OLD),
        (f"MATCH (n) WHERE n.created_at STARTS WITH '2026-05-01' {NAMES}", OLD),
        (f"MATCH (n) WHERE substring(n.created_at, 0, 10) = '2026-05-01' {NAMES}", OLD),
        (f"MATCH (n) WHERE date(n.created_at) = date() {NAMES}", ["Eve"]),
        (f"MATCH (n) WHERE date(n.created_at) <= date('2026-05-14') {NAMES}", ["Acme", "Ada", "Grace"]),
        (f"MATCH (n) WHERE n.created_at = date() {NAMES}", ["Eve"]),
        (f"MATCH (n:Entity) WHERE n.created_at <> date() {NAMES}", ["Acme", "Ada", "Grace"]),
        (f"MATCH (n:Entity) WHERE NOT n.created_at = date() {NAMES}", ["Acme", "Ada", "Grace"]),
        (f"MATCH (n) WHERE n.created_at IN [date('2026-05-01'), datetime('2026-05-15T09:00Z')] {NAMES}",
         ["Acme", "Ada", "Eve"]),
        (f"MATCH (n:Person) WHERE n.created_at.day = 1 {NAMES}", ["Ada"]),
        (f"MATCH (n:Person) WHERE date(n.created_at).day = 1 {NAMES}", ["Ada"]),
        (f"MATCH (n:Person) WHERE n.created_at.year = 2026 AND n.created_at.month = 5 AND n.created_at.hour = 9 "
         f"AND n.created_at.minute = 0 AND n.created_at.second = 0 AND n.created_at.day = 14 {NAMES}", ["Grace"]),
        (f"MATCH (n:Person) WHERE n.created_at.year <> 2026 {NAMES}", []),
        (f"MATCH (n:Person) WHERE n.created_at.year > date().year - 1 {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n:Person) WHERE n.created_at.year >= 2027 {NAMES}", []),
        (f"MATCH (n:Person) WHERE date(n.created_at).year < 2027 {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n:Person) WHERE 2026 <= datetime(n.created_at).year <= 2026 {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n:Person) WHERE n.created_at.year IN [2025, 2026] {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n:Person) WHERE NOT n.created_at.year IN [2025, date().year] {NAMES}", []),
        (f"MATCH (n:Person) WHERE n.created_at.year = 20260 {NAMES}", []),
        (f"MATCH (n:Person) WHERE n.created_at.year = 2026.0 {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n:Person) WHERE n.created_at.year = '2026' {NAMES}", []),
        (f"MATCH (n:Person) WHERE left(n.created_at, 7) = '2026-05' {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n:Person) WHERE substring(n.created_at, 0, 7) = '2026-05-01' {NAMES}", []),
        ("MATCH ()-[r]->() WHERE r.valid_to.year IS NULL RETURN count(r) > 0", [True]),
        ("MATCH ()-[r:WORKS_AT]->() WHERE r.valid_from.month = 5 AND r.valid_from STARTS WITH '2026-05' "
         f"{TEXTS}", ["Ada works at Acme"]),
        ("MATCH (n:Person) WITH n, n.created_at AS c WHERE c.year = 2026 AND c.month = 5 RETURN count(n)", [3]),
        (f"MATCH (n) WHERE n.created_at.dayOfWeek = 5 {NAMES}", ["Acme", "Ada", "Eve"]),
        (f"MATCH (n) WHERE date(n.created_at).weekDay = 4 {NAMES}", ["Grace"]),
        (f"MATCH (n) WHERE n.created_at.ordinalDay = 134 AND n.created_at.quarter = 2 {NAMES}", ["Grace"]),
        ("MATCH (n:Entity) WITH n.created_at.dayOfWeek AS day, count(n) AS n RETURN day * 10 + n", [41, 53]),
        (f"MATCH (n:Person {{created_at: date('2026-05-01')}}) {NAMES}", ["Ada"]),
        ("MATCH (n:Person) RETURN DISTINCT date.truncate('month', n.created_at) AS month", ["2026-05-01"]),
        ("MATCH (n:Person) RETURN DISTINCT n.created_at.year", [2026]),
        ("MATCH (n:Person) WITH max(n.created_at) AS last RETURN last > datetime() - duration('P1D')", [True]),
        ("MATCH (n:Person {name: 'Ada'}) RETURN n.created_at", ["2026-05-01T09:00:00.000Z"]),
        (f"MATCH ()-[r]->() WHERE r.valid_from = date('2026-05-01') {TEXTS}", ["Ada works at Acme"]),
        (f"MATCH ()-[r]->() WHERE r.valid_from = '2026-05-01' {TEXTS}", ["Ada works at Acme"]),
        (f"MATCH ()-[r {{valid_from: date('2026-05-01')}}]->() {TEXTS}", ["Ada works at Acme"]),
        (f"MATCH ()-[r]->() WHERE date('2026-04-01') <= r.valid_from < date('2026-06-01') {TEXTS}",
         ["Ada works at Acme"]),
        ("MATCH ()-[r:WORKS_AT]->() WHERE r.valid_from <= date() AND (r.valid_to IS NULL OR r.valid_to > date()) "
         f"{COUNT}", [2]),
        (f"MATCH ()-[r]->() WHERE coalesce(r.valid_to, datetime()) >= datetime() {COUNT}", [4]),
        (f"MATCH ()-[r:WORKS_AT]->() WHERE duration.inDays(r.valid_from, date()).days > 365 {TEXTS}",
         ["Eve works at Acme"]),
        (f"MATCH ()-[r]->() WHERE r.recorded_at >= datetime.truncate('week', datetime()) {COUNT}", [2]),
        ("MATCH (n)-[:TAGGED]->(l) WHERE l.value < date('2000-01-01') RETURN n.name", ["Ada"]),
        ("MATCH (n)-[:TAGGED]->(l) RETURN date(l.value).year", [1990]),
        ("RETURN date() = '2026-05-15' AND '2026-05-15' = date() AND date() > '2026-05-14'", [True]),
        ("RETURN datetime() > 'soon'", [None]),
    ],
)  # fmt: skip
def test_a_question_about_times_is_answered(ask: Any, query: str, expected: list[Any]) -> None:
    assert rows(ask(query, since="2026-05-10", days=["2026-05-01", "2026-05-02"])) == expected


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ("n.created_at > date()",
         "created_at is an instant: a date means the first instant of that day, in UTC"),
        ("n.created_at = date()", "created_at is an instant: a date means any instant of that day, in UTC"),
        ("n.created_at > localdatetime()", "created_at is an instant: a local datetime is taken as UTC"),
        ("n.created_at > '14 May 2026'", "created_at is an instant, but '14 May 2026' is not"),
        ("n.created_at < '2026-13-01'", "created_at is an instant, but '2026-13-01' is not"),
        ("n.created_at < '2026-02-30'", "created_at is an instant, but '2026-02-30' is not"),
        ("n.created_at >= ''", "created_at is an instant, but '' is not"),
        ("n.created_at > timestamp()",
         "created_at is an instant: milliseconds since 1970 are converted to one"),
    ],
)  # fmt: skip
def test_what_a_day_beside_an_instant_means_is_told(ask: Any, condition: str, sentence: str) -> None:
    assert sentence in ask(f"MATCH (n) WHERE {condition} RETURN n.name")["auto_fixes"]


@pytest.mark.parametrize("operator", ["<", ">=", "="])
def test_what_the_value_of_a_parameter_is_taken_for_is_told_each_time(ask: Any, operator: str) -> None:
    query = f"MATCH (n) WHERE n.created_at {operator} $bound RETURN n.name"
    told = {
        bound: [sentence for sentence in ask(query, bound=bound)["auto_fixes"] if "LIMIT" not in sentence]
        for bound in ("2026-3-1", "2026-05-14", "March", "2026-05-14T10:00:00+02:00", "2026-05", None)
    }

    expected = {
        "2026-3-1": ["created_at is an instant, but '2026-3-1' is not"],
        "2026-05-14": [],
        "March": ["created_at is an instant, but 'March' is not"],
        "2026-05-14T10:00:00+02:00": [],
        "2026-05": [],
        None: ["$bound is null, and nothing compares with null"],
    }
    assert expected == told


def test_the_parts_of_a_day_are_those_of_the_calendar(call: Caller, clock: Clock) -> None:
    days = [(1999, 12, 31), (2000, 2, 29), (2000, 3, 1), (2024, 12, 31), (2025, 1, 1), (2026, 3, 29), (2026, 10, 1)]
    for year, month, day in days:
        clock.now = datetime(year, month, day, 23, 59, 59, tzinfo=UTC)
        call("record_fact", **fact(person(clock.now.strftime("%Y %m %d")), "tagged", literal("x")))
    query = """
        MATCH (n:Person)
        WITH n.name AS name, n.created_at.dayOfWeek AS a, n.created_at.weekDay AS b, n.created_at.ordinalDay AS c,
             date(n.created_at).quarter AS d
        RETURN a, b, c, d ORDER BY name
    """
    expected = [datetime(*day, tzinfo=UTC) for day in days]

    assert call("explain_query", query=query)["by"] == "sql"
    assert call("run_cypher", query=query)["rows"] == [
        [day.isoweekday(), day.isoweekday(), day.timetuple().tm_yday, (day.month + 2) // 3] for day in expected
    ]


GIVEN_AGAIN = [
    ("MATCH (n) WHERE n.created_at {} RETURN n.name AS n", RECENT),
    ("MATCH (n) WHERE n.created_at {} RETURN count(n) AS n", [2]),
    ("MATCH (n) WHERE n.created_at {} WITH n.name AS n ORDER BY n WHERE n > 'F' RETURN n", ["Grace"]),
    ("MATCH (n) WITH n.created_at AS n WHERE n {} RETURN count(n)", [2]),
    ("MATCH (n) WITH n.created_at AS at, n.name AS n WITH n AS at, at AS n WHERE n {} RETURN at", RECENT),
    ("MATCH (n:Entity) WITH n.name AS n, n AS m ORDER BY m.created_at {} DESC, n LIMIT 2 RETURN n", RECENT),
    ("MATCH (n)-[r]->(m) WHERE m.created_at {} RETURN m.name AS r", ["Grace"]),
    ("MATCH (n) WITH n.name AS n MATCH (m {{name: n}}) WHERE m.created_at {} RETURN n", RECENT),
    (
        "MATCH (n:Entity) WHERE COUNT {{ MATCH (m)-->() WHERE m.created_at {} RETURN m.name AS n }} = 1 RETURN n.name",
        ALL,
    ),
    ("MATCH (n) WHERE n.created_at {} RETURN n.name AS n UNION MATCH (m) WHERE 1 > 2 RETURN m.name AS n", RECENT),
    ("UNWIND [1] AS n WITH n AS m MATCH (n) WHERE n.created_at {} RETURN n.name", RECENT),
]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("since", [">= '2026-05-14T11:00:00+02:00'", ">= datetime('2026-05-14T09:00:00Z')"])
@pytest.mark.parametrize(("query", "expected"), GIVEN_AGAIN)
def test_a_name_that_is_given_again_does_not_change_what_a_time_is(
    graph: keepgraph.Graph, ask: Any, query: str, expected: list[Any], since: str
) -> None:
    assert rows(ask(query.format(since))) == expected


@pytest.mark.parametrize("since", ["2026-W10", "2027-3-1", "20270301", "2027-02-30", "3000/01/01"])
def test_a_bound_that_is_no_instant_is_the_reason_of_an_empty_result(ask: Any, since: str) -> None:
    [warning] = ask("MATCH (n) WHERE n.created_at >= $bound RETURN n.name", bound=since)["warnings"]

    assert warning["written"] == "n.created_at >= $bound"
    assert "without it there are rows" in warning["message"]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) WHERE n.created_at > datetime() RETURN n.name",
        "MATCH (n) WHERE n.created_at > '2026' RETURN n.name",
        "MATCH (n) RETURN n.created_at, date()",
        "WITH {created_at: date()} AS n RETURN n.created_at = date()",
    ],
)
def test_nothing_is_told_where_nothing_was_changed(ask: Any, query: str) -> None:
    assert [fix for fix in ask(query)["auto_fixes"] if "instant" in fix] == []


@pytest.mark.parametrize(
    "query",
    [
        "MATCH ()-[r]->() WHERE r.recorded_at > datetime() - duration('P7D') RETURN count(r)",
        "MATCH ()-[r]->() WHERE r.recorded_at.year = 2026 AND r.recorded_at.month > 3 RETURN count(r)",
        "MATCH ()-[r]->() WHERE r.recorded_at STARTS WITH '2026-05' RETURN count(r)",
        "MATCH ()-[r]->() WHERE substring(r.recorded_at, 0, 10) = '2026-05-01' RETURN count(r)",
        "MATCH ()-[r]->() WITH r.recorded_at AS at WHERE at > datetime() - duration('P7D') RETURN count(*)",
        "MATCH ()-[r]->() WHERE r.recorded_at > datetime() - duration('P7D') RETURN count(r) AS r",
        "MATCH ()-[r]->() WITH r AS s WITH s.recorded_at AS t WITH t AS at WHERE at > datetime() - duration('P7D') "
        "RETURN count(*)",
    ],
)
def test_a_time_that_was_recorded_lately_is_sought_by_an_index(graph: keepgraph.Graph, ask: Any, query: str) -> None:
    plan = graph.call("explain_query", query=query)

    assert plan["by"] == "sql"
    assert "recorded_at>?" in plan["statements"][0]["plan"][0]["what"]


@pytest.mark.parametrize(
    ("bound", "parameters"),
    [
        ("$since", {"since": "2026-05-14T08:30:00Z"}),
        ("datetime($since)", {"since": "2026-05-14T08:30:00Z"}),
        ("datetime() - duration({days: $days})", {"days": 1}),
        ("datetime() - duration($window)", {"window": "PT25H"}),
        ("timestamp() - $milliseconds", {"milliseconds": 90_000_000}),
    ],
)
def test_a_parameter_that_bounds_a_time_is_planned_by_its_value(
    ask: Any, call: Caller, clock: Clock, bound: str, parameters: dict[str, Any]
) -> None:
    """
    Most facts are of the first day: since the second, the index over time is read; since the first, that of the type.
    """
    clock.now = FIRST
    for predicate, count in {"reports_to": 9, "knows": 99, "depends_on": 99}.items():
        call("record_facts", facts=[fact(person(f"P{n}"), predicate, person(f"P{n + 1}")) for n in range(count)])
    clock.now = TODAY
    query = f"MATCH (n)-[r:REPORTS_TO]->(m) WHERE r.recorded_at >= {bound} RETURN n.name, m.name, r.recorded_at"
    late = index_read(call, query, parameters)
    name, value = next(iter(parameters.items()))
    earlier = {"since": "2026-05-01", "days": 90, "window": "P90D", "milliseconds": 9_000_000_000}[name]

    assert (late, index_read(call, query, {name: earlier})) == ("fact_recorded", "fact_by_predicate"), value


def index_read(call: Caller, query: str, parameters: dict[str, Any]) -> str:
    """The index by which the first table of a plan is read."""
    plan = call("explain_query", query=query, parameters=parameters)
    return str(plan["statements"][0]["plan"][0]["what"]).split("INDEX ")[1].split()[0]


@pytest.mark.parametrize("query", ["RETURN 'x' + duration('P1D')", "MATCH (n) RETURN n.created_at - datetime()"])
def test_a_sum_of_times_that_makes_no_sense_fails(ask: Any, query: str) -> None:
    assert ask(query)["code"] in ("QUERY_FAILED", "QUERY_INCONSISTENT")


# Words and clauses as others write them


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (n:Person)-[:REPORTS_TO]->{1,2}(m) RETURN m.name", ["Grace"]),
        ("MATCH (n:Person {name: 'Ada'}) CALL { WITH n MATCH (n)-[r]->() RETURN count(r) AS facts } RETURN facts", [3]),
        ("MATCH (n:Person {name: 'Ada'}) CALL { WITH n MATCH (n)-[r]->() RETURN count(r) AS led } "
         "CALL { WITH n MATCH (n)<-[r]-() RETURN count(r) AS leading } RETURN led - leading", [3]),
    ],
)  # fmt: skip
def test_newer_cypher_is_answered_as_it_is_written(ask: Any, query: str, expected: list[Any]) -> None:
    answer = ask(query)

    assert rows(answer) == expected
    assert all(fix.startswith("Injected") for fix in answer["auto_fixes"])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"MATCH ()-[r]->() WHERE type(r) = 'reports_to' {TEXTS}", ["Ada reports to Grace"]),
        (f"MATCH ()-[r]->() WHERE type(r) IN ['reports to', 'nothing'] {TEXTS}", ["Ada reports to Grace"]),
        (f"MATCH ()-[r]->() WITH r, type(r) AS kind WHERE kind = 'Reports_To' {TEXTS}", ["Ada reports to Grace"]),
        (f"MATCH ()-[r]->() WHERE type(r) STARTS WITH 'reports' {TEXTS}", ["Ada reports to Grace"]),
        (f"MATCH (n) WHERE 'person' IN labels(n) {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n) WHERE labels(n)[0] = 'person' {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n) WHERE any(l IN labels(n) WHERE l = 'person') {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n) UNWIND labels(n) AS l WITH n, l WHERE l = 'person' {NAMES}", ["Ada", "Eve", "Grace"]),
        (f"MATCH (n) WHERE labels(n) = ['company'] {NAMES}", ["Acme"]),
    ],
)  # fmt: skip
def test_a_question_as_others_write_it_is_put_right_and_told(ask: Any, query: str, expected: list[Any]) -> None:
    answer = ask(query)

    assert rows(answer) == expected
    assert [fix for fix in answer["auto_fixes"] if not fix.startswith("Injected")]


@pytest.mark.parametrize("query", ["SHOW INDEXES", "CALL db.labels()", "CALL db.schema.visualization()"])
def test_what_only_reads_is_never_called_a_write(ask: Any, query: str) -> None:
    answer = ask(query)

    assert answer["code"] == "QUERY_UNSUPPORTED"
    assert answer["error"]["reason"] != "write_operation"


@pytest.mark.parametrize(
    "inner", ["CREATE (m)", "MATCH (m) SET m.x = 1 RETURN m", "CALL apoc.do.it() YIELD x RETURN x"]
)
def test_a_write_in_a_subquery_is_refused(ask: Any, inner: str) -> None:
    assert ask(f"MATCH (n) CALL {{ {inner} }} RETURN n")["type"] == "error"


@pytest.mark.parametrize(
    ("condition", "is_met"),
    [
        ("r.valid_from.year > 2025", True),
        ("r.valid_from.year > 2026", False),
        ("r.valid_from.year >= 2026", True),
        ("r.valid_from.year <= 2025", False),
        ("r.valid_from.year < 2026", False),
        ("r.valid_from.year < 2027", True),
        ("r.valid_from.year = 2026", True),
        ("r.valid_from.year <> 2026", False),
        ("r.valid_from.year IN [2025, 2026]", True),
        ("date(r.valid_from).year > 2025", True),
    ],
)
def test_the_first_instant_of_a_year_is_of_that_year(call: Caller, condition: str, is_met: bool) -> None:
    call.record(person("Ada"), "works_at", {"type": "organisation", "name": "Acme"}, valid_from="2026-01-01T00:00:00Z")
    query = f"MATCH (a)-[r:WORKS_AT]->() WHERE {condition} RETURN count(*)"

    assert rows(call("run_cypher", query=query)) == [int(is_met)]
