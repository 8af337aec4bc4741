"""Longer names: which known names in a text are only part of a name unknown to the graph: Ana of Ana Souza."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence

from keepgraph import lazy
from keepgraph.language import common_words, lexicons, name_similarity, name_styles, ordinary_phrases, proper_names
from keepgraph.language.mention_detection import AnnotatedText, NameMatch, Offsets
from keepgraph.language.normalisation import Name
from keepgraph.language.proper_names import ProperName

_IDEOGRAPHS = lazy.compile("[々\u3400-\u4dbf\u4e00-\u9fff]+")
_JOINED_BY_DOTS = lazy.compile(
    f"(?P<katakana>[ァ-ヺー]+(?:[・＝·][ァ-ヺー]+)+)|{_IDEOGRAPHS.pattern}(?:[・·‧•]{_IDEOGRAPHS.pattern})+"
)
_IDEOGRAPHIC_TITLE = lazy.compile("(?:氏|様|殿|君|嬢|先生|社長|会長|部長|課長|係長|教授|博士|夫妻|夫人)$")
_HIRAGANA = lazy.compile("[\u3041-\u3096]")
_MAX_IDEOGRAPHS = 6
"""Of a name of a person in Japanese."""


def find(
    text: AnnotatedText, known: Sequence[NameMatch], *, persons: Container[str] = ()
) -> dict[NameMatch, ProperName | None]:
    """The known names that are a part of a longer, unknown name, each with the longer one.

    Ana of Ana Souza, Harbor of Pearl Harbor; not Harbor of Harbor Team, for a team is identified by nothing else, nor
    Jenny of Aunt Jenny. Two known names side by side are two, unless the first is one of a person: Jenny Miller.
    None stands for a longer name of which the end is unknown, in a script without spaces.

    Args:
        known: none overlaps another, and they are in their order.
        persons: the keys of those that are names of persons.
    """
    longer: dict[NameMatch, ProperName | None] = {}
    for run, inside in _runs_around(text, known):
        known_starts = {match.start for match in inside}
        for name in _names_around(text, run, known_starts):
            parts = [match for match in inside if name.start <= match.start and match.end <= name.end]
            if parts and _is_longer(text, name, parts, persons):
                longer.update(dict.fromkeys(parts, name))
    for name in _unspaced_names(text, [match for match in known if match.key in persons]) if known else ():
        parts = [match for match in known if _is_within(match, name.start, name.end)]
        longer.update(dict.fromkeys(parts, name if name.name else None))
    return longer


def is_same_name(longer: ProperName | None, name: str, written: str) -> bool:
    """Whether a longer name is another form of a known one: Ana Kovac, Ana K, Ana Maria Kovač of Ana Kovač.

    Args:
        name, written: the name of the entity, and that of its names which was found in the text.
    """
    if longer is None:
        return False
    words = [Name(word).folded for word in longer.name.split()]
    own = {Name(word).folded for word in f"{name} {written}".split()}
    same = [word in own or (len(word) == 1 and any(each.startswith(word) for each in own)) for word in words]
    return same[0] and same[-1]


def _runs_around(
    text: AnnotatedText, known: Sequence[NameMatch]
) -> Iterator[tuple[Sequence[Offsets], list[NameMatch]]]:
    """The runs of words with capitals that hold known names and more than one of them, each with these names."""
    if not known:
        return
    starts = [match.start for match in known]
    for run in proper_names.capitalised_runs(text):
        first, last = bisect_right(starts, run[0][0] - 1), bisect_right(starts, run[-1][0])
        inside = [match for match in known[first:last] if match.end <= run[-1][1]]
        if inside and (inside[0].start, inside[0].end) != (run[0][0], run[-1][1]):
            yield run, inside


def _names_around(text: AnnotatedText, run: Sequence[Offsets], known: Container[int]) -> list[ProperName]:
    """The names in a run; of a line in capitals, the words side by side that are no common ones.

    Args:
        known: where known names start.
    """
    sentence = text.sentence_around(run[0][0], run[-1][1])
    if len(run) > 1 and text.text[slice(*sentence)].isupper():
        return [
            ProperName(text.text[start:end].title(), start, end, "term")
            for start, end in _uncommon_words(text, run, known)
        ]
    return proper_names.names_in_run(text, run)


def _uncommon_words(text: AnnotatedText, run: Sequence[Offsets], known: Container[int]) -> Iterator[Offsets]:
    """The stretches of a run of words that are known, or no common words."""
    stretch: Offsets | None = None
    for offsets in run:
        word = text.word(offsets).lower()
        if offsets[0] in known or not (common_words.is_common(word) or ordinary_phrases.is_plain_word(word)):
            stretch = (stretch[0] if stretch else offsets[0], offsets[1])
        elif stretch:
            yield stretch
            stretch = None
    if stretch:
        yield stretch


def _is_longer(text: AnnotatedText, name: ProperName, parts: Sequence[NameMatch], persons: Container[str]) -> bool:
    """Whether a name that contains known names is a different name."""
    rest = [
        offsets
        for offsets in text.words
        if name.start <= offsets[0] < name.end and not any(part.start <= offsets[0] < part.end for part in parts)
    ]
    first = parts[0]
    if not rest:
        return len(parts) > 1 and first.key in persons and " " not in first.key
    if first.key in persons:
        return not all(offsets[0] < first.start and name_styles.is_title(text.word(offsets)) for offsets in rest)
    return not all(_identifies_nothing(text.word(offsets).lower()) for offsets in rest)


def _unspaced_names(text: AnnotatedText, persons: Sequence[NameMatch]) -> Iterator[ProperName]:
    """Names in scripts without spaces: words that a dot joins, and in Japanese, between kana, those of persons.

    The end of one in Chinese is unknown: it is empty.
    """
    if not text.unspaced_runs:
        return
    for dotted in _JOINED_BY_DOTS.finditer(text.text):
        yield ProperName(dotted["katakana"] or "", *dotted.span(), "person")
    if not persons or not _HIRAGANA.search(text.text):
        return
    for ideographs in _IDEOGRAPHS.finditer(text.text):
        name = _IDEOGRAPHIC_TITLE.sub("", ideographs[0])
        if len(name) <= _MAX_IDEOGRAPHS and any(_is_within(match, *ideographs.span()) for match in persons):
            yield ProperName(name, ideographs.start(), ideographs.start() + len(name), "person")


def _is_within(match: NameMatch, start: int, end: int) -> bool:
    return start <= match.start and match.end <= end and match.end - match.start < end - start


def _identifies_nothing(word: str) -> bool:
    return name_similarity.is_generic(word) and word not in lexicons.words("institution_words")
