"""The schema files are the contract: what is published, what is enforced, and what the functions take."""

from __future__ import annotations

import inspect
import json
import re
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from referencing import Registry

import keepgraph.schemas
from keepgraph import errors, package_files
from keepgraph.mcp import http_access
from keepgraph.tools.contract import catalogue, dispatch, schemas, validation
from words import concept, decision, dump, literal, person, project

TOOLS = [*catalogue.tools(), *catalogue.tools(catalogue.INTERNAL_TOOLSETS)]
WORDS = {"entity_type": ["person", "project"], "predicate": ["tagged", "belongs_to"]}

FILES = sorted(package_files.schemas().rglob("*.json"))
VOCABULARY_SET = package_files.schemas() / "transfer" / "vocabulary_set.json"
"""Of a file that a person writes; it belongs to no tool, and has its definitions in itself."""

SCHEMAS = {file: json.loads(file.read_text(encoding="utf-8")) for file in FILES}


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object within a schema."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


def read(tool: catalogue.Tool, side: str) -> dict[str, Any]:
    return SCHEMAS[package_files.schemas() / tool.toolset / f"{tool.name}.{side}.json"]


# The files


def test_a_schema_is_valid_json_schema():
    for file, schema in SCHEMAS.items():
        jsonschema_rs.meta.validate(schema)

        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema", file


def test_a_schema_is_called_as_its_file_is():
    for file, schema in SCHEMAS.items():
        assert schema["$id"] == keepgraph.schemas.BASE + file.relative_to(package_files.schemas()).as_posix()


def test_a_result_of_many_facts_is_typed_as_that_of_one():
    one, many = (schemas.load("memory", tool, "output") for tool in ("record_fact", "record_facts"))
    result = many["properties"]["results"]["items"]["properties"]
    of_a_call = ("call", "not_checked")

    assert {name: part for name, part in one["properties"].items() if name not in of_a_call}.items() <= result.items()


@pytest.mark.parametrize("side", ["input", "output"])
def test_other_libraries_resolve_the_schemas_from_the_package(side, monkeypatch):
    monkeypatch.setattr(socket, "socket", lambda *_, **__: pytest.fail("a schema was fetched"))
    registry = keepgraph.schemas.registry()
    for tool in TOOLS:
        schema = keepgraph.schemas.read(tool.name, side)
        validator = jsonschema.Draft202012Validator(schema, registry=registry)
        references = [part["$ref"] for part in parts(schema) if "$ref" in part]

        assert all(registry.resolver(schema["$id"]).lookup(reference).contents for reference in references)
        assert validator.is_valid(schema["examples"][0]) if "examples" in schema else not validator.is_valid([])


def test_a_schema_refers_to_nothing_outside():
    common = SCHEMAS[package_files.schemas() / "common.json"]["$defs"]
    for file, schema in SCHEMAS.items():
        own = schema.get("$defs", {}) if file == VOCABULARY_SET else {}
        prefix = "#/$defs/" if file.name == "common.json" else "../common.json#/$defs/"
        found = {part["$ref"] for part in parts(schema) if "$ref" in part}

        assert {prefix + name for name in common} | {f"#/$defs/{name}" for name in own} >= found, file


def test_every_code_in_a_schema_exists():
    for file, schema in SCHEMAS.items():
        found = [part["x-code"] for part in parts(schema) if "x-code" in part]
        codes = {code for given in found for code in (given.values() if isinstance(given, dict) else [given])}

        assert set(errors.leaves()) >= codes, file


def test_every_schema_has_its_pair_and_a_function():
    files = {file.relative_to(package_files.schemas()).as_posix() for file in package_files.schemas().glob("*/*.json")}
    tools = {f"{tool.toolset}/{tool.name}.{side}.json" for tool in TOOLS for side in ("input", "output")}

    assert tools == files - {VOCABULARY_SET.relative_to(package_files.schemas()).as_posix()}


def test_every_common_definition_is_used():
    common = SCHEMAS[package_files.schemas() / "common.json"]["$defs"]
    used = {
        part["$ref"].rsplit("/", 1)[1]
        for file, schema in SCHEMAS.items()
        if file != VOCABULARY_SET
        for part in parts(schema)
        if "$ref" in part
    }

    assert set(common) == used


OF_A_SOURCE = {
    "recall_entity": {"entity", "facts", "related_entities", "resolution", "truncated_facts"},
    "record_fact": {"fact_id", "recorded_at", "subject", "predicate", "object", "deduplicated"},
    "recall_decisions": {"project", "decisions", "truncated"},
    "weekly_rollup": {"project", "period", "summary", "decisions", "blockers", "next_actions", "generated_at"},
    "remember": {"source", "doc_id", "chunks_added", "entities_added", "entities_merged", "project"},
    "get_schema": {"type", "graph_name", "domain", "node_labels", "relationship_types"},
    "explore_node": {"message", "center_node", "nodes", "edges", "communities"},
    "search": {"message", "nodes", "edges", "communities", "execution_ms"},
    "run_cypher": {"query", "auto_fixes", "type", "row_count", "truncated", "limit_applied", "execution_ms"},
    "fact": {"id", "subject", "predicate", "object", "confidence", "recorded_at"},
    "decision": {"id", "name", "decided_on", "decided_by", "confidence"},
    "entity_in_full": {"type", "id", "name", "aliases", "created_at"},
    "resolution": {"method", "score"},
    "found_node": {"uuid", "name"},
    "found_edge": {"uuid", "name", "fact", "source_node_uuid"},
    "found_community": {"uuid", "name", "member_count"},
}
"""What a default tool has to answer, and an entry has to have, because a source's contract has it, never as null."""

OF_OURS = {
    "recall_decisions": {"total"},
    "weekly_rollup": {"totals"},
    "remember": {"message", "name", "recognised", "call", "group_id"},
    "get_schema": {"node_count", "relationship_count", "property_kinds"},
    "explore_node": {"totals", "complete", "truncated"},
    "run_cypher": {"columns"},
    "decision": {"followed_up"},
    "found_node": {"type"},
    "record_facts": {"results", "recorded", "deduplicated", "refused", "names_not_compared", "replayed"},
    "forget": {"message", "kind", "forgotten", "totals", "truncated", "remains", "dry_run", "call"},
    "undo": {"message", "undone_call", "tool", "at", "changes", "call"},
}
"""What is always there besides. Each field costs its tokens in every answer: a new one needs a reason."""


def test_each_field_that_is_always_in_an_answer_is_listed_here():
    common = SCHEMAS[package_files.schemas() / "common.json"]["$defs"]
    tools = {tool.name: read(tool, "output") for tool in TOOLS}
    for name in OF_A_SOURCE.keys() | OF_OURS.keys():
        required = (tools.get(name) or common[name])["required"]

        assert OF_A_SOURCE.get(name, set()) | OF_OURS.get(name, set()) == set(required), name


def test_a_field_on_request_is_optional_or_required_by_a_source():
    """
    Where another contract requires it, it is in every answer.
    """
    for file, schema in SCHEMAS.items():
        for part in parts(schema):
            fields = part["properties"] if part.get("type") == "object" and "properties" in part else {}
            on_request = {name for name, field in fields.items() if field.get("x-detail") == "full"}

            assert not on_request & set(part.get("required", ())), file


# The functions


def test_a_function_takes_what_its_schema_says():
    for tool in TOOLS:
        schema = read(tool, "input")
        first, *others = inspect.signature(tool.run).parameters.values()
        required = {each.name for each in others if each.default is inspect.Parameter.empty}

        assert first.name == ("job" if tool.is_job else "tx"), tool.name
        assert {inspect.Parameter.KEYWORD_ONLY} >= {each.kind for each in others}, tool.name
        # Dispatch takes the conversation, which a function reads in its transaction.
        of_function = set(schema["properties"]) - {dispatch.SESSION_ARGUMENT}
        assert of_function == {each.name for each in others}, tool.name
        assert set(schema["required"]) == required, tool.name


def test_needs_are_declared_by_tools_that_read_and_backups_by_tools_that_write():
    for tool in TOOLS:
        assert not tool.needs or tool.effect is catalogue.Effect.READ, tool.name
        assert tool.backup is None or (tool.effect is not catalogue.Effect.READ and not tool.is_job), tool.name


def test_a_tool_is_well_named_and_described():
    for tool in TOOLS:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", tool.name), tool.name
        assert len(tool.name) <= 40
        assert not tool.name.endswith(("_tool", "_v2", "_new"))
        assert tool.description.split("\n")[0].endswith((".", ":", ",")), tool.name
        assert tool.title == tool.title.strip().capitalize()


def test_a_tool_takes_nothing_it_does_not_name():
    for tool in TOOLS:
        schema = read(tool, "input")

        assert schema["type"] == "object", tool.name
        assert schema["additionalProperties"] is False, tool.name


def test_tools_have_different_names():
    names = [tool.name for tool in TOOLS]

    assert sorted(set(names)) == sorted(names)


def test_every_parameter_says_what_it_is_for():
    for tool in (*TOOLS, *catalogue.tools(catalogue.INTERNAL_TOOLSETS)):
        schema = schemas.load(tool.toolset, tool.name, "input")
        silent = [
            name
            for name, part in schema["properties"].items()
            if not (part.get("description") or schemas.resolve_reference(part, schema).get("description"))
        ]

        assert silent == [], tool.name


# What clients see


def test_a_description_tells_the_default_of_the_function():
    told, used = {}, {}
    for tool in TOOLS:
        parameters = inspect.signature(tool.run).parameters
        for name, part in read(tool, "input")["properties"].items():
            number = re.search(r"[Dd]efault ([\d,.]*\d)", part.get("description", ""))
            if number and parameters[name].default is not None:
                told[tool.name, name] = float(number[1].replace(",", ""))
                used[tool.name, name] = parameters[name].default

    assert told
    assert told == used


def test_an_advertised_schema_is_self_contained():
    for tool in TOOLS:
        for shown in schemas.advertise(tool.toolset, tool.name, vocabulary=WORDS):
            references = {part["$ref"] for part in parts(shown) if "$ref" in part}

            assert {f"#/$defs/{name}" for name in shown.get("$defs", {})} == references, tool.name
            assert not {"$id", "$schema"} & set(shown), tool.name


def test_an_advertised_schema_is_an_object_without_marks_of_ours():
    for tool in TOOLS:
        for shown in schemas.advertise(tool.toolset, tool.name, vocabulary=WORDS):
            jsonschema_rs.meta.validate(shown)
            ours = [name for part in parts(shown) for name in part if name.startswith("x-")]

            assert ours == [], tool.name
            # A client reads the type off the top; a reference there is not followed by all.
            assert (
                shown.get("type", shown.get("$defs", {}).get(shown.get("$ref", "")[8:], {}).get("type")) == "object"
            ), tool.name


def test_an_advertised_input_carries_the_vocabulary_of_the_graph():
    for tool in TOOLS:
        kept = schemas.load(tool.toolset, tool.name, "input")
        shown, _ = schemas.advertise(tool.toolset, tool.name, vocabulary=WORDS)
        # Each list of words stands in a schema once, and costs its tokens once.
        wanted = sorted({part["x-vocabulary"] for part in parts(kept) if "x-vocabulary" in part})
        enums = sorted(part["enum"] for part in parts(shown) if part.get("enum") in WORDS.values())

        assert sorted(WORDS[kind] for kind in wanted) == enums, tool.name


def test_no_word_of_the_vocabulary_is_restated_in_a_schema():
    for tool in TOOLS:
        for side in ("input", "output"):
            said = {word for part in parts(read(tool, side)) for word in part.get("enum", ())}

            assert not said & {"person", "project", "decision", "concept", "source", "decided_in", "belongs_to"}, (
                tool.name
            )


# The examples

MEETS_NOTHING = {
    *("ENTITY_NOT_FOUND", "FACT_NOT_FOUND", "CHANGE_NOT_FOUND", "EPISODE_NOT_FOUND", "COMMUNITY_NOT_FOUND"),
    # No traversal is open that nobody began.
    "TRAVERSAL_NOT_FOUND",
    # No folder is allowed unless somebody says so.
    "PATH_NOT_ALLOWED",
}
"""What an example that names something particular comes to in a graph without it: understood, and told so."""


def works(answer: dict[str, Any]) -> bool:
    return answer.get("error") in {None, *MEETS_NOTHING}


def test_the_examples_work_in_the_order_of_the_catalogue(call):
    for tool in TOOLS:
        examples = read(tool, "input")["examples"]

        assert examples, tool.name
        for example in examples:
            assert works(call(tool.name, **example)), tool.name


def test_an_error_shows_an_example_that_works(call):
    for tool in TOOLS:
        refused = call(tool.name, **read(tool, "input")["examples"][0], nonsense=True)

        assert refused["error"] == "INVALID_ARGUMENTS", tool.name
        assert works(call(tool.name, **refused["example"])), tool.name


# What dispatch enforces


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts another function in the place of that of a tool."""

    def declare(tool: catalogue.Tool, run: Callable[..., dict[str, Any]]) -> None:
        monkeypatch.setitem(catalogue._tools_of(tool.toolset), tool.name, replace(tool, run=run))

    return declare


def test_an_answer_that_breaks_the_output_schema_is_an_error(call, declare):
    for tool in TOOLS:
        declare(tool, lambda tx, **arguments: {"nonsense": True})

        answer = call(tool.name, **read(tool, "input")["examples"][0])

        assert answer["error"] == "INTERNAL_ERROR", tool.name
        assert f"{tool.name} gave an answer that breaks its own contract" in answer["message"]


def test_a_write_whose_answer_breaks_the_output_schema_leaves_nothing_behind(call, declare, path):
    tool = catalogue.find("record_fact")
    before = dump(path)
    declare(tool, lambda tx, **arguments: {**tool.run(tx, **arguments), "fact_id": None})

    answer = call(tool.name, **read(tool, "input")["examples"][0])

    assert ("INTERNAL_ERROR", before) == (answer["error"], dump(path))


def test_arguments_that_break_the_input_schema_never_reach_the_function(call, declare):
    entries: list[dict[str, Any]] = []
    for tool in TOOLS:
        entries.clear()
        declare(tool, lambda tx, **arguments: entries.append(arguments) or {})
        schema, example = schemas.load(tool.toolset, tool.name, "input"), read(tool, "input")["examples"][0]
        wrong = [{**example, "nonsense": True}]
        wrong += [
            {name: value for name, value in example.items() if name != left_out} for left_out in schema["required"]
        ]
        wrong += [
            {**example, name: "x" if schemas.resolve_reference(part, schema).get("type") == "number" else 0.5}
            for name, part in schema["properties"].items()
        ]

        codes = {call(tool.name, **arguments).get("error") for arguments in wrong}

        assert entries == [], tool.name
        assert {code for code, leaf in errors.leaves().items() if issubclass(leaf, errors.InvalidRequest)} >= codes, (
            tool.name
        )


def test_a_function_gets_its_arguments_without_optional_nulls(call, declare):
    entries: list[dict[str, Any]] = []
    for tool in TOOLS:
        entries.clear()
        declare(tool, lambda tx, **arguments: entries.append(arguments) or {})
        schema, example = read(tool, "input"), read(tool, "input")["examples"][0]
        nulls = dict.fromkeys(set(schema["properties"]) - set(schema["required"]))

        call(tool.name, **{**nulls, **example})

        assert [example] == entries, tool.name


# Two validators, one verdict

INPUTS = [
    ("recall_entity", {"name_or_alias": "Ada"}, True),
    ("recall_entity", {"name_or_alias": "x" * 200}, True),
    ("recall_entity", {"name_or_alias": "x" * 201}, False),
    ("recall_entity", {"name_or_alias": "\U0001d538" * 200}, True),
    ("recall_entity", {"name_or_alias": "\U0001d538" * 201}, False),
    ("recall_entity", {"name_or_alias": ""}, False),
    ("recall_entity", {"name_or_alias": "  \t\n"}, True),
    ("recall_entity", {"name_or_alias": "\u3000\u2003\u00a0"}, True),
    ("recall_entity", {"name_or_alias": 7}, False),
    ("recall_entity", {"name_or_alias": None}, False),
    ("recall_entity", {"name_or_alias": ["Ada"]}, False),
    ("recall_entity", {}, False),
    ("recall_entity", {"name_or_alias": "Ada", "more": 1}, False),
    ("recall_decisions", {"project": "Atlas"}, True),
    ("recall_decisions", {"project": "Atlas", "since": "2026-05-01"}, True),
    ("recall_decisions", {"project": "Atlas", "since": ""}, True),
    ("recall_decisions", {"project": "Atlas", "since": 20260501}, False),
    ("recall_decisions", {"since": "2026-05-01"}, True),
    ("recall_decisions", {"topic": "storage", "until": "2026-05-01"}, True),
    ("recall_decisions", {"project": ""}, False),
    ("recall_decisions", {"until": 20260501}, False),
    ("weekly_rollup", {}, True),
    ("weekly_rollup", {"project": "Atlas"}, True),
    ("weekly_rollup", {"project": ["Atlas"]}, False),
    ("get_status", {}, True),
    ("get_status", {"x": None}, False),
    ("record_facts", {"facts": [{}]}, True),
    ("record_facts", {"facts": []}, False),
    ("record_facts", {"facts": [{}] * 1000}, True),
    ("record_facts", {"facts": [{}] * 1001}, False),
    ("record_facts", {"facts": [{}], "all_or_nothing": 1}, False),
    ("record_facts", {"facts": [{}], "all_or_nothing": True}, True),
    ("record_facts", {"facts": [{}], "idempotency_key": "k" * 201}, False),
    ("record_facts", {"facts": {"0": {}}}, False),
]
FACTS = [
    ({}, True),
    ({"confidence": 0}, True),
    ({"confidence": 1}, True),
    ({"confidence": 1.0}, True),
    ({"confidence": 1.0000001}, False),
    ({"confidence": -0.0}, True),
    ({"confidence": -1e-300}, False),
    ({"confidence": True}, False),
    ({"confidence": "1"}, False),
    ({"confidence": 10**18}, False),
    ({"source": "x" * 2000}, True),
    ({"source": "x" * 2001}, False),
    ({"source": ""}, False),
    ({"source": {"uri": "x"}}, False),
    ({"subject": {"id": "ent_1"}}, True),
    ({"subject": {"name": "Ada"}}, True),
    ({"subject": {"type": "person"}}, False),
    ({"subject": {}}, False),
    ({"subject": "Ada"}, False),
    ({"subject": [person("Ada")]}, False),
    ({"subject": literal("Ada")}, False),
    ({"subject": {**person("Ada"), "age": 3}}, False),
    ({"subject": {"type": 1, "name": "Ada"}}, False),
    ({"subject": {"type": "person", "name": 123}}, False),
    ({"subject": {"type": "person", "name": "x" * 201}}, False),
    ({"object": literal("x" * 1000)}, True),
    ({"object": literal("x" * 1001)}, False),
    ({"object": literal("")}, False),
    ({"object": {"literal": 5}}, False),
    ({"object": {"literal": None}}, False),
    ({"object": decision("Go")}, True),
    ({"object": None}, False),
    ({"predicate": 3}, False),
    ({"predicate": "anything"}, True),
    ({"aliases": []}, True),
    ({"aliases": ["a"] * 20}, True),
    ({"aliases": ["a"] * 21}, False),
    ({"aliases": [""]}, False),
    ({"aliases": "a"}, False),
    ({"aliases": [1]}, False),
    ({"valid_from": "2026-05-01"}, True),
    ({"valid_from": ""}, False),
    ({"valid_from": 2026}, False),
    ({"valid_to": "x" * 41}, False),
]
BASE = {"subject": person("Ada"), "predicate": "tagged", "object": concept("Engines")}
INPUTS += [("record_fact", {**BASE, **given}, valid) for given, valid in FACTS]
INPUTS += [("record_fact", {name: BASE[name] for name in BASE if name != gone}, False) for gone in BASE]


@pytest.mark.parametrize(("name", "arguments", "valid"), INPUTS, ids=range(len(INPUTS)))
def test_both_validators_agree(name, arguments, valid):
    schema = schemas.load(catalogue.find(name).toolset, name, "input")
    quick = jsonschema_rs.Draft202012Validator(schema).is_valid(arguments)
    worded = jsonschema.Draft202012Validator(schema, registry=Registry()).is_valid(arguments)

    assert (valid, valid) == (quick, worded)


def test_every_white_space_is_refused_in_words(call):
    """
    The quick validator and the wording one disagree on what white space is; the caller must not notice.
    """
    schema = schemas.load("memory", "recall_entity", "input")
    quick = jsonschema_rs.Draft202012Validator(schema)
    empty = [
        chr(point)
        for point in range(1, 0x10000)
        if not 0xD800 <= point < 0xE000 and not quick.is_valid({"name_or_alias": chr(point)})
    ]

    assert {"NAME_OR_ALIAS_REQUIRED"} == {
        call("recall_entity", name_or_alias=text)["error"] for text in [*empty, "\x1c", "\x85", "\u200b"]
    }


# The errors


def drawn() -> list[tuple[str, str, str | None]]:
    """The tree as errors.py and refusals.py draw it: class, parent and code, from the top down."""
    branch = ("RequestRefused", "KeepgraphError", None)
    return [*drawn_in(errors, "KeepgraphError"), branch, *drawn_in(http_access, "RequestRefused")]


def drawn_in(module: ModuleType, root: str) -> list[tuple[str, str, str | None]]:
    found: list[tuple[str, str, str | None]] = []
    above = [root]
    for line in (module.__doc__ or "").splitlines():
        branch = re.match(r"([│ ]*[├└]── )(\w+)(.*)", line)
        if not branch:
            continue
        depth = len(branch[1]) // 4
        code = re.search(r"\b[A-Z]+(_[A-Z]+)+\b|\b[A-Z]{3,}\b", branch[3])
        above[depth:] = [branch[2]]
        found.append((branch[2], above[depth - 1], code and code[0]))
    return found


def grown(root: type[errors.KeepgraphError] = errors.KeepgraphError) -> list[tuple[str, str, str | None]]:
    """The tree as the classes make it."""
    found = []
    for child in root.__subclasses__():
        if child.__module__ in (errors.__name__, http_access.__name__):
            found.append((child.__name__, root.__name__, vars(child).get("code")))
            found += grown(child)
    return found


def test_the_tree_of_errors_is_as_it_is_drawn():
    assert drawn() == grown()


def test_every_leaf_has_a_code_of_its_own_and_a_hint():
    leaves = [name for name, _, code in grown() if code]

    assert len(leaves) == len(errors.leaves())
    for code, leaf in errors.leaves().items():
        assert not leaf.__subclasses__()
        assert leaf.default_hint, code


def test_every_branch_has_no_code():
    branches = {name for _, name, _ in grown()} - {"KeepgraphError"}

    assert [name for name, _, code in grown() if name in branches and code is not None] == []


# The network


def test_a_schema_that_refers_to_a_network_is_not_fetched(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.3)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/x.json"
        monkeypatch.setattr(schemas, "load", lambda *_: {"$ref": address})
        validation._validator.cache_clear()
        try:
            with pytest.raises(Exception, match=re.escape(address)):
                validation._validator("memory", "recall_entity", "input").is_valid({})
            with pytest.raises(TimeoutError):
                listener.accept()
        finally:
            validation._validator.cache_clear()


def test_the_whole_surface_works_without_a_network(call, monkeypatch):
    def cut_off(*_: object, **__: object) -> None:
        raise AssertionError("something reached for the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, cut_off)
    monkeypatch.setattr(socket, "getaddrinfo", cut_off)
    validation._validator.cache_clear()
    schemas.load.cache_clear()
    call.record(person("Ada"), "decided_in", decision("Go"), source="http://example.com/never-fetched")
    call.record(decision("Go"), "belongs_to", project("Atlas"))
    for tool in TOOLS:
        example = schemas.example(tool.toolset, tool.name)

        assert works(call(tool.name, **example)), tool.name
        assert "error" in call(tool.name, wrong=1)
