"""What somebody asks to forget, in English: the kind of thing that the words name, and the words without that."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TEXT_NOUNS = (
    r"(?:notes?|texts?|messages?|memos?|documents?|e-?mails?|mails?|letters?|conversations?|minutes|pages?|episodes?"
    r"|entry|entries|memory|memories)"
)
_LAST = r"(?:last|latest|newest|most recent|previous)"
_DETERMINER = r"(?:(?:the|my|your|our|that|this|a|an)\s+)?"

_CALL = re.compile(r"(?:the\s+)?call\s+#?(\d{1,18})", re.IGNORECASE)
_LAST_CALL = re.compile(
    rf"(?:the\s+)?{_LAST}\s+(?:call|thing|change)|what (?:i|we|you) (?:have )?just (?:told you|said|recorded|added|did)"
    r"|what was just (?:said|recorded|added)",
    re.IGNORECASE,
)
_LAST_TEXT = re.compile(rf"{_DETERMINER}{_LAST}\s+{_TEXT_NOUNS}", re.IGNORECASE)
_TEXT = re.compile(
    rf"{_DETERMINER}{_TEXT_NOUNS}\s*(?::|\b(?:about|on|of|from|with|for|that says|which says|saying|called|titled"
    r"|named|where|in which)\b)\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)
_TEXT_AT_END = re.compile(rf"{_DETERMINER}(.+?)\s+{_TEXT_NOUNS}", re.IGNORECASE | re.DOTALL)
_FACT = re.compile(r"(?:the\s+|this\s+|that\s+)?fact\s*(?::|that|about)?\s+(.+)|that\s+(.+)", re.IGNORECASE | re.DOTALL)
_EVERYTHING = re.compile(
    r"(?:everything|anything|all|whatever)(?:\s+(?:that\s+)?(?:you|i|we)\s+(?:know|have|kept|said|remember|told you))?"
    r"\s+(?:about|on|of)\s+(.+)|who\s+(.+?)\s+is",
    re.IGNORECASE | re.DOTALL,
)
_QUOTES = "\"'“”„«»‘’` "


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked to be forgotten.

    Attributes:
        words: the name, title, sentence or words that are left; the number of a call.
        kind: entity, fact, text or call, where the words tell; None where they do not.
        is_last: whether the newest of its kind is meant.
    """

    words: str
    kind: str | None = None
    is_last: bool = False


def parse(what: str) -> Request:
    """Read what somebody asks to forget: "the note about the licence" is a text, with the words "the licence"."""
    text = " ".join(what.split()).rstrip(".!?") or what.strip()
    if call := _CALL.fullmatch(text):
        return Request(call[1], "call")
    if _LAST_CALL.fullmatch(text):
        return Request("", "call", is_last=True)
    if _LAST_TEXT.fullmatch(text):
        return Request("", "text", is_last=True)
    for pattern, kind in ((_TEXT, "text"), (_EVERYTHING, "entity"), (_FACT, "fact"), (_TEXT_AT_END, "text")):
        if match := pattern.fullmatch(text):
            return Request(unquoted(next(group for group in match.groups() if group)), kind)
    return Request(unquoted(text))


def unquoted(text: str) -> str:
    """A text without the quotation marks around it."""
    return text.strip(_QUOTES) or text.strip()
