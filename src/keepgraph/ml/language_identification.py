"""Language identification: the languages of texts, with the model of py3langid, if that is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any

from keepgraph.package_files import extra_hint

_MIN_CHARACTERS = 10
_MIN_PROBABILITY = 0.5
_EVEN_SHARE = 0.02
"""The prior weight of a language that no other text is in."""

_NO_LANGUAGE = frozenset(("zxx", "und", "mul"))
_MAX_CHARACTERS = 1_000

_models: list[Any] = []
_loading = Lock()


def unavailable_reason() -> str | None:
    """Why no language can be identified, in words to act on; None if they can. Loads nothing."""
    if find_spec("py3langid") is None or find_spec("numpy") is None:
        return f"the package py3langid is not installed. {extra_hint('languages')}"
    return None


def identify(texts: Sequence[str]) -> list[str | None]:
    """The language of each text (ISO 639), None if it is too short or uncertain. The first call loads the model.

    Texts that lie together tend to be in few languages: what most of them are in is more likely for each.
    """
    likelihoods = [_likelihoods(text) for text in texts]
    totals: dict[str, float] = {}
    for likelihood in likelihoods:
        for language, probability in likelihood.items():
            totals[language] = totals.get(language, 0.0) + probability
    total = sum(totals.values()) or 1.0
    shares = {language: probability / total + _EVEN_SHARE for language, probability in totals.items()}
    return [_most_likely(likelihood, shares) for likelihood in likelihoods]


def _likelihoods(text: str) -> dict[str, float]:
    if len(text.strip()) < _MIN_CHARACTERS or not any(character.isalpha() for character in text):
        return {}
    ranked = _load().rank(text[:_MAX_CHARACTERS])
    return {language: probability for language, probability in ranked[:10] if probability > 0.01}


def _most_likely(likelihood: dict[str, float], shares: dict[str, float]) -> str | None:
    weighted = {language: probability * shares[language] for language, probability in likelihood.items()}
    total = sum(weighted.values())
    language = max(sorted(weighted), key=weighted.__getitem__, default=None)
    if language is None or language in _NO_LANGUAGE or weighted[language] / total < _MIN_PROBABILITY:
        return None
    return language if likelihood[language] >= _MIN_LIKELIHOOD else None


_MIN_LIKELIHOOD = 0.2
"""However common a language is among the texts, a text must look like it."""


def _load() -> Any:
    with _loading:
        if not _models:
            module: Any = import_module("py3langid.langid")
            _models.append(module.LanguageIdentifier.from_model_file(module.MODEL_FILE, norm_probs=True))
        return _models[0]
