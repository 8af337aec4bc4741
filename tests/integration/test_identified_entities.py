"""Identifiers of entities: unique in a graph, and the first step from a name to an entity, for readers and writers."""

from __future__ import annotations

import pytest

ONE = {"type": "person", "name": "João Silva"}
OTHER = {"type": "person", "name": "João Silva (Beta)"}


@pytest.fixture
def two_called_alike(call):
    call("add_alias", entity=_created(call, ONE), alias="mailto:J.Silva@Acme.example")
    call("add_alias", entity=_created(call, OTHER), alias="j.silva@beta.example")
    call("add_alias", entity=OTHER, alias="+351 912 345 678")
    return call


def _created(call, entity):
    call("record_fact", subject=entity, predicate="works_at", object={"type": "organisation", "name": "Acme"})
    return entity


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("J.SILVA@acme.example", "João Silva"),
        ("João Silva <j.silva@beta.example>", "João Silva (Beta)"),
        ("00351 912345678", "João Silva (Beta)"),
        ("j.silva@gamma.example", None),
    ],
)
def test_an_identifier_means_the_one_that_has_it(two_called_alike, asked, name):
    answer = two_called_alike("recall_entity", name_or_alias=asked)

    assert (answer["entity"] and answer["entity"]["name"]) == name


def test_a_fact_about_an_identifier_is_about_the_one_that_has_it(two_called_alike):
    for subject in ("J.Silva@beta.example", "tel:+351912345678"):
        recorded = two_called_alike(
            "record_fact",
            subject={"type": "person", "name": subject},
            predicate="knows",
            object={"type": "person", "name": "Ada"},
        )

        assert recorded["subject"]["name"] == "João Silva (Beta)"


def test_an_identifier_has_one_bearer_of_any_type(two_called_alike):
    for entity in (OTHER, {"type": "organisation", "name": "Acme"}):
        refused = two_called_alike("add_alias", entity=entity, alias="J.silva@acme.example")

        assert (refused["error"], refused["candidates"][0]["name"]) == ("ALIAS_TAKEN", "João Silva")


def test_an_address_recorded_as_a_fact_identifies_too(call):
    call("record_fact", subject=_created(call, ONE), predicate="email", object={"literal": "js@acme.example"})
    recorded = call(
        "record_fact",
        subject={"type": "person", "name": "JS@acme.example"},
        predicate="knows",
        object={"type": "person", "name": "Ada"},
    )

    assert recorded["subject"]["name"] == "João Silva"


def test_an_identifier_is_taken_away_in_any_spelling(two_called_alike):
    two_called_alike("update_entity", entity=ONE, remove_aliases=["<mailto:J.Silva@acme.example>"])

    assert two_called_alike("recall_entity", name_or_alias="João Silva")["entity"]["aliases"] == []


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("https://doi.org/10.1016/ABC.1982", "doi:10.1016/abc.1982"),
        ("978-0-306-40615-7", "isbn:9780306406157"),
        ("+351 912 345 678", "00351912345678"),
        ("https://www.example.org/paper/?utm_source=x", "http://example.org/paper"),
    ],
)
def test_an_entity_named_by_an_identifier_has_it_in_every_spelling(call, named, said):
    work = {"type": "document", "name": named}
    call("record_fact", subject=_created(call, ONE), predicate="knows", object={"type": "person", "name": "Ada"})
    call("record_fact", subject=ONE, predicate="wrote", object=work)
    again = call("record_fact", subject=OTHER, predicate="wrote", object={"type": "document", "name": said})
    refused = call("add_alias", entity=ONE, alias=said)

    assert again["object"]["name"] == named
    assert (refused["error"], refused["candidates"][0]["name"]) == ("ALIAS_TAKEN", named)


def test_an_entity_renamed_to_an_identifier_has_it(call):
    call("record_fact", subject=_created(call, ONE), predicate="wrote", object={"type": "document", "name": "Paper"})
    call("update_entity", entity={"type": "document", "name": "Paper"}, name="DOI 10.1016/ABC.1982")

    again = call(
        "record_fact", subject=ONE, predicate="wrote", object={"type": "document", "name": "doi.org/10.1016/abc.1982"}
    )

    assert again["object"]["name"] == "DOI 10.1016/ABC.1982"
