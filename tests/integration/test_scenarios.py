"""What others promised of a memory, played through a real MCP client with an empty graph, and once over stdio.

The plan of a connected memory (connections, timeline, search first and then add), and the calls that a reference for
graph connectors shows.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import keepgraph
from fork_server import python
from keepgraph.mcp import server

Play = Callable[..., Awaitable[dict[str, Any]]]

AVIATION = [
    {"type": "entity", "name": "Airbus", "entityType": "Manufacturer", "observations": ["Makes the A320."]},
    {"type": "entity", "name": "Boeing", "entityType": "Manufacturer", "observations": ["Makes the 737."]},
    {
        "type": "entity",
        "name": "2024-0975-EU",
        "entityType": "Occurrence",
        "observations": ["Pneumatic bleed air failure of an Airbus A320 in the climb.", "The system failed twice."],
    },
    {
        "type": "entity",
        "name": "SR 2024-07",
        "entityType": "SafetyRecommendation",
        "observations": ["Airbus should look into the safety of the bleed system."],
    },
    {"type": "relation", "from": "SR 2024-07", "to": "2024-0975-EU", "relationType": "STEMS_FROM"},
    {"type": "relation", "from": "2024-0975-EU", "to": "Airbus", "relationType": "INVOLVES"},
]


def play(path: Path, script: Callable[[Play], Awaitable[Any]]) -> Any:
    """Let a script call the tools of a server with all of them, one after the other."""

    async def played() -> Any:
        with keepgraph.open(path) as graph:
            return await _play(server.build(graph, toolsets=None), script)

    return anyio.run(played)


def play_over_stdio(path: Path, script: Callable[[Play], Awaitable[Any]]) -> Any:
    """The same with a server that is started as a child."""
    return anyio.run(_play, server_of_its_own(path, "all"), script)


def server_of_its_own(path: Path, toolsets: str) -> StdioServerParameters:
    command, *words = python()
    words += ["-m", "keepgraph.cli", "--db", str(path), "serve", "--toolsets", toolsets]
    return StdioServerParameters(command=command, args=words)


async def _play(played_with: Any, script: Callable[[Play], Awaitable[Any]]) -> Any:
    async with Client(played_with) as client:

        async def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                answer: dict[str, Any] = json.loads(result.content[0].text)
                return answer
            return result.structured_content or {}

        return await script(call)


# Connections, timeline, and search first


def test_connections_show_what_an_entity_was_named_with(path):
    async def script(call: Play) -> Any:
        await call("add_memory", name="Tech stack", episode_body="Using Django with PostgreSQL")
        nodes = (await call("search_nodes", query="Django"))["nodes"]
        return nodes[0], await call("get_entity_connections", entity_uuid=nodes[0]["uuid"])

    node, connections = play(path, script)

    assert (node["name"], node["proposed"]) == ("Django", True)
    assert any("PostgreSQL" in str(fact) for fact in connections["facts"])


def test_a_timeline_is_in_the_order_of_time(path):
    weeks = {
        "Week 1": "Started Django project evaluation",
        "Week 2": "Django project approved, beginning development",
        "Week 3": "Django project hit first milestone",
    }

    async def script(call: Play) -> Any:
        for name, body in weeks.items():
            await call("add_memory", name=name, episode_body=body)
        nodes = (await call("search_nodes", query="Django project"))["nodes"]
        return await call("get_entity_timeline", entity_uuid=nodes[0]["uuid"])

    timeline = play(path, script)

    assert [episode["name"] for episode in timeline["episodes"]] == [*weeks]


def test_what_is_added_with_a_known_name_is_connected(path):
    async def script(call: Play) -> Any:
        for name in ("PostgreSQL", "MySQL"):
            await call(
                "record_fact",
                subject={"type": "concept", "name": name},
                predicate="tagged",
                object={"literal": "database"},
            )
        nodes = (await call("search_nodes", query="database architecture"))["nodes"]
        uuid = next(node["uuid"] for node in nodes if node["name"] == "PostgreSQL")
        before = await call("get_entity_connections", entity_uuid=uuid)
        timeline = await call("get_entity_timeline", entity_uuid=uuid)
        await call(
            "add_memory",
            name="New service database",
            episode_body="New notification service will use PostgreSQL like our existing user service, "
            "chosen for JSON support",
        )
        return before, timeline, await call("get_entity_connections", entity_uuid=uuid)

    before, timeline, after = play(path, script)

    assert timeline["episodes"] == []
    assert len(after["facts"]) > len(before["facts"]) > 0


def test_the_same_tools_serve_every_domain(path):
    async def script(call: Play) -> Any:
        await call("add_memory", name="API Design", episode_body="Using REST for public API, GraphQL internal")
        await call("add_memory", name="Stress check-in", episode_body="Feeling stressed about API deadlines")
        await call("add_memory", name="GraphQL Learning", episode_body="Studied GraphQL federation patterns")
        found = {}
        for query in ("API", "stress", "GraphQL"):
            nodes = (await call("search_nodes", query=query))["nodes"]
            found[query] = [node["name"] for node in nodes]
            if nodes:
                connections = await call("get_entity_connections", entity_uuid=nodes[0]["uuid"])
                timeline = await call("get_entity_timeline", entity_uuid=nodes[0]["uuid"])
                assert "error" not in connections | timeline
        return found

    found = play(path, script)

    assert (found["API"][0], found["GraphQL"][0]) == ("API", "GraphQL")


def test_ids_that_are_none_and_groups_that_are_not_there(path):
    async def script(call: Play) -> Any:
        await call("add_memory", name="Tech stack", episode_body="Using Django with PostgreSQL")
        node = (await call("search_nodes", query="Django"))["nodes"][0]
        return (
            await call("get_entity_connections", entity_uuid="invalid-uuid"),
            await call("get_entity_connections", entity_uuid="ent_01m7zzwez55dffyq8143ppyvqp"),
            await call("get_entity_connections", entity_uuid=node["uuid"], group_ids=["non-existent-group"]),
        )

    malformed, unknown, elsewhere = play(path, script)

    assert "error" in malformed
    assert "No connections" in unknown["message"]
    assert elsewhere["facts"] == []


# A graph of safety recommendations


@pytest.fixture
def aviation(path: Path, tmp_path: Path) -> Path:
    """A graph with words of its own, from a file that another memory server has written."""
    from click.testing import CliRunner

    from keepgraph.cli.root import kg

    file = tmp_path / "memory.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in AVIATION), encoding="utf-8")
    keepgraph.open(path).close()
    done = CliRunner().invoke(kg, ["--db", str(path), "import", str(file), "--add-words"])
    assert done.exit_code == 0, done.output
    return path


def test_the_calls_of_the_reference_are_answered(aviation):
    async def script(call: Play) -> Any:
        boeing = (await call("search_nodes", query="Boeing"))["nodes"][0]["uuid"]
        return [
            await call(
                "search",
                query="Airbus safety issues",
                entity_types=["SafetyRecommendation"],
                edge_types=["STEMS_FROM"],
            ),
            await call("search", query="pneumatic bleed air failure", search_mode="combined", reranker="mmr", limit=20),
            await call("search", query="system failures", center_node_uuid=boeing, reranker="node_distance"),
            await call("search", query="airworthiness directives A320", valid_at="2024-06-15T00:00:00Z"),
            await call("search", query="bleed system failures", entity_types=["Occurrence"]),
            await call("explore_node", name="SR 2024-07", depth=2),
            await call("get_schema"),
            await call(
                "run_cypher",
                query="MATCH (sr:SafetyRecommendation)-[:STEMS_FROM]->(o:Occurrence)-[:INVOLVES]->(a:Manufacturer) "
                "WHERE a.name CONTAINS 'Airbus' RETURN sr.name, o.name",
            ),
        ]

    answers = play_over_stdio(aviation, script)
    by_type, diverse, near, then, occurrences, explored, schema, rows = answers

    assert [answer.get("error") for answer in answers] == [None] * len(answers)
    assert [node["name"] for node in by_type["nodes"]] == ["SR 2024-07"]
    assert [edge["name"] for edge in by_type["edges"]] == ["stems_from"]
    assert "2024-0975-EU" in diverse["episodes"][0]
    assert near["nodes"][0]["name"] == "Boeing"
    assert all((edge.get("valid_at") or "") <= "2024-06-15T02" for edge in then["edges"])
    assert [node["name"] for node in occurrences["nodes"]] == ["2024-0975-EU"]
    assert {"2024-0975-EU", "Airbus"} <= {node["name"] for node in explored["nodes"]}
    assert "SafetyRecommendation" in schema["node_labels"]
    assert rows["rows"] == [["SR 2024-07", "2024-0975-EU"]]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("reranker", ["rrf", "mmr", "node_distance", "episode_mentions"])
@pytest.mark.parametrize("mode", ["nodes", "edges", "communities", "episodes", "combined"])
def test_every_reranker_answers_in_every_mode(aviation, mode, reranker):
    with keepgraph.open(aviation) as graph:
        center = graph.call("recall_entity", name_or_alias="Airbus")["entity"]["id"]
        answer = graph.call("search", query="bleed air", search_mode=mode, reranker=reranker, center_node_uuid=center)

    assert answer["message"].startswith("Found ")


# Episodes


def test_the_episode_tools_work_together(path):
    async def script(call: Play) -> Any:
        first = await call(
            "add_memory", name="Note", episode_body="Priya met Sam.", reference_time="2025-01-10", source="text"
        )
        await call(
            "add_memory",
            episodes=[
                {"name": "Config", "content": '{"database": "PostgreSQL"}', "source": "json"},
                {"name": "Chat", "content": "user: Where is it?\nassistant: In the cellar.", "source": "message"},
            ],
        )
        newest = await call("get_episodes", max_episodes=10)
        context = await call("get_episode_context", episode_uuids=[first["uuid"]])
        dry = await call("delete_episode", uuid=first["uuid"], dry_run=True)
        gone = await call("delete_episode", uuid=first["uuid"])
        return newest, context, dry, gone, await call("get_episodes")

    newest, context, dry, gone, left = play(path, script)

    assert [episode["name"] for episode in newest["episodes"]] == ["Chat", "Config", "Note"]
    assert {node["name"] for node in context["nodes"]} == {"Priya", "Sam"}
    assert "error" not in dry | gone
    assert [episode["name"] for episode in left["episodes"]] == ["Chat", "Config"]


# Documents


def test_a_folder_that_is_allowed_is_ingested_and_tells_of_its_progress(path, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(30):
        (folder / f"note {number}.md").write_text(f"# Note {number}\n\nPriya wrote this.\n", encoding="utf-8")
    path.with_suffix(".toml").write_text(f'[documents]\nroots = ["{folder}"]\n', encoding="utf-8")
    heard: list[tuple[float, float | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total))

    async def played() -> Any:
        async with Client(server_of_its_own(path, "documents")) as client:
            inside = await client.call_tool("ingest_directory", {"directory": str(folder)}, progress_callback=hear)
            outside = await client.call_tool("ingest_directory", {"directory": str(tmp_path)})
            return inside.structured_content, json.loads(outside.content[0].text)

    inside, outside = anyio.run(played)

    assert (inside["added"], inside["complete"], inside["call"]) == (30, True, None)
    assert sorted(heard) == heard
    assert heard[-1][0] == heard[-1][1] >= 30
    assert outside["error"] == "PATH_NOT_ALLOWED"
