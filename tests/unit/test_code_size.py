"""The lines of code of a module: what is no comment, no docstring and not blank."""

from __future__ import annotations

import pytest

import code_size


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('"""A docstring\nof two lines."""\n\nimport os\n', 1),
        ('# a comment\nLIMIT = 3  # another\n"""At most this many."""\n', 1),
        ('QUERY = """\n    SELECT 1\n"""\n', 3),
        ('def double(number):\n    """Twice a number."""\n\n    return (\n        2 * number\n    )\n', 4),
        ("", 0),
    ],
)
def test_a_line_counts_where_it_holds_code(text, lines):
    assert lines == code_size.count(text)
