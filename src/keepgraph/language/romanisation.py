"""Names in other scripts: how Hangul, Arabic and Cyrillic may be written in Latin letters, and which names look alike.

There is no one spelling: Arabic writes no short vowels, Korean surnames have customary forms (박 is Park, Pak or Bak),
and Ukrainian reads letters otherwise than Russian. So each word is a test for words in Latin letters. Sources: the
Revised Romanisation of Korean (2000) and customary spellings; the Ukrainian national romanisation (2010).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from pathlib import Path

from keepgraph import lazy
from keepgraph.language import normalisation
from keepgraph.language.normalisation import Name
from keepgraph.lazy import dataclass

_MAX_WORDS = 5
_HANGUL_NAME = lazy.compile("[\uac00-\ud7a3]{2,4}")
_ARABIC = lazy.compile("[\u0620-\u064a\u066e-\u06d3\\s]+")
_MIN_CONSONANTS = 5  # of a whole name

_SURNAMES = {
    "gim": "kim gim",
    "i": "lee yi rhee ri li",
    "bag": "park bak pak",
    "choe": "choi choe",
    "jeong": "jung jeong chung",
    "gang": "kang gang",
    "jo": "cho jo",
    "yun": "yoon yun",
    "jang": "jang chang",
    "im": "lim im rhim yim",
    "o": "oh o",
    "seo": "seo suh",
    "sin": "shin sin",
    "gwon": "kwon gwon",
    "an": "ahn an",
    "yu": "yoo yu ryu you",
    "lyu": "ryu yoo yu ryoo",
    "jeon": "jeon jun chun",
    "go": "ko go koh",
    "mun": "moon mun",
    "son": "son sohn",
    "bae": "bae pae",
    "baeg": "baek paik paek back",
    "heo": "heo hur huh",
    "sim": "shim sim",
    "no": "noh roh no",
    "gwag": "kwak gwak",
    "ju": "joo ju",
    "u": "woo u",
    "gu": "koo gu ku goo",
    "eom": "eom um uhm",
    "cheon": "cheon chun",
    "gong": "kong gong",
    "hyeon": "hyun hyeon",
    "byeon": "byun byeon",
    "chu": "choo chu",
    "gil": "kil gil",
}
_KOREAN_SOUNDS = tuple(
    (lazy.compile(pattern), sound)
    for pattern, sound in (
        ("oo|ou|woo", "u"),
        ("ee", "i"),
        ("ae|eu(?=[^i])", "e"),
        ("eo", "o"),
        ("ui", "i"),
        ("sh(?=i)", "s"),
        ("ch|j", "c"),
        ("g", "k"),
        ("d", "t"),
        ("b", "p"),
        ("^[lr]", "r"),
        ("wu", "u"),
    )
)
_OPEN_VOWELS = {"eong": "ung", "hyeon": "hyun", "seog": "sug"}  # young, hyun and suk, for yeong, hyeon and seok
_LETTERS_OF_SOUND = {"k": "kg", "t": "td", "p": "pb", "c": "cj", "r": "rl", "u": "uow", "e": "ea", "i": "ie"}
_ARABIC_ARTICLE = "\u0627\u0644"
_LETTERS_OF_VOWELS = frozenset("\u0627\u0622\u0623\u0625\u0639")  # alif, with hamza or madda, and ayn
_SERVANT = "\u0639\u0628\u062f"  # Abd, before one of the names of God
_LATIN_ARTICLES = frozenset("al el ul ar as ad an az".split())
_LATIN_CONSONANTS = (
    ("kh", "k"),
    ("ch", "sh"),
    ("gh", "g"),
    ("dh", "d"),
    ("th", "t"),
    ("ph", "f"),
    ("q", "k"),
    ("c", "k"),
)
_LETTERS_OF_CONSONANT = {"a": "aeiou", "k": "kqc", "s": "sc", "f": "fp"}
_UKRAINIAN = dict(
    zip(
        "абвгґдежзиклмнопрстуфхцчшщьї'’іє",
        "a b v h g d e zh z y k l m n o p r s t u f kh ts ch sh shch _ i _ _ i ie".replace("_", "\0").split(" "),
        strict=True,
    )
) | {"ю": "iu", "я": "ia", "й": "i"}
_AT_THE_BEGINNING = {"є": "ye", "ї": "yi", "й": "y", "ю": "yu", "я": "ya"}
_UKRAINIAN_LETTERS = frozenset(_UKRAINIAN)


@dataclass(frozen=True, slots=True)
class LatinWord:
    """A word of a name as it may be written in Latin letters.

    Attributes:
        beginnings: the letters with which it may begin; folded words that begin otherwise need not be tested.
        accepts: whether a folded word may be meant.
    """

    beginnings: str
    accepts: Callable[[str], bool]


def readings(name: str) -> list[list[LatinWord]]:
    """The ways in which the words of a name in Hangul or in Arabic letters may be written; none for other names."""
    if _HANGUL_NAME.fullmatch(name):
        return _read_hangul(name)
    if _ARABIC.fullmatch(name):
        return _read_arabic(name.split())
    return []


def words_of_name(folded: str) -> list[str]:
    """The words of a folded name in Latin letters that a reading accounts for: without Arabic articles."""
    return [word for word in folded.split() if word not in _LATIN_ARTICLES]


def ukrainian(name: str) -> str | None:
    """A name in Cyrillic letters as Ukrainian has it in Latin ones, in small letters; None for another script."""
    lower = unicodedata.normalize("NFC", name).lower()
    if name.isascii() or not all(letter in _UKRAINIAN_LETTERS or letter in " -" for letter in lower):
        return None
    return " ".join(map(_read_ukrainian, re.split("[ -]+", lower.strip(" -"))))


def _read_ukrainian(word: str) -> str:
    beginning = _AT_THE_BEGINNING.get(word[:1], "")
    return (beginning + "".join(_UKRAINIAN[letter] for letter in word[bool(beginning) :])).replace("\0", "")


def _read_hangul(name: str) -> list[list[LatinWord]]:
    surname, *given = [Name(syllable).latin or "" for syllable in name]
    customary = frozenset(_SURNAMES.get(surname, surname).split())
    first = LatinWord("".join(sorted({each[0] for each in customary})), lambda word: word in customary)
    apart = [_korean_word([syllable]) for syllable in given]
    return [[first, *apart], [first, _korean_word(given)]] if len(given) > 1 else [[first, *apart]]


def _korean_word(syllables: list[str]) -> LatinWord:
    keys = [""]
    for syllable in syllables:
        written = {syllable, *(syllable.replace(vowel, other) for vowel, other in _OPEN_VOWELS.items())}
        keys = [key + other for key in keys for other in sorted({_korean_key(each) for each in written})]
    accepted = frozenset(keys)
    beginnings = {letter for key in accepted for letter in _LETTERS_OF_SOUND.get(key[0], key[0])}
    return LatinWord("".join(sorted(beginnings)), lambda word: _korean_key(word) in accepted)


def _korean_key(word: str) -> str:
    """A key that the customary spellings of Korean syllables share: hoon and hun, jee and ji."""
    for pattern, sound in _KOREAN_SOUNDS:
        word = pattern.sub(sound, word)
    return re.sub("(?<=[aeiou])h$", "", word)


def _read_arabic(words: list[str]) -> list[list[LatinWord]]:
    if not 2 <= len(words) <= _MAX_WORDS:
        return []
    divisions = [words]
    if _SERVANT in words[:-1]:
        at = words.index(_SERVANT)
        divisions.append([*words[:at], words[at] + words[at + 1], *words[at + 2 :]])
    read = [[_skeleton_of_arabic(word) for word in division] for division in divisions]
    return [
        [_arabic_word(skeleton) for skeleton in skeletons]
        for skeletons in read
        if all(len(each) > 1 for each in skeletons) and sum(map(len, skeletons)) >= _MIN_CONSONANTS
    ]


def _arabic_word(skeleton: str) -> LatinWord:
    accepted = frozenset([skeleton, f"{skeleton}l"] if skeleton == "abd" else [skeleton])
    return LatinWord(_LETTERS_OF_CONSONANT.get(skeleton[0], skeleton[0]), lambda word: _skeleton(word) in accepted)


def _skeleton_of_arabic(word: str) -> str:
    without_article = word.removeprefix(_ARABIC_ARTICLE) or word
    joined = without_article.replace(_SERVANT + _ARABIC_ARTICLE, _SERVANT + "\u0644")
    begins_with_vowel = joined[0] in _LETTERS_OF_VOWELS
    return _skeleton("a" * begins_with_vowel + (Name(joined[begins_with_vowel:]).latin or ""))


def _skeleton(word: str) -> str:
    """The consonants of a word in Latin letters, and whether it begins with a vowel: mhmd, ahmd."""
    for spelling, sound in _LATIN_CONSONANTS:
        word = word.replace(spelling, sound)
    beginning = "a" if word[:1] in "aeiou" else word[:1]
    rest = re.sub("[aeiouyw']|h$", "", word[1:])
    return re.sub(r"(.)\1+", r"\1", beginning + rest)


# Lookalikes: names in different characters that look the same, such as PauIa and Paula (UTS 39).

# Small l, capital I and 1 look the same, and capital O and 0; L and o look otherwise, so these have signs of their own.
_STROKE, _RING = "\ue000", "\ue001"
_STROKE_AT_START = lazy.compile(rf"(?<!\S){_STROKE}")


def appearance(name: str) -> str:
    """What a name looks like: the same for two names that look the same."""
    return normalisation.key(name.translate(_signs())).replace("rn", "m")


def keys(name: str) -> list[str]:
    """The keys that a name may have that looks like this one, its own aside: I is read as l, or begins a word."""
    seen = appearance(name).replace(_RING, "o")
    readings = (reading.replace(_STROKE, "l") for reading in (seen, _STROKE_AT_START.sub("i", seen)))
    return [key for key in dict.fromkeys(readings) if key != normalisation.key(name)]


@cache
def _signs() -> dict[int, str]:
    signs = dict.fromkeys("lI1|", _STROKE) | dict.fromkeys("O0", _RING)
    alike = {ord(character): sign for character, sign in signs.items()}
    for line in Path(__file__).with_name("lookalikes.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            letter, others = line.split()
            alike.update({ord(other): signs.get(letter, letter) for other in others})
    return alike
