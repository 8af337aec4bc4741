"""What kinds of values there are, as sets: what is known of a value before the query runs. Knows no expression.

A set of kinds is an integer with one bit a kind, so that `kind & NUMBER` asks whether it may be a number.
"""

from __future__ import annotations

from dataclasses import dataclass

NULL = 1
BOOLEAN = 2
INTEGER = 4
FLOAT = 8
STRING = 16
LIST = 32
MAP = 64
NODE = 128
RELATIONSHIP = 256
PATH = 512
DATE = 1024
LOCAL_TIME = 2048
TIME = 4096
LOCAL_DATETIME = 8192
DATETIME = 16384
DURATION = 32768

NUMBER = INTEGER | FLOAT
TEMPORAL = DATE | LOCAL_TIME | TIME | LOCAL_DATETIME | DATETIME | DURATION
ANY = 65535

WORDS = {
    NULL: "null",
    BOOLEAN: "a boolean",
    INTEGER: "an integer",
    FLOAT: "a float",
    STRING: "a string",
    LIST: "a list",
    MAP: "a map",
    NODE: "a node",
    RELATIONSHIP: "a relationship",
    PATH: "a path",
    DATE: "a date",
    LOCAL_TIME: "a local time",
    TIME: "a time",
    LOCAL_DATETIME: "a local datetime",
    DATETIME: "a datetime",
    DURATION: "a duration",
}


@dataclass(frozen=True, slots=True)
class Type:
    """The kinds that a value may have (NULL among them where it may be null); of a list, those of its elements."""

    kinds: int
    element: Type | None = None

    def __or__(self, other: Type) -> Type:
        element = self.element if self.element == other.element else None
        return Type(self.kinds | other.kinds, element)


UNKNOWN = Type(ANY)


def described(kinds: int) -> str:
    """The kinds in words: `an integer or a string`."""
    words = [word for kind, word in WORDS.items() if kinds & kind and kind != NULL] or ["null"]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
