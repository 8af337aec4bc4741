"""Sixty everyday requests, each done by one call of a default tool over stdio, in the order of a week."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from fork_server import python

TODAY = date.today()


def day(days: int) -> str:
    return (TODAY + timedelta(days=days)).isoformat()


def of(kind: str, name: str) -> dict[str, str]:
    return {"type": kind, "name": name}


def said(subject: dict[str, str], predicate: str, target: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": target, **more}


ILSE, TOMAS, FERRY = of("person", "Ilse Brandt"), of("person", "Tomás Vidal"), of("project", "Ferry")
YARD, PERMIT = of("organisation", "Nordwerft"), of("task", "Renew the berth permit")

Says = Callable[[dict[str, Any]], bool]


def mentions(*words: str) -> Says:
    return lambda answer: all(word in json.dumps(answer, ensure_ascii=False) for word in words)


def lacks(word: str) -> Says:
    return lambda answer: "error" not in answer and word not in json.dumps(answer, ensure_ascii=False)


REQUESTS: list[tuple[str, str, dict[str, Any], Says]] = [
    ("I am Ilse", "record_fact", said(ILSE, "works_at", YARD, aliases=["me"]), mentions("fact_id")),
    ("Tomás works with me", "record_fact", said(of("person", "me"), "works_with", TOMAS), mentions("Tomás")),
    (
        "We both work on Ferry",
        "record_facts",
        {"facts": [said(p, "works_on", FERRY) for p in (ILSE, TOMAS)]},
        lambda a: a["recorded"] == 2,
    ),
    (
        "I live in Kiel",
        "record_fact",
        said(ILSE, "lives_in", of("place", "Kiel"), valid_from="2020-03-01"),
        mentions("Kiel"),
    ),
    ("Tomás reports to me", "record_fact", said(TOMAS, "reports_to", ILSE), mentions("reports_to")),
    ("Renew the permit by then", "record_fact", said(PERMIT, "due_on", {"literal": day(-2)}), mentions("due_on")),
    ("That belongs to Ferry", "record_fact", said(PERMIT, "part_of", FERRY), mentions("fact_id")),
    (
        "Ferry waits for the survey",
        "record_fact",
        said(FERRY, "blocked_by", {"literal": "hull survey"}),
        mentions("hull survey"),
    ),
    (
        "We decided on electric motors",
        "record_facts",
        {
            "facts": [
                said(of("decision", "Electric motors"), "belongs_to", FERRY, valid_from=day(-1)),
                said(ILSE, "decided_in", of("decision", "Electric motors"), valid_from=day(-1)),
            ]
        },
        lambda a: a["recorded"] == 2,
    ),
    (
        "Note: the yard called",
        "remember",
        {"text": "The yard called: the hull is ready on Tuesday.", "project": "Ferry", "reference_time": day(-1)},
        mentions("doc_id"),
    ),
    (
        "Keep this mail",
        "remember",
        {"text": "Dear Ilse, the motors come from Greta Sommer in June.", "source": "mail", "reference_time": day(-9)},
        mentions("Greta Sommer"),
    ),
    (
        "Keep what I read",
        "remember",
        {"text": "Sodium cells are heavier and cheaper than lithium cells.", "about": ["Ferry"]},
        mentions("doc_id"),
    ),
    ("Where did I put the note about the hull?", "search", {"query": "when is the hull ready"}, mentions("Tuesday")),
    ("What did the mail say about motors?", "search", {"query": "who delivers the motors"}, mentions("Greta Sommer")),
    ("What did I note yesterday?", "search", {"since": day(-1), "until": day(-1)}, mentions("The yard called")),
    ("What did I note before?", "search", {"until": day(-5)}, mentions("Dear Ilse")),
    ("My newest notes", "search", {"reranker": "newest"}, mentions("Sodium")),
    ("Notes on Ferry", "search", {"project": "Ferry", "reranker": "newest"}, mentions("The yard called")),
    ("Anything on batteries?", "search", {"query": "which batteries are cheaper"}, mentions("Sodium")),
    ("Who is Tomás?", "recall_entity", {"name_or_alias": "Tomas Vidal"}, mentions("Ferry", "works_on")),
    ("What do you know about me?", "recall_entity", {"name_or_alias": "me"}, mentions("Ilse Brandt", "Kiel")),
    (
        "Which Tomás do I mean?",
        "recall_entity",
        {"name_or_alias": "Tomás", "context": ["Ferry"]},
        mentions("Tomás Vidal"),
    ),
    ("Where do I work?", "search", {"query": "where do I work"}, mentions("Nordwerft")),
    ("Who works on Ferry?", "recall_for", {"message": "Who works on Ferry?"}, mentions("Ilse Brandt", "Tomás Vidal")),
    (
        "How are Tomás and the yard connected?",
        "run_cypher",
        {
            "query": "MATCH p = shortestPath((a:Person {name: 'Tomás Vidal'})-[*..4]-(b {name: 'Nordwerft'})) "
            "RETURN length(p) AS n"
        },
        mentions('"result": 2'),
    ),
    (
        "How many people do I know?",
        "run_cypher",
        {"query": "MATCH (n:Person) RETURN count(n) AS n"},
        mentions('"result": 2'),
    ),
    (
        "What is in the graph?",
        "run_cypher",
        {"query": "MATCH (n) UNWIND labels(n) AS l RETURN DISTINCT l"},
        mentions("Project"),
    ),
    ("What did we decide?", "recall_decisions", {}, mentions("Electric motors")),
    (
        "What did we decide on motors?",
        "recall_decisions",
        {"topic": "motors", "project": "Ferry"},
        mentions("Electric motors"),
    ),
    ("Decisions of this week", "recall_decisions", {"since": day(-6)}, mentions("Electric motors")),
    ("How was my week?", "weekly_rollup", {}, mentions("Electric motors", "hull survey")),
    ("What is due?", "weekly_rollup", {}, mentions("Overdue since", "Renew the berth permit")),
    ("What is to do on Ferry?", "weekly_rollup", {"project": "Ferry"}, mentions("hull survey", "berth permit")),
    ("What waits for my review?", "weekly_rollup", {}, mentions("to_review", "Greta Sommer")),
    ("Is anything due for Ferry?", "recall_entity", {"name_or_alias": "Ferry"}, mentions("Overdue since")),
    (
        "That is right, record it",
        "record_fact",
        said(of("person", "Greta Sommer"), "works_at", of("organisation", "Voltmar")),
        mentions("Voltmar"),
    ),
    (
        "The survey is done",
        "record_fact",
        said({"name": "hull survey"}, "resolved_by", of("organisation", "Lloyd")),
        mentions("hull survey"),
    ),
    (
        "Tomás has a wife, Pilar",
        "record_fact",
        said(TOMAS, "married_to", of("person", "Pilar Vidal")),
        mentions("Pilar"),
    ),
    (
        "I moved to Lübeck",
        "record_fact",
        said(ILSE, "lives_in", of("place", "Lübeck"), valid_from=day(-3)),
        mentions("Lübeck"),
    ),
    (
        "I no longer live in Kiel",
        "record_fact",
        said(ILSE, "lives_in", of("place", "Kiel"), valid_to=day(-3)),
        mentions("ended"),
    ),
    ("Where did I live last year?", "recall_entity", {"name_or_alias": "me", "as_of": "2025-06-01"}, mentions("Kiel")),
    ("Tomás is called Tom", "change", {"entity": TOMAS, "add_aliases": ["Tom"]}, mentions("Tom")),
    ("Who is Tom?", "recall_entity", {"name_or_alias": "Tom"}, mentions("Tomás Vidal")),
    ("Ferry is called Kittiwake now", "change", {"entity": FERRY, "name": "Kittiwake"}, mentions("Kittiwake")),
    ("What of Ferry?", "recall_entity", {"name_or_alias": "Ferry"}, mentions("Kittiwake")),
    (
        "Kittiwake is a car ferry",
        "change",
        {"entity": of("project", "Kittiwake"), "summary": "A car ferry for forty cars."},
        mentions("forty cars"),
    ),
    (
        "Tomás is an engineer, his mail",
        "change",
        {"entity": TOMAS, "properties": {"role": "engineer", "email": "t@x.example"}},
        mentions("engineer"),
    ),
    (
        "Lloyd is a person",
        "change",
        {"entity": of("organisation", "Lloyd"), "type": "person"},
        mentions('"type": "person"'),
    ),
    (
        "Pilar has a sister, P. Vidal",
        "record_fact",
        said(of("person", "P. Vidal"), "works_at", YARD),
        mentions("P. Vidal"),
    ),
    (
        "Would merging be right?",
        "change",
        {"entity": of("person", "Pilar Vidal"), "merge": of("person", "P. Vidal"), "dry_run": True},
        mentions("would take over"),
    ),
    (
        "P. Vidal is Pilar: merge",
        "change",
        {"entity": of("person", "Pilar Vidal"), "merge": of("person", "P. Vidal")},
        mentions("merged", "has taken over"),
    ),
    ("No, take that back", "undo", {}, mentions("change")),
    (
        "The yard said Thursday",
        "change",
        {"text": "The yard called", "old": "Tuesday", "new": "Thursday"},
        mentions("Thursday"),
    ),
    ("When is the hull ready?", "search", {"query": "when is the hull ready"}, mentions("Thursday")),
    (
        "Write that note anew",
        "change",
        {"text": "the note about sodium", "new": "Sodium cells weigh more, and cost half."},
        mentions("cost half"),
    ),
    ("What would I forget of Lloyd?", "forget", {"what": "Lloyd", "dry_run": True}, mentions("Lloyd")),
    ("Forget Lloyd", "forget", {"what": "person:Lloyd"}, mentions("Forgot")),
    ("Forget the mail", "forget", {"what": "the note about Greta Sommer"}, mentions("Forgot")),
    ("Bring the mail back", "undo", {}, mentions("forget")),
    ("What did the mail say?", "search", {"query": "who delivers the motors"}, mentions("Greta Sommer")),
    ("Is Lloyd gone?", "recall_entity", {"name_or_alias": "Lloyd"}, lacks('"name": "Lloyd", "type"')),
    (
        "What do you know about everything around me?",
        "run_cypher",
        {"query": "MATCH (:person {name: 'Ilse Brandt'})-[*1..2]-(other) RETURN DISTINCT other.name"},
        mentions("Kittiwake"),
    ),
    (
        "Sum up the week for me and keep it",
        "remember",
        {"text": "A good week: motors decided.", "narrative_for": day(0)},
        mentions("narrative"),
    ),
    ("Read me my week", "weekly_rollup", {}, mentions("A good week")),
]


def test_everyday_requests_are_done_with_the_default_tools(path: Path) -> None:
    """
    Each call names one of the tools that the server shows, and its answer has what was asked for.
    """

    async def walk() -> tuple[set[str], list[str]]:
        command, *words = [*python(), "-m", "keepgraph.cli", "--db", str(path), "serve"]
        failed = []
        async with Client(StdioServerParameters(command=command, args=words)) as client:
            shown = {tool.name for tool in (await client.list_tools()).tools}
            for request, tool, arguments, is_done in REQUESTS:
                result = await client.call_tool(tool, arguments)
                answer = json.loads(result.content[0].text)
                if result.is_error or not is_done(answer):
                    failed.append(f"{request}: {json.dumps(answer, ensure_ascii=False)[:400]}")
        return shown, failed

    shown, failed = anyio.run(walk)

    assert len(shown) <= 12
    assert {tool for _, tool, _, _ in REQUESTS} <= shown
    assert len(REQUESTS) >= 62
    assert "\n".join(failed) == ""
