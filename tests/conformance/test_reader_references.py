"""What we say of tools names only those that the reader sees: in hints, errors, descriptions, instructions, prompts."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

import keepgraph
from keepgraph import errors
from keepgraph.cli import root
from keepgraph.mcp import server
from keepgraph.tools.contract import catalogue, reader_references

SOURCE = Path(keepgraph.__file__).parent
TOOLS = {tool.name: tool for tool in catalogue.tools()}
SERVERS: dict[str, tuple[tuple[str, ...] | None, bool]] = {
    "default": (catalogue.DEFAULT_TOOLSETS, False),
    "default, read-only": (catalogue.DEFAULT_TOOLSETS, True),
    "all": (None, False),
    **{toolset: ((toolset,), False) for toolset in catalogue.toolsets()},
}
ONE_WORD = "|".join(name for name in TOOLS if "_" not in name)


def shown_by(name: str) -> set[str]:
    toolsets, read_only = SERVERS[name]
    return {tool.name for tool in catalogue.tools(toolsets, read_only=read_only)}


@cache
def hints() -> tuple[tuple[str, str], ...]:
    """Every constant text of the code that is a hint, or a part of one, with its place."""
    return tuple(hint for file in sorted(SOURCE.rglob("*.py")) for hint in hints_of(file))


def hints_of(file: Path) -> Iterator[tuple[str, str]]:
    text = file.read_text(encoding="utf-8")
    if "hint" not in text.lower():
        return
    for node in ast.walk(ast.parse(text)):
        values: list[ast.expr] = []
        if isinstance(node, ast.Call):
            values = [keyword.value for keyword in node.keywords if keyword.arg == "hint"]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any("hint" in ast.unparse(target).lower() for target in targets):
                values = [node.value]
        for value in values:
            for part in ast.walk(value):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield f"{file.relative_to(SOURCE)}:{part.lineno}", part.value


def named_in(text: str) -> set[str]:
    """The tools that a text names, but for those that a command calls."""
    return reader_references.find_names(re.sub(r"`kg [^`]*`", "", text))


def ask(path: Path, question: Any, name: str) -> Any:
    toolsets, read_only = SERVERS[name]

    async def asked() -> Any:
        with keepgraph.open(path, read_only=read_only) as graph:
            async with Client(server.build(graph, toolsets=toolsets)) as client:
                return await question(client)

    return anyio.run(asked)


def descriptions(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("description"), str):
            yield part["description"]
        for value in part.values():
            yield from descriptions(value)
    elif isinstance(part, list):
        for value in part:
            yield from descriptions(value)


@pytest.mark.parametrize("name", SERVERS)
def test_descriptions_name_only_tools_that_the_server_shows(path, name):
    keepgraph.open(path).close()

    async def question(client: Client) -> Any:
        said = [client.instructions or ""]
        for prompt in (await client.list_prompts()).prompts:
            given = {argument.name: "Atlas" for argument in prompt.arguments or ()}
            said.append((await client.get_prompt(prompt.name, given)).messages[0].content.text)
        return (await client.list_tools()).tools, said

    tools, said = ask(path, question, name)
    shown = shown_by(name)

    assert {tool.name for tool in tools} == shown
    assert named_in("\n".join(said)) <= shown
    for tool in tools:
        for text in [tool.description or "", *descriptions(tool.input_schema)]:
            assert named_in(text) <= shown, (tool.name, text)


@pytest.mark.parametrize("name", SERVERS)
def test_hints_name_only_tools_that_the_server_shows(name):
    shown = shown_by(name)

    assert len(hints()) > 200
    for place, hint in hints():
        rendered = reader_references.render(hint, shown=shown)

        assert named_in(rendered) <= shown, (place, rendered)


def test_a_hint_for_the_shell_names_commands_that_there_are():
    for place, hint in hints():
        rendered = reader_references.render(hint, shown=())
        commands = re.findall(r"`kg ([a-z]+)", rendered)

        assert not named_in(rendered), (place, rendered)
        assert set(commands) <= {*root._COMMANDS}, (place, rendered)


def test_what_stands_for_a_tool_is_a_command_or_a_tool():
    for name, (command, *others) in reader_references._INSTEAD.items():
        assert name in TOOLS
        assert command.split()[1] in root._COMMANDS, command
        assert set(others) <= set(TOOLS), name


def test_a_tool_whose_name_is_a_word_is_named_in_backticks():
    for place, hint in hints():
        assert not re.search(rf"\b(?:use|call|with|by) (?:{ONE_WORD})\b(?! [a-z])", hint), (place, hint)


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("record_fact", {"subject": {"name": "X"}, "predicate": "reports_to", "object": {"type": "person", "name": "Y"}}),
    ("record_fact", {"subject": {"type": "robot", "name": "X"}, "predicate": "tagged", "object": {"literal": "y"}}),
    ("record_fact", {"subject": {"id": "ent_1"}, "predicate": "no such word", "object": {"literal": "y"}}),
    ("record_fact", {"subject": {"id": "ent_1"}, "predicate": "tagged", "object": {"literal": "y"}}),
    ("recall_entity", {"name_or_alias": "me"}),
    ("recall_entity", {"name_or_alias": " "}),
    ("explore_node", {"node_uuid": "ent_nothing"}),
    ("explore_node", {"name": "Nobody"}),
    ("search", {"query": "where am I", "center_node_uuid": "ent_1"}),
    ("search", {"query": "who am I"}),
    ("search", {"query": ""}),
    ("run_cypher", {"query": "CREATE (n)"}),
    ("run_cypher", {"query": "MERGE (n) SET n.x = 1"}),
    ("run_cypher", {"query": "MATCH (n) DELETE n"}),
    ("run_cypher", {"query": "SHOW INDEXES"}),
    ("run_cypher", {"query": "CALL db.labels()"}),
    ("run_cypher", {"query": "MATCH (n RETURN n"}),
    ("run_cypher", {"query": "MATCH (n:Robot) RETURN n"}),
    ("forget", {"what": "nothing of this name"}),
    ("forget", {"what": "call 99"}),
    ("undo", {"call": 99}),
    ("change", {"entity": {"type": "person", "name": "Nobody"}, "name": "Somebody"}),
    ("change", {"entity": {"type": "person", "name": "Ada"}, "name": "Grace"}),
    ("change", {"entity": {"type": "person", "name": "Ada"}, "merge": {"type": "project", "name": "Atlas"}}),
    ("change", {"entity": {"type": "person", "name": "Ada"}, "add_aliases": ["Grace"]}),
    ("change", {"entity": {"type": "person", "name": "Ada"}, "properties": {"name": "x"}}),
    ("change", {"text": "no such text", "new": "x"}),
    ("change", {}),
    ("weekly_rollup", {"project": "Nothing"}),
    ("recall_decisions", {"since": "soon"}),
    ("remember", {"text": " "}),
    ("remember", {"text": "a", "narrative_for": "x"}),
    ("record_facts", {"facts": [{"subject": {"name": "X"}}]}),
    ("get_schema", {"nonsense": 1}),
    ("get_history", {"about": "fact_x"}),
]


@pytest.mark.parametrize("name", ["default", "default, read-only", "memory", "discovery"])
def test_answers_and_errors_name_only_tools_that_the_server_shows(path, name):
    with keepgraph.open(path) as graph:
        for one, other in (("Ada", "person"), ("Grace", "person"), ("Atlas", "project")):
            graph.call(
                "record_fact", subject={"type": other, "name": one}, predicate="tagged", object={"literal": "known"}
            )

    async def question(client: Client) -> list[str]:
        said = []
        for tool, arguments in CALLS:
            if tool not in shown_by(name) and TOOLS[tool].effect is not catalogue.Effect.READ:
                continue
            try:
                answer = json.loads((await client.call_tool(tool, arguments)).content[0].text)
            except MCPError as error:
                answer = {"hint": str(error)}
            answer.pop("example", None)
            said.append(f"{tool} {json.dumps(answer, ensure_ascii=False)}")
        return said

    shown = shown_by(name)
    for said in ask(path, question, name):
        tool, _, answer = said.partition(" ")

        assert named_in(answer) - {tool} <= shown, said


def test_references_are_told_to_each_reader_in_its_own_words():
    hint = errors.EntityNotFound.default_hint or ""
    either = 'Say so: set_owner {"person": {"name": "Ana"}}, or `kg me Ana`.'

    assert reader_references.render(hint, shown={"recall_entity"}) == hint
    assert reader_references.render(hint, shown=()).startswith("Look it up with `kg recall` and")
    assert reader_references.render(either, shown={"set_owner"}) == 'Say so: set_owner {"person": {"name": "Ana"}}.'
    assert reader_references.render(either, shown=()) == "Say so: `kg me Ana`."
    assert reader_references.render("Use search_nodes or `search`.", shown={"search"}) == "Use search."
    assert reader_references.render("Use get_episode_context.", shown=()) == "Use `kg tool call get_episode_context`."
    assert reader_references.render("“run_cypher” is unknown", shown=()) == "“run_cypher” is unknown"
