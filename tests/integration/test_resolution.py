"""Name resolution: the order of the steps, ids, types before names, abstention, and what is shown of an entity."""

from __future__ import annotations

import json
import random
import re
import string

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.cli.root import kg
from keepgraph.engine.resolution import abstention, fuzzy
from keepgraph.language import name_similarity, normalisation
from keepgraph.model import Settings
from laws import IS_SWEEP, examples
from words import Caller, concept, fact, kind_of_name, literal, person, project, source

HERE = literal("here")


def create(call: Caller, *subjects: dict[str, str], **more: object) -> None:
    """Record these entities, and nothing else."""
    for subject in subjects:
        call.record(subject, "tagged", HERE, **more)


# The steps


@pytest.mark.parametrize(
    ("query", "method", "score"),
    [
        ("João", "exact", 1.0),
        ("JOÃO", "exact", 1.0),
        ("Joa\u0303o", "exact", 1.0),
        ("  joão ", "exact", 1.0),
        ("person:João", "exact", 1.0),
        ("Person : joão", "exact", 1.0),
        ("Johnny", "alias", 0.95),
        ("JOHNNY", "alias", 0.95),
        ("Joao", "fuzzy", 0.983),
    ],
)
def test_the_first_step_that_has_an_answer_decides(call, query, method, score):
    create(call, person("João"), aliases=["Johnny"])
    answer = call("recall_entity", name_or_alias=query)

    assert answer["entity"]["name"] == "João"
    assert (answer["resolution"]["method"], answer["resolution"]["score"]) == (method, score)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("https://raft.github.io/raft.pdf", "Raft paper"),
        ("raft.github.io/raft.pdf?utm_source=mail", "Raft paper"),
        ("https://dl.acm.org/doi/10.1145/1327452.1327492", "MapReduce"),
        ("ISBN 9781942788812", "Team Topologies"),
        ("https://arxiv.org/pdf/1706.03762v5", "Attention"),
        ("https://example.com/home", "Ada"),
        ("https://raft.github.io/other.pdf", None),
        ("https://example.org/shared", None),
        ("https://example.org/cited", "Team Topologies"),
        ("ISBN 9781942788829", None),
    ],
)
def test_an_identifier_kept_as_a_property_or_a_literal_finds_its_entity(call, query, name):
    properties = {
        "Raft paper": {"url": "https://raft.github.io/raft.pdf"},
        "MapReduce": {"ids": {"doi": ["10.1145/1327452.1327492"]}, "mirror": "https://example.org/shared"},
        "Team Topologies": {"isbn": "978-1-942788-81-2", "seen": "https://example.org/cited"},
        "Attention": {"arxiv": "1706.03762", "mirror": "https://example.org/shared/"},
    }
    for source_name, its_properties in properties.items():
        create(call, source(source_name))
        call("update_entity", entity=source(source_name), properties=its_properties)
    call.record(person("Ada"), "tagged", literal("https://www.example.com/home"))
    call.record(person("Ada"), "tagged", literal("https://example.org/cited"))
    answer = call("recall_entity", name_or_alias=query)

    assert (answer["entity"] and answer["entity"]["name"]) == name
    assert answer["resolution"]["method"] == ("alias" if name else "none")


def test_no_entity_is_an_answer(call):
    create(call, person("Ada"))
    answer = call("recall_entity", name_or_alias="Grace")

    assert (answer["entity"], answer["facts"], answer["related_entities"]) == (None, [], [])
    assert answer["resolution"] == {"method": "none", "score": 0.0, "candidates": []}


def test_an_exact_name_beats_an_alias(call):
    create(call, person("Ada"))
    create(call, person("Augusta"), aliases=["Ada King"])
    create(call, concept("Ada King"))

    assert call("recall_entity", name_or_alias="ada king")["entity"]["type"] == "concept"


def test_an_alias_is_found_in_spite_of_a_typo(call):
    create(call, project("Knowledge in Practice"), aliases=["kipi-system"])

    assert call.recalled("kpi-system") == "Knowledge in Practice"


def test_an_alias_is_shown_with_the_entity(call):
    create(call, person("Ada"), aliases=["Countess", "Augusta"])

    assert call("recall_entity", name_or_alias="Ada")["entity"]["aliases"] == ["Countess", "Augusta"]


# Ids


def test_an_id_finds_its_entity_in_either_case(call):
    subject = call.record(person("Ada"), "tagged", HERE)["subject"]

    for query in (subject["id"], subject["id"].upper(), f" {subject['id']} "):
        answer = call("recall_entity", name_or_alias=query)

        assert (answer["entity"]["id"], answer["resolution"]["method"]) == (subject["id"], "exact")


def test_an_unknown_id_finds_nothing(call):
    create(call, person("Ada"))

    assert call.recalled("ent_00000000000000000000099999") is None


def test_a_name_may_look_like_an_id(call):
    create(call, concept("ent_thing"))

    assert call.recalled("ENT_thing") == "ent_thing"


def test_the_id_of_another_type_is_no_project(call):
    subject = call.record(person("Ada"), "tagged", HERE)["subject"]

    assert call("recall_decisions", project=subject["id"])["project"] is None


# A type before the name


def test_a_type_before_the_name_chooses_among_types(call):
    create(call, project("Atlas"), concept("Atlas"))

    for kind in ("project", "concept"):
        assert call("recall_entity", name_or_alias=f"{kind}:atlas")["entity"]["type"] == kind


def test_a_colon_in_a_name_is_not_a_type(call):
    create(call, source("Note: buy milk"), concept("project: x"))

    assert call.recalled("note: BUY milk") == "Note: buy milk"
    assert call.recalled("project: x") == "project: x"


def test_a_type_alone_finds_nothing(call):
    create(call, project("Atlas"))

    assert call.recalled("project:") is None


# Too close to call


def test_one_name_in_two_types_is_too_close_to_call(call):
    create(call, project("Atlas"), concept("atlas"))
    answer = call("recall_entity", name_or_alias="Atlas")

    assert answer["entity"] is None
    assert answer["resolution"]["method"] == "none"
    assert {candidate["type"] for candidate in answer["resolution"]["candidates"]} == {"project", "concept"}


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("recall_entity", {"name_or_alias": "Juno"}),
        ("explore_node", {"name": "Juno"}),
        ("get_entity_connections", {"entity_uuid": "Juno"}),
        ("get_entity_neighbors", {"entity_id": "Juno"}),
        ("get_entity_timeline", {"entity_uuid": "Juno"}),
        ("query_entity_relations", {"entity_id": "Juno"}),
        ("trace_path", {"from_entity": "Juno", "to_entity": "Bob"}),
        ("search", {"query": "here", "center_node_uuid": "Juno"}),
        ("search_nodes", {"query": "here", "center_node_uuid": "Juno"}),
        ("expand_context", {"entity_ids": ["Juno"]}),
        ("verify_relation", {"from_entity": "Juno", "to_entity": "Bob", "relation_type": "knows"}),
        ("extract_graph", {"about": "Juno"}),
        ("get_history", {"about": "Juno"}),
        ("explain", {"what": "Juno"}),
        ("add_alias", {"entity": {"name": "Juno"}, "alias": "J"}),
    ],
)
def test_where_two_have_a_name_every_tool_says_so_and_gives_both(call, tool, arguments):
    create(call, project("Juno"), concept("Juno"), person("Bob"))
    ids = {entity["id"] for entity in call("list_entities")["entities"] if entity["name"] == "Juno"}
    answer = json.dumps(call(tool, **arguments), ensure_ascii=False)

    assert re.search("(?i)(two|2 entities|several things) are called ['“]Juno['”]", answer)
    assert all(public_id in answer for public_id in ids)
    assert not re.search("(?i)no node found|no connections found|“juno” is not known", answer)


@pytest.mark.parametrize("command", ["recall", "show", "timeline", "neighbours", "history"])
def test_where_two_have_a_name_the_command_says_so_and_gives_both(call, path, command):
    create(call, project("Juno"), concept("Juno"))
    ids = {entity["id"] for entity in call("list_entities")["entities"]}
    done = CliRunner().invoke(kg, ["--db", str(path), command, "Juno"])

    assert done.exit_code == 3
    assert "Two are called “Juno”" in done.output
    assert all(public_id in done.output for public_id in ids)
    assert "is known" not in done.output


# Names that only texts have


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("Oluwaseun Adeyemi", ["Oluwaseun Adeyemi called.", "Lunch with Oluwaseun Adeyemi was good."]),
        ("Dag", ["I told Dag on Tuesday.", "Dag said so."]),
        ("dag", ["I told Dag on Tuesday."]),
        ("Penrose", ["The Penrose offer is here."]),
        ("田中", ["田中さんから電話"]),
        ("Mark", ["I told Mark on Tuesday."]),
    ],
)
def test_of_a_name_that_only_texts_have_the_texts_are_the_answer(call, query, texts):
    """
    It is not recorded, and the answer says in how many texts it is, with an id, a date and a line of each.
    """
    create(call, person("Bob"))
    ids = {call("add_memory", name="Note", episode_body=text)["uuid"] for text in texts}
    call("add_memory", name="Other", episode_body="They mark it, and dagger is a word.")
    answer = call("recall_entity", name_or_alias=query)

    assert answer["entity"] is None
    assert len(texts) == answer["texts"]["total"]
    assert ids == {text["doc_id"] for text in answer["texts"]["newest"]}
    assert set(texts) == {text["quote"] for text in answer["texts"]["newest"]}
    assert f"“{query}” is not recorded." in answer["resolution"]["hint"]


def test_of_a_name_in_texts_the_near_entity_is_named_before_another_is_recorded(call):
    create(call, note := {"type": "note", "name": "Dr. Maria Keller"})
    call("add_memory", name="Note", episode_body="Ask Keller about the GPU.")
    resolution = call("recall_entity", name_or_alias="Keller")["resolution"]

    assert [note["name"]] == [candidate["name"] for candidate in resolution["candidates"]]
    assert resolution["hint"].endswith("It may be “Dr. Maria Keller”; if not, record a fact about it.")


def test_a_command_shows_the_texts_that_have_a_name(call, path):
    call("add_memory", name="Note", episode_body="I told Dag on Tuesday.", reference_time="2026-03-02T12:00:00Z")
    done = CliRunner().invoke(kg, ["--db", str(path), "recall", "Dag"])

    assert done.exit_code == 3
    assert "“Dag” is not recorded. A text mentions it" in done.output
    assert "I told Dag on Tuesday." in done.output
    assert "2026-03-02" in done.output


def test_a_name_that_only_texts_have_is_not_taken_for_a_shorter_known_one(call):
    create(call, person("Jenny"), project("Harbor"))
    call("add_memory", name="Note", episode_body="Jenny Miller flew to Pearl Harbor.")
    answers = [call("recall_entity", name_or_alias=name) for name in ("Jenny Miller", "Pearl Harbor")]

    assert [answer["entity"] for answer in answers] == [None, None]
    assert [answer["texts"]["total"] for answer in answers] == [1, 1]


def test_a_first_name_that_two_people_have_is_too_close_to_call(call):
    create(call, person("Sarah Connor"), person("Sarah Smith"))
    answer = call("recall_entity", name_or_alias="Sarah")

    assert answer["entity"] is None
    assert [candidate["name"] for candidate in answer["resolution"]["candidates"]] == ["Sarah Connor", "Sarah Smith"]


def test_a_first_name_that_one_person_has_finds_that_person(call):
    create(call, person("Sarah Connor"), person("Kyle Reese"))

    assert call.recalled("Sarah") == "Sarah Connor"
    assert call.recalled("reese") == "Kyle Reese"


SHORTER_AND_LONGER = [
    (person("Ines Duarte"), person("Ines Maria Duarte")),
    (person("Debbie Kessler"), person("Deborah Kessler-Wynn")),
    (concept("Svalbard seed vault"), concept("Svalbard Global Seed Vault")),
]


@pytest.mark.parametrize(("stored", "asked"), [pair[::way] for pair in SHORTER_AND_LONGER for way in (1, -1)])
def test_either_of_two_names_finds_the_other(call, stored, asked):
    create(call, stored)

    assert call.recalled(asked["name"]) == stored["name"]


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        (person("Sarah"), "Sarah Connor"),
        (person("Sarah Connor"), "Interview with Sarah Connor"),
        (person("Sarah Connor"), "mother of Sarah Connor"),
        (project("Osprey"), "Osprey backpack"),
        (project("The Salt Road"), "Salt Road sound mix"),
        (project("Lighthouse"), "Lighthouse 2"),
    ],
)
def test_a_name_with_more_beside_it_may_name_another_thing(call, stored, asked):
    create(call, stored)

    assert call.recalled(asked) is None


def test_an_exact_name_beats_a_part_of_another(call):
    create(call, person("Sarah Connor"), person("Sarah"))

    assert call.recalled("sarah") == "Sarah"


def test_an_alias_of_two_is_too_close_to_call(call):
    create(call, person("Ada Lovelace"), aliases=["The Boss"])
    create(call, person("Grace Hopper"), aliases=["the boss"])
    answer = call("recall_entity", name_or_alias="The boss")

    assert answer["entity"] is None
    assert [candidate["method"] for candidate in answer["resolution"]["candidates"]] == ["alias", "alias"]


@pytest.mark.parametrize("query", ["Project C", "Project", "project:C", "A"])
def test_a_sibling_is_not_taken_for_another(call, query):
    create(call, project("Project A"), project("Project B"), project("Project Alpha One"))

    assert call.recalled(query) is None or normalisation.key(query) in {"a", "project a"}


def test_similar_names_are_candidates_when_none_matches(call):
    create(call, project("Q3 2025 roadmap"))
    answer = call("recall_entity", name_or_alias="Q3 2026 roadmap")

    assert answer["entity"] is None
    assert [candidate["name"] for candidate in answer["resolution"]["candidates"]] == ["Q3 2025 roadmap"]
    assert answer["resolution"]["candidates"][0]["score"] < Settings().accept


def test_candidates_are_few_and_the_best_come_first(call):
    create(call, *(project(f"Roadmap {year}") for year in range(2000, 2030)))
    candidates = call("recall_entity", name_or_alias="Roadmap 1999")["resolution"]["candidates"]

    assert len(candidates) == abstention.MAX_CANDIDATES
    assert [candidate["score"] for candidate in candidates] == sorted(
        (candidate["score"] for candidate in candidates), reverse=True
    )


def test_the_same_question_gets_the_same_answer(call):
    create(call, *(project(f"Roadmap {year}") for year in range(2000, 2030)))
    answers = [call("recall_entity", name_or_alias="Roadmap 1999") for _ in range(3)]

    assert answers[1:] == answers[:-1]


def test_another_group_is_not_seen(open_graph):
    ours, theirs = Caller(open_graph(group="ours")), Caller(open_graph(group="theirs"))
    create(theirs, person("Roberto"), aliases=["Bobby"])
    create(ours, person("Ada"))

    for query in ("Roberto", "Bobby", "Robrto", "Bobbyy"):
        answer = ours("recall_entity", name_or_alias=query)

        assert (answer["entity"], answer["resolution"]["candidates"]) == (None, [])


def test_names_in_another_group_are_no_duplicates(open_graph):
    ours, theirs = Caller(open_graph(group="ours")), Caller(open_graph(group="theirs"))
    create(theirs, person("Roberto"))

    assert ours.record(person("Robrto"), "tagged", HERE)["possible_duplicates"] == []


@pytest.mark.parametrize(
    ("query", "name"),
    [("Jhon", "John"), ("O Connor", "O'Connor"), ("post gres", "Postgres"), ("machinelearning", "machine learning")],
)
def test_a_name_is_found_in_spite_of_a_common_typo(call, query, name):
    create(call, person(name))

    assert call.recalled(query) == name


# Odd queries


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    "query",
    [
        '"',
        "'",
        '" OR "',
        "NEAR(a b)",
        "a* OR b*",
        "{folded}: x",
        "-",
        "()",
        "AND",
        "NOT",
        "%",
        "_",
        "\\",
        "; DROP",
        "🚀",
        "٣",
    ],
)
def test_fts5_syntax_in_a_query_means_nothing(call, query):
    create(call, person("Ada Lovelace"))

    assert call.recalled(query) is None
    assert call.recalled(f"Ada{query}Lovelace") in (None, "Ada Lovelace")


@pytest.mark.parametrize("name", ['say "hi" now', "it's", "a*b*c", "100% sure", "C++", "東京", "🚀🚀", "NULL", "--"])
def test_an_odd_name_is_found_as_it_was_given(call, name):
    create(call, concept(name))

    assert call.recalled(name) == name


# Candidate generation misses no match

WORLD = [
    "Ada", "Priya", "Sarah Connor", "Roberto", "Katherine Johnson", "Ada Lovelace", "Jean-Luc Picard", "O'Connor",
    "João da Silva", "Søren Kierkegaard", "Łukasz Nowak", "Иван Достоевский", "Kubernetes", "Postgres", "SQLite",
    "Adopt SQLite", "machine learning", "Node.js", "Q3 2025 roadmap", "Atlas", "Project Hail Mary", "kipi-system",
    "continuous integration", "internationalization", "Release 1.2", "Design doc 12", "Weekly Stand-up", "C++ guide",
    "front end", "Acme Inc.", "the Beatles", "Elasticsearch cluster", "onboarding", "Go vet", "Zoë", "Al Gore",
    "John", "Ruth Marx", "Omar", "Acme", "Lovelace & Sons", "Ben Ali",
    "Bo Xi Lai", "αλφάβητο", "xy", "Nine Inch Nails", "A Tribe Called Quest", "mm mm mm", "aaaa", "banana bandana",
]  # fmt: skip


def typos_of(name: str, letters: str) -> set[str]:
    """All names that differ from it by one typo."""
    typos = {name[:i] + name[i + 1 :] for i in range(len(name))}
    typos |= {name[:i] + name[i + 1] + name[i] + name[i + 2 :] for i in range(len(name) - 1)}
    typos |= {name[:i] + letter + name[i:] for i in range(len(name) + 1) for letter in letters}
    typos |= {name[:i] + letter + name[i + 1 :] for i in range(len(name)) for letter in letters}
    return typos - {name}


def missed(call: Caller, world: list[str], queries: set[str], kind: str) -> list[tuple[str, str]]:
    """The names that match one of the queries, and are not among its candidates."""
    missing = []
    names = [normalisation.Name(name) for name in world]
    with call.graph.database.read("test") as tx:
        for query in sorted(queries):
            asked = normalisation.Name(query)
            # The name itself is found by its key, in a step before this one.
            expected = {
                name.written
                for name in names
                if name.key != asked.key
                and name_similarity.compare(asked, name, **kind_of_name(kind)).score >= name_similarity.MATCH_THRESHOLD
            }
            if expected:
                found = {
                    candidate.entity.name
                    for candidate in fuzzy.rank(tx, asked)
                    if candidate.score >= name_similarity.MATCH_THRESHOLD
                }
                missing += [(query, name) for name in expected - found]
    return missing


@pytest.mark.law
@pytest.mark.parametrize("kind", ["person", "concept"])
def test_every_match_is_a_candidate(call, kind):
    """
    With every tenth slip; in the sweeps with each.
    """
    create(call, *({"type": kind, "name": name} for name in WORLD))
    queries = {query for name in WORLD for query in sorted(typos_of(name, "ex "))[:: 1 if IS_SWEEP else 10]}
    queries |= {name.replace(" ", "") for name in WORLD} | {name.replace("-", " ") for name in WORLD}
    queries |= {" ".join(reversed(name.split())) for name in WORLD} | {word for name in WORLD for word in name.split()}

    assert missed(call, WORLD, queries, kind) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["person", "concept"])
def test_nearly_every_match_with_two_typos_is_a_candidate(call, kind):
    create(call, *({"type": kind, "name": name} for name in WORLD))
    chance = random.Random(7)
    queries = set()
    for name in WORLD:
        for once in sorted(typos_of(name, string.ascii_lowercase[:6] + " ")):
            queries.add(once)
            queries.add(chance.choice(sorted(typos_of(once, "ae "))))

    assert len(missed(call, WORLD, queries, kind)) < len(queries) / 200


@examples(10, sweep=400)
@given(
    world=st.lists(
        st.lists(st.text("abcdeio1ß", min_size=1, max_size=11), min_size=1, max_size=3).map(" ".join),
        min_size=1,
        max_size=6,
        unique_by=normalisation.key,
    ),
    chance=st.randoms(use_true_random=False),
    kind=st.sampled_from(["person", "project"]),
)
def test_every_match_is_a_candidate_among_any_names(new_file, world, chance, kind):
    import keepgraph

    with keepgraph.open(new_file()) as graph:
        call = Caller(graph)
        create(call, *({"type": kind, "name": name} for name in world))
        queries = {chance.choice(sorted(typos_of(name, "abe "))) for name in world for _ in range(12)}

        assert missed(call, world, {query for query in queries if query.strip()}, kind) == []


def test_a_name_is_found_among_many_similar_ones(call):
    """
    Hundreds of names that share its words must not push out the one that is meant.
    """
    crowd = [
        fact(person(f"Katherine {a}{b}son"), "tagged", HERE) for a in "BCDFGHKLMNPRSTVW" for b in ("er", "ar", "om")
    ]
    crowd += [fact(concept(f"Katherine plan {n}"), "tagged", HERE) for n in range(400)]
    assert call("record_facts", facts=[*crowd, fact(person("Katherine Johnson"), "tagged", HERE)])["refused"] == 0

    assert call.recalled("Katherine Jonhson") == "Katherine Johnson"
    assert call.recalled("Katehrine Johnson") == "Katherine Johnson"
    assert call.recalled("Johnson") == "Katherine Johnson"
    assert call.recalled("Jonson, Katherine") == "Katherine Johnson"


def test_a_project_is_found_among_others_of_its_name(call):
    crowd = [fact(concept(f"Atlas part {n}"), "tagged", HERE) for n in range(300)]
    crowd += [fact(person(f"Atlsa {chr(97 + n % 26)}{chr(97 + n // 26)}xo"), "tagged", HERE) for n in range(100)]
    call("record_facts", facts=[*crowd, fact(project("Atlas"), "tagged", HERE)])

    assert call("recall_decisions", project="Atlsa")["project"]["name"] == "Atlas"


# What an answer shows of an entity


def test_facts_come_newest_first_in_both_directions(call, clock):
    for predicate, object in (("belongs_to", project("Atlas")), ("tagged", HERE)):
        call.record(person("Ada"), predicate, object)
        clock.pass_by(minutes=1)
    call.record(person("Grace"), "reports_to", person("Ada"))
    answer = call("recall_entity", name_or_alias="Ada")

    assert [fact["predicate"] for fact in answer["facts"]] == ["reports_to", "tagged", "belongs_to"]


def test_neighbours_are_counted_and_an_entity_is_not_its_own(call):
    call.record(person("Ada"), "belongs_to", project("Atlas"))
    call.record(project("Atlas"), "depends_on", person("Ada"))
    call.record(person("Ada"), "reports_to", person("Grace"))
    call.record(person("Ada"), "depends_on", person("Ada"))
    near = call("recall_entity", name_or_alias="Ada")["related_entities"]

    assert [(neighbour["name"], neighbour["co_occurrence_count"]) for neighbour in near] == [("Atlas", 2), ("Grace", 1)]


def test_long_lists_are_cut_and_say_so(call):
    many = [fact(person("Ada"), "depends_on", concept(f"Part {n}")) for n in range(501)]
    call("record_facts", facts=many)
    answer = call("recall_entity", name_or_alias="Ada")

    assert (len(answer["facts"]), answer["truncated_facts"]) == (500, True)
    assert (len(answer["related_entities"]), answer["truncated_related_entities"]) == (20, True)


def test_lists_of_exactly_the_longest_length_are_not_cut(call):
    call(
        "record_facts",
        facts=[
            fact(person("Ada"), "depends_on", concept(f"Part {n % 20}"), valid_from=f"20{n // 20:02}-01-01")
            for n in range(500)
        ],
    )
    answer = call("recall_entity", name_or_alias="Ada")

    assert (len(answer["related_entities"]), answer["truncated_related_entities"]) == (20, False)
    assert answer["truncated_facts"] is False


def test_only_facts_that_hold_now_are_shown(call, clock):
    call.record(person("Ada"), "belongs_to", project("Past"), valid_to="2026-05-14")
    call.record(person("Ada"), "belongs_to", project("Present"), valid_to="2026-05-15")
    call.record(person("Ada"), "belongs_to", project("Future"), valid_from="2026-05-16")
    answer = call("recall_entity", name_or_alias="Ada")

    assert [fact["object"]["name"] for fact in answer["facts"]] == ["Present"]
    clock.pass_by(days=1)
    assert [fact["object"]["name"] for fact in call("recall_entity", name_or_alias="Ada")["facts"]] == ["Future"]
