"""Regular expressions (`=~`) by RE2, whose time is linear in the text, whoever writes the pattern."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from keepgraph.errors import QueryFailed, QueryTooLarge, QueryUnsupported

MAX_PATTERN_LENGTH: Final = 1_000
MAX_STEPS: Final = 500_000_000
"""The greatest product of a text's bytes and a pattern's instructions; RE2 needs at most some seconds for it."""


_HINT: Final = (
    r"Write it as RE2 has it: (?i)ada.*. It has no look-around ((?!…)), no back-references (\1), no possessive repeats "
    r"(a++) and no repeats above 1,000; \x{0061} is its \u0061, \z its \Z, and {0,3} its {,3}. Combine conditions "
    "instead: x =~ 'a.*' AND NOT x =~ '.*b'."
)

_MISREAD: Final = re.compile(
    r"\\Q.*?(?:\\E|\Z)"  # quoted text
    r"|(?P<misread>\\C)"
    r"|\\."
    r"|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]"  # a character class
    r"|(?P<repeat>\{,\d*\})",
    re.DOTALL,
)
"""What RE2 reads otherwise than is meant: `\\C` is one byte, not a character, and `{,3}` these four characters."""


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """The function that tells whether a whole string matches the pattern.

    Raises:
        QueryFailed: RE2 cannot read the pattern.
        QueryTooLarge: it is too long. The function raises this too, if a text needs too many steps.
        QueryUnsupported: RE2 is not installed.
    """
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise QueryTooLarge(f"a regular expression has {len(pattern):,} characters; the most is {MAX_PATTERN_LENGTH:,}")
    re2 = _load()
    for token in _MISREAD.finditer(pattern):
        if misread := token["misread"] or token["repeat"]:
            raise _invalid(pattern, f"{misread} is not supported")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # faster: only whether it matches is asked
    try:
        compiled = re2.compile(_encode(pattern), options)
    except re2.error as error:
        raise _invalid(pattern, error.args[0].decode(errors="replace")) from error
    size = compiled.programsize

    def match(text: str) -> bool:
        encoded = _encode(text)
        if len(encoded) * size > MAX_STEPS:
            raise QueryTooLarge(f"{len(text):,} characters are too many for the regular expression {pattern!r}")
        return compiled.fullmatch(encoded) is not None

    return match


def _invalid(pattern: str, reason: str) -> QueryFailed:
    return QueryFailed(
        f"{pattern!r} is no regular expression: {reason}",
        kind="ArgumentError",
        detail="InvalidArgumentValue",
        hint=_HINT,
    )


def _load() -> Any:
    try:
        import re2
    except ImportError:
        raise QueryUnsupported(
            "=~ needs the package google-re2, which is not installed",
            hint="Install it (pip install google-re2), or use CONTAINS, STARTS WITH, ENDS WITH and toLower().",
        ) from None
    return re2


def _encode(text: str) -> bytes:
    # half a surrogate pair has no UTF-8, and then fits no pattern but "any character"
    return text.encode("utf-8", "surrogatepass")
