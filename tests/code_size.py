"""The lines of code of each package, without docstrings and comments, held against the table in docs/architecture.md.

`python tests/code_size.py` prints what grew; with --write, it writes the table anew.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/keepgraph"
PAGE = ROOT / "docs/architecture.md"

_BEGIN, _END = "<!-- lines of code -->\n", "<!-- end of lines of code -->\n"
_ROW = re.compile(r"\| `(?P<package>[^`]+)` \|.*\| (?P<lines>[\d,]+) \|")
_DIVIDED = ("engine", "tools")
"""The packages whose packages have a row each."""

_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def count(text: str) -> int:
    """The lines of a module that hold code."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {line for each in tokens if each.type not in _NO_CODE for line in range(each.start[0], each.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        # also the text below an attribute or a constant
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            code -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(code)


def by_package() -> dict[str, int]:
    """The lines of each package, by its path below keepgraph; modules of none together."""
    lines: Counter[str] = Counter()
    for file in SOURCE.rglob("*.py"):
        folders = file.relative_to(SOURCE).parts[:-1]
        depth = 2 if folders[:1] and folders[0] in _DIVIDED else 1
        lines["/".join(folders[:depth]) or "."] += count(file.read_text(encoding="utf-8"))
    return {package: number for package, number in sorted(lines.items()) if number}


def table() -> str:
    """The table as the page has it."""
    lines = by_package()
    rows = [f"| `{package}` | {_purpose(package)} | {number:,} |" for package, number in lines.items()]
    return "\n".join(
        ["| package | purpose | lines |", "|---|---|--:|", *rows, f"| together | | {sum(lines.values()):,} |", ""]
    )


def _purpose(package: str) -> str:
    if package == ".":
        return "What is open to all, and the interface to Python."
    docstring = ast.get_docstring(ast.parse((SOURCE / package / "__init__.py").read_text(encoding="utf-8"))) or ""
    return docstring.split("\n")[0]


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(_BEGIN)
    known, _, after = rest.partition(_END)
    if "--write" in sys.argv:
        PAGE.write_text(f"{before}{_BEGIN}{table()}{_END}{after}", encoding="utf-8")
        return
    noted = {row["package"]: int(row["lines"].replace(",", "")) for row in _ROW.finditer(known)}
    for package, lines in by_package().items():
        if lines > noted.get(package, 0):
            print(f"{package} grew: {noted.get(package, 0):,} → {lines:,} lines of code")


if __name__ == "__main__":
    main()
