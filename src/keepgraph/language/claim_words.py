"""The words of a claim that carry meaning, with their places: by word lists, without a parser.

Where a verb stands is guessed from auxiliaries, endings and the word before; where that is wrong, less is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from keepgraph import lazy
from keepgraph.language import common_words, given_names, inflection, normalisation, synonyms
from keepgraph.lazy import dataclass

Tense: TypeAlias = Literal["past", "present", "perfect", "future"]

SOME = 1e-9
"""The share of `some`: more than nothing."""

QUANTIFIERS = {
    **dict.fromkeys("all every each both always everybody everyone everything everywhere whole".split(), (1.0, 1.0)),
    **dict.fromkeys(
        "some several many certain sometimes often usually occasionally frequently somebody someone something "
        "regularly".split(),
        (SOME, 1.0),
    ),
    **dict.fromkeys("most mostly majority".split(), (0.5 + SOME, 1.0)),
    **dict.fromkeys("few rarely seldom minority".split(), (0.0, 0.5)),
    "half": (0.45, 0.55),
}
FUNCTION_WORDS = frozenset(
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
PRONOUNS = {
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
PREPOSITIONS = inflection.PREPOSITIONS | {"when", "while", "because", "than", "as", "if", "since", "during", "for"}
_NO_NOUNS = FUNCTION_WORDS | _ADVERBS | PREPOSITIONS | QUANTIFIERS.keys()
WORD = lazy.compile(r"[^\W_](?:[\w.&'’+#/-]*[\w+#])?")


@dataclass(frozen=True, slots=True)
class Word:
    """A word that carries meaning.

    Attributes:
        text: in small letters.
        root: the form in which it is compared.
        is_name: whether it is, or belongs to, a proper name, or is a number that labels something.
        is_predicative: whether a form of to be stands before it, adverbs aside.
        preposition: the word before its phrase that makes it an adjunct or an object: in, on, by; empty for none.
        is_of_subject: whether it stands before the verb.
        is_attribute: whether another word that carries meaning follows directly.
        is_verb: whether it is the verb of the claim, or stands where that is expected.
    """

    text: str
    root: str
    is_name: bool
    is_predicative: bool
    preposition: str
    is_of_subject: bool
    is_attribute: bool
    is_verb: bool


def find(text: str, labels: Mapping[str, str]) -> Iterator[Word]:
    """The words of a text that carry meaning, in their order.

    Args:
        labels: the numbers that label something, by the words that stand for them in the text.
    """
    tokens = [(match[0], match.start(), match.end()) for match in WORD.finditer(text)]
    verb = verb_index([token for token, _, _ in tokens])
    main_verb = _main_verb_index([token.lower() for token, _, _ in tokens], verb)
    preposition, after_copula = "", False
    for index, (token, start, end) in enumerate(tokens):
        lower = token.lower()
        if lower in _COPULAS:
            after_copula, preposition = True, ""
        elif lower in PREPOSITIONS:
            preposition, after_copula = lower, False
        if lower in FUNCTION_WORDS or lower in PRONOUNS or lower in QUANTIFIERS or lower in _COPULAS:
            if lower not in _ADVERBS and lower not in _COPULAS and lower not in ("a", "an", "the"):
                after_copula = False
            continue
        if index == verb:
            preposition = ""
        label = labels.get(lower)
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        is_attribute = bool(
            following
            and index + 1 != verb
            and text[end : following[1]].isspace()
            and following[0].lower() not in _NO_NOUNS
        )
        is_name = label is not None or _is_name(token, is_first=not text[:start].strip())
        yield Word(
            text=label or lower,
            root=f"#{label}" if label else lower if is_name else synonyms.root(lower),
            is_name=is_name,
            is_predicative=after_copula,
            preposition=preposition,
            is_of_subject=verb is not None and index < verb,
            is_attribute=is_attribute,
            is_verb=index == main_verb,
        )
        if lower not in _ADVERBS:
            after_copula = False


def _is_name(token: str, *, is_first: bool) -> bool:
    if any(c.isupper() for c in token[1:]) or (token[0].isalpha() and any(c.isdigit() for c in token)):
        return True
    if not token[0].isupper():
        return False
    folded = normalisation.Name(token).folded
    return not is_first or given_names.contains(folded) or not common_words.is_english(folded)


def verb_index(tokens: list[str]) -> int | None:
    """The place of the first verb, as far as that can be seen without a parser."""
    for index, token in enumerate(tokens):
        if token.lower() in _AUXILIARIES:
            return index
    for index, token in enumerate(tokens[1:], 1):
        if token[0].islower() and inflection.tense(token, is_passive=False) == "past":
            return index
    for index, token in enumerate(tokens[1:], 1):
        lower = token.lower()
        previous = tokens[index - 1].lower()
        if (
            token[0].islower()
            and lower.endswith("s")
            and not lower.endswith(("ss", "us", "is"))
            and lower not in FUNCTION_WORDS
            and previous not in FUNCTION_WORDS
            and not previous.endswith("s")
        ):
            return index
    plural = next((index for index, token in enumerate(tokens[:-1]) if token.lower().endswith("s")), None)
    return None if plural is None else plural + 1


def _main_verb_index(tokens: list[str], verb: int | None) -> int | None:
    """The place of the verb that carries meaning: after an auxiliary, if the first verb is one."""
    if verb is None or verb >= len(tokens) or tokens[verb] not in _AUXILIARIES:
        return verb
    following = verb + 1
    while following < len(tokens) and (tokens[following] in _ADVERBS or tokens[following] in _AUXILIARIES):
        following += 1
    if following >= len(tokens):
        return None
    word = tokens[following]
    is_copular = tokens[verb] in _COPULAS
    is_verb = inflection.is_participle(word) or word.endswith("ing") or not is_copular
    return following if is_verb else None


def tense(text: str) -> Tense:
    """The tense of the first verb."""
    tokens = [token.lower() for token in WORD.findall(text)]
    for index, token in enumerate(tokens):
        if token in ("will", "shall"):
            return "future"
        if token in ("was", "were", "had", "did"):
            return "past"
        if token in ("has", "have"):
            following = tokens[index + 1] if index + 1 < len(tokens) else ""
            return "perfect" if following == "been" or inflection.is_participle(following) else "present"
        if token in ("is", "are", "am", "do", "does", "can", "must", "'s"):
            return "present"
    is_past = any(inflection.tense(token, is_passive=False) == "past" for token in tokens if len(token) > 2)
    return "past" if is_past else "present"


def is_passive(text: str) -> bool:
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
