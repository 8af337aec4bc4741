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
"""Why a sentence with this cue does not assert something, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that say how real the content of a sentence is; offsets in characters, the end exclusive."""

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
    """Whether a sentence with these cues states or denies something."""
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


# Assertion context: what stands around a statement in English and takes it back, orders it, or leaves it open.
#
# `… is unproven`, `make sure …`, `everyone but …`, `… in the novel`, and a next sentence such as `That is not true.`

_EVALUATION = (
    r"(?:not|never|n['’]t|hardly|yet to be|far from|anything but)\s(?:\w+\s){0,2}?(?:true|so|right|correct|accurate|"
    r"the case|grounded|proven|proved|"
    r"verified|confirmed|established|supported|substantiated|certain|clear|known|real|valid|settled|been)\b|"
    r"un(?:grounded|proven|proved|verified|confirmed|supported|founded|substantiated|true|certain|clear|known|likely|"
    r"believable|settled|documented|sourced)|false|wrong|incorrect|inaccurate|invalid|mistaken|erroneous|baseless|"
    r"refuted|disproved|disproven|debunked|retracted|withdrawn|denied|contradicted|contested|disputed|rejected|"
    r"questionable|doubtful|dubious|debatable|invented|fabricated|made[- ]up|imaginary|fictional|fictitious|fake|"
    r"hypothetical|hallucinat\w+|outdated|out of date|nonsense|rubbish|impossible|"
    r"(?:an?|the|pure|just|only|mere)\s(?:\w+\s)?(?:lie|myth|rumou?r|legend|hoax|fiction|fabrication|hallucination|"
    r"claim|guess|joke|mistake|error|misunderstanding|assumption|hypothesis|question|invention|test|example|dream|sentence|"
    r"speculation|exaggeration)|pure fiction|no longer (?:true|so|the case|right|correct|accurate|valid)|"
    r"no more than a|open to|in doubt|up for debate|to be (?:confirmed|verified|checked|proven)|\[?citation needed"
)
_THEN = (
    r"(?=[\s\"”’')\]]*(?:[.,;:!?)…–—-]|$)|\s(?:at all|any ?more|either|though|of course|as|because|since|and|but|in|"
    r"now|today|by|from|for|last|yesterday|on|said|ever|until|when|again)\b)"
)
_VERB = r"(?:['’]s|is|was|are|were|has|have|had|be|been|being|remains?|seems?|proved|turn(?:s|ed) out|proves|to|got)"
_MARKS = r"[\"”’')\]]*\s?(?:[,(\[–—:;-]+\s?)?"
_EVALUATED_AFTER = lazy.compile(
    rf"^{_MARKS}(?:(?:but|and|although|though|yet)\s)?(?:(?:which|that|this|it|all of it|the claim|the statement)\s?)?"
    rf"(?:(?:{_VERB}|later|since|still|now|yet|also|\w+ly)\s)*(?:{_EVALUATION}){_THEN}",
    re.IGNORECASE,
)
_TAKES_BACK = lazy.compile(
    rf"^(?:(?:no|but|well|actually|sorry|in fact|however|oops)\b,?\s)*(?:(?:(?:that|this|it|which|all (?:this|that)|"
    rf"(?:the|this|that) (?:above|claim|statement|sentence|assertion|fact|line|last|previous\s\w+))\s?"
    rf"(?:(?:{_VERB}|later|since|still|now|yet|also|\w+ly)\s)+(?:{_EVALUATION}){_THEN})|not\W*$|"
    r"(?:not true|untrue|not so|not really|not any ?more|wrong|false|incorrect|nonsense|rubbish|correction|"
    r"scratch that|(?:i(?:['’]m| am| was| were)?\s)?(?:just\s)?(?:kidding|joking|lying|lied)|"
    r"i was (?:wrong|mistaken)|i take (?:it|that|this) back|or so \w+|said no one|or not|no,? (?:she|he|it|they)\b|"
    r"(?:she|he|it|they)(?:\s(?:do|does|did|is|are|was|were|has|have)(?:n['’]t|\snot)| never did| no longer \w+)[.!]?$)"
    r")",
    re.IGNORECASE,
)
_DISCLAIMS = lazy.compile(
    rf"\b(?:{_EVALUATION}|false|untrue|myths?|rumou?rs?|lies|fictions?|hypothes[ie]s|made[- ]up|"
    r"(?:test|sample|example|dummy) (?:data|text|sentences?|facts?)|counter-?examples?|to ?do|to be done|wishes|plans?|"
    r"questions?|assumptions?|dreams?)\b[^:]*:\s*$",
    re.IGNORECASE,
)
_EMBEDDED_UNTRUTH = lazy.compile(
    r"\b(?:false|untrue|mistaken|wrong|lie|lies|lying|lied|myth|legend|hoax|fiction|fairy tale|fabrication|invention|"
    r"pretence|illusion|delusion|fantasy|nonsense|idea|notion|dream(?:s|t|ed)?|fear(?:s|ed)?|worr(?:y|ies|ied)|bet|"
    r"theory|hypothesis|assumption|possibility|hope|speculat\w+)\s(?:is\s)?that\s",
    re.IGNORECASE,
)
_NEGATED_EMBEDDING = lazy.compile(
    r"(?:\b(?:not|never|nobody|no one|none|nothing|without|no|neither|nor|hardly|cannot)\b|n['’]t\b)"
    r"[^,;]*\b(?:that|how|why|where|which|whereby|what)\s",
    re.IGNORECASE,
)
_ORDERED = lazy.compile(
    r"(?:^|[,;:]\s|\b(?:and|then|please|to|must|should|can|us)\s)(?:please\s|then\s|always\s|kindly\s)*"
    r"(?:(?:make (?:it so|sure|certain)|ensure|see to it)\s[^,;]*|"
    r"(?:see|check|double-check|verify|confirm|assert|test|validate|require|demand|pretend|suppose|say|imagine|assume|"
    r"find out)\s(?:(?:that|if|whether|how|why)\s[^,;]*)?|"
    r"(?:let|have|make|get|help|force|allow|tell|ask)\s(?:\w+\s)?(?:[A-Z][\w-]*\s){0,4})$",
    re.IGNORECASE,
)
_FICTION = lazy.compile(
    r"\bin\s(?:an?|the|my|your|his|her|our|their|this|that|these|some|one|another)\s(?:[\w-]+\s){0,2}?"
    r"(?:dreams?|nightmare|novels?|books?|stor(?:y|ies)|tale|films?|movies?|play|game|series|episode|fiction|fantasy|"
    r"simulation|examples?|exercise|tests?|test data|data ?set|fixtures?|demo|mock|mock-?up|samples?|scenario|sketch|"
    r"parody|joke|script|(?:alternate|alternative|parallel|fictional|imaginary) (?:universe|world|reality)|"
    r"role-?play|rehearsal|fairy tale|legend|comic|poem|song|"
    r"hypothetical|thought experiment|imagination|screenplay|musical|opera|cartoon|quiz|prank)\b"
    r"(?!\s(?:environment|department|industry|team|shop|store|system|cluster|suite|section|business|unit|division|room))|"
    r"\bin (?:fiction|test data|sample data|my imagination|imagination|dreams)\b",
    re.IGNORECASE,
)
_NAME = r"[A-Z][\w&.-]*(?:\s[A-Z][\w&.-]*)?"
_CHOICE_AFTER = lazy.compile(rf"^(?:,\s{_NAME})*,?\sor\s{_NAME}")


def kinds(sentence: str, first: tuple[int, int], second: tuple[int, int]) -> Iterator[CueKind]:
    """Why a sentence does not assert what it says of two names, besides the cues in it.

    Args:
        first, second: the offsets of the names, the end exclusive; the first stands before the second.
    """
    before, between, after = sentence[: first[0]], sentence[first[1] : second[0]], sentence[second[1] :]
    if (
        _EVALUATED_AFTER.match(after)
        or _EMBEDDED_UNTRUTH.search(without_denied_clauses(before))
        or _DISCLAIMS.search(before)
        or is_denied_only_above(before)
    ):
        yield "doubt"
    if _ORDERED.search(before):
        yield "plan"
    if _FICTION.search(before) or _FICTION.search(after):
        yield "condition"
    if _CHOICE_AFTER.match(between):
        yield "possibility"


def is_denied_only_above(before: str) -> bool:
    """Whether a main clause is negated that a statement depends on: `nobody says that …`."""
    return _NEGATED_EMBEDDING.search(without_denied_clauses(before)) is not None


def takes_back(following: str) -> bool:
    """Whether a sentence takes back the one before it: `That is not true.`"""
    return _TAKES_BACK.match(following.strip()) is not None
