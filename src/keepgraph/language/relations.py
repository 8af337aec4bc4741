"""Facts that a text says in plain words: reports to, is blocked by, depends on, we decided to. English; knows no table.

One sentence at a time, and rather too few than wrong ones. What is asked, denied, supposed or wished is no fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from keepgraph.language import common_words, mentions, normalisation, similarity
from keepgraph.language.sentences import sentences

MAX_WORDS = 6
"""A subject or an object of more words is none."""

MAX_DECISION = 120
"""A decision is named by so many characters of what was decided."""

_SURE = 0.8
_PLAIN = 0.7
_UNNAMED = 0.6
_OF_ANOTHER = 0.6
_LONGEST = 600

_NOT_SAID = re.compile(
    r"\b(?:if|unless|whether|suppos\w{1,6}|assum\w{1,6}|in case|would|could|might|may|should|shall|will|maybe|perhaps|"
    r"possibly|probably|wish\w{0,3}|hope\w{0,3}|what if|imagine|pretend\w{0,3}|used to|formerly|previously|"
    r"once we|until|i think|i guess|i believe|not sure|seems?|appears?|allegedly|hypothetical\w{0,2})\b"
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|no longer|neither|nor|hardly|nobody|no one|nothing|none|without|cannot|stopped|ceased|"
    r"instead of|rather than|nowhere)\b|n['’]t\b)",
    re.IGNORECASE,
)
_OF_ANOTHERS = re.compile(
    r"\b(?:says?|said|told|tells|claim(?:s|ed)|according to|heard|rumou?r\w{0,3}|wrote)\b", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“”«»„]")

_ADVERB = r"(?:\s(?:now|currently|still|also|both|directly|only|always|heavily|completely|fully|already|again|really))?"
_IS = r"(?:is|are|remains?|['’]s|['’]re)"
_WAS = r"(?:is|are|was|were|has been|have been|got|gets)"
_FIX = "(?:resolved|fixed|solved|addressed|unblocked)"


_MAY_SAY = re.compile(
    "report|manager|boss|supervisor|block|held up|gated|wait|stuck|depend|relie|reliant|need|require|resolve|fix|solve"
    "|address|belong|part of|component",
    re.IGNORECASE,
)
_MAY_DECIDE = re.compile("decid|decision|agreed", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Worded:
    """A fact as it is said in a text.

    Attributes:
        subject, object: names as they stand in the text, without articles.
        subject_kind, object_kind: the type of thing that they are likely to be.
        predicate: one of the core vocabulary.
        start, end: the sentence in the text.
        evidence: the sentence, its white space collapsed.
        confidence: from 0 to 1; lower where somebody else is quoted, or where a side has no proper name.
    """

    subject: str
    subject_kind: str
    predicate: str
    object: str
    object_kind: str
    start: int
    end: int
    evidence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Decided:
    """Something that a text says was decided, named by the clause that says it.

    Attributes:
        by: the name of who decided; None where the text says `we`, or nobody.
        start, end: the sentence in the text.
    """

    name: str
    by: str | None
    start: int
    end: int
    evidence: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _Pattern:
    """How a fact may be worded.

    Attributes:
        turned: whether what stands before the words is the object.
        named: whether both sides must have proper names.
        persons: whether both sides are persons.
        bare: whether a sentence may begin with these words, and be about what its text is about.
    """

    predicate: str
    words: re.Pattern[str]
    turned: bool = False
    named: bool = False
    persons: bool = False
    bare: bool = False


def _pattern(
    predicate: str, words: str, *, turned: bool = False, named: bool = False, persons: bool = False, bare: bool = False
) -> _Pattern:
    return _Pattern(predicate, re.compile(rf"(?:(?<!\w)|(?=['’]))(?:{words})(?!\w)"), turned, named, persons, bare)


_PATTERNS = (
    _pattern("reports_to", rf"reports{_ADVERB} (?:in)?to|{_IS}{_ADVERB} reporting to", persons=True),
    _pattern("reports_to", r"['’]s (?:line )?(?:manager|boss|supervisor) is", persons=True),
    _pattern("reports_to", r"is the (?:line )?(?:manager|boss|supervisor) of", turned=True, persons=True),
    _pattern("blocked_by", rf"{_IS}{_ADVERB} (?:blocked|held up|gated) (?:by|on)"),
    _pattern("blocked_by", rf"{_IS}{_ADVERB} (?:waiting (?:for|on)|stuck on)|waits (?:for|on)"),
    _pattern("blocked_by", r"[Bb]locked (?:by|on)|[Ww]aiting (?:for|on)|[Ss]tuck on", bare=True),
    _pattern("blocked_by", rf"blocks|{_IS}{_ADVERB} blocking", turned=True, named=True),
    _pattern("depends_on", rf"depends?{_ADVERB} (?:up)?on|{_IS}{_ADVERB} (?:dependent|reliant) on|relies{_ADVERB} on"),
    _pattern("depends_on", r"[Dd]epends on|[Rr]elies on", bare=True),
    _pattern("depends_on", r"needs|requires", named=True),
    _pattern("depends_on", rf"{_IS}{_ADVERB} (?:needed|required) by", turned=True, named=True),
    _pattern("resolved_by", rf"{_WAS}{_ADVERB} {_FIX} (?:by|with|through)"),
    _pattern("resolved_by", r"[Rr]esolved by|[Ff]ixed by|[Ss]olved by", bare=True),
    _pattern("resolved_by", r"resolved|fixed|solved|resolves|fixes|solves", turned=True, named=True),
    _pattern("belongs_to", rf"belongs to|{_IS}{_ADVERB} (?:a |one )?(?:part|component) of"),
)
_DECIDED = re.compile(
    r"(?P<who>(?:\b[Ww]e|\b[Tt]he team|\b[\w.'’-]{1,40}(?: [A-Z][\w.'’-]{0,40}){0,3}))"
    r"(?: have| has|['’]ve)?(?: also| now| finally| just)? (?:decided|agreed)(?: today| yesterday)?"
    r" (?P<how>to|that|on) "
)
_DECISION = re.compile(r"(?:[Dd]ecision|[Dd]ecided|DECISION|DECIDED|[Aa]greed)(?: made)?\s?[:–—-]\s{1,3}(?=\S)")
_CLAUSE_ENDS = re.compile(
    r"[.;!?(]|,? (?:because|since|so that|as|which|but|although|though|after|before|when|until|—|–|-) |, "
)

_WORD = re.compile(r"[\w][\w.&/+#'’@-]*|`[^`\s]{1,60}`|\.\w+|[,;:()\"“”!?—–]")
_STOPS = frozenset(
    "within because since until so which that but or when if to for in on at by with as after before who while from "
    "due than where whose via about during into onto over under is are was were has have had does did do be been being "
    "will can not now then today tomorrow yesterday still again too also though although however yet only just right "
    "and".split()
)
_ARTICLES = frozenset("the a an our my your their his her its this that these those".split())
_POINTING = frozenset(
    "it this that he she they we i you there here who what which these those one everything something anything nothing "
    "everyone someone anyone nobody them him her us me another both all each none either some many most much".split()
)
_JOINING = frozenset("de da di van von der den bin al".split())
_VERBS = frozenset(
    "is are was were be been has have had do does did can think thinks say says said told tells knows know means mean "
    "sends sent made makes got gets put went goes wants feels found finds gave gives learned noticed heard".split()
)


def facts(text: str, *, about: str | None = None) -> list[Worded]:
    """The facts that a text says in plain words, in their order; without doubles.

    Args:
        about: the name of what the text is about (a heading, a title, a project), for sentences that leave out their
            subject, and as where its decisions belong.
    """
    found: dict[tuple[str, str, str], Worded] = {}
    for sentence in sentences(text):
        if not _MAY_SAY.search(text, sentence.start, sentence.end):
            continue
        said = " ".join(text[sentence.start : sentence.end].split())
        if not _is_said(said):
            continue
        factor = _OF_ANOTHER if sentence.quoted or _QUOTED.search(said) or _OF_ANOTHERS.search(said) else 1.0
        for worded in _in_sentence(said, about, sentence.start, sentence.end, factor):
            found.setdefault(
                (normalisation.key(worded.subject), worded.predicate, normalisation.key(worded.object)), worded
            )
    for decided in decisions(text):
        for worded in _of_decision(decided, about):
            found.setdefault(
                (normalisation.key(worded.subject), worded.predicate, normalisation.key(worded.object)), worded
            )
    return sorted(found.values(), key=lambda each: each.start)


def decisions(text: str) -> list[Decided]:
    """What a text says was decided: `we decided to …`, `Priya decided to …`, `decision: …`. In their order."""
    found: dict[str, Decided] = {}
    for sentence in sentences(text):
        if not _MAY_DECIDE.search(text, sentence.start, sentence.end):
            continue
        said = " ".join(text[sentence.start : sentence.end].split())
        lead = _DECISION.match(said)
        worded = None if lead else _DECIDED.search(said)
        told = lead or worded
        if told is None or not _is_said(said[: told.end()]) or said.endswith("?"):
            continue
        name = _clause(said[told.end() :])
        by, sure = (None, _SURE) if worded is None else _who(worded, said)
        if not name or sure == 0:
            continue
        factor = _OF_ANOTHER if sentence.quoted or _QUOTED.search(said) else 1.0
        found.setdefault(
            normalisation.key(name), Decided(name, by, sentence.start, sentence.end, said, round(sure * factor, 2))
        )
    return list(found.values())


def _is_said(said: str) -> bool:
    """Whether a sentence says that something is so."""
    if len(said) > _LONGEST or said.endswith("?"):
        return False
    return not _NOT_SAID.search(said[:1].lower() + said[1:]) and not _DENIED.search(said)


def _in_sentence(said: str, about: str | None, start: int, end: int, factor: float) -> Iterator[Worded]:
    for pattern in _PATTERNS:
        told = pattern.words.search(said)
        if told is None:
            continue
        after, rest = _phrase_after(said, told.end())
        if pattern.bare:
            if about is None or said[: told.start()].strip(" \"'*_-–") or not after:
                continue
            before: str | None = about
        else:
            before = _phrase_before(said, told.start())
        if not before or not after:
            continue
        for other in [after, *_others(rest)]:
            subject, thing = (other, before) if pattern.turned else (before, other)
            if worded := _worded(pattern, subject, thing, said, start, end, factor):
                yield worded
        return


def _worded(
    pattern: _Pattern, subject: str, thing: str, said: str, start: int, end: int, factor: float
) -> Worded | None:
    one, other = _plain(subject), _plain(thing)
    if not one or not other or normalisation.key(one) == normalisation.key(other):
        return None
    named = [_is_named(each, said) for each in (subject, thing)]
    if pattern.persons and not (_is_personal(one) and _is_personal(other)):
        return None
    if pattern.named and not all(named):
        return None
    if not named[0] and all(similarity.means_unsaid(word) for word in one.lower().split()):
        return None  # the team, the release: whichever that is
    if not any(named) and not _has_article(subject if not pattern.turned else thing):
        return None
    sure = _SURE if all(named) else _PLAIN if any(named) else _UNNAMED
    kinds = ("person", "person") if pattern.persons else (_kind(subject, one), _kind(thing, other))
    return Worded(one, kinds[0], pattern.predicate, other, kinds[1], start, end, said, round(sure * factor, 2))


def _phrase_before(said: str, place: int) -> str | None:
    """The subject: all that stands before, from the beginning of its clause, if it is a short phrase."""
    clause = re.split(
        r"[,;:()\"“”—–]|\b(?:and|but|because|so|that|while|since|as) ", said[max(0, place - 120) : place]
    )[-1]
    words = _words(clause)
    return _phrase(words) if words else None


def _phrase_after(said: str, place: int) -> tuple[str | None, str]:
    """The object: the words up to one that ends it; and what follows."""
    taken: list[str] = []
    end = place
    for found in _WORD.finditer(said, place):
        word = found[0]
        if word.lower() in _STOPS or (not word[0].isalnum() and word[0] not in "`.") or len(taken) > MAX_WORDS:
            break
        taken.append(word)
        end = found.end()
        if word.endswith(".") and len(word) > 2:
            break
    return (_phrase(taken) if taken else None), said[end:]


def _others(rest: str) -> list[str]:
    """Further names in a row: `, Redis and Kafka`."""
    found = []
    while joined := re.match(r"(?:,? and|,|&) ", rest.lstrip(".") if rest[:1] != "." else ""):
        phrase, rest = _phrase_after(rest, joined.end())
        following = re.match(r" (\w+)", rest)
        ends = following is None or following[1] in ("and", "because", "since", "so", "for", "but")
        if (
            not phrase
            or not ends
            or not (phrase[0].isupper() or "`" in phrase)
            or common_words.is_small(phrase.lower())
        ):
            break
        found.append(phrase)
    return found


def _words(clause: str) -> list[str]:
    return [found[0] for found in _WORD.finditer(clause)]


def _phrase(words: list[str]) -> str | None:
    """Words that may be what something is called, or None."""
    words = [word.strip("`'’") for word in words]
    words[-1] = words[-1].removesuffix(".")
    telling = [word for word in words if word.lower() not in _ARTICLES]
    if not telling or len(telling) > MAX_WORDS or telling[0].lower() in _POINTING or telling[-1].lower() in _POINTING:
        return None
    if telling[0].islower() and telling[0].endswith("ing"):
        return None  # restarting the server
    if (
        telling[0].lower() == "being"
        or any(word.lower() in _VERBS for word in telling)
        or any(word[:1] in ",;:()" for word in telling)
    ):
        return None
    return " ".join(words)


def _plain(phrase: str) -> str:
    """A phrase without its article; of Project Atlas, or the Atlas project, Atlas."""
    words = phrase.split()
    while words and words[0].lower() in _ARTICLES:
        words = words[1:]
    without = [word for word in words if word.lower() != "project"]
    if len(words) == len(without) + 1 > 1 and "project" in (words[0].lower(), words[-1].lower()):
        words = without if all(word[:1].isupper() for word in without) else words
    return " ".join(words)


def _kind(phrase: str, plain: str) -> str:
    return "project" if "project" in phrase.lower().split() else mentions.kind_of(plain)


def _has_article(phrase: str) -> bool:
    return phrase.split()[0].lower() in _ARTICLES


def _is_named(phrase: str, said: str) -> bool:
    """Whether a phrase has a proper name in it: a capital that is not the sentence's, digits, or a sign within."""
    words = _plain(phrase).split()
    for place, word in enumerate(words):
        first = place == 0 and said.startswith(word)
        if any(c.isupper() for c in word[1:]) or re.search(r"\w[-_.+#]\w|\d", word) or word[-1:] in "+#":
            return True
        if word[:1].isupper():
            if (
                not first
                or not common_words.is_known(word.lower())
                or common_words.is_given_name(normalisation.fold(word))
            ):
                return True
            if not common_words.is_ordinary(word.lower()):
                return True
    return False


def _is_personal(phrase: str) -> bool:
    """Whether a phrase is written like somebody's name."""
    words = phrase.split()
    if len(words) > 4 or not all(word[:1].isupper() or word in _JOINING for word in words):
        return False
    first = words[0].lower()
    if len(words) == 1 and common_words.is_in_use(first):
        return common_words.is_given_name(normalisation.fold(first))
    return not common_words.is_only_ordinary(first)


def _who(worded: re.Match[str], said: str) -> tuple[str | None, float]:
    """Who decided, and how sure that is; 0 where it is nobody in particular."""
    who = worded["who"]
    if who.lower() in ("we", "the team"):
        return None, _SURE
    if worded["how"] == "on" or not _is_personal(who) or common_words.is_small(who.split()[0].lower()):
        return None, 0.0
    return who, _SURE


def _clause(rest: str) -> str:
    """What was decided, up to the end of its clause, as a name: its first letter large."""
    ends = _CLAUSE_ENDS.search(rest)
    clause = rest[: ends.start()] if ends else rest
    clause = clause.strip(" .,:;\"'“”*_`")
    if len(clause) > MAX_DECISION:
        clause = clause[: clause.rfind(" ", 0, MAX_DECISION)]
    if len(clause.split()) < 2 or _DENIED.match(clause):
        return ""
    return clause[0].upper() + clause[1:]


def _of_decision(decided: Decided, about: str | None) -> Iterator[Worded]:
    sides = (decided.start, decided.end, decided.evidence, decided.confidence)
    if decided.by:
        yield Worded(decided.by, "person", "decided_in", decided.name, "decision", *sides)
    if about:
        yield Worded(decided.name, "decision", "belongs_to", about, "project", *sides)
