"""The languages of a graph: of the texts in its properties and of its episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from keepgraph.ml import language_identification

MIN_SHARE = 0.05
"""A language counts for a field from this share of its texts."""


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """The languages of a graph.

    Attributes:
        by_field: of each field whose texts are long enough, the most frequent first.
        primary: those of fields and of episodes, by the number of fields, then by the number of texts.
        state: "on", or why no language was identified.
    """

    by_field: Mapping[str, tuple[str, ...]]
    primary: tuple[str, ...]
    state: str

    @property
    def multilingual_fields(self) -> tuple[str, ...]:
        return tuple(field for field, languages in self.by_field.items() if len(languages) > 1)


def of_texts(texts_by_field: Mapping[str, Sequence[str]], episodes: Sequence[str]) -> LanguageProfile:
    """The languages of the texts of fields, and of episodes."""
    if reason := language_identification.unavailable_reason():
        return LanguageProfile({}, (), f"off: {reason}")
    flat = [*(text for texts in texts_by_field.values() for text in texts), *episodes]
    languages = iter(language_identification.identify(flat))
    counts = {field: Counter(next(languages) for _ in texts) for field, texts in texts_by_field.items()}
    by_field = {field: _frequent(of_field) for field, of_field in counts.items()}
    of_episodes = Counter(languages)
    fields = Counter(language for of_field in (*by_field.values(), _frequent(of_episodes)) for language in of_field)
    texts = sum(counts.values(), of_episodes)
    primary = sorted(fields, key=lambda language: (-fields[language], -texts[language], language))
    return LanguageProfile(
        {field: of_field for field, of_field in by_field.items() if of_field}, tuple(primary), state="on"
    )


def _frequent(counts: Counter[str | None]) -> tuple[str, ...]:
    known = [(language, count) for language, count in counts.items() if language is not None]
    total = sum(count for _, count in known)
    return tuple(
        language
        for language, count in sorted(known, key=lambda counted: (-counted[1], counted[0]))
        if count >= MIN_SHARE * total
    )
