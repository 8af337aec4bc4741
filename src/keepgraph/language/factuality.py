"""Event factuality: whether an English sentence asserts something, or denies, asks, supposes, plans or doubts it.

Negation words of German, French, Spanish and Italian are known too; all else is read in English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from keepgraph import lazy
from keepgraph.lazy import dataclass

CueKind: TypeAlias = Literal["negation", "question", "condition", "possibility", "plan", "doubt", "past"]

REASONS: dict[CueKind, str] = {
    "negation": "it is denied",
    "question": "it is a question",
    "condition": "it depends on a condition",
    "possibility": "it is only possible",
    "plan": "it is planned, wanted or expected",
    "doubt": "it is a claim or a rumour, or somebody doubts it",
    "past": "it was so in the past",
}
"""Why a sentence with such a cue does not assert that something is so, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that say how real it is what a sentence speaks of; their offsets are in characters, the end exclusive."""

    kind: CueKind
    start: int
    end: int
    words: str


_NOT_BEFORE_ONLY = r"(?!\s+(?:only|just|merely|least)\b)"

# The first kinds come first: what is found under one is not looked for under the next.
_EXPRESSIONS: dict[CueKind, str] = {
    "question": r"\?(?=[\"'”’)\s]*$)|^(?:who|what|where|when|why|how|which)\s+(?:is|are|was|were|do|does|did)\b",
    "condition": (
        r"\b(?:if|unless|whether|provided (?:that|it)|providing|assum(?:e|ing|es)(?: that)?|suppos(?:e|ing)|"
        r"in case|as long as|only when|would have|otherwise|imagine|pretend(?:s|ed)?|hypothetical\w*|"
        r"in theory|theoretically|were (?:he|she|it|they|we) to)\b"
    ),
    "doubt": (
        r"\b(?:doubt(?:s|ed|ing|ful)?|allege(?:s|d|dly)?|claim(?:s|ed|ing)?|rumou?r\w*|supposedly|reportedly|"
        r"purported(?:ly)?|so-called|den(?:y|ies|ied|ying)|disput(?:e|es|ed)|unconfirmed|unclear|unsure|"
        r"uncertain|questionable|contested|heard that|hearsay|gossip|said to (?:be|have)|falsely|untrue|"
        r"wrong(?:ly)?(?: to)?|mistaken(?:ly)?|incorrect(?:ly)?|erroneous(?:ly)?|myth|lied|according to a rumou?r|"
        r"some (?:say|people say|think|believe|critics say)|critics say|people say|they say|is it true|joke[ds]?)\b"
    ),
    "past": (
        r"\b(?:used to|formerly|previously|former|ex-\w+|erstwhile|once (?:was|were|had|lived|worked|led|belonged)|"
        r"back then|in those days|at (?:that|the) time|in the past|years ago|long ago|"
        r"until (?:\w+ ){0,2}\d{4}|until (?:last|recently|then|his|her|their|its)|"
        r"(?:was|were|had) once|had been|before (?:he|she|it|they|leaving|moving|joining)|ended in|quit|resigned|"
        r"stopped|ceased)\b"
    ),
    "plan": (
        r"\b(?:will|shall|(?:is|are|was|were|['’]s|['’]re) (?:going|about|set|due|scheduled|expected|supposed|"
        r"planned|meant|likely) to|(?:is|are) to be|plan(?:s|ned|ning|(?= to| on| for))|intend(?:s|ed|ing)?|"
        r"want(?:s|ed)?(?: to)?|hop(?:e|es|ed|ing)(?: to| that| for)?|wish(?:es|ed)?|aim(?:s|ed)? to|"
        r"consider(?:s|ed|ing)?|propos(?:e|es|ed|ing)|suggest(?:s|ed|ing)?|offer(?:s|ed)? to|"
        r"try(?:ing)? to|tries to|tried to|seek(?:s|ing)? to|expect(?:s|ed)?(?: to)?|about to|to[- ]?do|todo|"
        r"promis(?:e|es|ed)|next (?:week|month|year|quarter|spring|summer|autumn|fall|winter)|tomorrow|soon|"
        r"in (?:the )?future|ha(?:s|ve) yet to|yet to|should|ought to|let['’]s|ask(?:s|ed) to"
        r"|applied (?:to|for)|appl(?:y|ies) (?:to|for))\b|['’]ll\b"
    ),
    "possibility": (
        r"\b(?:might|(?-i:may)(?! \d)|could|would|maybe|perhaps|possib(?:ly|le)|probab(?:ly|le)|presumably|"
        r"potential(?:ly)?|likely|unlikely|conceivabl[ey]|apparently|seem(?:s|ed|ingly)?|appear(?:s|ed)? to|"
        r"guess(?:es|ed)?|i think|"
        r"we think|thinks?|thought|believ(?:e|es|ed)|suspect(?:s|ed)|assum(?:ed)|imagin(?:e|ed)|"
        r"not sure|not certain|can(?:not)? be|chances are|in my opinion|as far as i know|afaik|i['’]m told)\b"
    ),
    "negation": (
        rf"\b(?:not\b{_NOT_BEFORE_ONLY}|never|no longer|no more\b(?! than)|neither|nor|"
        r"no(?!,| doubt| time| problem| matter| more| later| other| wonder| sooner| better| less| fewer|\.)|none|"
        r"nobody|no one|nothing|nowhere|cannot|without|lack(?:s|ed|ing)?|hardly|scarcely|"
        r"instead of|rather than|except|fail(?:s|ed)? to|refus(?:e|es|ed) to|declin(?:e|es|ed) to|unable to|"
        r"neglect(?:s|ed)? to|(?:decided|voted|advised|ruled|chose|argued) against|"
        r"nicht|kein(?:e|en|em|er|es)?|nie|niemals|pas|jamais|aucune?|nunca|jam[aá]s|ning[uú]n|ninguna|tampoco|"
        r"non|nessun[oa]?)\b|n['’]t\b"
    ),
}
_DENIED_CLAUSE = lazy.compile(
    r"\b(?:it|this|that)(?:\sis|['’]s|\swas)\s(?:just\s|\w+ly\s)?"
    r"(?:false|untrue|wrong|incorrect|not true|not the case|not correct|not right|never true|not so|a lie)\s"
    r"(?:to (?:say|claim|state|think|believe|assume)\s)?that\b",
    re.IGNORECASE,
)
_PATTERNS = {kind: lazy.compile(expression, re.IGNORECASE) for kind, expression in _EXPRESSIONS.items()}
_UNREAL = frozenset(("question", "condition", "doubt", "plan", "possibility"))


def find_cues(sentence: str) -> tuple[Cue, ...]:
    """The cues of a sentence, in their order."""
    return tuple(sorted(_cues(sentence), key=lambda cue: cue.start))


def is_asserted(cues: tuple[Cue, ...]) -> bool:
    """Whether a sentence with these cues says that something is so, or that it is not so."""
    return not any(cue.kind in _UNREAL for cue in cues)


def without_denied_clauses(sentence: str) -> str:
    """A sentence without the main clauses that deny the clause after them: `it is false that`."""
    return _DENIED_CLAUSE.sub(" ", sentence)


def _cues(sentence: str) -> Iterator[Cue]:
    taken: list[tuple[int, int]] = []
    for match in _DENIED_CLAUSE.finditer(sentence):
        taken.append(match.span())
        yield Cue("negation", match.start(), match.end(), match[0].lower())
    for kind, pattern in _PATTERNS.items():
        for match in pattern.finditer(sentence):
            if match[0] and not any(start < match.end() and match.start() < end for start, end in taken):
                taken.append(match.span())
                yield Cue(kind, match.start(), match.end(), match[0].lower())
