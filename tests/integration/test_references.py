"""Bibliographies, contacts and calendars come in as sources, people and meetings, each once."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.cli.root import kg
from keepgraph.formats import bibliographies, detection
from keepgraph.formats.records import ReadError
from laws import examples

pytest.importorskip("bibtexparser")
pytest.importorskip("rispy")
pytest.importorskip("vobject")
pytest.importorskip("icalendar")

FILES = {
    "bibtex": """% Encoding: UTF-8
@article{oke1982, title={The {U}rban Heat Island}, author={Oke, T. R. and Jos{\\'e} {van der} Meer and
  {World Health Organization}}, doi={10.1002/QJ.49710845502}, keywords={heat, city}, abstract={About energy.}}
@book{broken, title="A"
@misc{later, title={Later}}
""",
    "ris": "TY  - JOUR\nTI  - The Urban Heat Island\nAU  - Oke, T. R.\n"
    "DO  - https://doi.org/10.1002/qj.49710845502\nKW  - heat\n"
    "ER  - \n\nTY  - BOOK\nT1  - Left open\n",
    "csl-json": json.dumps(
        [
            {
                "id": "http://zotero.org/1",
                "citation-key": "oke1982",
                "type": "article-journal",
                "title": "The Urban Heat Island",
                "author": [{"family": "Oke", "given": "T. R."}, {"literal": "World Health Organization"}],
                "issued": {"date-parts": [[1982, 1]]},
                "DOI": "10.1002/qj.49710845502",
            },
            {"id": "2", "type": "book"},
        ]
    ),
    "vcard": """BEGIN:VCARD
VERSION:3.0
FN:João Silva
EMAIL;TYPE=INTERNET:J.Silva@acme.example
TEL:+351 912 345 678
ORG:Acme;Research
NOTE:Met in Porto
BDAY:19800102
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN:João Silva
EMAIL:j.silva@beta.example
END:VCARD
BEGIN:VCARD
no property
END:VCARD
""",
    "icalendar": """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//x//y
BEGIN:VEVENT
UID:1
SUMMARY:Weekly sync
DTSTART:20261120T100000Z
ATTENDEE;CN=João Silva:mailto:j.silva@beta.example
ATTENDEE;CUTYPE=ROOM:mailto:room1@beta.example
DESCRIPTION:The budget
END:VEVENT
BEGIN:VEVENT
SUMMARY:No start
END:VEVENT
END:VCALENDAR
""",
}


@pytest.fixture
def imported(path: Path, tmp_path: Path):
    def run(format: str, *options: str) -> dict:
        file = tmp_path / format
        file.write_text(FILES[format], encoding="utf-8")
        done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", str(file), *options])
        return json.loads(done.stdout)

    return run


def recalled(path: Path, name: str) -> dict:
    done = CliRunner().invoke(kg, ["--db", str(path), "--json", "recall", name])
    return json.loads(done.stdout)


@pytest.mark.parametrize("format", FILES)
def test_a_file_is_recognised_and_imported_once(imported, format):
    preview = imported(format, "--preview")
    first, again = imported(format), imported(format)

    assert [each["format"] for each in (preview, first, again)] == [format] * 3
    assert preview["found"]["entities"] > 0
    assert (again["added"], again["new"], again["refused_total"]) == (0, {}, first["refused_total"])


@pytest.mark.parametrize(
    ("format", "refused"), [("bibtex", 1), ("ris", 0), ("csl-json", 1), ("vcard", 1), ("icalendar", 1)]
)
def test_what_cannot_be_read_is_named_and_does_not_stop_the_rest(imported, format, refused):
    report = imported(format)

    assert report["refused_total"] == refused
    assert report["added"] > 1


def test_three_bibliographies_have_one_source(path, imported):
    for format in ("bibtex", "ris", "csl-json"):
        imported(format)
    names = {recalled(path, name)["entity"]["name"] for name in ("@oke1982", "doi:10.1002/QJ.49710845502")}
    facts = {(fact["predicate"], fact["subject"]["name"]) for fact in recalled(path, "@oke1982")["facts"]}

    assert names == {"The Urban Heat Island"}
    assert {name for predicate, name in facts if predicate == "authored"} == {
        "T. R. Oke",
        "José van der Meer",
        "World Health Organization",
    }


def test_two_cards_of_one_name_are_two_people(path, imported):
    imported("vcard")
    imported("icalendar")
    one, other = (recalled(path, address) for address in ("j.silva@acme.example", "j.silva@beta.example"))

    assert one["entity"]["id"] != other["entity"]["id"]
    assert {fact["predicate"] for fact in one["facts"]} == {"works_at", "born_on"}
    assert {fact["predicate"] for fact in other["facts"]} == {"attended"}
    assert recalled(path, "tel:00351912345678")["entity"]["id"] == one["entity"]["id"]


def test_an_undo_takes_an_import_back(path, imported):
    before = CliRunner().invoke(kg, ["--db", str(path), "record", "person:Ada", "knows", "person:Bo"])
    imported("vcard")
    undone = CliRunner().invoke(kg, ["--db", str(path), "undo"])

    assert (before.exit_code, undone.exit_code) == (0, 0)
    assert recalled(path, "j.silva@acme.example")["entity"] is None


@pytest.mark.parametrize("format", ["bibtex", "ris", "csl-json", "vcard", "icalendar"])
@examples(30, sweep=1_000)
@given(st.data())
def test_any_damage_gets_an_answer(tmp_path_factory, format, data):
    text = FILES[format]
    start = data.draw(st.integers(0, len(text)))
    damaged = text[:start] + data.draw(st.text(max_size=8)) + text[start + data.draw(st.integers(0, 30)) :]
    file = tmp_path_factory.getbasetemp() / f"damaged-{format}"
    file.write_bytes(damaged.encode("utf-8", "surrogatepass"))
    with file.open("rb") as stream:
        try:
            found = list(detection.read(stream, format))
        except detection.errors.InvalidArguments:
            return

    assert all(isinstance(each, ReadError) or each.position >= 0 for each in found)


@pytest.fixture
def taken(path: Path, tmp_path: Path):
    def run(content: str) -> dict:
        (tmp_path / "file").write_text(content, encoding="utf-8")
        done = CliRunner().invoke(kg, ["--db", str(path), "--json", "import", str(tmp_path / "file")])
        return json.loads(done.stdout)

    return run


def test_papers_of_one_volume_are_their_own_sources(path, taken):
    """
    The ISBN is that of the volume, which is a source too.
    """
    volume = "978-3-16-148410-0"
    content = f"""@inproceedings{{one, title={{One}}, author={{Ann A}}, booktitle={{Proceedings}}, isbn={{{volume}}}}}
@inproceedings{{two, title={{Two}}, author={{Bo B and others}}, booktitle={{Proceedings}}, isbn={{{volume}}}}}
@book{{all, title={{Proceedings}}, isbn={{{volume}}}}}"""
    report, again = taken(content), taken(content)
    found = {key: recalled(path, f"@{key}") for key in ("one", "two", "all")}

    assert (report["refused"], again["added"]) == ([], 0)
    assert {key: answer["entity"]["name"] for key, answer in found.items()} == {
        "one": "One",
        "two": "Two",
        "all": "Proceedings",
    }
    assert [fact["subject"]["name"] for fact in found["two"]["facts"]] == ["Bo B"]
    assert recalled(path, f"isbn {volume}")["entity"]["name"] == "Proceedings"


def test_two_of_one_title_that_appeared_elsewhere_are_two(path, taken):
    content = """@article{one, title={Editorial}, author={Ann A}, year=2001, journal={J}}
@article{two, title={Editorial}, author={Bo B}, year=2005, journal={K}}
@article{same, title={Editorial}, author={Ann A}, year=2001}"""
    report, again = taken(content), taken(content)
    authors = {key: [fact["subject"]["name"] for fact in recalled(path, f"@{key}")["facts"]] for key in ("one", "two")}

    assert (report["refused"], again["added"]) == ([], 0)
    assert authors == {"one": ["Ann A"], "two": ["Bo B"]}
    assert recalled(path, "@same")["entity"]["id"] == recalled(path, "@one")["entity"]["id"]


def test_a_telephone_that_several_have_makes_them_not_one(path, taken):
    cards = [
        "FN:Anna Schmidt\nTEL:+49 30 1234567\nEMAIL:anna@x.example",
        "FN:Bernd Schmidt\nTEL:+49 30 1234567\nORG:Acme\nURL:https://x.example/team",
        "FN:Cara Doe\nURL:https://x.example/team\nBDAY:1980-01-02",
    ]
    content = "".join(f"BEGIN:VCARD\nVERSION:3.0\n{card}\nEND:VCARD\n" for card in cards)
    report, again = taken(content), taken(content)
    bernd, cara = recalled(path, "Bernd Schmidt"), recalled(path, "Cara Doe")

    assert (report["refused"], again["added"]) == ([], 0)
    assert recalled(path, "+49301234567")["entity"]["name"] == "Anna Schmidt"
    assert (bernd["entity"]["name"], cara["entity"]["name"]) == ("Bernd Schmidt", "Cara Doe")
    assert [fact["predicate"] for answer in (bernd, cara) for fact in answer["facts"]] == ["works_at", "born_on"]


def test_a_card_found_by_its_address_keeps_its_name(path, taken):
    content = "".join(
        f"BEGIN:VCARD\nVERSION:3.0\nFN:{name}\nEMAIL:bea@x.example\nEND:VCARD\n" for name in ("Bea Kim", "Beatrix Lee")
    )
    taken(content)

    assert taken(content)["added"] == 0
    assert recalled(path, "Beatrix Lee")["entity"]["name"] == "Bea Kim"


def test_two_meetings_of_one_title_and_day_are_two_and_who_declined_or_what_was_cancelled_is_not_there(path, taken):
    events = [
        "UID:1\nDTSTART:20261120T100000Z\nATTENDEE;CN=Bea:mailto:bea@x.example",
        "UID:2\nDTSTART:20261120T120000Z\nATTENDEE;CN=Zoe;PARTSTAT=DECLINED:mailto:zoe@x.example",
        "UID:3\nDTSTART;VALUE=DATE:20261120",
        "UID:4\nDTSTART:20261121T120000Z\nSTATUS:CANCELLED",
    ]
    content = "".join(f"BEGIN:VEVENT\nSUMMARY:Talk\n{event}\nEND:VEVENT\n" for event in events)
    content = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//x//y\n{content}END:VCALENDAR\n"
    report, again = taken(content), taken(content)
    names = ("Talk (2026-11-20)", "Talk (2026-11-20, 12:00)", "Talk (2026-11-20, all day)")
    facts = [sorted(fact["predicate"] for fact in recalled(path, name)["facts"]) for name in names]

    assert (report["refused"], report["left_out"], again["added"]) == ([], {"cancelled event": 1}, 0)
    assert facts == [["attended", "happened_on"], ["happened_on"], ["happened_on"]]
    assert recalled(path, "zoe@x.example")["entity"] is None


def test_an_address_of_an_organisation_makes_nobody_the_organisation(path, taken):
    """
    What is refused is only the address.
    """
    card = "BEGIN:VCARD\nVERSION:3.0\nFN:{}\nEMAIL:info@acme.example\n{}END:VCARD\n"
    report = taken(card.format("Acme", "ORG:Acme\n") + card.format("Hans Meier", "BDAY:1980-01-02\n"))
    event = "UID:1\nSUMMARY:Talk\nDTSTART:20261120T100000Z\nATTENDEE;CN=Hans Meier:mailto:info@acme.example"
    taken(f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//x//y\nBEGIN:VEVENT\n{event}\nEND:VEVENT\nEND:VCALENDAR\n")
    hans = recalled(path, "Hans Meier")

    assert ["ALIAS_TAKEN" in str(each) for each in report["refused"]] == [True]
    assert (hans["entity"]["type"], recalled(path, "info@acme.example")["entity"]["type"]) == ("person", "organisation")
    assert {fact["predicate"] for fact in hans["facts"]} == {"born_on", "attended"}


def test_a_file_in_another_encoding_is_refused_instead_of_imported_with_wrong_letters(path, tmp_path):
    (tmp_path / "latin.bib").write_bytes("@article{a, title={One}}\n@article{b, title={Caf\u00e9}}\n".encode("latin-1"))
    done = CliRunner().invoke(kg, ["--db", str(path), "import", str(tmp_path / "latin.bib")])

    assert (done.exit_code, "line 2" in done.output, "iconv" in done.output) == (1, True, True)
    assert recalled(path, "One").get("entity") is None


@pytest.mark.parametrize(("number", "name"), [("978-0-306-40615-7", "isbn"), ("0035-9009", "issn")])
def test_the_number_of_a_book_and_that_of_a_journal_are_told_apart(number, name):
    (entry,) = bibliographies.read(io.BytesIO(f"TY  - GEN\nTI  - One\nSN  - {number}\nER  - \n".encode()), "ris")
    identified = "isbn:9780306406157" in entry.aliases

    assert identified == (name == "isbn")
    assert entry.properties.get("issn") == (None if identified else number)
