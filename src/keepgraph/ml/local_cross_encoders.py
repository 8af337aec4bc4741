"""Local cross-encoders: models of sentence-transformers that read two texts together, from folders on this machine."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from keepgraph.errors import ModelUnavailable
from keepgraph.ml import embedder

_models: dict[str, Any] = {}


def unavailable_reason(folder: str, *, noun: str) -> str | None:
    """Why the model in a folder cannot be used, or None. Loads nothing.

    Args:
        noun: what the settings name it as.
    """
    if not (Path(folder) / "config.json").is_file():
        return f"there is no model in {folder!r}, which the settings name as the {noun}"
    if not embedder.has_sentence_transformers():
        return f"the package sentence-transformers, which a {noun} needs, is not installed"
    return None


def load(folder: str, *, noun: str, hint: str) -> Any:
    """The model in a folder, loaded at the first call; one at a time.

    Raises:
        ModelUnavailable: it cannot be loaded.
    """
    if folder not in _models:
        embedder.silence_libraries()
        try:
            _models[folder] = import_module("sentence_transformers").CrossEncoder(
                folder, device="cpu", local_files_only=True
            )
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError) as error:
            raise ModelUnavailable(f"the {noun} in {folder!r} cannot be loaded: {error}", hint=hint) from error
    return _models[folder]
