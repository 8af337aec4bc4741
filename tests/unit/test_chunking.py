"""Chunking: a partition of the text, at headings, paragraphs, sentences and turns; small, and none too small."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import chunking, sentences
from keepgraph.language.chunking import TextChunk

KINDS = ["document", "text", "message", "json"]

PARTS = [
    *'# ## - * > ``` --- === | 1. . ! ? 。 ！ … Dr. e.g. 3.5 Ada: Bob user: { } [ ] , " : a é 東'.split(),
    *("\u0301", "\u200d", "👩", "🇨🇭", "\ufe0f", "\0", "\u2028", "x" * 700, "word " * 150, "東京。" * 200),
    *("\n", "\n\n", "\r\n", "\r", "\r\n\r\n", " ", "   ", "\t"),
]
VALUES = st.recursive(
    st.text(max_size=30) | st.integers() | st.none(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=40,
)
MUCH = "a|.|. |Dr. |\n|\r| |a\n\n|[|\u0301|🇨|👩\u200d|a: |> |# a\n|\ud800|# ".split("|")
texts = st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=40).map("".join)


def chunk_texts(text: str, kind: str = "text") -> list[str]:
    return [chunk.text for chunk in chunking.split(text, kind=kind)]


def sentence(n: int) -> str:
    return f"This is the sentence of the number {n}, and it is of a middling length. "


# The laws


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts)
def test_the_pieces_are_a_partition_of_the_text(kind, text):
    assert text == "".join(chunk_texts(text, kind))


@pytest.mark.parametrize("kind", KINDS)
@given(text=texts)
def test_no_piece_is_large_or_blank_or_begins_with_space(kind, text):
    chunks = chunk_texts(text, kind)

    assert all(chunk for chunk in chunks)
    assert len(chunks) == 1 or all(chunk.strip() for chunk in chunks)
    assert not any(chunk[0].isspace() for chunk in chunks[1:])
    assert all(len(" ".join(chunk.split()).encode()) <= 1_250 for chunk in chunks)


@pytest.mark.parametrize("kind", KINDS)
@given(
    text=st.lists(st.sampled_from([*"ab \n.", "e\u0301", "\r\n", "🇨🇭", "👩‍👩‍👧", "👍🏽", "한", "東"]), max_size=9).map(
        "".join
    )
)
def test_what_a_reader_sees_as_one_character_stays_whole(kind, text):
    chunks = chunk_texts(text * 120, kind)

    assert not any(unicodedata.category(chunk[0]) == "Mn" or chunk[0] in "\u200d🏽" for chunk in chunks)
    assert not any(chunk[-1] == "\u200d" for chunk in chunks)
    assert all(sum(c in "🇨🇭" for c in chunk) % 2 == 0 for chunk in chunks)


@given(value=VALUES, indent=st.none() | st.just(2))
def test_json_is_cut_between_its_values(value, indent):
    text = json.dumps([value] * 30, indent=indent)

    assert text == "".join(chunk_texts(text, "json"))


# Documents


def test_a_document_is_cut_at_its_headings():
    chunks = chunking.split("Before.\n\n# One\n\nFirst.\n\n## Two\n\nSecond.\n\n# Three\nThird.", kind="document")

    assert [
        TextChunk("Before.\n\n"),
        TextChunk("# One\n\nFirst.\n\n", "One"),
        TextChunk("## Two\n\nSecond.\n\n", "One › Two"),
        TextChunk("# Three\nThird.", "Three"),
    ] == chunks


def test_a_heading_stays_with_what_follows_it():
    chunks = chunking.split("# One\n\n## Two\n\n" + "".join(map(sentence, range(30))) + "\n\n# Last\n", kind="document")

    assert chunks[0].text.startswith("# One\n\n## Two\n\nThis is the sentence of the number 0")
    assert chunks[0].heading == "One › Two"
    assert chunks[-1] == TextChunk("# Last\n", "Last")


def test_headings_in_code_are_none():
    (chunks,) = chunking.split("# One\n\n```sh\n# not a heading\nls\n```\n", kind="document")

    assert chunks.heading == "One"


def test_small_neighbours_under_a_heading_are_joined():
    text = "# List\n\n" + "".join(f"- item of the number {n}\n" for n in range(100))
    chunks = chunk_texts(text, "document")

    assert len(chunks) == 5
    assert all(chunk.startswith("- item") for chunk in chunks[1:])


def test_code_and_tables_are_cut_at_lines():
    code = "```py\n" + "".join(f"print('Hello. There are {n}.')\n" for n in range(90)) + "```\n"
    table = "| a. B | c. D |\n|--|--|\n" + "".join(f"| x. Y. {n} | Z. |\n" for n in range(100))
    chunks = chunk_texts(f"# A\n\n{code}\n# B\n\n{table}", "document")

    assert all(chunk.startswith(("# ", "print(", "| ")) for chunk in chunks)
    assert len(chunks) > 4


def test_a_change_leaves_the_pieces_elsewhere_as_they_were():
    sections = [f"# Part {n}\n\n" + "".join(map(sentence, range(20))) + "\n\n" for n in range(10)]
    before = set(chunk_texts("".join(sections), "document"))
    sections[5] = "# Part 5\n\nSomething else.\n\n"
    after = set(chunk_texts("".join(sections), "document"))

    assert len(after - before) == 1


def test_what_is_put_before_a_text_leaves_its_end_as_it_was():
    paragraphs = "".join(sentence(n) * (1 + n % 4) + "\n\n" for n in range(60))
    before, after = chunk_texts(paragraphs), chunk_texts("A new beginning.\n\n" + paragraphs)

    assert before[-10:] == after[-10:]


# Text


def test_a_long_paragraph_is_cut_between_sentences():
    text = "".join(map(sentence, range(60)))
    chunks = chunk_texts(text)

    assert all(chunk.startswith("This is") and chunk.endswith("length. ") for chunk in chunks)
    assert all(500 < len(chunk) <= 1_001 for chunk in chunks[:-1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
        ("He saw Dr. Weber at 3.5 km. She left.", ["He saw Dr. Weber at 3.5 km. ", "She left."]),
        ("See e.g. this one, i.e. that. Yes.", ["See e.g. this one, i.e. that. ", "Yes."]),
        ("J. S. Bach wrote it. It is good.", ["J. S. Bach wrote it. ", "It is good."]),
        ("“Really?” she said. “Yes.” He went.", ["“Really?” she said. ", "“Yes.” ", "He went."]),
        ("Wait... what? No.", ["Wait... what? ", "No."]),
        ("1. First of all. 2. Then.", ["1. First of all. ", "2. Then."]),
        ("東京は大きい。人が多い！「はい。」そう。", ["東京は大きい。", "人が多い！", "「はい。」", "そう。"]),
        ("यह है। वह है।", ["यह है। ", "वह है।"]),
        ("keepgraph.open and a.b.c", ["keepgraph.open and a.b.c"]),
        ("", [""]),
    ],
)
def test_sentences_end_where_people_end_them(text, expected):
    starts = [start for start in sentences.starts(text, 0, len(text)) if start < len(text)]

    assert expected == [text[start:end] for start, end in pairwise([0, *starts, len(text)])]


def test_letters_of_other_scripts_weigh_more():
    """
    The embedder makes about a word piece of each.
    """
    assert all(len(chunk) <= 334 for chunk in chunk_texts("東京は大きい。" * 200))


# Turns


def test_a_message_is_cut_into_turns():
    text = "\nuser: Hi there\nhow are you?\nassistant:\nFine.\n\nDr. Weber: Note: all is well.\nCaroline：はい\n"
    chunks = chunking.split(text, kind="message")

    assert [
        TextChunk("\nuser: Hi there\nhow are you?\n", speaker="user"),
        TextChunk("assistant:\nFine.\n\n", speaker="assistant"),
        TextChunk("Dr. Weber: Note: all is well.\n", speaker="Dr. Weber"),
        TextChunk("Caroline：はい\n", speaker="Caroline"),
    ] == chunks


def test_a_long_turn_is_one_persons_throughout():
    chunks = chunking.split("Ada: " + "".join(map(sentence, range(40))) + "\nBob: Yes.", kind="message")

    assert len(chunks) > 3
    assert {chunk.speaker for chunk in chunks[:-1]} == {"Ada"}
    assert chunks[-1].speaker == "Bob"


@pytest.mark.parametrize(
    ("line", "speaker"),
    [
        ("Caroline: hello", "Caroline"),
        ("Ada King de Lovelace: hello", "Ada King de Lovelace"),
        ("Jean-Luc O'Neill: hello", "Jean-Luc O'Neill"),
        ("Ada (CTO): hello", "Ada (CTO)"),
        ("東京: hello", "東京"),
        ("USER: hello", "USER"),
        ("Speaker 2: hello", "Speaker 2"),
        ("@ada: hello", "@ada"),
        ("Note: hello", None),
        ("See also: hello", None),
        ("https://example.org", None),
        ("12:30 hello", None),
        ("so this is it: hello", None),
        ("thing: hello", None),
        ("Ada said, and I quote: hello", None),
        ("A" * 61 + ": hello", None),
        ("hello", None),
    ],
)
def test_a_turn_begins_with_a_name_or_a_role(line, speaker):
    assert [speaker] == [chunk.speaker for chunk in chunking.split(line, kind="message")]


def test_a_small_name_counts_where_it_comes_again():
    chunks = chunking.split("ada_l: hi\nbob: hi\nada_l: again\nbob: yes\nthing: no", kind="message")

    assert [chunk.speaker for chunk in chunks] == ["ada_l", "bob", "ada_l", "bob"]


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Caroline: I went to the park.", "Caroline"),
        ("Dr. Weber: I went.\nAnd came back.", "Dr. Weber"),
        ("Note: remember the milk.", None),
        ("Re: your letter", None),
        ("http://example.org: a page", None),
        ("caroline: I went", None),
        ("I said: Caroline: hi", None),
        ("Ada: hi\nBob: hi", None),
        ("Before.\nAda: hi", None),
        ("Ada King of Lovelace Manor: hi", None),
    ],
)
def test_a_text_that_is_one_turn_has_a_speaker(text, speaker):
    assert {speaker} == {chunk.speaker for chunk in chunking.split(text, kind="text")}


# JSON


def test_json_is_cut_at_its_elements():
    entries = [{"name": f"Entry {n}", "text": "some words " * 10} for n in range(20)]
    for indent in (None, 2):
        chunks = chunk_texts(json.dumps(entries, indent=indent), "json")

        assert all(chunk.lstrip("[ \n").startswith("{") for chunk in chunks)
        assert len(chunks) > 4


def test_members_too_large_are_cut_within_and_named():
    text = json.dumps({"a": 1, "people": {"list": [{"name": f"Person {n}", "age": n} for n in range(60)]}, "z": 2})
    chunks = chunking.split(text, kind="json")

    assert [chunks[0].heading, chunks[1].heading, chunks[-1].heading] == [None, "people › list", None]
    assert chunks[-1].text == '"z": 2}'


def test_lines_of_json_are_cut_between_them():
    text = "".join(json.dumps({"n": n, "text": "words " * 30}) + "\n" for n in range(20))

    assert all(chunk.startswith('{"n"') for chunk in chunk_texts(text, "json"))


@pytest.mark.parametrize("text", ["{", "[1, 2", "no json", "[" * 50_000, "{'a': 1}", "[1,,2]", "\0", "  "])
def test_what_is_no_json_is_cut_as_text(text):
    assert chunk_texts(text) == chunk_texts(text, "json")


# Bad input


@pytest.mark.parametrize("kind", [*KINDS, "anything"])
def test_nothing_has_no_pieces(kind):
    assert chunking.split("", kind=kind) == []


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", MUCH)
def test_much_of_anything_is_cut(kind, part):
    text = part * 8_000

    assert text == "".join(chunk_texts(text, kind))
