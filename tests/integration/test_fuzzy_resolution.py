"""The fuzzy step of name resolution: nicknames, spellings, scripts, initials, acronyms, parts of names; abstention."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import keepgraph
from keepgraph.language import abbreviations, name_similarity, normalisation
from keepgraph.model import Settings
from laws import examples
from words import Caller, concept, decision, fact, kind_of_name, literal, person, project, source

KINDS = ["person", "project", "decision", "concept", "source"]
HERE = literal("here")


def create(call: Caller, *subjects: dict[str, str], **more: Any) -> None:
    """Record these entities, and nothing else."""
    assert call("record_facts", facts=[fact(subject, "tagged", HERE, **more) for subject in subjects])["refused"] == 0


def candidates(answer: dict[str, Any]) -> set[str]:
    return {candidate["name"] for candidate in answer["resolution"]["candidates"]}


# Nicknames, in several languages


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Bob", "Robert Hughes"),
        ("bobby hughes", "Robert Hughes"),
        ("Robert", "Bob Hughes"),
        ("Liz Moore", "Elizabeth Moore"),
        ("Betsy", "Elizabeth Moore"),
        ("Peggy Sullivan", "Margaret Sullivan"),
        ("Jack Smith", "John Smith"),
        ("Mo", "Mohammed Said"),
        ("Tom Lang", "Thomas Edward Lang"),
        ("Pepe", "José Fernández Ruiz"),
        ("Paco Morales", "Francisco Morales"),
        ("Nacho", "Ignacio Vidal"),
        ("Xavi", "Xavier Font"),
        ("Beppe Romano", "Giuseppe Romano"),
        ("Sepp", "Josef Huber"),
        ("Uschi", "Ursula Brandt"),
        ("Gosia", "Małgorzata Nowak"),
        ("Kasia Nowak", "Katarzyna Nowak"),
        ("Vanya Petrov", "Ivan Petrov"),
        ("Саша", "Александр Волков"),
        ("Sasha Volkov", "Александр Волков"),
        ("Саша Волков", "Alexander Volkov"),
        ("Mitya Kuznetsov", "Дмитрий Кузнецов"),
        ("Venky", "Venkatesh Iyer"),
    ],
)
def test_a_person_is_found_by_a_nickname_with_the_reason(call, query, name):
    create(call, person(name), person("Ada Lovelace"), project("Bob the builder"))
    answer = call("recall_entity", name_or_alias=query)

    assert answer["entity"]["name"] == name
    assert answer["resolution"]["method"] == "fuzzy"
    assert "is short for" in answer["resolution"]["because"]


def test_the_reason_says_whose_nickname_it_is(call):
    create(call, person("Robert Hughes"))

    assert call("recall_entity", name_or_alias="Bob")["resolution"]["because"] == "“bob” is short for “robert”"


@pytest.mark.parametrize(
    ("query", "fitting"),
    [
        ("Bob", {"Robert Hughes", "Robert Miller"}),
        ("Sasha", {"Александр Волков", "Alexandra Novak"}),
        ("Chris", {"Christopher Lee", "Christina Ricci"}),
        ("Pat", {"Patrick O'Brien", "Patricia Clark"}),
        ("Lena", {"Elena Sokolova", "Magdalena Nowak"}),
        ("Enzo", {"Vincenzo Rossi", "Lorenzo Conti"}),
        ("Danny", {"Daniel Fischer", "Daniel Osei"}),
        ("Muhammad", {"Mohammed Said", "Mohamed Farah"}),
    ],
)
def test_a_nickname_that_fits_two_finds_neither_and_names_both(call, query, fitting):
    create(call, *map(person, sorted(fitting)))
    answer = call("recall_entity", name_or_alias=query)

    assert answer["entity"] is None
    assert answer["resolution"]["method"] == "none"
    assert candidates(answer) == fitting


def test_a_surname_decides_between_two_of_one_nickname(call):
    create(call, person("Robert Hughes"), person("Robert Miller"))

    assert call.recalled("Bob Miller") == "Robert Miller"


def test_a_person_whose_name_is_the_nickname_comes_first(call):
    create(call, person("Robert Hughes"), person("Bob"))

    assert call.recalled("bob") == "Bob"


def test_an_alias_comes_before_a_nickname(call):
    create(call, person("Robert Hughes"))
    create(call, person("Ada Lovelace"), aliases=["Bob"])

    assert call.recalled("Bob") == "Ada Lovelace"


def test_things_have_no_nicknames(call):
    create(call, project("Robert"), concept("William"))

    assert [call.recalled(query) for query in ("Bob", "Bill", "Rob")] == [None, None, None]


# Other spellings, other scripts


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mohammed Said", "Muhammad Said"),
        ("Mohamed al-Rashid", "Muhammad al-Rashid"),
        ("Yusuf Haddad", "Youssef Haddad"),
        ("Layla Haddad", "Leila Haddad"),
        ("Catherine Doyle", "Katherine Doyle"),
        ("Stephen King", "Steven King"),
        ("Geoffrey Bloom", "Jeffrey Bloom"),
        ("Sergei Ivanov", "Sergey Ivanov"),
        ("Jürgen Müller", "Juergen Mueller"),
        ("Søren Kjærgaard", "Soren Kjaergaard"),
        ("Yūko Satō", "Yuuko Satou"),
        ("Иван Петров", "Ivan Petrov"),
        ("Ирина Петрова", "Irina Petrova"),
        ("Юлия Смирнова", "Yulia Smirnova"),
        ("张伟", "Zhang Wei"),
        ("张伟", "Wei Zhang"),
        ("Γιώργος Παπαδόπουλος", "Giorgos Papadopoulos"),
        ("さくら", "Sakura"),
    ],
)
def test_a_person_is_found_in_either_spelling(open_graph, tmp_path, one, other):
    for place, (name, query) in enumerate(((one, other), (other, one))):
        call = Caller(open_graph(tmp_path / f"{place}.db"))
        create(call, person(name), person("Ada Lovelace"))

        assert call.recalled(query) == name


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Иван Петров", "Irina Petrova"),
        ("Ирина Петров", "Ирина Петрова"),
        ("Александра Волкова", "Alexander Volkov"),
        ("张伟", "Wang Wei"),
        ("田中太郎", "田中次郎"),
    ],
)
def test_another_script_does_not_make_another_person_the_same(call, query, name):
    create(call, person(name))

    assert call.recalled(query) is None


@pytest.mark.parametrize(
    ("kind", "query", "name"),
    [("person", "张伟", "章薇"), ("concept", "事实", "实施"), ("concept", "期中", "期终"), ("person", "علي", "عالي")],
)
def test_names_that_are_similar_only_when_romanised_do_not_match(call, kind, query, name):
    create(call, {"type": kind, "name": name})

    assert call.recalled(query) is None


# Initials


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("J. Smith", "John Smith"),
        ("j smith", "John Smith"),
        ("Smith, J.", "John Smith"),
        ("John S.", "John Smith"),
        ("JS", "John Smith"),
        ("J.S.", "John Smith"),
        ("T. E. Lang", "Thomas Edward Lang"),
        ("Thomas E. Lang", "Thomas Edward Lang"),
        ("Thomas Lang", "Thomas E. Lang"),
        ("JLM", "Jean-Luc Moreau"),
        ("J.-L. Moreau", "Jean-Luc Moreau"),
        ("A. Volkov", "Александр Волков"),
        ("M. al-Rashid", "Muhammad al-Rashid"),
    ],
)
def test_a_person_is_found_by_initials(call, query, name):
    create(call, person(name), person("Ada Lovelace"))

    assert call.recalled(query) == name


@pytest.mark.parametrize(
    ("query", "fitting"),
    [
        ("JS", [person("John Smith"), person("Jane Sanders")]),
        ("J. Smith", [person("John Smith"), person("Joan Smith")]),
        ("JS", [person("John Smith"), concept("JavaScript")]),
        ("J.M.", [person("Jürgen Müller"), person("Jean-Luc Moreau")]),
        ("NYC", [concept("New York City"), project("Nice Yellow Cab")]),
    ],
)
def test_initials_that_fit_two_find_neither_and_name_both(call, query, fitting):
    create(call, *fitting)
    answer = call("recall_entity", name_or_alias=query)

    assert answer["entity"] is None
    assert candidates(answer) == {entity["name"] for entity in fitting}


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("K. Hughes", "Robert Hughes"),
        ("Robert B.", "Robert Hughes"),
        ("B. H.", "Robert Hughes"),
        ("js", "John Smith"),
        ("J", "John Smith"),
        ("S", "John Smith"),
        ("ok", "Olga Kim"),
    ],
)
def test_initials_that_do_not_match_find_nobody(call, query, name):
    create(call, person(name))

    assert call.recalled(query) is None


# Acronyms and abbreviations


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("NYC", "New York City"),
        ("nyc", "New York City"),
        ("N.Y.C.", "New York City"),
        ("New York City", "NYC"),
        ("WHO", "World Health Organization"),
        ("W.H.O.", "World Health Organization"),
        ("the W.H.O.", "World Health Organization"),
        ("the WHO", "World Health Organization"),
        ("PG", "PostgreSQL"),
        ("pg", "PostgreSQL"),
        ("postgres", "PostgreSQL"),
        ("k8s", "Kubernetes"),
        ("i18n", "Internationalization"),
        ("a11y", "Accessibility"),
        ("LLMs", "LLM"),
        ("O.K.R.s", "OKR"),
        ("single sign-on", "SSO"),
        ("Single Sign On", "SSO"),
        ("objectives and key results", "OKR"),
        ("conflict-free replicated data type", "CRDT"),
        ("natural language processing", "NLP"),
        ("2FA", "Two-factor authentication"),
        ("ML", "Machine learning"),
        ("RPi", "Raspberry Pi"),
        ("DDIA", "Designing Data-Intensive Applications"),
        ("cpp", "C++"),
    ],
)
def test_a_thing_is_found_by_its_acronym_or_abbreviation_and_the_other_way_round(call, query, name):
    create(call, concept(name), concept("Vienna"), person("Ada Lovelace"))

    assert call.recalled(query) == name


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("who", "World Health Organization"),
        ("Who", "World Health Organization"),
        ("WTO", "World Health Organization"),
        ("SSD", "SSO"),
        ("l10n", "Internationalization"),
        ("k9s", "Kubernetes"),
        ("PGP", "PostgreSQL"),
        ("NYT", "New York City"),
        ("New York Times", "NYC"),
        ("C", "C++"),
        ("F#", "C#"),
        ("the", "Theatre"),
        ("it", "Information technology"),
        ("LLM 2", "LLM"),
    ],
)
def test_another_abbreviation_is_something_else(call, query, name):
    create(call, concept(name))

    assert call.recalled(query) is None


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("or", "Operating room"),
        ("us", "United States"),
    ],
)
def test_a_small_word_is_not_an_abbreviation(call, query, name):
    create(call, concept(name))

    assert call.recalled(query) is None


@pytest.mark.parametrize(
    ("query", "name"),
    [("customer interview", "CI"), ("user interview", "UI"), ("annual increase", "AI"), ("ask Quentin", "AQ")],
)
def test_two_words_are_not_the_full_form_of_any_two_letters(call, query, name):
    create(call, concept(name))

    assert call.recalled(query) is None


def test_initials_are_found_whatever_another_group_has(open_graph):
    ours, theirs = Caller(open_graph(group="ours")), Caller(open_graph(group="theirs"))
    create(theirs, *(concept(f"Nine yellow cabs{n}") for n in range(9)))
    create(ours, concept("New Young Cinema"))

    assert ours.recalled("NYC") == "New Young Cinema"


# Distinctive parts


@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("kipi", project("kipi-system")),
        ("Atlas", project("Atlas 2025")),
        ("feature store", project("ml-feature-store")),
        ("churn prediction", project("Customer Churn Prediction")),
        ("adopt SQLite", decision("Adopt SQLite for local storage")),
        ("dark mode by default", decision("Enable dark mode by default")),
        ("Man-Month", source("The Mythical Man-Month")),
    ],
)
def test_a_distinctive_part_is_enough(call, query, subject):
    create(call, subject, concept("Vienna"), person("Ada Lovelace"))
    answer = call("recall_entity", name_or_alias=query)

    assert answer["entity"]["name"] == subject["name"]
    assert answer["resolution"]["because"] == "part of the name"


@pytest.mark.parametrize(
    "others",
    [[project("kipi-web")], [concept("Kipi")], [project("kipi")], [project("kipi-web"), concept("kipi-docs")]],
)
def test_a_part_that_other_names_have_too_is_not_enough(call, others):
    create(call, project("kipi-system"), *others)

    assert call.recalled("kipi") in {None, "Kipi", "kipi"}
    assert call.recalled("kipi-system") == "kipi-system"


def test_a_part_of_two_names_gives_both_as_candidates(call):
    create(call, project("kipi-system"), project("kipi-web"))
    answer = call("recall_entity", name_or_alias="kipi")

    assert (answer["entity"], candidates(answer)) == (None, {"kipi-system", "kipi-web"})


@pytest.mark.parametrize(
    "query", ["SQLite", "sqlite", "local", "storage", "Adopt", "SQLlite", "Jira", "Linear", "2026"]
)
def test_a_single_word_of_a_decision_is_never_enough(call, query):
    create(
        call,
        decision("Adopt SQLite for local storage"),
        decision("Switch from Jira to Linear"),
        decision("Postpone the Japan launch to 2026"),
    )

    assert call.recalled(query) is None


@pytest.mark.parametrize("query", ["PostgreSQL", "postgres", "decision:PostgreSQL"])
def test_a_single_word_of_a_short_decision_is_not_enough_either(call, query):
    create(call, decision("Use PostgreSQL"))

    assert call.recalled(query) is None


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("shut down the office in Lisbon", decision("Close the Lisbon office")),
        ("switch to Zulip", decision("Replace Slack with Zulip")),
        ("FOI request", concept("Freedom of information request")),
        ("the annual GDC talk", project("Annual game developers conference talk")),
        ("The Rider", source("The Rider by Tim Krabbé")),
        ("Christmas oratorio", project("Xmas Oratorio")),
        ("Filip Beauchamp", person("Philippe Beauchamp")),
        ("what is Noor working on?", person("Noor Hashemi")),
        ("EP3412087 opposition", project("EP 3 412 087 opposition")),
        ("EP 3 412 087 opposition", project("EP3412087 opposition")),
        ("gRNA", concept("guide RNA")),
        ("Maître Sauvignac", person("Valérie Sauvignac")),
        ("rail, not lorry", decision("Ship by rail instead of lorry")),
    ],
)
def test_what_is_said_in_other_words_is_found(call, query, known):
    create(call, known, concept("Slack"), decision("Open a Porto office"))

    assert known["name"] == call.recalled(query)


def test_an_organisation_is_found_beside_a_decision_that_mentions_it(call):
    create(call, project("Straumann Group"), decision("Switch aligners to Straumann"))

    assert call.recalled("Straumann") == "Straumann Group"


def test_a_noun_before_a_whole_name_does_not_hide_it(call):
    create(call, person("Nils Åker"), person("Isolde Farrow"))

    assert call.recalled("our plumber Nils Aker") == "Nils Åker"
    assert call.recalled("the ferry Isolde") is None
    create(call, concept("Isolde"))
    assert call.recalled("the ferry Isolde") == "Isolde"


def test_of_two_with_one_surname_the_title_tells(call):
    create(call, person("Dr. Ravi Subramanian"), person("Priyanka Subramanian"))

    assert call.recalled("Dr Subramanian") == "Dr. Ravi Subramanian"
    assert call.recalled("Subramanian") is None


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("Graham Whitlock Jr.", person("Graham Whitlock, Sr.")),
        ("Herr Pfeiffer", person("Hannelore Pfeiffer")),
        ("FOI appeal", concept("Freedom of information request")),
        ("EP3412078 opposition", project("EP 3 412 087 opposition")),
        ("move drill night to Tuesdays", decision("Move drill night to Thursdays")),
        ("move to Berlin", decision("Move from Berlin")),
        ("raise the price by £3", decision("Raise the price to £3")),
        ("import only organic wines until 2027", decision("Import only organic wines from 2027")),
        ("The Writer", source("The Rider by Tim Krabbé")),
        ("switch to Slack", decision("Replace Slack with Zulip")),
    ],
)
def test_another_than_is_known_is_not_taken_for_it(call, query, known):
    create(call, known)

    assert call.recalled(query) is None


@pytest.mark.parametrize(("query", "name"), [("US", "Use SQLite"), ("UP", "Use PostgreSQL"), ("HR", "Hire Rob")])
def test_a_decision_has_no_initials(call, query, name):
    create(call, decision(name))

    assert call.recalled(query) is None


@pytest.mark.parametrize(
    ("query", "entity", "is_it"),
    [
        ("LS", person("Lena Quinn Smith"), True),
        ("LS", concept("Login Query Service"), False),  # two letters of three words are enough for a person only
        ("LS", concept("Login Service"), True),
        ("LQS", concept("Login Query Service"), True),
        ("RPi", concept("Raspberry Pi"), True),
        ("quick zebra transport replacement", project("QZT replacement"), True),
        ("single sign-on", concept("SSO"), True),
        ("single sign-on", concept("Sso"), False),  # no acronym as it is written
    ],
)
def test_an_acronym_means_what_it_may_be_the_acronym_of(call, query, entity, is_it):
    create(call, entity)

    assert call.recalled(query) == (entity["name"] if is_it else None)


# Names that are similar and must not match


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("query", "subject"),
    [
        ("Nathan Cole", person("Nathaniel Cole")),
        ("Nathaniel", person("Nathan Cole")),
        ("Martina", person("Martin Keller")),
        ("Martin", person("Martina Keller")),
        ("Petrov", person("Irina Petrova")),
        ("Petrova", person("Ivan Petrov")),
        ("Bob Moore", person("Robert Hughes")),
        ("Ted Hughes", person("Robert Hughes")),
        ("Sarah Chang", person("Sarah Chen")),
        ("the Petrovs", person("Ivan Petrov")),
        ("symmetric encryption", concept("asymmetric encryption")),
        ("asymmetric", concept("symmetric")),
        ("Team A", project("Team B")),
        ("Team C", project("Team")),
        ("Project Alpha", project("Project Beta")),
        ("Atlas 3", project("Atlas 2")),
        ("Python 3.11", concept("Python 3.12")),
        ("v1", concept("v2")),
        ("TLS 1.2", concept("TLS 1.3")),
        ("Q3 2024", project("Q3 2025")),
        ("Budget 2024", source("Budget 2025")),
        ("Office move 2024", project("Office move")),
        ("Minutes of 4 May", source("Minutes of 5 May")),
        ("Phase II", project("Phase III")),
        ("Room 101", concept("Room 110")),
        ("logout page", concept("login page")),
        ("Disable dark mode", decision("Enable dark mode")),
        ("Move from Linear to Jira", decision("Move from Jira to Linear")),
        ("project", project("Project Falcon")),
        ("the team", project("Team Rocket")),
    ],
)
def test_a_similar_name_is_not_found(call, query, subject):
    create(call, subject)
    answer = call("recall_entity", name_or_alias=query)

    assert (answer["entity"], answer["resolution"]["method"]) == (None, "none")


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("TLS 1", "TLS 1.3"),
        ("TLS 3", "TLS 1.3"),
        ("Python 12", "Python 3.12"),
        ("PostgreSQL 1", "PostgreSQL 16.1"),
        ("Release 2.3", "Release 1.2.3"),
    ],
)
def test_a_part_of_a_version_number_is_another_version(call, query, name):
    create(call, concept(name))

    assert call.recalled(query) is None


# A type before the name


def test_a_person_asked_for_is_never_a_project(call):
    create(call, project("Sara"), concept("Sarah"), source("Sara's notes"), decision("Hire Sara"))

    assert call.recalled("person:Sara") is None
    assert call("recall_entity", name_or_alias="project:Sara")["entity"]["type"] == "project"


def test_an_answer_is_of_the_type_that_was_asked_for(call):
    queries = [
        "Bob",
        "NYC",
        "k8s",
        "kipi",
        "Иван Петров",
        "JS",
        "single sign-on",
        "login system",
        "Robert Hughes",
        "RPi",
    ]
    everything = ["Robert Hughes", "New York City", "Kubernetes", "kipi-system", "Ivan Petrov", "John Smith", "SSO",
                  "Authentication service", "Raspberry Pi"]  # fmt: skip
    for kind in KINDS:
        create(call, *({"type": other, "name": name} for other in KINDS if other != kind for name in everything))
        entities = {query: call("recall_entity", name_or_alias=f"{kind}:{query}")["entity"] for query in queries}
        types = {query: entity["type"] for query, entity in entities.items() if entity}

        assert set(types.values()) <= {kind}
        if kind == KINDS[0]:
            assert types == {}


# What is another thing whatever else agrees


@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("Bluefin GmbH", project("Bluefin")),
        ("Bluefin Ltd", project("Bluefin")),
        ("Adopt Redis Inc", decision("Adopt Redis")),
        ("https://grid.example/data/map", source("https://grid.example/data/transparency")),
    ],
)
def test_a_legal_form_or_a_page_that_differs_is_another_thing(call, query, known):
    create(call, known)

    assert call("recall_entity", name_or_alias=query)["entity"] is None


@pytest.mark.parametrize(
    ("query", "known"),
    [
        ("Bluefin GmbH", concept("Bluefin")),
        ("Bluefin", project("Bluefin GmbH")),
        ("Budget", project("Budget 2025")),
        ("https://www.grid.example/data/map/?utm_source=x", source("https://grid.example/data/map")),
    ],
)
def test_a_legal_form_a_year_or_a_tracking_parameter_may_be_added_or_left_out(call, query, known):
    create(call, known)

    assert known["name"] == call("recall_entity", name_or_alias=query)["entity"]["name"]


@pytest.mark.parametrize(
    "names",
    [("Karl Meier", "Karl Meier, Sr."), ("Karl Otto Meier, Jr.", "Karl Meier"), ("K. Meier Jr.", "Karl Meier")],
)
def test_doubles_of_father_and_son_do_not_depend_on_who_was_recorded_first(open_graph, new_file, names):
    doubles = []
    for order in (names, names[::-1]):
        call = Caller(open_graph(new_file()))
        answers = [call.record(person(name), "tagged", HERE) for name in order]
        doubles.append(bool(answers[-1]["possible_duplicates"]))

    assert doubles[0] == doubles[1]


# Properties

WORDS = """
    robert roberta bob rupert martin martina nathan nathaniel ivan petrov petrova john joan smith atlas atlantic kipi
    system login logout symmetric asymmetric release team plan budget roadmap design postgres kubernetes pg web store
""".split()
NUMBERS = ["1", "2", "3", "12", "2024", "2025", "v2", "v3", "q3", "3.1", "007"]

plain_names = st.lists(
    st.sampled_from(WORDS) | st.text("abeikrst", min_size=4, max_size=8), min_size=1, max_size=2
).map(" ".join)
numbered_names = st.tuples(plain_names, st.sampled_from(NUMBERS), st.booleans()).map(
    lambda parts: " ".join(parts[:2] if parts[2] else parts[1::-1])
)
any_names = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Co", "Cn"]), min_size=1, max_size=30), max_size=6
)
kinds = st.sampled_from(KINDS)
things = st.tuples(kinds, plain_names | numbered_names)
FUZZY_ONLY = Settings(steps=("fuzzy",))


@contextmanager
def graph_of(folder: Any, blank: Path, entities: list[tuple[str, str]], **options: Any) -> Iterator[Caller]:
    """A graph of its own with these entities."""
    where: Path = shutil.copy(blank, folder.mktemp("law") / "graph.db")
    with keepgraph.open(where, **options) as graph:
        call = Caller(graph)
        if entities:
            facts = [fact({"type": kind, "name": name}, "tagged", HERE) for kind, name in entities]
            assert call("record_facts", facts=facts)["refused"] == 0
        yield call


@pytest.mark.slow
@examples(8, sweep=400)
@given(entities=st.lists(things, min_size=1, max_size=5), queries=st.lists(plain_names | numbered_names, max_size=6))
def test_a_digit_that_no_name_has_is_not_answered(tmp_path_factory, blank, entities, queries):
    with graph_of(tmp_path_factory, blank, entities) as call:
        for query in [*queries, *(f"{name} 4" for _, name in entities), *(f"5 {name}" for _, name in entities)]:
            entity = call("recall_entity", name_or_alias=query)["entity"]
            if entity:
                surfaces = " ".join([entity["name"], *entity["aliases"]])

                assert set(re.findall(r"\d", query)) <= set(re.findall(r"\d", surfaces)), (query, surfaces)


@examples(5, sweep=400)
@given(entities=st.lists(things, min_size=1, max_size=6), queries=st.lists(things, max_size=8))
def test_a_type_that_was_not_asked_for_is_not_answered(tmp_path_factory, blank, entities, queries):
    with graph_of(tmp_path_factory, blank, entities) as call:
        for kind, name in [*queries, *pairwise_types(entities)]:
            entity = call("recall_entity", name_or_alias=f"{kind}: {name}")["entity"]

            assert entity is None or entity["type"] == kind, (kind, name)


def pairwise_types(entities: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each name with the type of the next."""
    return [(other, name) for (_, name), (other, _) in pairwise([*entities, entities[0]])]


@examples(8, sweep=500)
@given(named=any_names, numbered=st.lists(plain_names | numbered_names, max_size=5), kind=st.data())
def test_a_name_that_is_there_is_found_exactly_whatever_else_is_there(tmp_path_factory, blank, named, numbered, kind):
    unique = {normalisation.key(name): name for name in [*named, *numbered] if normalisation.key(name)}
    entities = [(kind.draw(kinds), name) for name in unique.values()]
    with graph_of(tmp_path_factory, blank, entities, settings=FUZZY_ONLY) as call:
        for entity_type, name in entities:
            answer = call("recall_entity", name_or_alias=name)

            assert (answer["entity"]["type"], answer["entity"]["name"]) == (entity_type, normalisation.clean(name))
            assert (answer["resolution"]["method"], answer["resolution"]["score"]) == ("exact", 1.0)


@examples(10, sweep=800)
@given(entities=st.lists(things, max_size=3), new=things, query=plain_names | numbered_names)
def test_a_new_entity_is_found_only_by_similar_names(tmp_path_factory, blank, entities, new, query):
    # Abbreviations in the lexicon match without similar letters.
    assume(not abbreviations.expand(query) and not abbreviations.abbreviate(query) and new not in entities)
    with graph_of(tmp_path_factory, blank, entities, settings=FUZZY_ONLY) as call:
        before = call("recall_entity", name_or_alias=query)["entity"]
        create(call, {"type": new[0], "name": new[1]})
        after = call("recall_entity", name_or_alias=query)["entity"]
    if before is None and after is not None and (after["type"], after["name"]) == new:
        score = name_similarity.compare(
            normalisation.Name(query), normalisation.Name(new[1]), **kind_of_name(new[0])
        ).score

        assert score >= name_similarity.MATCH_THRESHOLD or normalisation.key(query) == normalisation.key(new[1])


mistyped = st.tuples(plain_names, st.integers(0, 40), st.sampled_from(["swap", "omit", "double", "replace"]))


def with_typo(name: str, position: int, kind: str) -> str:
    """The name with one typo in it; a space stays."""
    at = position % len(name)
    before, letter, after = name[:at], name[at], name[at + 1 :]
    if " " in (letter + after[:1]):
        return name
    swapped = after[:1] + letter + after[1:]
    return before + {"swap": swapped, "omit": after, "double": 2 * letter + after, "replace": "e" + after}[kind]


@examples(10, sweep=600)
@given(names=st.lists(mistyped, min_size=1, max_size=8, unique_by=lambda drawn: normalisation.key(drawn[0])))
def test_a_new_name_with_one_typo_is_a_possible_double_if_the_rules_of_names_say_so(tmp_path_factory, blank, names):
    known = [("concept", name) for name, _, _ in names]
    with graph_of(tmp_path_factory, blank, known, settings=FUZZY_ONLY) as call:
        for name, position, kind in names:
            new = with_typo(name, position, kind)
            score = name_similarity.compare(
                normalisation.Name(new), normalisation.Name(name), **kind_of_name("concept")
            ).score
            answer = call.record(concept(new), "tagged", HERE)
            doubles = {double["name"] for double in answer["possible_duplicates"]}
            is_known = normalisation.key(new) in {normalisation.key(other) for _, other in known}
            known.append(("concept", new))

            assert is_known or score < name_similarity.MATCH_THRESHOLD or name in doubles or len(doubles) == 5, new


# Odd names

ODD = {
    "long": "x" * 200,
    "long words": ("abcdefgh " * 25)[:200].strip(),
    "fifty words": " ".join("abcdefghijklmnopqrstuvwxy"[n % 25] + "o" for n in range(50)),
    "numbers": " ".join(str(n) for n in range(60))[:199].strip(),
    "ideographs": "東京都庁" * 50,
    "syllables": "프로젝트 " * 30 + "끝",
    "symbols": "!?;—…",
    "many symbols": "≠±∞%€" * 40,
    "brackets": "<[{('\"\\/*)}]>",
    "right to left": "محمد بن عبد الله الفاتح",
    "both ways": "שלום Ada عالم 42",
    "pictures": "🚀🎯👩‍👩‍👧👍🏽",
    "many pictures": "🎉🦊" * 100,
    "control": "Ada\x07\x1bLove\x7flace",
    "direction": "Ada\u202eecalevoL\u2066",
    "zero width": "A\u200bd\u200ca\u200d",
    "combining": "Z̸̢̛͈a̷l̴g̵o̶" * 8,
    "thai": "โครงการระบบสารสนเทศ",
    "hindi": "परियोजना प्रबंधन प्रणाली",
    "query": 'a" OR "b* NEAR(c d) ^e {name}: -f',
    "colon": "person:project:: :",
    "one letter": "ß",
    "capitals": "ABCDEF GHIJKL",
    "mathematics": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟜𝟚",
}


def variations(name: str) -> list[str]:
    """Queries that are similar to a name, and are none of its forms."""
    half = len(name) // 2
    turned = " ".join(reversed(name.split()))
    queries = [name[1:], name[:-1], name[: half + 1], turned, f"the {name}", f"person:{name}", name.upper(),
               name[::-1], f"{name[:half]}x{name[half:]}", name.replace(" ", ""), f"{name} 7"]  # fmt: skip
    return [query[:200] for query in dict.fromkeys(queries) if normalisation.key(query[:200])]


@pytest.mark.parametrize("kind", KINDS)
def test_an_odd_name_is_found_exactly_and_disturbs_no_other(call, kind):
    call("record_facts", facts=[fact({"type": kind, "name": name}, "tagged", HERE) for name in ODD.values()])
    create(call, person("Ada Lovelace"))
    refused = [how for how, name in ODD.items() if call("recall_entity", name_or_alias=name)["entity"] is None]

    assert refused == []
    assert call.recalled("Ada Lovelcae") == "Ada Lovelace"


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("how", ODD)
def test_an_odd_query_causes_no_error(call, how):
    for kind in ("person", "concept"):
        create(call, {"type": kind, "name": ODD[how]}, {"type": kind, "name": "Ada Lovelace"})
    errors = [query for query in variations(ODD[how]) if "error" in call("recall_entity", name_or_alias=query)]

    assert errors == []


@pytest.mark.parametrize("steps", [(), ("fuzzy",), ("embedding",)])
def test_odd_queries_cause_no_error_whichever_steps_are_on(open_graph, steps):
    call = Caller(open_graph(settings=Settings(steps=steps)))
    create(call, concept("Ada Lovelace"), person("Bo"))
    errors = [how for how, name in ODD.items() if "error" in call("recall_entity", name_or_alias=name)]

    assert errors == []
