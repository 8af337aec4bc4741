"""An entity as a text to edit: what is written is read as the same, and what is changed in it is changed."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from keepgraph.cli import changing
from keepgraph.language.normalisation import clean
from laws import examples

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=30)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(texts, parts, max_size=3),
    max_leaves=6,
)
names = texts.map(clean).filter(bool)
entities = st.fixed_dictionaries(
    {
        "name": names,
        "type": st.just("person"),
        "aliases": st.lists(names, max_size=3, unique=True),
        "summary": texts.map(str.strip),
        "properties": st.dictionaries(texts.filter(str.strip), values, max_size=4),
    }
)


@examples(100, sweep=1_000)
@given(entities)
def test_a_text_that_is_written_says_what_there_is(entity):
    assert changing.changes_of_text(entity, changing.write(entity)) == {}


def test_what_is_changed_in_the_text_is_changed():
    entity: dict[str, Any] = {
        "name": "Ana",
        "type": "person",
        "aliases": ["A"],
        "summary": "",
        "properties": {"n": 1, "role": "CTO"},
    }
    text = 'name = "Ana R"\ntype = "person"\naliases = ["B"]\nsummary = " x "\n[properties]\nn = 1.0\nat = 07:30:00\n'

    assert changing.changes_of_text(entity, text) == {
        "name": "Ana R",
        "summary": "x",
        "add_aliases": ["B"],
        "remove_aliases": ["A"],
        "properties": {"role": None, "n": 1.0, "at": "07:30:00"},
    }
