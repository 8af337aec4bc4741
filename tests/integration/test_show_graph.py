"""A client that shows MCP Apps gets the page and a small graph for it; every other one gets the same in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import keepgraph
from fork_server import python
from keepgraph.mcp import resources, server
from keepgraph.web import page_file
from words import Caller, person, project

ERAS = ("auto", "legacy")


def ask(graph: keepgraph.Graph, question: Any, *, toolsets: Any = ("seeing",), era: str = "auto") -> Any:
    async def asked() -> Any:
        async with Client(server.build(graph, toolsets=toolsets), mode=era) as client:
            return await question(client)

    return anyio.run(asked)


@pytest.fixture
def atlas(call: Caller) -> Caller:
    for name in ("Ana", "Ben"):
        call.record(person(name), "belongs_to", project("Atlas"))
    call.record(person("Ana"), "tagged", {"literal": "lead"})
    call.record(person("Dua"), "belongs_to", project("Borea"), valid_from="2026-01-01", valid_to="2026-03-01")
    return call


@pytest.mark.parametrize("era", ERAS)
def test_the_tool_names_its_page_and_the_page_is_there(atlas, era):
    async def question(client: Client) -> Any:
        return await client.list_tools(), await client.list_resources(), await client.read_resource(resources.PAGE)

    tools, listed, page = ask(atlas.graph, question, era=era)
    [tool] = tools.tools
    content = page.contents[0]

    assert tool.name == "show_graph"
    assert tool.meta["ui"]["resourceUri"] == tool.meta["ui/resourceUri"] == resources.PAGE
    assert [resource.mime_type for resource in listed.resources if str(resource.uri) == resources.PAGE] == [
        resources.MIME_TYPE
    ]
    assert (content.mime_type, content.text) == (resources.MIME_TYPE, page_file.read())


def test_only_the_tool_with_a_page_names_one(atlas):
    tools = ask(atlas.graph, lambda client: client.list_tools(), toolsets=None).tools
    listed = ask(atlas.graph, lambda client: client.list_resources(), toolsets=("memory",)).resources

    assert [tool.name for tool in tools if tool.meta] == ["show_graph"]
    assert resources.PAGE not in [str(resource.uri) for resource in listed]


@pytest.mark.parametrize("era", ERAS)
def test_the_answer_has_columns_for_the_page_and_sentences_for_others(atlas, era):
    result = ask(atlas.graph, lambda client: client.call_tool("show_graph", {"about": "Atlas"}), era=era)
    answer = result.structured_content

    assert set(answer["nodes"]["name"]) == {"Ana", "Ben", "Atlas"}
    assert answer["texts"] == []
    assert result.content[0].text.splitlines() == [
        "Atlas: 3 entities, 3 facts",
        "Ana belongs to Atlas",
        "Ana tagged lead",
        "Ben belongs to Atlas",
    ]


@pytest.mark.parametrize("era", ERAS)
def test_over_standard_input_and_output_the_same_comes_with_its_page(atlas, path, era):
    atlas.graph.close()

    async def asked() -> Any:
        command, *words = [*python(), "-m", "keepgraph.cli", "--db", str(path), "serve", "--toolsets", "seeing"]
        child = StdioServerParameters(command=command, args=words)
        async with Client(child, mode=era) as client:
            [tool] = (await client.list_tools()).tools
            page = await client.read_resource(tool.meta["ui"]["resourceUri"])
            return await client.call_tool(tool.name, {"about": "Atlas"}), page.contents[0]

    result, page = anyio.run(asked)

    assert set(result.structured_content["nodes"]["name"]) == {"Ana", "Ben", "Atlas"}
    assert result.content[0].text.splitlines()[0] == "Atlas: 3 entities, 3 facts"
    assert (page.mime_type, page.text) == (resources.MIME_TYPE, page_file.read())


def test_without_a_name_it_shows_what_has_the_most_connections(call):
    facts = [{"subject": person(f"P{n}"), "predicate": "belongs_to", "object": project("Atlas")} for n in range(200)]
    call("record_facts", facts=facts)
    answer = call("show_graph")

    assert len(answer["nodes"]["name"]) == 150
    assert "Atlas" in answer["nodes"]["name"]
    assert len(set(zip(answer["nodes"]["x"], answer["nodes"]["y"], strict=True))) == 150
    assert answer["truncated"]


def test_as_of_a_day_it_shows_what_held_then(atlas):
    then, later = (atlas("show_graph", about="Borea", as_of=day) for day in ("2026-02-01", "2026-04-01"))

    assert set(then["nodes"]["name"]) == {"Dua", "Borea"}
    assert later["nodes"]["name"] == ["Borea"]


def test_what_is_not_known_is_said_with_what_is_near(atlas):
    result = ask(atlas.graph, lambda client: client.call_tool("show_graph", {"about": "Anna Karenina"}))

    assert result.content[0].text.startswith("Nothing has this name.")
    assert result.structured_content["about"] is None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"about": ""}, "NAME_OR_ALIAS_REQUIRED"),
        ({"about": " \u200b"}, "NAME_OR_ALIAS_REQUIRED"),
        ({"about": "x" * 201}, "NAME_OR_ALIAS_TOO_LONG"),
        ({"limit": 151}, "INVALID_ARGUMENTS"),
        ({"depth": 0}, "INVALID_ARGUMENTS"),
        ({"as_of": "then"}, "MOMENT_INVALID"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, arguments, code):
    assert call("show_graph", **arguments)["error"] == code


def test_nothing_at_all_is_shown_of_an_empty_graph(call, path: Path):
    assert call("show_graph")["nodes"]["name"] == []
