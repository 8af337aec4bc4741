"""Speakers of a conversation: labels such as `Ada:` or `user:` at the start of a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from keepgraph import lazy
from keepgraph.language import text_boundaries

_MAX_WORDS = 5
# Outside of a conversation, where only the beginning of the text may name a speaker.
_MAX_WORDS_IN_TEXT = 3
_LABEL = lazy.compile(r"([^\s:：][^:：\r\n]{0,59}+)(?::(?=\s|$)|：)")
_NAME_WORD = lazy.compile(r"@?[^\W_](?:[\w.'’·-]*[\w.)'’])?|[^\W\d_]\.|\([^()\s]{1,20}\)|&")
_PARTICLES = frozenset(
    "de da di do dos del della der den van von zu zur la le el al bin ibn bint ten ter y e and".split()
)
_ROLES = frozenset(
    "user assistant system human ai bot tool function developer agent customer client support operator model "
    "interviewer interviewee host guest moderator narrator speaker caller q a me you patient doctor teacher "
    "student".split()
)
_NOT_NAMES = frozenset(
    "note notes nb todo fixme warning caution danger info tip hint important attention notice re fw fwd aw wg http "
    "https ftp mailto file ps p.s subject from to cc bcc date sent reply-to summary example examples e.g i.e update "
    "edit question answer problem solution error result results output input usage goal goals context background "
    "title author authors source sources tags status next see also reminder deadline agenda decision decisions "
    "action actions step steps conclusion description version location time when where what why who how yes no ok "
    "okay well so but and or then however remember fact facts idea ideas pros cons options plan".split()
)


def turns(text: str) -> list[tuple[int, str]]:
    """The turns of a conversation: the offset at which each begins, and its speaker.

    A label that is not written like a name counts as one if it comes twice.
    """
    labels = [(start, label) for start, label in _labels(text) if _may_be_name(label)]
    counts = Counter(label for _, label in labels)
    return [(start, label) for start, label in labels if _is_written_as_name(label) or counts[label] > 1]


def only_speaker(text: str) -> str | None:
    """The speaker of a whole text: it begins with a name as a label, and no other line does."""
    labels = [(start, label) for start, label in _labels(text) if _may_be_name(label) and _is_written_as_name(label)]
    if len(labels) != 1 or text[: labels[0][0]].strip():
        return None
    label = labels[0][1]
    words = label.split()
    is_capitalised = all(word[0].isupper() or not word[0].islower() for word in words)
    return label if is_capitalised and len(words) <= _MAX_WORDS_IN_TEXT else None


def _labels(text: str) -> Iterator[tuple[int, str]]:
    """What stands before a colon at the start of a line, with its offset."""
    first = text_boundaries.skip_space(text, 0, len(text))
    for start in (first, *text_boundaries.line_starts(text, first, len(text))):
        if match := _LABEL.match(text, start):
            yield start, match[1]


def _may_be_name(label: str) -> bool:
    """Whether the words of a label can be a name at all."""
    words = label.split()
    return (
        0 < len(words) <= _MAX_WORDS
        and label == label.strip()
        and words[0].casefold().rstrip(".") not in _NOT_NAMES
        and words[-1].casefold().rstrip(".") not in _NOT_NAMES - {"source"}
        and all(_NAME_WORD.fullmatch(word) for word in words)
        and any(c.isalpha() for c in label)
        and (len(words) == 1 or not words[0][0].islower() or words[0].casefold() in _PARTICLES | _ROLES)
    )


def _is_written_as_name(label: str) -> bool:
    """Whether the words of a label are written as a name, or are a role (user, assistant)."""
    words = label.split()
    return words[0].casefold() in _ROLES or all(
        not word[0].islower() or word in _PARTICLES or word[0] in "(@" for word in words
    )
