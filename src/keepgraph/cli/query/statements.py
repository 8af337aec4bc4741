"""Division of typed text into statements: queries, which end with ; or an empty line, and commands, each on a line."""

from __future__ import annotations


def split(text: str) -> list[str]:
    """The statements of a text, without the empty lines between them. The end of the text ends the last one."""
    statements: list[str] = []
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.strip():
            lines.append(line)
        if lines and (is_command(lines[0]) or _ends_query(line)):
            statements.append("\n".join(lines))
            lines = []
    return statements


def is_finished(text: str) -> bool:
    """Whether nothing more is awaited after the last line of a text."""
    return _ends_query(text.rpartition("\n")[2]) or is_command(split(text)[-1])


def is_command(statement: str) -> bool:
    return statement.lstrip().startswith(":")


def _ends_query(line: str) -> bool:
    return not line.strip() or line.rstrip().endswith(";")
