"""Referring expressions: the name within what somebody writes, as a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.language import referring_expressions
from laws import examples

NAMES = {
    "an address has a display name": [
        ("Dmitri Orlov <dima@acme.io>", "Dmitri Orlov", "person"),
        ("Dmitri Orlov (dima@acme.io)", "Dmitri Orlov", "person"),
    ],
    "titles and initials": [
        ("Tanaka-san", "Tanaka", "person"),
        ("Professor Weber", "Weber", "person"),
        ("JB Lefevre", "J B Lefevre", "person"),
        ("hlindgren", "h lindgren", "person"),
        ("Maestro Voloshin", "Voloshin", "person"),
        ("Lt. Marsh", "Marsh", "person"),
        ("Mr Okonkwo's latest feedback", "Mr Okonkwo", "person"),
    ],
    "a noun before a name": [
        ("the ferry Isolde", "Isolde", None),
        ("our plumber Nils Aker", "Nils Aker", None),
        ("le bateau Isolde", "Isolde", None),
    ],
    "a person with something beside": [
        ("Nora Ekberg (treasurer)", "Nora Ekberg", "person"),
    ],
    "citations": [
        ("Clean Code by Robert C. Martin", "Clean Code", "reference"),
        ("Tufte's Envisioning Information", "Envisioning Information", "reference"),
        ("the Tufte book Envisioning Information", "Envisioning Information", "reference"),
        ("Envisioning Information (Tufte, 1990)", "Envisioning Information", "reference"),
        ("He et al., Deep Residual Learning", "Deep Residual Learning", "reference"),
        ("the article “Worse is Better”", "Worse is Better", "reference"),
    ],
    "identifiers": [
        ("https://arxiv.org/abs/1512.03385v2", "arXiv:1512.03385", None),
        ("https://arxiv.org/pdf/1512.03385.pdf", "arXiv:1512.03385", None),
        ("doi:10.1000/XYZ.12", "10.1000/XYZ.12", None),
        ("https://doi.org/10.1000/xyz.12", "10.1000/xyz.12", None),
        ("ISBN 978-0-13-235088-4", "9780132350884", None),
    ],
    "web addresses": [
        ("http://www.acme.io/a/b?utm_source=x#top", "https://acme.io/a/b", None),
        ("https://acme.io/watch?v=abc&t=10", "acme.io/watch?v=abc", None),
        ("https://github.com/acme/checkout-service", "checkout service", None),
    ],
    "files": [
        ("~/Downloads/retention-report.pdf", "retention-report.pdf", None),
        ("C:\\notes\\plan b.docx", "plan b.docx", None),
        ("envisioning_information.epub", "envisioning_information", "reference"),
    ],
    "initials in brackets": [
        ("change data capture (CDC)", "change data capture", None),
        ("CDC (change data capture)", "change data capture", None),
    ],
}


@pytest.mark.parametrize("what", NAMES)
def test_the_name_is_read_without_what_stands_beside_it(what):
    """
    Each row: what was written, the name within, and the style of what it may be the name of (None: any).
    """
    missing = [
        (text, name, style)
        for text, name, style in NAMES[what]
        if (name, style) not in {(each.name, each.style) for each in referring_expressions.read(text)}
    ]

    assert missing == []


QUESTIONS = [
    ("what do we know about Nadia?", "Nadia", None),
    ("What did I write down about the Atlas project", "the Atlas project", None),
    ("when did I last speak to Oluwaseun?", "Oluwaseun", None),
    ("who is Ines Roy again?", "Ines Roy", None),
    ("what's a sitzprobe?", "sitzprobe", None),
    ("notes from the call with Ingrid", "Ingrid", None),
    ("anything new on the quay wall?", "quay wall", None),
    ("what is Noor working on?", "Noor", None),
    ("what's Priya waiting for?", "Priya", None),
    ("why did we decide to replace the stage?", "replace the stage", "statement"),
]


@pytest.mark.parametrize(("text", "name", "style"), QUESTIONS)
def test_what_a_question_asks_about_is_read(text, name, style):
    asked = referring_expressions.asked_about(text)

    assert (name, style) in [(each.name, each.style) for each in asked]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ada",
        "Project Atlas",
        "the second Isolde",
        "owner of Ada",
        "without Isolde",
        "my Isolde",
        "either/or",
        "CI/CD",
        "X,Y",
        "not Ada",
        "Q3 2024",
        "https://",
        "http://[",
        "acme.io",
    ],
)
def test_a_plain_name_is_no_expression(text):
    """
    What is a name itself, or nothing that can be read, has no name within.
    """
    assert referring_expressions.read(text) == []
    assert referring_expressions.asked_about(text) == []


def test_a_name_that_is_denied_is_not_read():
    """
    A bracket may say that another is meant.
    """
    assert referring_expressions.read("Nora Ekberg (not the treasurer)") == []


@given(st.text(max_size=60))
@examples(30, sweep=1000)
def test_whatever_is_written_few_names_are_read(text):
    """
    No text raises an error, and none has more readings than the bound.
    """
    assert len(referring_expressions.read(text)) <= referring_expressions.MAX_EXPRESSIONS
