"""What somebody asks to forget is read from plain English: the kind of thing, and the words that name it."""

from __future__ import annotations

import pytest

from keepgraph.engine.texts import forget_targets
from keepgraph.engine.texts.forget_targets import Request
from keepgraph.language.phrase_matching import Occurrences


@pytest.mark.parametrize(
    ("what", "request_"),
    [
        ("the note about the licence", Request("the licence", "text")),
        ("my notes on Kim", Request("Kim", "text")),
        ("the e-mail from Ana.", Request("Ana", "text")),
        ("the note called “Trip”", Request("Trip", "text")),
        ("the trip note", Request("trip", "text")),
        ("the last message", Request("", "text", is_last=True)),
        ("everything about Bob", Request("Bob", "entity")),
        ("everything that you know about Bob Keller", Request("Bob Keller", "entity")),
        ("the fact that Bob is away", Request("Bob is away", "fact")),
        ("that Bob is away", Request("Bob is away", "fact")),
        ("call 12", Request("12", "call")),
        ("the call #12", Request("12", "call")),
        ("the last call", Request("", "call", is_last=True)),
        ("what I just told you", Request("", "call", is_last=True)),
        ("Bob", Request("Bob")),
        ("“Bob”", Request("Bob")),
        ("Notebook", Request("Notebook")),
        ("the note “Trip”", Request("Trip", "text")),
        ("Letters from Iceland", Request("Letters from Iceland")),
        ("the Blue Note", Request("the Blue Note")),
        ("The Last Letter", Request("The Last Letter")),
        ("All About Eve", Request("All About Eve")),
        ("all about Eve", Request("all about Eve")),
        ("all you know about Eve", Request("Eve", "entity")),
        ("", Request("")),
    ],
)
def test_a_request_is_read(what, request_):
    assert request_ == forget_targets.parse(what)


@pytest.mark.parametrize("count", [1, 100])
@pytest.mark.parametrize(
    ("text", "is_in"),
    [
        ("Kim Lee went.", True),
        ("KIM\n  LEE", True),
        ("(kim lee)", True),
        ("kim leeds", False),
        ("joakim lee", False),
        ("Kim", False),
        ("", False),
        ("Lee Kim; C++ is on", True),
        ("C+", False),
    ],
)
def test_names_are_looked_for_as_whole_words(text, is_in, count):
    sought = Occurrences(["Kim  Lee", "C++", *(f"filler {n}" for n in range(count))])

    assert is_in == sought.are_in(text)


def test_nothing_is_in_no_text():
    assert not Occurrences(["", "  "]).are_in("anything")
