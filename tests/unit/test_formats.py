"""The files of other programs are read record by record, and what cannot be read is reported with its position."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keepgraph import errors
from keepgraph.formats import chat_archives, csv_tables, detection, memory_server, records
from keepgraph.formats.records import Entity, Episode, Fact, ReadError, Skipped

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


def file(content: str | bytes) -> io.BytesIO:
    return io.BytesIO(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))


def jsonl(*lines: Any) -> io.BytesIO:
    return file("".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in lines))


def zipped(**members: Any) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, content in members.items():
            folder.writestr(name, content if isinstance(content, str | bytes) else json.dumps(content))
    return packed


def read(content: io.BytesIO) -> list[Any]:
    return list(detection.read(content, detection.detect(content)))


def read_errors(readings: list[Any]) -> list[tuple[int, str]]:
    return [(record.position, record.error.code) for record in readings if isinstance(record, ReadError)]


# The memory server

ADA = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["likes tea", "moved to Bern"]}
KNOWS = {"type": "relation", "from": "Ada", "to": "Bob", "relationType": "works with"}


def test_a_memory_file_is_entities_and_relations_as_they_stand_there():
    ada, knows = read(jsonl(ADA, KNOWS))

    assert (ada.position, ada.type, ada.name, ada.observations) == (1, "person", "Ada", ("likes tea", "moved to Bern"))
    assert (knows.position, knows.subject, knows.predicate, knows.object) == (2, "Ada", "works with", "Bob")
    assert (knows.subject_type, knows.object_type) == (None, None)
    assert [json.loads(record.line) for record in (ada, knows)] == [ADA, KNOWS]


def test_fields_that_newer_files_have_are_kept():
    ada, knows = read(jsonl({**ADA, "createdAt": "2026-01-01", "tags": ["a"]}, {**KNOWS, "strength": 0.5}))

    assert ada.properties == {"createdAt": "2026-01-01", "tags": ["a"]}
    assert knows.properties == {"strength": 0.5}


def test_an_observation_that_is_more_than_text_stays_what_it_is():
    (ada,) = read(jsonl({**ADA, "observations": ["tea", {"content": "Bern", "at": 3}, 7]}))

    assert ada.observations == ("tea", '{"content": "Bern", "at": 3}', "7")


def test_a_bad_line_of_a_memory_file_does_not_stop_those_after_it():
    content = jsonl(
        ADA, "nonsense", [1], {"type": "thing"}, {**ADA, "name": " "}, {**ADA, "observations": "tea"},
        {**KNOWS, "to": None}, "[" * 100_000, "", KNOWS,
    )  # fmt: skip
    readings = read(content)

    assert read_errors(readings) == [(number, "INVALID_ARGUMENTS") for number in range(2, 9)]
    assert [type(record) for record in readings if not isinstance(record, ReadError)] == [Entity, Fact]
    assert readings[-1].position == 10


def test_a_line_that_is_too_long_is_refused_and_not_held(monkeypatch):
    monkeypatch.setattr(memory_server.records.read_lines, "__kwdefaults__", {"max_characters": 200})
    long = {**ADA, "observations": ["x" * 500]}
    readings = read(jsonl(ADA, long, KNOWS))

    assert read_errors(readings) == [(2, "INVALID_ARGUMENTS")]
    assert readings[-1].position == 3


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_bytes_that_are_no_text_are_refused_by_line(start):
    lines = [
        json.dumps(ADA).encode(),
        b'{"type": "entity", "name": "\xff", "entityType": "x"}',
        json.dumps(KNOWS).encode(),
    ]
    readings = read(file(start + b"\r\n".join(lines)))

    assert read_errors(readings) == [(2, "INVALID_ARGUMENTS")]
    assert readings[0].name == "Ada"


def test_what_is_no_character_is_shown_as_such():
    (ada,) = read(
        file('{"type": "entity", "name": "A\\ud83d\\ude00 \\ud83d", "entityType": "", "observations": ["\\u0000"]}')
    )

    assert ada.name == "A😀 \ufffd"
    assert ada.observations == ("\ufffd",)


# Tables

HEADING = "subject_type,subject,predicate,object_type,object,literal,source,confidence,valid_from,valid_to\n"


def test_a_row_of_a_table_is_a_fact():
    (row,) = read(file(HEADING + "person,Ada,reports_to,person,Bob,,mail,0.5,2026-01-01,2026-02-01\n"))

    assert row == Fact(
        position=2,
        subject="Ada",
        predicate="reports_to",
        subject_type="person",
        object="Bob",
        object_type="person",
        source="mail",
        confidence=0.5,
        valid_from="2026-01-01",
        valid_to="2026-02-01",
    )


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_table_may_be_written_as_spreadsheets_do(separator, encoding, ending):
    rows = [["Subject Type", "Subject", "Predicate", "literal"], ["person", '"Zoë\n""Z"" X"', "tagged", '"a,b;c\td|e"']]
    content = ending.join(separator.join(row) for row in rows).encode(encoding)
    (row,) = read(io.BytesIO(content))

    assert (row.subject, row.literal) == ('Zoë\n"Z" X', "a,b;c\td|e")


def test_the_line_by_which_spreadsheets_name_the_separator_is_passed_over():
    (row,) = read(file("sep=;\ntype;name\nperson;Ada\n"))

    assert (row.position, row.name) == (3, "Ada")


@pytest.mark.parametrize(
    "heading",
    ["Subject,Relation,Value", "from,RELATION_TYPE,literal", "subjectName, verb ,text", "head,relationType,value"],
)
def test_a_heading_may_be_spelled_otherwise(heading):
    (row,) = read(file(f"{heading}\nperson:Ada,tagged,lead\n"))

    assert (row.subject_type, row.subject, row.predicate, row.literal) == ("person", "Ada", "tagged", "lead")


def test_a_name_with_a_colon_stays_whole_where_there_are_columns_for_types():
    (row,) = read(file("subject_type,subject,predicate,literal\nconcept,std::vector,tagged,c++\n"))

    assert row.subject == "std::vector"


def test_an_object_whose_type_is_literal_is_one():
    (row,) = read(file("subject_type,subject,predicate,object_type,object\nperson,Ada,tagged,literal,lead\n"))

    assert (row.object, row.literal) == (None, "lead")


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("person,,reports_to,person,Bob,,,,,", "SUBJECT_REQUIRED"),
        ("person,Ada,,person,Bob,,,,,", "PREDICATE_UNKNOWN"),
        ("person,Ada,tagged,,,,,,,", "OBJECT_REQUIRED"),
        ("person,Ada,tagged,person,Bob,lead,,,,", "OBJECT_REQUIRED"),
        ("person,Ada,tagged,,,lead,,2,,", "CONFIDENCE_OUT_OF_RANGE"),
        ("person,Ada,tagged,,,lead,,often,,", "CONFIDENCE_OUT_OF_RANGE"),
        ("person,Ada,tagged,,,lead,,nan,,", "CONFIDENCE_OUT_OF_RANGE"),
        ("person,Ada,tagged,,,lead,,,,,too many", "INVALID_ARGUMENTS"),
        ('person,"Ada"x,tagged,,,lead', "INVALID_ARGUMENTS"),
        ("person,Ada\ud800,tagged,,,lead", "INVALID_ARGUMENTS"),
        (f"person,{'x' * 200_000},tagged,,,lead", "INVALID_ARGUMENTS"),
        (f"person,{'x' * 1_200_000},tagged,,,lead", "INVALID_ARGUMENTS"),
    ],
)
def test_a_bad_row_is_refused_with_its_line_and_the_others_are_kept(row, code):
    good = "person,Ada,tagged,,,lead"
    readings = read(file(f'{HEADING}{good}\n\n{row}\nperson,"A\nB",tagged,,,lead\n,,,\n{good}\n'))

    assert read_errors(readings) == [(4, code)]
    assert [record.position for record in readings if isinstance(record, Fact)] == [2, 5, 8]


def test_a_quotation_that_is_never_closed_does_not_hold_the_rest_of_the_file():
    readings = read(file(f'{HEADING}person,"Ada,tagged\n' + "person,Bob,tagged,,,lead,,,,\n" * 20_000))

    assert read_errors(readings)[0] == (2, "INVALID_ARGUMENTS")
    assert sum(isinstance(record, Fact) for record in readings) > 10_000


@pytest.mark.parametrize(("given", "sure"), [("0,8", 0.8), ("80%", 0.8), ("1", 1.0), ("", None)])
def test_a_confidence_may_be_a_percentage_or_have_a_comma(given, sure):
    (row,) = read(file(f'subject,predicate,literal,confidence\nperson:Ada,tagged,x,"{given}"\n'))

    assert row.confidence == sure


def test_columns_that_facts_have_no_place_for_are_named():
    left, _ = read(file("subject,predicate,literal,colour,weight\nperson:Ada,tagged,x,red,3\n"))

    assert left == Skipped(1, "column colour, weight")


def test_a_row_of_a_table_may_be_an_entity():
    (ada,) = read(file("type,name,aliases,description,born\nperson,Ada,Countess|A. L.; Ada,Wrote notes,1815\n"))

    assert ada == Entity(
        position=2,
        type="person",
        name="Ada",
        aliases=("Countess", "A. L.", "Ada"),
        summary="Wrote notes",
        properties={"born": "1815"},
    )


@given(st.lists(st.tuples(words, words), min_size=1, max_size=5))
def test_every_cell_comes_back_as_it_was_written(cells):
    import csv

    written = io.StringIO()
    csv.writer(written).writerows([["subject", "predicate", "literal"], *((f"x:{a}", "p", b) for a, b in cells)])
    kept = [
        (record.subject, record.literal)
        for record in csv_tables.read(file(written.getvalue()))
        if isinstance(record, Fact)
    ]

    assert kept == [(a.strip(), b.strip()) for a, b in cells if a.strip() and b.strip()]


# Conversations


def claude(*messages: tuple[str, str], **more: Any) -> dict[str, Any]:
    written = [
        {"uuid": str(number), "sender": sender, "text": text, "created_at": "2026-01-02T03:04:06.5Z"}
        for number, (sender, text) in enumerate(messages)
    ]
    begun = {"uuid": "c-1", "name": "Tea", "created_at": "2026-01-02T03:04:05.123456Z", "chat_messages": written}
    return {**begun, **more}


def chatgpt(*messages: tuple[str, Any], **more: Any) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["0"]}}
    for number, (role, content) in enumerate(messages):
        content = {"content_type": "text", "parts": [content]} if isinstance(content, str) else content
        message = {"author": {"role": role}, "content": content, "create_time": 1_700_000_000.5 + number}
        parent = str(number - 1) if number else "root"
        following = [str(number + 1)] if number + 1 < len(messages) else []
        mapping[str(number)] = {"id": str(number), "message": message, "parent": parent, "children": following}
    begun = {"title": "Tea", "create_time": 1_700_000_000, "conversation_id": "g-1", "mapping": mapping}
    return {**begun, "current_node": str(len(messages) - 1), **more}


def test_a_conversation_with_claude_is_an_episode():
    (tea,) = read(jsonl([claude(("human", "Tea?"), ("assistant", "Yes,\n\nplease."))]))

    assert (tea.position, tea.source, tea.name) == (1, "https://claude.ai/chat/c-1", "Tea")
    assert tea.started_at == datetime(2026, 1, 2, 3, 4, 5, 123456, UTC)
    assert tea.text == "human: Tea?\n\nassistant: Yes,\n\nplease."
    assert "".join(tea.turn_texts) == tea.text
    assert tea.turns[0].at == datetime(2026, 1, 2, 3, 4, 6, 500000, UTC)


def test_a_conversation_with_chatgpt_is_an_episode():
    (tea,) = read(jsonl([chatgpt(("system", ""), ("user", "Tea?"), ("assistant", "Yes."))]))

    assert (tea.position, tea.source, tea.name) == (1, "https://chatgpt.com/c/g-1", "Tea")
    assert tea.started_at == datetime.fromtimestamp(1_700_000_000, UTC)
    assert tea.text == "human: Tea?\n\nassistant: Yes."
    assert tea.skipped == {}


def test_of_what_claude_did_only_words_are_taken_and_the_rest_is_counted():
    conversation = claude(("human", "read this"), ("assistant", "not supported"), ("system", "x"))
    conversation["chat_messages"][0]["attachments"] = [{"file_name": "a.txt", "extracted_content": "tea is hot"}, {}]
    conversation["chat_messages"][0]["files"] = [{"file_name": "a.png"}]
    kinds = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "It"}, {"type": "tool_use"}]
    conversation["chat_messages"][1]["content"] = [*kinds, {"type": "tool_result"}, {"type": "text", "text": "is."}, 7]
    (tea,) = read(jsonl([conversation]))

    assert tea.text == "human: read this\n\n[a.txt]\ntea is hot\n\nassistant: It\n\nis."
    assert tea.skipped == {"attachment": 2, "thought": 1, "tool call": 2, "unknown part": 1, "system message": 1}


def test_of_what_chatgpt_did_only_words_are_taken_and_the_rest_is_counted():
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    spoken = {"content_type": "audio_transcription", "text": "and hot"}
    conversation = chatgpt(
        ("system", "be kind"),
        ("user", {"content_type": "user_editable_context", "user_profile": "x"}),
        ("user", {"content_type": "multimodal_text", "parts": ["look", picture, spoken]}),
        ("assistant", {"content_type": "thoughts", "thoughts": []}),
        ("assistant", {"content_type": "code", "text": "search()"}),
        ("tool", {"content_type": "execution_output", "text": "found"}),
        ("assistant", {"content_type": "code", "text": "print()"}),
        ("assistant", "Tea."),
    )
    conversation["mapping"]["4"]["message"]["recipient"] = "python"
    (tea,) = read(jsonl([conversation]))

    assert tea.text == "human: look\n\nand hot\n\nassistant: print()\n\nassistant: Tea."
    assert tea.skipped == {
        "system message": 1,
        "hidden message": 1,
        "picture or sound": 1,
        "thought": 1,
        "tool call": 1,
        "tool message": 1,
    }


def test_the_branch_that_was_gone_on_with_is_taken():
    conversation = chatgpt(("user", "Tea?"), ("assistant", "No."), ("assistant", "Yes."))
    conversation["mapping"]["2"]["parent"] = "0"
    (tea,) = read(jsonl([conversation]))

    assert tea.text == "human: Tea?\n\nassistant: Yes."
    assert tea.skipped == {"message of another branch": 1}


@pytest.mark.parametrize("current", [None, "nowhere", 7, []])
def test_a_conversation_that_does_not_say_where_it_stands_is_taken_to_its_latest_leaf(current):
    (tea,) = read(jsonl([chatgpt(("user", "Tea?"), ("assistant", "Yes."), current_node=current)]))

    assert tea.text == "human: Tea?\n\nassistant: Yes."


def test_a_branch_that_leads_back_to_itself_ends():
    conversation = chatgpt(("user", "Tea?"), ("assistant", "Yes."))
    conversation["mapping"]["0"]["parent"] = "1"
    (tea,) = read(jsonl([conversation]))

    assert tea.text == "human: Tea?\n\nassistant: Yes."


def test_a_conversation_without_words_is_left_out():
    readings = read(jsonl([claude(), claude(("human", " ")), chatgpt(), claude(("human", "Tea?"))]))

    assert [type(record) for record in readings] == [Skipped, Skipped, Skipped, Episode]


def test_a_conversation_without_an_id_has_the_same_one_when_it_has_grown():
    (short,) = read(jsonl([claude(("human", "Tea?"), uuid=None)]))
    (long,) = read(jsonl([claude(("human", "Tea?"), ("assistant", "Yes."), uuid=None, name="Tea!")]))

    assert short.source == long.source


@pytest.mark.parametrize(
    "at", [None, "yesterday", 1e400, True, "9999-99-99", 10**400, -1e15, "0001-01-01T00:00:00+14:00"]
)
def test_a_time_that_is_none_is_that_of_the_first_turn(at):
    (tea,) = read(jsonl([claude(("human", "Tea?"), created_at=at)]))

    assert tea.started_at == datetime(2026, 1, 2, 3, 4, 6, 500000, UTC)


def test_conversations_are_read_out_of_the_zip_in_the_order_of_their_files():
    packed = zipped(
        **{
            "x/conversations-10.json": [claude(("human", "three"))],
            "x/conversations-2.json": [claude(("human", "one")), claude(("human", "two"))],
            "x/users.json": [],
            "chat.html": "<p>",
        }
    )
    readings = read(packed)

    assert detection.detect(packed) == detection.CLAUDE
    assert [(record.position, record.text) for record in readings] == [
        (1, "human: one"),
        (2, "human: two"),
        (3, "human: three"),
    ]


def test_a_zip_that_unpacks_to_too_much_is_stopped(monkeypatch):
    monkeypatch.setattr(chat_archives, "_MIN_CHECKED_BYTES", 10_000)
    packed = zipped(**{"conversations.json": json.dumps([claude(("human", "Tea?"))])[:-1] + " " * 5_000_000 + "]"})

    assert [type(record) for record in chat_archives.read_chat_export(packed)] == [ReadError]
    with pytest.raises(errors.InvalidArguments, match="unpacks to more"):
        detection.detect(packed)


def test_all_files_of_a_zip_together_are_bounded(monkeypatch):
    monkeypatch.setattr(chat_archives, "MAX_UNPACKED_BYTES", 1_000)
    packed = zipped(**{f"conversations-{number}.json": [claude(("human", "x" * 300))] for number in range(9)})
    readings = read(packed)

    assert 0 < sum(isinstance(record, Episode) for record in readings) < 4
    assert isinstance(readings[-1], ReadError)


@pytest.mark.parametrize(
    "content",
    [
        zipped(**{"other.json": []}).getvalue(),
        zipped(**{"conversations.json": [claude(("human", "Tea?"))]}).getvalue()[:-30],
        b"PK\x03\x04" + b"\0" * 100,
    ],
)
def test_a_zip_that_is_damaged_or_another_is_refused(content):
    with pytest.raises(errors.InvalidArguments):
        detection.detect(io.BytesIO(content))


def test_a_zip_that_is_damaged_inside_gives_what_can_be_read():
    packed = bytearray(
        zipped(**{"conversations.json": [claude(("human", str(n) * 50)) for n in range(20_000)]}).getvalue()
    )
    packed[len(packed) // 2] ^= 0xFF
    readings = list(chat_archives.read_chat_export(io.BytesIO(bytes(packed))))

    assert isinstance(readings[-1], ReadError)


def test_a_bad_conversation_does_not_stop_those_after_it():
    deep = "[" * 100_000 + "]" * 100_000
    tea = json.dumps(claude(("human", "Tea?")))
    readings = read(file(f'[{tea}, 7, {{"a": nope, "b": "}}]"}}, {{}}, {deep}, {{"n": {"9" * 5000}}}, {tea}]'))

    assert read_errors(readings) == [(number, "INVALID_ARGUMENTS") for number in range(2, 7)]
    assert readings[-1].position == 7


@pytest.mark.parametrize("ending", ["", ",", ', {"a": "', ', {"a": 1', " 7"])
def test_an_array_that_was_cut_off_gives_what_is_there(ending):
    readings = read(file("[" + json.dumps(claude(("human", "Tea?"))) + ending))

    assert [type(record) for record in readings] == [Episode, ReadError]


# Arrays of any size


@given(st.lists(values, max_size=6), st.sampled_from([1, 2, 3, 7, 64]), st.sampled_from([None, 2]))
def test_elements_are_those_of_the_whole_array_however_much_is_read_at_once(array, read_characters, indent):
    source = io.StringIO(json.dumps(array, indent=indent))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chat_archives, "_READ_CHARACTERS", read_characters)
        elements = list(chat_archives.read_elements(source))

    assert [element.error for element in elements] == [None] * len(array)
    assert [element.value for element in elements] == array


@given(st.text('[]{},:"\\ a1', max_size=40), st.sampled_from([1, 3, 1000]))
@example("", 1)
@example('{"a" 1}, 1', 3)
@example("1, 2]", 1)
def test_whatever_stands_there_it_ends(content, read_characters):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chat_archives, "_READ_CHARACTERS", read_characters)
        elements = list(chat_archives.read_elements(io.StringIO("[" + content)))

    try:
        whole = json.loads("[" + content)
    except ValueError:
        assert any(element.error for element in elements) or "]" in content
    else:
        assert [element.value for element in elements] == whole


def test_of_a_large_file_only_a_part_is_held():
    class Counted(io.StringIO):
        read_so_far = 0

        def read(self, size: int | None = -1) -> str:
            part = super().read(size)
            self.read_so_far += len(part)
            return part

    source = Counted("[" + ", ".join(json.dumps({"n": n, "x": "y" * 10_000}) for n in range(1000)) + "]")
    first = next(chat_archives.read_elements(source))

    assert first.value["n"] == 0
    assert source.read_so_far < 2_000_000


def test_an_element_that_is_too_long_is_passed_over():
    source = io.StringIO(json.dumps([1, {"x": 'y"\\' * 2_000_000, "z": ["]"]}, 3]))
    elements = list(chat_archives.read_elements(source, max_characters=2_000_000))

    assert [element.value for element in elements if not element.error] == [1, 3]


# What a file is


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('{"keepgraph": "graph", "format": 1}\n', detection.LINES),
        ('{"subject": {"type": "person", "name": "Ada"}}\n', detection.LINES),
        ('{"something": 1}\n', detection.LINES),
        (json.dumps(ADA), detection.MEMORY_SERVER),
        ("\n\n{bad\n" + json.dumps(KNOWS), detection.MEMORY_SERVER),
        ("\ufeff" + json.dumps(ADA), detection.MEMORY_SERVER),
        ("type;name\n", detection.CSV),
        ("subject\tpredicate\tobject\n", detection.CSV),
        (" \n [ " + json.dumps(claude()), detection.CLAUDE),
        ("\ufeff" + " " * 5_000_000 + json.dumps([claude(("human", "x" * 5_000_000))]), detection.CLAUDE),
        (json.dumps([7, chatgpt()])[:1] + json.dumps(chatgpt()) + "]", detection.CHATGPT),
    ],
)
def test_a_file_is_known_by_its_content(content, format):
    opened = file(content)

    assert detection.detect(opened) == format
    assert opened.tell() == 0


@pytest.mark.parametrize(
    "content",
    [
        "",
        " \n\t\n",
        "# Notes\n",
        "a,b\n",
        "[]",
        "[1, 2]",
        '{\n  "a": 1\n}',
        "[",
        "\0\0\0",
        "\xff\xfe\xfd",
        "x" * 100,
        "PK\x03\x04",
    ],
)
def test_a_file_of_another_kind_is_refused(content):
    with pytest.raises((errors.FormatUnknown, errors.InvalidArguments), match=r"file format is unknown|zip file"):
        detection.detect(io.BytesIO(content.encode("latin-1")))


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content):
    for format in (detection.MEMORY_SERVER, detection.CSV, detection.CLAUDE):
        try:
            readings = list(detection.read(io.BytesIO(content), format))
        except errors.InvalidArguments:
            continue
        assert all(records.is_valid(getattr(record, "name", "") or "") for record in readings)
