"""Relation extraction: facts and decisions that an English sentence states in plain words, by patterns.

The patterns prefer few facts to wrong ones: a sentence that asks, denies, supposes or wishes states none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from keepgraph import interruption, lazy
from keepgraph.language import (
    common_words,
    given_names,
    name_similarity,
    name_styles,
    normalisation,
    sentences,
    time_references,
)
from keepgraph.language.sentences import Sentence
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle, Role

MAX_WORDS = 6
"""The most words of a subject or an object."""

MAX_DECISION = 120
"""The most characters in the name of a decision."""

# Confidence of a fact, by how many of its sides have a proper name.
_BOTH_NAMED = 0.8
_ONE_NAMED = 0.7
_NONE_NAMED = 0.6

_DECISION_CONFIDENCE = 0.8

# The confidence is multiplied by this where somebody else is quoted or reported.
_REPORTED_FACTOR = 0.6

# In characters; a longer sentence states no fact plainly.
_MAX_SENTENCE = 600

# A subject is looked for within this many characters before the verb.
_SUBJECT_WINDOW = 120

_HYPOTHETICAL = lazy.compile(
    r"\b(?:if|unless|whether|suppos\w{1,6}|assum\w{1,6}|in case|would|could|might|may|should|shall|will|maybe|perhaps|"
    r"possibly|probably|wish\w{0,3}|hope\w{0,3}|what if|imagine|pretend\w{0,3}|used to|formerly|previously|"
    r"once we|until|i think|i guess|i believe|not sure|seems?|appears?|allegedly|hypothetical\w{0,2})\b"
)
_NEGATION = lazy.compile(
    r"(?:\b(?:not|never|no longer|neither|nor|hardly|nobody|no one|nothing|none|without|cannot|stopped|ceased|"
    r"instead of|rather than|nowhere)\b|n['’]t\b)",
    re.IGNORECASE,
)
_REPORTED_SPEECH = lazy.compile(
    r"\b(?:says?|said|told|tells|claim(?:s|ed)|according to|heard|rumou?r\w{0,3}|wrote)\b", re.IGNORECASE
)
_QUOTATION_MARK = lazy.compile(r"[\"“”«»„]")

_ADVERBS = r"\s(?:now|currently|still|also|both|directly|only|always|heavily|completely|fully|already|again|really)"
_ADVERB = f"(?:{_ADVERBS})?"
_ADVERB_AT_END = lazy.compile(rf"{_ADVERBS}\s*$", re.IGNORECASE)
_IS = r"(?:is|are|remains?|['’]s|['’]re)"
_WAS = r"(?:is|are|was|were|has been|have been|got|gets)"
_FIX = "(?:resolved|fixed|solved|addressed|unblocked)"

# Words of the patterns: a sentence without any of them is left out before it is looked at.
_MAY_STATE_FACT = lazy.compile(
    "report|manager|boss|supervisor|block|held up|gated|wait|stuck|depend|relie|reliant|need|require|resolve|fix|solve"
    "|address|belong|part of|component",
    re.IGNORECASE,
)
_MAY_STATE_DECISION = lazy.compile("decid|decision|agreed", re.IGNORECASE)


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
        confidence: from 0 to 1; lower where somebody else is quoted, or where a side has no proper name.
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
        confidence: from 0 to 1; lower where somebody else is quoted.
    """

    name: str
    by: str | None
    start: int
    end: int
    evidence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A way to state a relation.

    Attributes:
        words: the words between subject and object.
        inverted: whether what stands before the words is the object.
        named: whether both sides must have proper names.
        persons: whether both sides are persons.
        bare: whether a sentence may begin with these words; then its subject is what the text is about.
    """

    role: Role
    words: re.Pattern[str]
    inverted: bool = False
    named: bool = False
    persons: bool = False
    bare: bool = False


def _pattern(
    role: Role,
    words: str,
    *,
    inverted: bool = False,
    named: bool = False,
    persons: bool = False,
    bare: bool = False,
) -> _Pattern:
    return _Pattern(role, re.compile(rf"(?:(?<!\w)|(?=['’]))(?:{words})(?!\w)"), inverted, named, persons, bare)


_PATTERNS = (
    _pattern("reports", rf"reports{_ADVERB} (?:in)?to|{_IS}{_ADVERB} reporting to", persons=True),
    _pattern("reports", r"['’]s (?:line )?(?:manager|boss|supervisor) is", persons=True),
    _pattern("reports", r"is the (?:line )?(?:manager|boss|supervisor) of", inverted=True, persons=True),
    _pattern("blocks", rf"{_IS}{_ADVERB} (?:blocked|held up|gated) (?:by|on)"),
    _pattern("blocks", rf"{_IS}{_ADVERB} (?:waiting (?:for|on)|stuck on)|waits (?:for|on)"),
    _pattern("blocks", r"[Bb]locked (?:by|on)|[Ww]aiting (?:for|on)|[Ss]tuck on", bare=True),
    _pattern("blocks", rf"blocks|{_IS}{_ADVERB} blocking", inverted=True, named=True),
    _pattern("depends", rf"depends?{_ADVERB} (?:up)?on|{_IS}{_ADVERB} (?:dependent|reliant) on|relies{_ADVERB} on"),
    _pattern("depends", r"[Dd]epends on|[Rr]elies on", bare=True),
    _pattern("depends", r"needs|requires", named=True),
    _pattern("depends", rf"{_IS}{_ADVERB} (?:needed|required) by", inverted=True, named=True),
    _pattern("resolves", rf"{_WAS}{_ADVERB} {_FIX} (?:by|with|through)"),
    _pattern("resolves", r"[Rr]esolved by|[Ff]ixed by|[Ss]olved by", bare=True),
    _pattern("resolves", r"resolved|fixed|solved|resolves|fixes|solves", inverted=True, named=True),
    _pattern("part_of", rf"belongs to|{_IS}{_ADVERB} (?:a |one )?(?:part|component) of"),
)
_DECISION_CLAUSE = lazy.compile(
    r"(?P<who>(?:\b[Ww]e|\b[Tt]he team|\b[\w.'’-]{1,40}(?: [A-Z][\w.'’-]{0,40}){0,3}))"
    r"(?: have| has|['’]ve)?(?: also| now| finally| just)? (?:decided|agreed)(?: today| yesterday)?"
    r" (?P<how>to|that|on) "
)
_DECISION_LABEL = lazy.compile(r"(?:[Dd]ecision|[Dd]ecided|DECISION|DECIDED|[Aa]greed)(?: made)?\s?[:–—-]\s{1,3}(?=\S)")
_DECISION_END = lazy.compile(
    r"[;!?(]|,? (?:because|since|so that|as|which|but|although|though|after|before|when|until|—|–|-) |, "
)

_SAME_LIST_ITEM = lazy.compile(r"[ \t*_]*(?:\r?\n[ \t]+)?")
_CLAUSE_START = lazy.compile(r"[,;:()\"“”—–]|\b(?:and|but|because|so|that|while|since|as) ")
_CONJUNCTION = lazy.compile(r"(?:,? and|,|&) ")
_FOLLOWING_WORD = lazy.compile(r" (\w+)")
_INNER_SYMBOL_OR_DIGIT = lazy.compile(r"\w[-_.+#]\w|\d")
_WORD = lazy.compile(r"[\w][\w.&/+#'’@-]*|`[^`\s]{1,60}`|\.\w+|[,;:()\"“”!?—–]")
_PHRASE_ENDS = frozenset(
    "within because since until so which that but or when if to for in on at by with as after before who while from "
    "due than where whose via about during into onto over under is are was were has have had does did do be been being "
    "will can not now then today tomorrow yesterday still again too also though although however yet only just right "
    "and".split()
)
_DETERMINERS = frozenset("the a an our my your their his her its this that these those".split())
_PRONOUNS = frozenset(
    "it this that he she they we i you there here who what which these those one everything something anything nothing "
    "everyone someone anyone nobody them him her us me another both all each none either some many most much".split()
)
_NAME_PARTICLES = frozenset("de da di van von der den bin al".split())
_VERBS = frozenset(
    "is are was were be been has have had do does did can think thinks say says said told tells knows know means mean "
    "sends sent made makes got gets put went goes wants feels found finds gave gives learned noticed heard".split()
)


def extract_facts(text: str, *, about: str | None = None, written_on: str | None = None) -> list[ExtractedFact]:
    """The facts that a text states in plain words, in their order, each once.

    Args:
        about: the name of what the text is about (a heading, a title, a project). The decisions of the text belong to
            it, and it is the subject of sentences that leave out theirs and have nothing before them in their list
            item or line that may be meant. A name alone is meant: `Orion. Blocked by legal` is of Orion.
        written_on: the day of the text; see extract_decisions.
    """
    facts: dict[tuple[str, str, str], ExtractedFact] = {}
    split = sentences.split(text)
    for before, sentence in zip((None, *split), split, strict=False):
        interruption.raise_if_due()
        if not _MAY_STATE_FACT.search(text, sentence.start, sentence.end):
            continue
        evidence = " ".join(text[sentence.start : sentence.end].split())
        if not _is_asserted(evidence):
            continue
        is_reported = sentence.quoted or _QUOTATION_MARK.search(evidence) or _REPORTED_SPEECH.search(evidence)
        factor = _REPORTED_FACTOR if is_reported else 1.0
        subject = _left_out_subject(text, before, sentence, about)
        for fact in _facts_in_sentence(evidence, subject, sentence.start, sentence.end, factor):
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
        if not _MAY_STATE_DECISION.search(text, sentence.start, sentence.end):
            continue
        evidence = " ".join(text[sentence.start : sentence.end].split())
        stated, _ = time_references.split(evidence, not_after=written_on)
        label = _DECISION_LABEL.match(stated)
        clause = None if label else _DECISION_CLAUSE.search(stated)
        match = label or clause
        if match is None or not _is_asserted(stated[: match.end()]) or evidence.endswith("?"):
            continue
        name = _decision_name(stated[match.end() :])
        by, confidence = (None, _DECISION_CONFIDENCE) if clause is None else _decision_maker(clause)
        if not name or confidence == 0:
            continue
        factor = _REPORTED_FACTOR if sentence.quoted or _QUOTATION_MARK.search(evidence) else 1.0
        decisions.setdefault(
            normalisation.key(name),
            ExtractedDecision(name, by, sentence.start, sentence.end, evidence, round(confidence * factor, 2)),
        )
    return list(decisions.values())


def _left_out_subject(text: str, before: Sentence | None, sentence: Sentence, about: str | None) -> str | None:
    """The subject of a sentence that leaves out its own; None if that is not sure.

    It is the sentence before in the same list item or line where that is a name alone, and what the text is about
    where that is no noun phrase.
    """
    if before is None or before.heading or not _SAME_LIST_ITEM.fullmatch(text, before.end, sentence.start):
        return about
    words = text[before.start : before.end].strip(".:!*_ ").split()
    phrase = _noun_phrase(words) if words else None
    if phrase is None:
        return about
    is_name = all(word[:1].isupper() or word[:1].isdigit() for word in phrase.split())
    return phrase if is_name and _has_proper_name(phrase, phrase) else None


def _key(fact: ExtractedFact) -> tuple[str, str, str]:
    return normalisation.key(fact.subject), fact.role, normalisation.key(fact.object)


def _is_asserted(evidence: str) -> bool:
    """Whether a sentence asserts something: it asks, supposes, wishes and denies nothing."""
    if len(evidence) > _MAX_SENTENCE or evidence.endswith("?"):
        return False
    return not _HYPOTHETICAL.search(evidence[:1].lower() + evidence[1:]) and not _NEGATION.search(evidence)


def _facts_in_sentence(
    evidence: str, about: str | None, start: int, end: int, factor: float
) -> Iterator[ExtractedFact]:
    """The facts that the first pattern finds that has both sides: one, or one for each object in a list."""
    for pattern in _PATTERNS:
        match = pattern.words.search(evidence)
        if match is None:
            continue
        right, rest = _phrase_after(evidence, match.end())
        if pattern.bare:
            if about is None or evidence[: match.start()].strip(" \"'*_-–") or not right:
                continue
            left: str | None = about
        else:
            left = _phrase_before(evidence, match.start())
        if not left or not right:
            continue
        for phrase in [right, *_further_names(rest)]:
            subject, target = (phrase, left) if pattern.inverted else (left, phrase)
            if fact := _fact(pattern, subject, target, evidence, start, end, factor):
                yield fact
        return


def _fact(
    pattern: _Pattern, subject_phrase: str, object_phrase: str, evidence: str, start: int, end: int, factor: float
) -> ExtractedFact | None:
    """The fact that a pattern states of two phrases; None if they do not fit the pattern, or say too little."""
    subject, target = _without_article(subject_phrase), _without_article(object_phrase)
    if not subject or not target or normalisation.key(subject) == normalisation.key(target):
        return None
    named = [_has_proper_name(phrase, evidence) for phrase in (subject_phrase, object_phrase)]
    if pattern.persons and not (_may_be_person(subject) and _may_be_person(target)):
        return None
    if pattern.named and not all(named):
        return None
    if not named[0] and all(name_similarity.is_generic(word) for word in subject.lower().split()):
        return None  # "the team", "the release": whichever that is
    if not any(named) and not _has_article(subject_phrase if not pattern.inverted else object_phrase):
        return None
    confidence = _BOTH_NAMED if all(named) else _ONE_NAMED if any(named) else _NONE_NAMED
    subject_style, object_style = (
        "person" if pattern.persons else _style(phrase, name)
        for phrase, name in ((subject_phrase, subject), (object_phrase, target))
    )
    return ExtractedFact(
        subject, subject_style, pattern.role, target, object_style, start, end, evidence, round(confidence * factor, 2)
    )


def _phrase_before(evidence: str, offset: int) -> str | None:
    """The noun phrase before an offset, from the beginning of its clause; None if it is no short phrase."""
    clause = _CLAUSE_START.split(evidence[max(0, offset - _SUBJECT_WINDOW) : offset])[-1]
    words = [match[0] for match in _WORD.finditer(_ADVERB_AT_END.sub("", clause))]
    return _noun_phrase(words) if words else None


def _phrase_after(evidence: str, offset: int) -> tuple[str | None, str]:
    """The noun phrase after an offset, up to a word that ends it; and the rest of the sentence."""
    words: list[str] = []
    end = offset
    for match in _WORD.finditer(evidence, offset):
        word = match[0]
        if word.lower() in _PHRASE_ENDS or (not word[0].isalnum() and word[0] not in "`.") or len(words) > MAX_WORDS:
            break
        words.append(word)
        end = match.end()
    return (_noun_phrase(words) if words else None), evidence[end:]


def _further_names(rest: str) -> list[str]:
    """Further names in a list: `, Redis and Kafka`."""
    names = []
    while conjunction := _CONJUNCTION.match(rest.lstrip(".") if rest[:1] != "." else ""):
        phrase, rest = _phrase_after(rest, conjunction.end())
        following = _FOLLOWING_WORD.match(rest)
        is_last_or_followed = following is None or following[1] in ("and", "because", "since", "so", "for", "but")
        if (
            not phrase
            or not is_last_or_followed
            or not (phrase[0].isupper() or "`" in phrase)
            or common_words.is_stop_word(phrase.lower())
        ):
            break
        names.append(phrase)
    return names


def _noun_phrase(words: list[str]) -> str | None:
    """Words as one noun phrase; None if they can hardly be one: too many, pronouns, verbs, punctuation."""
    words = [word.strip("`'’") for word in words]
    words[-1] = words[-1].removesuffix(".")
    content = [word for word in words if word.lower() not in _DETERMINERS]
    if not content or len(content) > MAX_WORDS or content[0].lower() in _PRONOUNS or content[-1].lower() in _PRONOUNS:
        return None
    if content[0].islower() and content[0].endswith("ing"):
        return None  # restarting the server
    if (
        content[0].lower() == "being"
        or any(word.lower() in _VERBS for word in content)
        or any(word[:1] in ",;:()" for word in content)
    ):
        return None
    return " ".join(words)


def _without_article(phrase: str) -> str:
    """A phrase without its article and title; of Project Atlas, or the Atlas project, Atlas."""
    words = phrase.split()
    while words and words[0].lower() in _DETERMINERS:
        words = words[1:]
    while len(words) > 2 and words[0].endswith(".") and sentences.is_title(words[0][:-1]):
        words = words[1:]
    named = [word for word in words if word.lower() != name_styles.TITLE_WORD]
    if len(words) == len(named) + 1 > 1 and name_styles.TITLE_WORD in (words[0].lower(), words[-1].lower()):
        words = named if all(word[:1].isupper() for word in named) else words
    return " ".join(words)


def _has_article(phrase: str) -> bool:
    return phrase.split()[0].lower() in _DETERMINERS


def _has_proper_name(phrase: str, evidence: str) -> bool:
    """Whether a phrase has a proper name in it: a capital that is not the sentence's, a digit, or an inner symbol."""
    for index, word in enumerate(_without_article(phrase).split()):
        if any(c.isupper() for c in word[1:]) or _INNER_SYMBOL_OR_DIGIT.search(word) or word[-1:] in "+#":
            return True
        if word[:1].isupper():
            begins_sentence = index == 0 and evidence.startswith(word)
            if (
                not begins_sentence
                or not common_words.is_english(word.lower())
                or given_names.contains(normalisation.Name(word).folded)
            ):
                return True
            if not common_words.is_common(word.lower()):
                return True
    return False


def _may_be_person(phrase: str) -> bool:
    """Whether a phrase is written like somebody's name."""
    words = phrase.split()
    if len(words) > 4 or not all(word[:1].isupper() or word in _NAME_PARTICLES for word in words):
        return False
    first = words[0].lower()
    if len(words) == 1 and common_words.is_frequent(first):
        return given_names.contains(normalisation.Name(first).folded)
    return not common_words.is_rarely_name(first)


def _style(phrase: str, name: str) -> NameStyle:
    return "title" if name_styles.TITLE_WORD in phrase.lower().split() else name_styles.guess(name)


def _decision_name(rest: str) -> str:
    """What was decided, up to the end of its clause, with a capital; empty if it names no decision."""
    clause_end = _DECISION_END.search(rest)
    clause = rest[: clause_end.start()] if clause_end else rest
    clause = clause.strip(" .,:;\"'“”*_`")
    if len(clause) > MAX_DECISION:
        clause = clause[: clause.rfind(" ", 0, MAX_DECISION)]
    if len(clause.split()) < 2 or _NEGATION.match(clause):
        return ""
    return clause[0].upper() + clause[1:]


def _decision_maker(clause: re.Match[str]) -> tuple[str | None, float]:
    """Who decided, and how sure that is: None for `we`; 0 where it is nobody in particular."""
    who = clause["who"]
    if who.lower() in ("we", "the team"):
        return None, _DECISION_CONFIDENCE
    if clause["how"] == "on" or not _may_be_person(who) or common_words.is_stop_word(who.split()[0].lower()):
        return None, 0.0
    return who, _DECISION_CONFIDENCE


def _facts_of_decision(decision: ExtractedDecision, about: str | None) -> Iterator[ExtractedFact]:
    evidence = (decision.start, decision.end, decision.evidence, decision.confidence)
    if decision.by:
        yield ExtractedFact(decision.by, "person", "decides", decision.name, "statement", *evidence)
    if about:
        yield ExtractedFact(decision.name, "statement", "part_of", about, "title", *evidence)
