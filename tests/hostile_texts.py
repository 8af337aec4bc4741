"""Texts that are hard to read: long, deep, repeated, or of signs that a reader looks at again and again."""

from __future__ import annotations

import random
from collections.abc import Iterator


def texts(size: int) -> Iterator[tuple[str, str]]:
    """Sixty of them, each with a name, of about so many characters."""
    rng = random.Random(1)
    letters = [chr(97 + rng.randrange(26)) for _ in range(size)]
    yield "caps", " ".join("".join(letters[at : at + 6]).capitalize() for at in range(0, size - 6, 7))
    yield "one_word", "A" * size
    yield "no_space_caps", "Ab" * (size // 2)
    yield "brackets", "[" * size
    yield "links", "[[" * (size // 4) + "]]" * (size // 4)
    yield "stars", "*" * size
    yield "backticks", "`" * size
    yield "quotes", ">" * size
    yield "hashes", "#" * size
    yield "dots", "A. " * (size // 3)
    yield "abbr", "Dr. " * (size // 4)
    yield "newlines", "\n" * size + "x"
    yield "tabs", "\t- " * (size // 3)
    yield "table", "|a" * (size // 2)
    yield "commas", "Ada, " * (size // 5)
    yield "and", "Ada and " * (size // 8)
    yield "of", "Bank of " * (size // 8)
    yield "worksat", "Ada works at Acme. " * (size // 19)
    yield "longsentence", "Ada Lovelace works at Acme and " * (size // 31)
    yield "dates", "2020-01-01 " * (size // 11)
    yield "numbers", "1," * (size // 2)
    yield "digits", "1" * size
    yield "emoji", "😀" * (size // 2)
    yield "zwj", "👩\u200d" * (size // 2)
    yield "combining", "a" + "\u0301" * size
    yield "cjk", "中" * (size // 2)
    yield "thai", "ก" * (size // 2)
    yield "rtl", "\u202e" * (size // 2)
    yield "hyphens", "A-" * (size // 2)
    yield "apos", "O'" * (size // 2)
    yield "urls", "http://a.b/" * (size // 11)
    yield "emails", "a@b.c " * (size // 6)
    yield "html", "<a " * (size // 3)
    yield "comment", "<!--" * (size // 4)
    yield "frontmatter", "---\n" + "a: [" * (size // 4) + "\n---\nx"
    steps = "".join(f"b{step}: &b{step} [*b{step - 1}, *b{step - 1}]\n" for step in range(1, 40))
    yield "references", f"---\nb0: &b0 [x, x]\n{steps}---\nx"
    yield "nested_list", "".join("  " * i + "- x\n" for i in range(600))
    yield "semicolons", "Ada; " * (size // 5)
    yield "quotesdeep", '"(' * (size // 2)
    yield "wiki", "".join(f"[[size{i}]] " for i in range(size // 9))
    yield "tags", "".join(f"#t{i} " for i in range(size // 7))
    yield "roman", "I. " * (size // 3)
    yield "acronyms", " ".join("".join(chr(65 + rng.randrange(26)) for _ in range(4)) for _ in range(size // 5))
    yield "paren", "Association For Computing Machinery (ACM) " * (size // 43)
    yield "parens", "(" * (size // 2) + ")" * (size // 2)
    yield "negation", "Ada does not not " * (size // 17)
    yield "ireport", "I work with Ada, who reports to Bob, who " * (size // 40)
    yield "dotsonly", "." * size
    yield "spaces", " " * size + "x"
    yield "underscores", "_a_" * (size // 3)
    yield "nullish", "\x01" * size
    yield "crlf", "a\r" * (size // 2)
    yield "setext", "a\n=" * (size // 3)
    yield "fences", "```\n" * (size // 4)
    yield "hex", "0x" * (size // 2)
    yield "slashes", "a/" * (size // 2)
    yield "mixedcap", "aA" * (size // 2)
    yield "titlecase", "The Of And " * (size // 11)
    yield "quotesingle", "‘a’" * (size // 3)
    yield "reports", "Ada reports to Bob " * (size // 19)
