"""An entity in a command line is read by a shell as it was meant."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.command_arguments import entity_argument
from keepgraph.language.normalisation import clean

ID = "ent_01m80000000000000000000000"


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("Ana", "person:Ana"),
        ("Ana Ruiz", '"person:Ana Ruiz"'),
        ("Zoë", "person:Zoë"),
        ("O'Neil", '"person:O\'Neil"'),
        ("$HOME `x`", "'person:$HOME `x`'"),
        ("C#", '"person:C#"'),
        ("a\x1bb", ID),
        ("a\nb", ID),
    ],
)
def test_quotes_stand_where_a_shell_needs_them(name, argument):
    assert argument == entity_argument("person", name, ID)


@given(st.text().map(clean).filter(bool))
def test_a_shell_reads_the_name(name):
    (word,) = shlex.split(entity_argument("person", name, ID))

    assert word in (f"person:{name}", ID)
