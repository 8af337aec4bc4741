"""Deletion requests in English: the kind of thing to forget, and the words that name it."""

from __future__ import annotations

import re

from keepgraph import lazy
from keepgraph.lazy import dataclass

_TEXT_NOUNS = (
    r"(?:notes?|texts?|messages?|memos?|documents?|e-?mails?|mails?|letters?|conversations?|minutes|pages?|episodes?"
    r"|entry|entries|memory|memories)"
)
_LAST = r"(?:last|latest|newest|most recent|previous)"
_DETERMINER = r"(?:[Tt]he|[Mm]y|[Yy]our|[Oo]ur|[Tt]hat|[Tt]his|[Aa]n?)\s+"
_BEGINNING = lazy.compile(_DETERMINER)

_CALL = lazy.compile(r"(?:the\s+)?call\s+#?(\d{1,18})", re.IGNORECASE)
# In all that follows the nouns are in lower case. With a capital they are part of a name: the Blue Note, Last Letters.
_LAST_CALL = lazy.compile(
    rf"(?:[Tt]he\s+)?{_LAST}\s+(?:call|thing|change)"
    r"|[Ww]hat (?:[Ii]|we|you) (?:have )?just (?:told you|said|recorded|added|did)"
    r"|[Ww]hat was just (?:said|recorded|added)"
)
_LAST_TEXT = lazy.compile(rf"(?:{_DETERMINER})?{_LAST}\s+{_TEXT_NOUNS}")
_TEXT = lazy.compile(
    rf"{_DETERMINER}{_TEXT_NOUNS}\s*(?::|(?=[\"“”„«»])|\b(?:about|on|of|from|with|for|that says|which says|saying"
    r"|called|titled|named|where|in which)\b)\s*(.+)",
    re.DOTALL,
)
_TEXT_AT_END = lazy.compile(rf"{_DETERMINER}(.+?)\s+{_TEXT_NOUNS}", re.DOTALL)
_FACT = lazy.compile(
    r"(?:the\s+|this\s+|that\s+)?fact\s*(?::|that|about)?\s+(.+)|that\s+(.+)", re.IGNORECASE | re.DOTALL
)
_EVERYTHING = lazy.compile(
    r"(?:[Ee]verything|[Aa]nything|[Ww]hatever|[Aa]ll(?=\s+(?:that\s+)?(?:you|[Ii]|we)\s))"
    r"(?:\s+(?:that\s+)?(?:you|[Ii]|we)\s+(?:know|have|kept|said|remember|told you))?\s+(?:about|on|of)\s+(.+)"
    r"|[Ww]ho\s+(.+?)\s+is",
    re.DOTALL,
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
    """Read what somebody asks to forget: "the note about the licence" is a text, with the words "the licence".

    Only with a determiner: "Letters from Iceland" is a title.
    """
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


def without_determiner(text: str) -> str:
    """A text without the article or the possessive before it: "the blue note" may be what is called Blue Note."""
    return _BEGINNING.sub("", text)


def unquoted(text: str) -> str:
    """A text without the quotation marks around it."""
    return text.strip(_QUOTES) or text.strip()
