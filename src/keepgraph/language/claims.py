"""Claims: what a sentence says, taken apart for comparison: words that carry meaning, amounts, times, polarity, tense.

No parser is used: the parts are found by word lists and by their places, in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from keepgraph import lazy
from keepgraph.language import (
    common_words,
    factuality,
    given_names,
    inflection,
    normalisation,
    opposites,
    quantities,
    sentences,
    time_references,
)
from keepgraph.language.factuality import Cue
from keepgraph.language.quantities import Quantity
from keepgraph.language.time_references import TimeReference
from keepgraph.lazy import dataclass

# The words of a claim that carry meaning, with their places: by word lists, without a parser.
#
# Where a verb stands is guessed from auxiliaries, endings and the word before; where that is wrong, less is compared.

_Tense: TypeAlias = Literal["past", "present", "perfect", "future"]

_SOME = 1e-9
"""The share of `some`: more than nothing."""

_QUANTIFIERS = {
    **dict.fromkeys("all every each both always everybody everyone everything everywhere whole".split(), (1.0, 1.0)),
    **dict.fromkeys(
        "some several many certain sometimes often usually occasionally frequently somebody someone something "
        "regularly".split(),
        (_SOME, 1.0),
    ),
    "a few": (_SOME, 1.0),
    **dict.fromkeys("most mostly majority".split(), (0.5 + _SOME, 1.0)),
    **dict.fromkeys("few rarely seldom minority".split(), (0.0, 0.5)),
    "half": (0.45, 0.55),
}
_FUNCTION_WORDS = frozenset(
    "a an the this that these those is are am was were be been being has have had having do does did of in on at "
    "to for from with by as into onto off about against through during per via than and or but so if it its there "
    "which who whom whose what where when while because since then we our us i my me you your can must will shall "
    "may might "
    "could would should get gets got s not any one ones also too very quite rather just only even still already now "
    "currently presently actually really exactly precisely simply fully completely entirely totally generally overall "
    "officially clearly certainly indeed however therefore moreover both either yet again ever own such up out "
    "within upon among between der die das den dem ein eine einen einem ist sind hat haben wird le la les un une des "
    "est sont el los las es son il lo gli sono una uno d l ne n".split()
)
_PRONOUNS = {
    **dict.fromkeys("i me my we us our".split(), "we"),
    "your": "you",
    **dict.fromkeys("he him his himself".split(), "he"),
    **dict.fromkeys("she her hers herself".split(), "she"),
    **dict.fromkeys("they them their theirs themselves".split(), "they"),
}
_COPULAS = frozenset(
    "is are am was were be been being remains remain stays stay became become becomes feels felt tastes smells sounds "
    "looks".split()
)
_AUXILIARIES = _COPULAS | frozenset("has have had do does did can must will shall may might could would should".split())
_ADVERBS = frozenset(
    "very quite rather still now currently always already really fully completely not never no longer also too "
    "usually often generally extremely highly fairly so only mostly".split()
)
_PREPOSITIONS = inflection.PREPOSITIONS | {"when", "while", "because", "than", "as", "if", "since", "during", "for"}
WORD = lazy.compile(r"[^\W_](?:[\w.&'’+#/-]*[\w+#])?")


@dataclass(frozen=True, slots=True)
class Word:
    """A content word.

    Attributes:
        text: in small letters.
        root: the form in which it is compared.
        is_name: whether it is, or belongs to, a proper name, or is a number that labels something.
        is_predicative: whether a form of to be stands before it, adverbs aside.
        preposition: the word before its phrase that makes it an adjunct or an object: in, on, by; empty for none.
        is_of_subject: whether it stands before the verb.
    """

    text: str
    root: str
    is_name: bool
    is_predicative: bool
    preposition: str
    is_of_subject: bool


def _find_words(text: str, labels: Mapping[str, str]) -> Iterator[Word]:
    """The content words of a text, in their order.

    Args:
        labels: the numbers that label something, by the words that stand for them in the text.
    """
    tokens = [(match[0], match.start()) for match in WORD.finditer(text)]
    verb = verb_index([token for token, _ in tokens])
    preposition, after_copula = "", False
    for index, (token, start) in enumerate(tokens):
        lower = token.lower()
        if lower in _COPULAS:
            after_copula, preposition = True, ""
        elif lower in _PREPOSITIONS:
            preposition, after_copula = lower, False
        if lower in _FUNCTION_WORDS or lower in _PRONOUNS or lower in _QUANTIFIERS or lower in _COPULAS:
            continue
        if index == verb:
            preposition = ""
        label = labels.get(lower)
        is_name = label is not None or _is_name(token, is_first=not text[:start].strip())
        yield Word(
            text=label or lower,
            root=f"#{label}" if label else lower if is_name else opposites.root(lower),
            is_name=is_name,
            is_predicative=after_copula,
            preposition=preposition,
            is_of_subject=verb is not None and index < verb,
        )
        after_copula = False


def _is_name(token: str, *, is_first: bool) -> bool:
    if not token[0].isupper():
        return False
    folded = normalisation.Name(token).folded
    return not is_first or given_names.contains(folded) or not common_words.is_english(folded)


def verb_index(tokens: list[str]) -> int | None:
    """The likely place of the first verb, without a parser."""
    for index, token in enumerate(tokens):
        if token.lower() in _AUXILIARIES:
            return index
    for index, token in enumerate(tokens[1:], 1):
        if token[0].islower() and inflection.tense(token, is_passive=False) == "past":
            return index
    for index, token in enumerate(tokens[1:], 1):
        if token[0].islower() and token.endswith("s") and not token.endswith(("ss", "us", "is")):
            return index
    plural = next((index for index, token in enumerate(tokens[:-1]) if token.endswith("s")), None)
    return None if plural is None else plural + 1


def _tense(text: str) -> _Tense:
    """The tense of the first verb."""
    tokens = [token.lower() for token in WORD.findall(text)]
    for index, token in enumerate(tokens):
        if token in ("will", "shall"):
            return "future"
        if token in ("has", "have"):
            following = tokens[index + 1] if index + 1 < len(tokens) else ""
            return "perfect" if following == "been" or inflection.is_participle(following) else "present"
        if token in ("is", "are", "am", "do", "does", "can", "must", "'s"):
            return "present"
    is_past = any(inflection.tense(token, is_passive=False) == "past" for token in tokens if len(token) > 2)
    return "past" if is_past else "present"


def _is_passive(text: str) -> bool:
    """Whether a form of to be stands before a participle; so it does in `is married`."""
    tokens = [token.lower() for token in WORD.findall(text)]
    for index, token in enumerate(tokens):
        if token in _COPULAS:
            following = next(
                (word for word in tokens[index + 1 :] if word not in _ADVERBS and word not in _COPULAS), ""
            )
            if inflection.is_participle(following):
                return True
    return False


MAX_CLAIMS = 60
"""At most this many claims of a text are read; see `find`."""

_LABELLED_NUMBER = lazy.compile(
    r"\b(?P<label>(?-i:[A-Z][\w-]*)|version|platform|room|chapter|section|phase|step|line|gate|floor|level|page|release|"
    r"article|route|bus|tram|flight|issue|building|table|figure|group|class|grade|track|zone|part|volume|season|"
    r"episode|day|number|no\.?|unit|terminal|stage|type|model|lane|port|highway|apartment|hall|exit|seat)"
    r"\s#?(?P<number>\d+(?:\.\d+)*[a-z]?)(?=[\s.,;:!?)]|$)(?!\s?(?:%|°|am\b|pm\b|million|billion))",
    re.IGNORECASE,
)
# Negation of a degree, within the description of something, or of a choice: what is denied then is not the whole.
_PARTIAL_NEGATION = lazy.compile(
    r"\bnot\s(?:very|quite|entirely|fully|completely|exactly|necessarily|too|so|that|particularly|really|yet|as|much|"
    r"enough|even|the only|directly|automatically|immediately|just)\b|\byet\b|"
    r"\b(?:who|that|which|those|whose)\s(?:\w+\s)?(?:do|does|did|is|are|was|were|has|have|had|can|will)\s"
    r"(?:not|never)\b|"
    r",\s(?:and\s)?not\s|\bbut not\b|\bwithout\b|\binstead of\b|\brather than\b|\bexcept\b|\beither\b|"
    r"\bor\b(?!\s(?:more|so|less)\b)|\bnothing but\b|"
    r"\b(?:partly|partially|in part|to some extent|hardly|barely|scarcely|rarely|seldom)\b|"
    r"\b(?:no ?body|no one|none|nothing|no \w+|all|every\w+|every \w+|any(?:one|body))(?:\s(?:of\s)?(?:us|them))?,?\s"
    r"(?:but|save|other than|apart from|aside from|besides|bar|excluding)\s|"
    r"\b(?:nobody|no one|none|not|never|neither)\s(?:\w+\s){0,2}?(?:kn[eo]ws?|sa(?:ys?|id)|thinks?|thought|believed?s?|"
    r"claim\w*|notic\w+|remember\w*|reali[sz]\w+|tells?|told|sure|certain|aware|prov\w+|show\w*|mean\w*|expect\w*)\s"
    r"(?:that|how|why|where|who|what|when)\b",
    re.IGNORECASE,
)
_MODALS = lazy.compile(
    r"\b(?P<can>can|able to)\b|\b(?P<must>must|ha(?:s|ve) to|needs? to|required to|obliged to)\b", re.IGNORECASE
)
_CLAUSE_END = lazy.compile(
    r";\s|,?\s(?:but|whereas|although|though)\s|,\swhile\s|,\sand\s(?=(?:the|a|an|it|he|she|they|we|[A-Z])\b)"
)
_LABEL = lazy.compile(
    r"^(?:(?:meeting |daily |project )?(?:notes?|minutes|updates?|status|decisions?|summary|results?|fyi|facts?|"
    r"reminder|info|important|news|correction|p\.?s\.?)):\s",
    re.IGNORECASE,
)
_SECOND_VERB = lazy.compile(
    r"\sand\s(?=(?:is|are|was|were|has|have|can|cannot|will|does|do|did|had|must)\b)|"
    r"\sand\s(?=[a-z]+s\s(?:at|in|on|for|to|with|as|by|the|a|an|no|his|her|their|its)\b)"
)
_CONTAIN = {"is": "contains", "are": "contain", "was": "contained", "were": "contained"}
_COMPOUNDS = (
    (lazy.compile(r"\bon[- ]?(?:site|premises|prem)\b", re.IGNORECASE), "onsite"),
    (
        lazy.compile(r"\b(won|ca)n['’]t\b", re.IGNORECASE),
        lambda match: "will not" if match[1].lower() == "won" else "can not",
    ),
    (lazy.compile(r"n['’]t\b", re.IGNORECASE), " not"),
    (lazy.compile(r"\bcannot\b", re.IGNORECASE), "can not"),
    (lazy.compile(r"['’]s\b"), " 's"),
    (
        lazy.compile(r"\b(is|are|was|were)\s(?:\w+ly\s)?(?:(\w{3,})-free|free (?:of|from) (\w+))\b", re.IGNORECASE),
        lambda match: f"{_CONTAIN[match[1].lower()]} no {match[2] or match[3]}",
    ),
    (
        lazy.compile(r"\b([A-G])(?:[- ](flat|sharp))?[- ](?-i:(minor|major))\b"),
        lambda match: f"keyof{match[1]}{match[2] or ''}{match[3]}".lower(),
    ),
    (lazy.compile(r"\bt(?:akes?|ook|aking) place\b", re.IGNORECASE), "happened"),
    (lazy.compile(r"(?<=\bnot\s)(?P<denied>[^,;]*?)\sany ?more(?=[.,;!?]|$)", re.IGNORECASE), r"\g<denied>"),
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence, or a clause of it, says.

    Attributes:
        sentence: the sentence it is from, its white space collapsed.
        words: in their order.
        share: the least and the greatest share of its subject that it covers: 1 for `all`, 0 for `no`.
        is_plain: whether it has no word such as `all` or `no`.
        negations: how many words negate it.
        cues: what says how real it is.
        pronouns: `he`, `she`, `our` as they are, since their referents are unknown.
        modality: "can" or "must" if it says that something is possible or obligatory; else empty.
        is_partly_negated: whether it denies only a degree, or something within a description, or leaves a choice.
        is_passive: whether its verb is a passive, or an adjective of its form.
    """

    sentence: str
    words: tuple[Word, ...]
    quantities: tuple[Quantity, ...]
    times: tuple[TimeReference, ...]
    tense: _Tense
    share: tuple[float, float]
    is_plain: bool
    negations: int
    cues: tuple[Cue, ...]
    pronouns: frozenset[str]
    modality: str
    is_partly_negated: bool
    is_passive: bool
    plain_text: str

    @property
    def roots(self) -> frozenset[str]:
        return frozenset(word.root for word in self.words)


def find(text: str, *, about: str | None = None) -> list[Claim]:
    """The claims of a text in their order, at most MAX_CLAIMS.

    Args:
        about: the name of what the text is about, for whom `he`, `she`, `they` or `it` stands at the beginning.
    """
    claims: list[Claim] = []
    subject = about
    for sentence in sentences.split(text):
        if sentence.heading:
            continue
        whole = " ".join(text[sentence.start : sentence.end].split())
        for clause in _clauses(whole):
            if subject and (
                match := re.match(r"(?:he|she|they|it)\s(?!is (?:not )?(?:true|clear|possible|likely)\b)", clause, re.I)
            ):
                clause = f"{subject} {clause[match.end() :]}"
            claims.append(_claim(clause, whole))
            subject = _subject_name(clause) or subject
            if len(claims) >= MAX_CLAIMS:
                return claims[:MAX_CLAIMS]
    return claims


def _clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence that stand by themselves; the whole sentence where one would be too short."""
    plain = _LABEL.sub("", sentence)
    parts = [part.strip() for part in _CLAUSE_END.split(plain)]
    if len(parts) < 2 or any(len(part.split()) < 3 for part in parts):
        parts = [plain]
    for part in parts:
        yield from _with_subjects(part)


def _with_subjects(clause: str) -> Iterator[str]:
    """Each of several predicates of one subject as a clause with that subject: `lives in Oslo and works at Acme`."""
    first, *others = _SECOND_VERB.split(clause)
    verb = _verb_start(first)
    if not others or not verb:
        yield clause
        return
    subject = first[:verb].strip()
    yield first
    yield from (f"{subject} {predicate}" for predicate in others)


def _verb_start(clause: str) -> int | None:
    """Where the verb of a clause begins, in characters; None if none is found."""
    tokens = [(match[0], match.start()) for match in WORD.finditer(clause)]
    index = verb_index([token for token, _ in tokens])
    return tokens[index][1] if index is not None and index < len(tokens) else None


def _subject_name(clause: str) -> str | None:
    """The proper name with which a clause begins, if it begins with one."""
    match = re.match(r"(?:[A-Z][\w'’-]+)(?:\s[A-Z][\w'’-]+)*(?=\s[a-z])", clause)
    if match is None or (" " not in match[0] and not given_names.contains(normalisation.Name(match[0]).folded)):
        return None
    return match[0]


def _claim(text: str, sentence: str) -> Claim:
    for pattern, replacement in _COMPOUNDS:
        text = pattern.sub(replacement, text)
    cues = factuality.find_cues(text + ("?" if sentence.endswith("?") and not text.endswith("?") else ""))
    plain, labels, times, amounts = _take_out(text, cues)
    words = list(_find_words(plain, labels))
    share, is_plain = _share(text, cues)
    lower = f" {text.lower()} "
    return Claim(
        sentence=sentence,
        words=tuple(words),
        quantities=tuple(amounts),
        times=tuple(times),
        tense=_tense(plain),
        share=share,
        is_plain=is_plain,
        negations=sum(cue.kind == "negation" for cue in cues),
        cues=cues,
        pronouns=frozenset(_PRONOUNS[word] for word in re.findall(r"[a-z]+", lower) if word in _PRONOUNS),
        modality=next(
            (name for match in _MODALS.finditer(lower) for name, text_ in match.groupdict().items() if text_), ""
        ),
        is_partly_negated=_PARTIAL_NEGATION.search(text) is not None,
        is_passive=_is_passive(plain),
        plain_text=lower,
    )


def _take_out(text: str, cues: tuple[Cue, ...]) -> tuple[str, dict[str, str], list[TimeReference], list[Quantity]]:
    """The text without cues, times and amounts; labelled numbers become words, which are mapped to the numbers."""
    labels: dict[str, str] = {}
    spans: list[tuple[int, int, str]] = []
    times = time_references.find(text)
    spans += [(time.start, time.end, " ") for time in times]
    for match in _LABELLED_NUMBER.finditer(text):
        is_time = any(time.start < match.end() and match.start() < time.end for time in times)
        if not is_time and match["label"].lower() not in _FUNCTION_WORDS:
            placeholder = f"xlabel{len(labels)}x"
            labels[placeholder] = match["number"]
            spans.append((match.start("number"), match.end("number"), placeholder))
    taken = list(spans)
    masked = text
    for start, end, _ in taken:
        masked = masked[:start] + "\N{INFORMATION SEPARATOR ONE}" * (end - start) + masked[end:]
    amounts = [amount for amount in quantities.find(masked) if not _is_pronoun(amount, text)]
    spans += [(amount.start, amount.end, " ") for amount in amounts]
    spans += [
        (cue.start, cue.end, " ")
        for cue in cues
        if cue.kind == "negation" and not any(start < cue.end and cue.start < end for start, end, _ in spans)
    ]
    plain = text
    for start, end, replacement in sorted(spans, reverse=True):
        plain = plain[:start] + replacement + plain[end:]
    return plain, labels, times, amounts


def _is_pronoun(amount: Quantity, text: str) -> bool:
    """Whether a number word is not a number: `no one`, `this one`."""
    before, after = text[: amount.start].rstrip().lower(), text[amount.end :]
    is_word = before.endswith(("the", "this", "that", "no", "any", "every", "each", "another", "which", "some"))
    return amount.words.lower() == "one" and (is_word or not after.strip(" .!?"))


def _share(text: str, cues: tuple[Cue, ...]) -> tuple[tuple[float, float], bool]:
    """The share of its subject that a claim covers, and whether only its polarity says so."""
    negations = [cue for cue in cues if cue.kind == "negation"]
    is_negated = len(negations) % 2 == 1
    words = re.finditer(r"\ba few\b|[a-z]+", text.lower())
    quantifier = next((match for match in words if match[0] in _QUANTIFIERS), None)
    if quantifier is None:
        return ((0.0, 0.0) if is_negated else (_SOME, 1.0)), True
    low, high = _QUANTIFIERS[quantifier[0]]
    if not is_negated:
        return (low, high), False
    if low in (1.0, _SOME):
        return (0.0, 1.0 - _SOME), False  # not all, some not
    return (1.0 - high, 1.0 - low), False
