"""Relation extraction: facts and decisions that an English sentence states in plain words, by patterns.

The patterns prefer few facts to wrong ones: a sentence that asks, denies, supposes, wishes or reports states none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from keepgraph import interruption, lazy
from keepgraph.language import (
    common_words,
    factuality,
    given_names,
    inflection,
    lexicons,
    name_styles,
    normalisation,
    sentences,
    time_references,
)
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle, Role

MAX_WORDS = 6
"""The most words of a subject or an object."""

MAX_DECISION = 120
"""The most characters in the name of a decision."""

_BOTH_NAMED = 0.8
_ONE_NAMED = 0.7
_DECISION_CONFIDENCE = 0.8

# In characters; a longer sentence states no fact plainly.
_MAX_SENTENCE = 600

# A subject is looked for within this many characters before the verb.
_SUBJECT_WINDOW = 120

_REPORTED_SPEECH = lazy.compile(r"\b(?:says?|said|told|tells|claim(?:s|ed)|according to|heard|wrote)\b", re.IGNORECASE)

# Words of the patterns: a sentence without any of them is left out before it is looked at.
_MAY_STATE_FACT = lazy.compile(r"reports\s|reporting|block|wait|depend|fix|resolve|belong|part of", re.IGNORECASE)
_MAY_STATE_DECISION = lazy.compile("decid|decision|agreed", re.IGNORECASE)

_ADVERB = rf"(?: (?:{'|'.join(sorted(inflection.ADVERBS))}))?"
_IS = rf"(?:(?:is|are|['’]s){_ADVERB} |^)"

_VERBS: tuple[tuple[Role, str, bool], ...] = (
    ("reports", rf"reports{_ADVERB} (?:in)?to|{_IS}reporting to", False),
    ("blocks", rf"{_IS}(?:[Bb]locked (?:by|on)|[Ww]aiting (?:for|on))|waits (?:for|on)", False),
    ("blocks", rf"blocks|{_IS}blocking", True),
    ("depends", rf"[Dd]epends?{_ADVERB} (?:up)?on", False),
    ("resolves", r"(?:fixe|resolve)[ds]", True),
    ("part_of", rf"belongs to|{_IS}part of", False),
)
"""What two phrases are by the words between them; and whether what stands before these is the object."""
_PATTERNS = tuple(
    (role, lazy.compile(rf"(?:(?<!\w)|(?=['’]))(?:{words})(?!\w)"), is_inverted) for role, words, is_inverted in _VERBS
)
_DECISION = lazy.compile(
    r"(?:(?P<who>(?:\b[Ww]e|\b[Tt]he team|\b[\w.'’-]{1,40}(?: [A-Z][\w.'’-]{0,40}){0,3}))"
    r"(?: have| has|['’]ve)?(?: also| now| finally| just)? |^)(?:[Dd]ecided|[Aa]greed)(?: today| yesterday)?"
    r" (?P<how>to|that|on) |^(?i:decision|decided|agreed)(?: made)?\s?[:–—-]\s{1,3}(?=\S)"
)
_DECISION_END = lazy.compile(
    r"[;!?(]|,? (?:because|since|so that|as|which|but|although|though|after|before|when|until|—|–|-) |, "
)

_CLAUSE_START = lazy.compile(r"[,;:()\"“”—–]|\b(?:and|but|because|so|that|while|since|as) ")
_CONJUNCTION = lazy.compile(r"(?:,? and|,|&) ")
_LIST_GOES_ON_OR_ENDS = lazy.compile(r"\s*(?:$|[^\w\s]|(?:and|because|since|so|for|but)\b)")
_NAMING = lazy.compile(r"\w[-_.+#]\w|\d|\w[A-Z]|[+#]$")
_WORD = lazy.compile(r"[\w][\w.&/+#'’@-]*|`[^`\s]{1,60}`|\.\w+|[,;:()\"“”!?—–]")
_NAME_PARTICLES = frozenset("de da di van von der den bin al".split())
_NOT_IN_PHRASES = (
    inflection.ADVERBS
    | (inflection.PREPOSITIONS - {"of"})
    | frozenset(
        "it he she they we i you there here who what which one everything something anything nothing everyone someone "
        "anyone nobody him them us me another all each none either some many most much both "
        "and or but if when where while because although though whose due then today tomorrow yesterday "
        "is are was were be been being has have had does did do will can not think thinks say says said told tells "
        "knows know means mean sends sent made makes got gets put went goes wants feels found gave gives heard".split()
    )
)


@dataclass(frozen=True, slots=True)
class ExtractedFact:
    """A fact that a sentence states.

    Attributes:
        subject, object: names as they stand in the text, without articles.
        subject_style, object_style: how names of such entities are made. What was decided is a statement, and what it
            is decided for, or said to be a project, a title.
        role: what the predicate of the fact means.
        start, end: offsets of the sentence in the text, in characters, the end exclusive.
        evidence: the sentence, its white space collapsed.
        confidence: from 0 to 1; lower where a side has no proper name.
    """

    subject: str
    subject_style: NameStyle
    role: Role
    object: str
    object_style: NameStyle
    start: int
    end: int
    evidence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class ExtractedDecision:
    """A decision that a sentence states, named by the clause that says what was decided.

    Attributes:
        by: the name of who decided; None if the text says `we`, or nobody.
        start, end: offsets of the sentence in the text, in characters, the end exclusive.
        evidence: the sentence, its white space collapsed.
        confidence: from 0 to 1.
    """

    name: str
    by: str | None
    start: int
    end: int
    evidence: str
    confidence: float


def extract_facts(text: str, *, about: str | None = None, written_on: str | None = None) -> list[ExtractedFact]:
    """The facts that a text states in plain words, in their order, each once.

    Args:
        about: the name of what the text is about (a heading, a title, a project). The decisions of the text belong to
            it, and it is the subject of a line that begins with the verb: `Blocked by the vendor contract`.
        written_on: the day of the text; see extract_decisions.
    """
    facts: dict[tuple[str, str, str], ExtractedFact] = {}
    for sentence in sentences.split(text):
        interruption.raise_if_due()
        if sentence.quoted or not _MAY_STATE_FACT.search(text, sentence.start, sentence.end):
            continue
        evidence = " ".join(text[sentence.start : sentence.end].split())
        if len(evidence) <= _MAX_SENTENCE and not _REPORTED_SPEECH.search(evidence) and _is_asserted(evidence):
            before_in_line = text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start]
            subject = None if any(map(str.isalpha, before_in_line)) else about
            for fact in _facts_in_sentence(evidence, subject, sentence.start, sentence.end):
                facts.setdefault(_key(fact), fact)
    for decision in extract_decisions(text, written_on=written_on):
        for fact in _facts_of_decision(decision, about):
            facts.setdefault(_key(fact), fact)
    return sorted(facts.values(), key=lambda fact: fact.start)


def extract_decisions(text: str, *, written_on: str | None = None) -> list[ExtractedDecision]:
    """The decisions that a text states, in their order: `we decided to …`, `Priya decided to …`, `decision: …`.

    Args:
        written_on: the day of the text, YYYY-MM-DD. A later date is not the day of a decision, but belongs to its name.
    """
    decisions: dict[str, ExtractedDecision] = {}
    for sentence in sentences.split(text):
        if sentence.quoted or not _MAY_STATE_DECISION.search(text, sentence.start, sentence.end):
            continue
        evidence = " ".join(text[sentence.start : sentence.end].split())
        stated, _ = time_references.split(evidence, not_after=written_on)
        match = _DECISION.search(stated)
        if match is None or evidence.endswith("?") or not _is_asserted(stated[: match.end()]):
            continue
        who, name = match["who"], _decision_name(stated[match.end() :])
        by = None if who is None or who.lower() in ("we", "the team") else who
        if name and (by is None or (match["how"] != "on" and _may_be_person(by))):
            decisions.setdefault(
                normalisation.key(name),
                ExtractedDecision(name, by, sentence.start, sentence.end, evidence, _DECISION_CONFIDENCE),
            )
    return list(decisions.values())


def _key(fact: ExtractedFact) -> tuple[str, str, str]:
    return normalisation.key(fact.subject), fact.role, normalisation.key(fact.object)


def _is_asserted(evidence: str) -> bool:
    return not factuality.find_cues(evidence)


def _facts_in_sentence(evidence: str, about: str | None, start: int, end: int) -> Iterator[ExtractedFact]:
    """The facts that the patterns find: one at each place, or one for each object in a list."""
    for role, words, is_inverted in _PATTERNS:
        for match in words.finditer(evidence):
            left = _phrase_before(evidence, match.start()) if match.start() else about
            right, rest = _phrase_after(evidence, match.end())
            if left is None or right is None:
                continue
            for phrase in (right, *_further_names(rest)):
                subject, target = (phrase, left) if is_inverted else (left, phrase)
                fact = _fact(role, subject, target, evidence, start, end)
                if fact and (fact.confidence == _BOTH_NAMED or not is_inverted):
                    yield fact


def _fact(
    role: Role, subject_phrase: str, object_phrase: str, evidence: str, start: int, end: int
) -> ExtractedFact | None:
    """The fact that a pattern states of two phrases; None if they do not fit the pattern, or say too little."""
    phrases = subject_phrase, object_phrase
    subject, target = map(_without_article, phrases)
    are_persons = role == "reports"
    named = [_has_proper_name(phrase, evidence) for phrase in (subject, target)]
    if (
        not any(named)
        or normalisation.key(subject) == normalisation.key(target)
        or (are_persons and not (_may_be_person(subject) and _may_be_person(target)))
    ):
        return None
    subject_style, object_style = (
        "person" if are_persons else _style(phrase, name)
        for phrase, name in zip(phrases, (subject, target), strict=True)
    )
    confidence = _BOTH_NAMED if all(named) else _ONE_NAMED
    return ExtractedFact(subject, subject_style, role, target, object_style, start, end, evidence, confidence)


def _phrase_before(evidence: str, offset: int) -> str | None:
    """The noun phrase before an offset, from the beginning of its clause; None if it is no short phrase."""
    clause = _CLAUSE_START.split(evidence[max(0, offset - _SUBJECT_WINDOW) : offset])[-1]
    words = [match[0] for match in _WORD.finditer(clause)]
    while words and words[-1].lower() in inflection.ADVERBS:
        words.pop()
    return _noun_phrase(words)


def _phrase_after(evidence: str, offset: int) -> tuple[str | None, str]:
    """The noun phrase after an offset, up to a word that ends it; and the rest of the sentence."""
    words: list[str] = []
    end = offset
    for match in _WORD.finditer(evidence, offset):
        word = match[0]
        if word.lower() in _NOT_IN_PHRASES or (not word[0].isalnum() and word[0] not in "`."):
            break
        words.append(word)
        end = match.end()
    return _noun_phrase(words), evidence[end:]


def _further_names(rest: str) -> Iterator[str]:
    """Further names in a list: `, Redis and Kafka`."""
    while conjunction := _CONJUNCTION.match(rest):
        phrase, rest = _phrase_after(rest, conjunction.end())
        is_clause = not _LIST_GOES_ON_OR_ENDS.match(rest) or any(
            words.search(phrase or "") for _, words, _ in _PATTERNS
        )
        if not phrase or is_clause:
            return
        yield phrase


def _noun_phrase(words: list[str]) -> str | None:
    """Words as one noun phrase; None if they can hardly be one: too many, pronouns, verbs, punctuation."""
    words = [word.strip("`'’") for word in words]
    content = [word for word in words if word.lower() not in lexicons.words("determiners")]
    if not 0 < len(content) <= MAX_WORDS or any(
        word.lower() in _NOT_IN_PHRASES or word[:1] in ",;:()" for word in content
    ):
        return None
    return " ".join(words).removesuffix(".")


def _without_article(phrase: str) -> str:
    """A phrase without its article and title; of Project Atlas, or the Atlas project, Atlas."""
    words = phrase.split()
    while len(words) > 1 and words[0].lower() in lexicons.words("determiners"):
        words = words[1:]
    while len(words) > 2 and words[0].endswith(".") and sentences.is_title(words[0][:-1]):
        words = words[1:]
    named = [word for word in words if word.lower() != name_styles.TITLE_WORD]
    return " ".join(named if named and all(word[:1].isupper() for word in named) else words)


def _has_proper_name(phrase: str, evidence: str) -> bool:
    """Whether a phrase has a proper name in it: a capital that is not the sentence's, a digit, or an inner symbol."""
    return any(
        _NAMING.search(word)
        or (word[:1].isupper() and not (evidence.startswith(word) and common_words.is_common(word.lower())))
        for word in phrase.split()
    )


def _may_be_person(phrase: str) -> bool:
    """Whether a phrase is written like somebody's name."""
    words = phrase.split()
    first = words[0].lower()
    return (
        len(words) <= 4
        and all(word[:1].isupper() or word in _NAME_PARTICLES for word in words)
        and not common_words.is_stop_word(first)
        and (not common_words.is_frequent(first) or given_names.contains(normalisation.Name(first).folded))
    )


def _style(phrase: str, name: str) -> NameStyle:
    return "title" if name_styles.TITLE_WORD in phrase.lower().split() else name_styles.guess(name)


def _decision_name(rest: str) -> str:
    """What was decided, up to the end of its clause, with a capital; empty if it names no decision."""
    clause_end = _DECISION_END.search(rest)
    clause = rest[: clause_end.start()] if clause_end else rest
    clause = clause.strip(" .,:;\"'“”*_`")
    if len(clause) > MAX_DECISION:
        clause = clause[: clause.rfind(" ", 0, MAX_DECISION)]
    if len(clause.split()) < 2:
        return ""
    return clause[0].upper() + clause[1:]


def _facts_of_decision(decision: ExtractedDecision, about: str | None) -> Iterator[ExtractedFact]:
    evidence = (decision.start, decision.end, decision.evidence, decision.confidence)
    if decision.by:
        yield ExtractedFact(decision.by, "person", "decides", decision.name, "statement", *evidence)
    if about:
        yield ExtractedFact(decision.name, "statement", "part_of", about, "title", *evidence)
