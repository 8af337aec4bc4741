"""Referring expressions: the name within what somebody writes to refer to an entity, or asks about it, by patterns.

A citation has an author and a year beside the title, an address has a display name, a path has folders, a URL has a
slug. What is left without them is a name to search for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from keepgraph import lazy
from keepgraph.language import common_words, identifiers, opposites, quantities, word_forms
from keepgraph.language.identifiers import ARXIV, DOI, ISBN, URL
from keepgraph.language.normalisation import Name, first_letters, without_small_words
from keepgraph.lazy import dataclass
from keepgraph.model import NameStyle

MAX_EXPRESSIONS = 8
"""How many names one expression is read as, at most."""

_MAX_LENGTH = 400
_WORKS = (
    "book|paper|article|report|film|movie|novel|essay|talk|podcast|video|blog post|post|thesis|memo|document|doc|file|"
    "page|story|song|album|play|poem|whitepaper|white paper|study|website|site|newsletter|magazine|tutorial|course"
)
_PERSON = r"[^\W\d_][\w.'’\-]*"
_CAPITALISED = r"[A-ZÀ-ÞĀ-Ž][\w.'’\-]*"
_AUTHORS = rf"{_CAPITALISED}(?:(?:\s+|\s*,\s*|\s*&\s*|\s+and\s+|\s+et\s+)(?:{_CAPITALISED}|al\.?)){{0,5}}"
_ADDRESS = r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+"

_DISPLAY_NAME = lazy.compile(rf"\"?(?P<name>[^<>()\"@]+?)\"?\s*[<(\[]\s*(?:mailto:)?{_ADDRESS}\s*[>)\]]", re.I)
_BRACKET = lazy.compile(r"(?P<name>[^()\[\]]+?)\s*[(\[](?P<within>[^()\[\]]+)[)\]]\s*")
_YEAR = lazy.compile(r"\b(?:1[5-9]|20)\d\d[a-z]?\b")
_BY_AUTHOR = lazy.compile(rf"(?P<name>.+?)[,;:–—\-]?\s+by\s+{_AUTHORS}(?:[\s,(]+\d{{4}}\)?)?")
_POSSESSIVE_AUTHOR = lazy.compile(rf"{_CAPITALISED}(?:\s{_CAPITALISED}){{0,2}}(?:['’]s|(?<=s)['’])\s+(?P<name>.+)")
_KIND_BEFORE = lazy.compile(
    rf"(?:(?:the|that|this|our|my|a)\s+)?(?:{_PERSON}\s+(?:et\s+al\.?\s+|(?:and|&)\s+{_PERSON}\s+)?)?(?:{_WORKS})\s*[:,]?\s+"
    r"(?:(?:called|titled|entitled|named)\s+)?(?P<name>.+)",
    re.I,
)
_AUTHOR_BEFORE = lazy.compile(rf"{_AUTHORS}(?:\s*\(?\d{{4}}[a-z]?\)?)?\s*[,:–—.]\s+(?P<name>.+)")
_END = r"[\s?!.…]*"
_QUESTIONS = tuple(
    lazy.compile(pattern + _END, re.I)
    for pattern in (
        r"(?:so\s+)?what\s+(?:do|did)\s+(?:we|you|i)\s+(?:\w+\s+)?(?:know|have|hear|say|write|record|note)\s+(?:down\s+)?"
        r"(?:about|on|of|from)\s+(?P<name>.+?)",
        r"(?:who|what)(?:['’]s|\s+(?:is|was|are|were))\s+(?:(?:an?|the)\s+)?(?P<name>.+?)(?:\s+again)?",
        r"when\s+did\s+(?:we|i)\s+(?:last\s+)?(?:speak|talk|meet|work|write)(?:\s+(?:to|with))?\s+(?P<name>.+?)(?:\s+last)?",
        r"(?:is\s+there\s+)?(?:anything|everything|something|news|notes?|minutes|details|facts|info|information|an?\s+update)"
        r"\s+(?:new\s+|else\s+)?(?:about|on|of|from)\s+(?:(?:the|my|our|last|yesterday['’]s)\s+)*"
        r"(?:(?:call|meeting|chat|talk|lunch|interview|conversation|session)\s+with\s+)?(?P<name>.+?)",
        r"what(?:['’]s|\s+(?:is|was|are|were|has|have))\s+(?P<name>.+?)\s+(?:been\s+)?(?:(?:working|waiting|busy|responsible"
        r"|blocked|stuck|famous|known|used|needed|meant|good)\s+(?:on|at|for|with|by|in)|doing|up\s+to|about|like|for)",
    )
)
_DECIDED_IN_QUESTION = lazy.compile(
    r"(?:why|when|did|have|how)\s+(?:(?:did|have)\s+)?(?:we|they)\s+(?:ever\s+)?(?:(?:decide|decided|agree|agreed|choose|chose)\s+to\s+)?"
    r"(?P<name>.+?)" + _END,
    re.I,
)
_SAID_BY = lazy.compile(
    r"(?P<name>.+?)(?:['’]s|(?<=s)['’])\s+(?:(?:latest|last|recent|new|first|previous)\s+)?"
    r"(?:feedback|opinion|e-?mails?|messages?|notes?|comments?|views?|remarks?|reply|answer)" + _END,
    re.I,
)
_SUFFIX_HONORIFIC = lazy.compile(r"(?P<name>.+)-(?:san|sama|kun|chan|sensei|ssi|ji)", re.I)
_HONORIFIC = lazy.compile(
    r"(?:mister|miss|doctor|docteur|professor|professeur|maître|maitre|don|doña|père|soeur|madame|mme|mlle|monsieur|señora?|senora?|signora?|pan|pani|sister|brother|father|"
    r"captain|colonel|judge|rabbi|reverend|rev\.?|capt\.?|col\.?|lady|lord|maestro|maestra|skipper|chef|coach|officer|"
    r"sergeant|sgt\.?|inspector|detective|justice|senator|governor|mayor|ambassador|attorney|counsel|major|general|"
    r"lieutenant|lt\.?|admiral|commander|pastor|imam|sheikh|nurse)\s+(?P<name>.+)",
    re.I,
)
_INITIALS_JOINED = lazy.compile(r"(?P<initials>[A-Z]{2,3})\s+(?P<rest>[^\W\d_]{3,}.*)")
_USER_NAME = lazy.compile(r"[a-z]{6,24}")

_PATH = lazy.compile(r"(?:file://|~|[a-z]:\\|\.{0,2}[/\\])?(?:[^/\\]*[/\\])*(?P<file>[^/\\]+)", re.I)
_EXTENSION = lazy.compile(
    r"(?P<stem>.+)\.(?:pdf|docx?|odt|rtf|txt|md|rst|html?|epub|mobi|azw3|pptx?|key|odp|xlsx?|ods|csv|tsv|json|ya?ml|ipynb|"
    r"tex|png|jpe?g|svg|mp3|mp4|m4a|wav|mov|zip|eml|msg|pages|numbers)",
    re.I,
)
_MIN_SLUG_WORDS = 2
_MAX_DEPTH = 2
_MAX_QUESTIONS = 3


@dataclass(frozen=True, slots=True)
class Expression:
    """A name read in an expression.

    Attributes:
        name: the name as it is written there.
        reason: what it was read in.
        style: how the names of its type are made, where only one style is possible: a decision has no author.
    """

    name: str
    reason: str
    style: NameStyle | None = None
    is_whole: bool = False
    """Only what is called exactly so is meant: “the ferry Isolde” is not Isolde Farrow."""


def read(text: str) -> list[Expression]:
    """The names that an expression may consist of, with something beside them, the surest first; mostly none.

    Args:
        text: as somebody wrote it, with its capitals and its punctuation.
    """
    if len(text) > _MAX_LENGTH:
        return []
    text = " ".join(text.split())
    read_in = list(_identifiers(text))
    if not read_in:
        read_in = [
            *_persons(text),
            *_with_brackets(text),
            *_after_apposition(text),
            *_works(text),
            *_files(text),
        ]
    own = Name(text).folded
    distinct = {
        (each.name.casefold(), each.style, each.is_whole): each
        for each in read_in
        if each.name and Name(each.name).folded not in ("", own)
    }
    return list(distinct.values())[:MAX_EXPRESSIONS]


def asked_about(text: str) -> list[Expression]:
    """What a question may ask about: Nadia, of “what do we know about Nadia?”; nothing if it is not a question."""
    if len(text) > _MAX_LENGTH:
        return []
    text = " ".join(text.split())
    read_in = [*_questions(text), *_decided(text, (_DECIDED_IN_QUESTION,))]
    return list({each.name.casefold(): each for each in read_in}.values())[:_MAX_QUESTIONS]


def _identifiers(text: str) -> Iterator[Expression]:
    """Other spellings of an arXiv id, a DOI, an ISBN or a URL, and the title in the last part of a URL."""
    stripped = text.strip(" <>()[].,;")
    if match := DOI.fullmatch(stripped):
        for prefix in ("", "doi:", "https://doi.org/", "http://dx.doi.org/"):
            yield Expression(prefix + match["id"], f"“{match['id']}” is a DOI")
        return
    is_arxiv = "arxiv" in stripped.casefold() or re.fullmatch(r"\d{4}\.\d{4,5}(?:v\d+)?", stripped)
    if is_arxiv and (match := ARXIV.fullmatch(stripped)):
        for prefix in ("arXiv:", "", "https://arxiv.org/abs/", "https://arxiv.org/pdf/"):
            yield Expression(prefix + match["id"], f"“{match['id']}” is an arXiv id")
        return
    if match := ISBN.fullmatch(stripped):
        digits = re.sub(r"[\s\-]", "", match["id"])
        for spelled in (digits, f"ISBN {digits}", f"ISBN {match['id']}", match["id"]):
            yield Expression(spelled, f"“{match['id']}” is an ISBN")
        return
    if URL.fullmatch(stripped):
        yield from _url(stripped)


def _url(text: str) -> Iterator[Expression]:
    plain = identifiers.page(text)
    if plain is None:
        return
    path, has_query, _ = plain.partition("?")
    for prefix in ("https://", "", "https://www.", "http://"):
        yield Expression(prefix + plain, f"“{plain}” is its address")
    segment = path.rsplit("/", 1)[-1] if "/" in path else ""
    slug = _without_extension(segment)
    words = [word for word in re.split(r"[\W_]+", slug) if word]
    numbered = [word for word in words if any(character.isdigit() for character in word)]
    if len(words) >= _MIN_SLUG_WORDS + len(numbered) and not has_query and all(map(_YEAR.fullmatch, numbered)):
        yield Expression(" ".join(words), f"“{segment}” is the end of the address")


def _persons(text: str) -> Iterator[Expression]:
    if match := _DISPLAY_NAME.fullmatch(text):
        yield Expression(match["name"], f"“{match['name']}” is the name beside the address", style="person")
        return
    for pattern in (_SUFFIX_HONORIFIC, _HONORIFIC):
        if match := pattern.fullmatch(text):
            yield Expression(match["name"], f"“{match['name']}” is the name beside a title", style="person")
    if match := _INITIALS_JOINED.fullmatch(text):
        spaced = f"{' '.join(match['initials'])} {match['rest']}"
        yield Expression(spaced, f"“{match['initials']}” are initials", style="person")
    if match := _SAID_BY.fullmatch(text):
        yield Expression(match["name"], f"“{text}” is by “{match['name']}”", style="person")
        if titled := _HONORIFIC.fullmatch(match["name"]):
            yield Expression(titled["name"], f"“{text}” is by “{titled['name']}”", style="person")
    if _USER_NAME.fullmatch(text):
        yield Expression(f"{text[0]} {text[1:]}", f"“{text}” is a user name", style="person")


def _after_apposition(text: str) -> Iterator[Expression]:
    """The name after a noun in small letters that says what has it, in any language: Isolde, of “the ferry Isolde”."""
    words = text.split()
    start = next((place for place, word in enumerate(words) if not word.islower()), 0)
    noun = words[start - 1].casefold() if start else ""
    if noun.isalpha() and len(noun) > 2 and words[start][0].isupper() and not _says_which(noun):
        yield Expression(" ".join(words[start:]), f"“{' '.join(words[:start])}” says what it is", is_whole=True)


def _says_which(word: str) -> bool:
    """Whether a word before a name points at something else than what has it: of, without, another, second."""
    return (
        common_words.is_stop_word(word)
        or word in word_forms.function_words()
        or word in quantities.ORDINALS
        or opposites.is_negating(word)
    )


def _with_brackets(text: str) -> Iterator[Expression]:
    """The name before a bracket with its year, its identifier, its initials or, of a source or person, anything."""
    match = _BRACKET.fullmatch(text)
    if match is None:
        return
    name, within = match["name"].strip(), match["within"].strip()
    reason = f"“{within}” stands in brackets"
    is_identifier = any(pattern.fullmatch(within) for pattern in (DOI, ARXIV, ISBN, URL))
    if is_initials_of(within, name) or is_identifier:
        yield Expression(name, reason)
    if is_initials_of(name, within):
        yield Expression(within, f"“{name}” are its initials")
    if any(
        word in ("not", "no", "except", "other", "another", "old", "former") for word in Name(within).folded.split()
    ):
        return
    if _YEAR.search(within) or not any(character.isdigit() for character in within):
        yield Expression(name, reason, style="reference")
    is_remark = within.islower() and within.isalpha()
    if is_remark or (len(name.split()) > 1 and not any(character.isdigit() for character in within)):
        yield Expression(name, reason, style="person")


def is_initials_of(short: str, long: str) -> bool:
    """Whether a short form is the initials of a long one, with its small words or without them; plural or not."""
    letters = Name(short).folded.replace(" ", "")
    words = Name(long).folded.split()
    if not 2 <= len(letters) <= 8 or len(words) < 2 or len(short.split()) > 1:
        return False
    forms = {first_letters(words), first_letters(without_small_words(words))}
    return letters in forms or letters.removesuffix("s") in forms


def _works(text: str, *, depth: int = 0) -> Iterator[Expression]:
    """The title of a cited work, without its author, its kind, its year and its edition, one of them or several."""
    for pattern, what in (
        (_BY_AUTHOR, "the author"),
        (_POSSESSIVE_AUTHOR, "the author"),
        (_KIND_BEFORE, "what kind of work it is"),
        (_AUTHOR_BEFORE, "the author"),
    ):
        if match := pattern.fullmatch(text):
            title = match["name"].strip(" \"'“”‘’«»,")
            is_long = len(title.split()) > 1 or pattern is not _AUTHOR_BEFORE
            if is_long and (pattern is not _KIND_BEFORE or not title.casefold().startswith(("about ", "on ", "for "))):
                yield Expression(title, f"“{text}” says {what} too", style="reference")
                if depth < _MAX_DEPTH and title != text:
                    yield from _works(title, depth=depth + 1)
    if depth:
        return
    quoted = re.fullmatch(r".*?[\"“«](?P<name>[^\"“”«»]{4,})[\"”»].*", text)
    if quoted:
        yield Expression(quoted["name"], f"“{quoted['name']}” is quoted", style="reference")


def _questions(text: str) -> Iterator[Expression]:
    """What a question asks about: Nadia, of “what do we know about Nadia?”."""
    for pattern in _QUESTIONS:
        if match := pattern.fullmatch(text):
            yield Expression(match["name"], f"“{text}” asks about “{match['name']}”")


def _decided(text: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[Expression]:
    for pattern in patterns:
        if match := pattern.fullmatch(text):
            yield Expression(match["name"], f"“{text}” says that it is a decision", style="statement")


def _files(text: str) -> Iterator[Expression]:
    """The name of a file without its folders, and without its extension."""
    match = _PATH.fullmatch(text)
    if match is None or ("/" not in text and "\\" not in text and not _EXTENSION.fullmatch(text)):
        return
    file = match["file"]
    stem = _without_extension(file)
    if "/" in text or "\\" in text:
        if stem == file:
            return  # either/or is no path
        yield Expression(file, f"“{file}” is the name of the file")
    if len(re.split(r"[\W_]+", stem)) >= _MIN_SLUG_WORDS:
        yield Expression(stem, f"“{file}” is the name of a file", style="reference")


def _without_extension(file: str) -> str:
    match = _EXTENSION.fullmatch(file)
    return match["stem"] if match else file
