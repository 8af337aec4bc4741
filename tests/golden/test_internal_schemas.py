"""The schema files of the internal tools are those of the types of their functions."""

from __future__ import annotations

import internal_schemas


def test_the_schemas_of_internal_tools_are_what_their_types_say(request):
    expected = internal_schemas.generate()
    if request.config.getoption("--update-golden"):
        for file, text in expected.items():
            file.write_text(text, encoding="utf-8")

    assert {file: file.read_text(encoding="utf-8") for file in expected} == expected
