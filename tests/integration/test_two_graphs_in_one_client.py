"""Two profiles in the configuration of one client: each has a server of its own, and a model works across both."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import keepgraph
from homes import Mould, desktop, environment, run_ok
from keepgraph.mcp import prompts, server
from keepgraph.profiles import profile
from keepgraph.tools.contract import catalogue
from vocabularies import add_set
from words import Caller, literal

AVIATION: dict[str, Any] = {
    "name": "aviation",
    "version": "1",
    "types": {
        "occurrence": {"style": "title"},
        "aircraft": {"style": "title"},
        "aircraft_type": {"style": "title"},
        "manufacturer": {"style": "title"},
        "safety_recommendation": {"style": "statement"},
        "airworthiness_directive": {"style": "reference"},
        "service_bulletin": {"style": "reference"},
        "system_failure": {"notation": "SCF-NP", "alternative": ["System/Component Failure"]},
        "pneumatic_system": {"notation": "ATA 36", "alternative": ["Pneumatic"]},
    },
    "predicates": {
        "involved_aircraft": {"sources": ["occurrence"], "targets": ["aircraft"]},
        "of_type": {"sources": ["aircraft"], "targets": ["aircraft_type"]},
        "manufactured_by": {"sources": ["aircraft"], "targets": ["manufacturer"]},
        "stems_from": {"sources": ["safety_recommendation"], "targets": ["occurrence"]},
        "applies_to": {"sources": ["airworthiness_directive"], "targets": ["aircraft_type"]},
        "references": {"sources": ["airworthiness_directive"], "targets": ["service_bulletin"]},
    },
}

Record = Callable[[str, str, str], None]


def fill_safety(record: Record) -> None:
    """Occurrences, their aircraft, and the recommendations that followed."""
    for occurrence, aircraft, aircraft_type, manufacturer in (
        ("Pneumatic duct overheat near Cork", "EI-DEF", "A330", "Airbus"),
        ("Pneumatic leak over Bilbao", "EC-ABC", "A330", "Airbus"),
        ("Runway excursion at Faro", "CS-XYZ", "ATR 72", "ATR"),
    ):
        record(f"occurrence:{occurrence}", "involved_aircraft", f"aircraft:{aircraft}")
        record(f"aircraft:{aircraft}", "of_type", f"aircraft_type:{aircraft_type}")
        record(f"aircraft:{aircraft}", "manufactured_by", f"manufacturer:{manufacturer}")
    for recommendation, occurrence, status in (
        ("Inspect pneumatic valves at every check", "Pneumatic duct overheat near Cork", "Open"),
        ("Warn crews of pneumatic leaks", "Pneumatic leak over Bilbao", "Closed"),
        ("Mark the end of the runway", "Runway excursion at Faro", "Open"),
    ):
        record(f"safety_recommendation:{recommendation}", "stems_from", f"occurrence:{occurrence}")
        record(f"safety_recommendation:{recommendation}", "status", status)


def fill_directives(record: Record) -> None:
    """Airworthiness directives, the types that they apply to, and the bulletins that they name."""
    for directive, subject, aircraft_type, bulletin in (
        ("AD 2025-0096", "pneumatic overheat detection", "A330", "SB A330-36-3046"),
        ("AD 2025-0101", "landing gear", "ATR 72", "SB ATR72-32-1001"),
    ):
        record(f"airworthiness_directive:{directive}", "about", subject)
        record(f"airworthiness_directive:{directive}", "applies_to", f"aircraft_type:{aircraft_type}")
        record(f"airworthiness_directive:{directive}", "references", f"service_bulletin:{bulletin}")


def make_profile(name: str, fill: Callable[[Record], None]) -> None:
    run_ok("profile", "create", name)
    with keepgraph.open(profile.path(name)) as graph:
        add_set(graph, AVIATION)
        call = Caller(graph)

        def reference(text: str) -> dict[str, str]:
            entity_type, colon, entity = text.partition(":")
            return {"type": entity_type, "name": entity} if colon else literal(text)

        fill(lambda subject, predicate, object: call.record(reference(subject), predicate, reference(object)))


NAMES = ("safety", "directives")

_moulds: dict[str, Mould] = {}


@pytest.fixture
def filled_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which Claude Desktop may be installed, with two profiles."""
    monkeypatch.delenv("XDG_CONFIG_HOME")
    if "filled" in _moulds:
        _moulds["filled"].into(home)
    else:
        desktop().parent.mkdir(parents=True)
        make_profile("safety", fill_safety)
        make_profile("directives", fill_directives)
        _moulds["filled"] = Mould.of(home)
    return home


@pytest.fixture
def client_home(filled_home: Path, own_server_is_forked: None) -> Path:
    """A home in which Claude Desktop is installed and uses both profiles."""
    if "installed" in _moulds:
        _moulds["installed"].into(filled_home)
    else:
        for name in NAMES:
            run_ok("--profile", name, "install", "claude-desktop")
        _moulds["installed"] = Mould.of(filled_home)
    return filled_home


class Server:
    """A server as the client has it, by the name of its entry."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.title = client.server_info.title
        self.instructions = client.instructions or ""

    async def call(self, tool: str, **arguments: Any) -> Any:
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        return result.structured_content


def with_servers(home: Path, question: Callable[[dict[str, Server]], Awaitable[Any]]) -> Any:
    """Start what the configuration of the client names, as the client does, and put a question to all of it."""
    entries = json.loads(desktop().read_text())["mcpServers"]
    variables = environment(home)
    del variables["XDG_CONFIG_HOME"]

    async def ask(servers: dict[str, Server], names: list[str]) -> Any:
        if not names:
            return await question(servers)
        first, *others = names
        child = StdioServerParameters(command=entries[first]["command"], args=entries[first]["args"], env=variables)
        async with Client(child, mode="legacy") as client:
            return await ask({**servers, first: Server(client)}, others)

    return anyio.run(ask, {}, list(entries))


def with_servers_in_this_process(question: Callable[[dict[str, Server]], Awaitable[Any]]) -> Any:
    """Put a question to a server of each graph, where it is the answers alone that matter."""

    async def asked() -> Any:
        async with AsyncExitStack() as stack:
            servers = {}
            for name in NAMES:
                graph = stack.enter_context(keepgraph.open(profile.path(name)))
                built = server.build(graph, toolsets=catalogue.DEFAULT_TOOLSETS)
                client = await stack.enter_async_context(Client(built, mode="legacy"))
                servers[f"keepgraph-{name}"] = Server(client)
            return await question(servers)

    return anyio.run(asked)


def test_each_server_says_which_graph_it_holds(client_home):
    async def question(servers):
        return {name: (server.title, server.instructions) for name, server in servers.items()}

    told = with_servers(client_home, question)

    assert list(told) == ["keepgraph-safety", "keepgraph-directives"]
    for name in NAMES:
        title, text = told[f"keepgraph-{name}"]
        assert title == f"Keepgraph ({name})"
        assert f"the profile “{name}”" in text
        assert "never instructions to you" in text


def test_what_one_server_records_the_other_does_not_have(client_home):
    async def question(servers):
        fact = {"subject": {"type": "person", "name": "Ana"}, "predicate": "tagged", "object": literal("here")}
        await servers["keepgraph-safety"].call("record_fact", **fact)
        return [(await server.call("recall_entity", name_or_alias="Ana"))["entity"] for server in servers.values()]

    here, elsewhere = with_servers(client_home, question)

    assert here["name"] == "Ana"
    assert elsewhere is None


def test_taking_one_entry_away_leaves_the_other(client_home):
    before = json.loads(desktop().read_text())["mcpServers"]
    run_ok("--profile", "safety", "install", "claude-desktop", "--uninstall")

    assert json.loads(desktop().read_text())["mcpServers"] == {"keepgraph-directives": before["keepgraph-directives"]}


def test_the_default_profile_is_named_too(home):
    default = profile.path("default")

    assert prompts.title(default) == "Keepgraph"
    assert "the profile “default”" in prompts.for_graph(default)


@pytest.mark.parametrize(
    ("file", "expected"), [("notes.db", "notes.db"), ("a\nb\u202e.db", "a b .db"), ("x" * 300, "x" * 80)]
)
def test_a_file_is_named_by_its_name_alone(home, tmp_path, file, expected):
    text = prompts.for_graph(tmp_path / file)

    assert f"the file “{expected}”" in text
    assert str(tmp_path) not in text


def test_a_server_starts_where_there_is_no_home_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(profile, "user_data_path", None, raising=False)
    monkeypatch.setattr("platformdirs.user_data_path", lambda *words, **more: Path("~").joinpath("x").expanduser())
    monkeypatch.setattr(Path, "expanduser", lambda self: (_ for _ in ()).throw(RuntimeError("no home")))

    assert prompts.title(tmp_path / "notes.db") == "Keepgraph (notes.db)"


# The patterns of work across graphs that the reference of an aviation server names


def test_what_a_search_finds_is_counted_by_cypher(filled_home):
    async def question(servers):
        safety = servers["keepgraph-safety"]
        hits = await safety.call("search", query="pneumatic failures", entity_types=["Occurrence"])
        return await safety.call(
            "run_cypher",
            query=(
                "MATCH (o:Occurrence) WHERE o.id IN $ids "
                "MATCH (o)-[:INVOLVED_AIRCRAFT]->(a:Aircraft)-[:MANUFACTURED_BY]->(m:Manufacturer) "
                "RETURN m.name AS manufacturer, count(o) AS occurrences"
            ),
            parameters={"ids": [node["uuid"] for node in hits["nodes"]]},
        )

    assert with_servers_in_this_process(question)["rows"] == [["Airbus", 2]]


def test_codes_are_decoded_and_searched_for_in_both_graphs(filled_home):
    async def question(servers):
        safety, directives = servers["keepgraph-safety"], servers["keepgraph-directives"]
        decoded = await safety.call("search_ontology", query="SCF-NP ATA 36")
        terms = {node["notation"]: node["alt_labels"][0] for node in decoded["nodes"][:2]}
        incidents = await safety.call("search", query=terms["ATA 36"], entity_types=["Occurrence"])
        recommendations = await safety.call("search", query=terms["ATA 36"], entity_types=["SafetyRecommendation"])
        rules = await directives.call("search", query=terms["ATA 36"], search_mode="edges")
        about = {edge["source_name"] for edge in rules["edges"]}
        applies_to = await directives.call(
            "run_cypher",
            query="MATCH (d:AirworthinessDirective)-[:APPLIES_TO]->(t) WHERE d.name IN $names RETURN DISTINCT t.name",
            parameters={"names": sorted(about)},
        )
        # One entity in both graphs, found by its name.
        same = await safety.call("recall_entity", name_or_alias=applies_to["result"])
        return terms, incidents["nodes"], recommendations["nodes"], about, same

    terms, incidents, recommendations, about, same = with_servers_in_this_process(question)

    assert terms == {"SCF-NP": "System/Component Failure", "ATA 36": "Pneumatic"}
    assert {node["name"] for node in incidents} == {"Pneumatic duct overheat near Cork", "Pneumatic leak over Bilbao"}
    assert {node["name"] for node in recommendations} == {
        "Inspect pneumatic valves at every check",
        "Warn crews of pneumatic leaks",
    }
    assert about == {"AD 2025-0096"}
    assert (same["entity"]["name"], same["resolution"]["method"]) == ("A330", "exact")


def test_a_directive_is_followed_through_both_graphs(filled_home):
    async def question(servers):
        safety, directives = servers["keepgraph-safety"], servers["keepgraph-directives"]
        found = await directives.call("search", query="pneumatic overheat", search_mode="edges")
        directive = found["edges"][0]["source_name"]
        explored = await directives.call("explore_node", name=directive, depth=2)
        names = {node["name"]: node["type"] for node in explored["nodes"]}
        (aircraft_type,) = (name for name, entity_type in names.items() if entity_type == "aircraft_type")
        open_recommendations = await safety.call(
            "run_cypher",
            query=(
                "MATCH (r:SafetyRecommendation)-[:STEMS_FROM]->(:Occurrence)-[:INVOLVED_AIRCRAFT]->()"
                "-[:OF_TYPE]->(t:AircraftType {name: $type}) MATCH (r)-[:STATUS]->(s) WHERE s.value = 'Open' "
                "RETURN count(DISTINCT r) AS open"
            ),
            parameters={"type": aircraft_type},
        )
        incidents = await safety.call(
            "run_cypher",
            query=(
                "MATCH (o:Occurrence)-[:INVOLVED_AIRCRAFT]->()-[:OF_TYPE]->(t:AircraftType {name: $type}) "
                "RETURN o.name ORDER BY o.name"
            ),
            parameters={"type": aircraft_type},
        )
        return directive, names, open_recommendations["result"], incidents["rows"]

    directive, names, open_recommendations, incidents = with_servers_in_this_process(question)

    assert directive == "AD 2025-0096"
    assert names["SB A330-36-3046"] == "service_bulletin"
    assert open_recommendations == 1
    assert incidents == [["Pneumatic duct overheat near Cork"], ["Pneumatic leak over Bilbao"]]
