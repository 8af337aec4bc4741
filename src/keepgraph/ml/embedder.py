"""Embedder: texts to vectors, with a model that is on this machine.

The default model is computed with numpy (`minilm`), any other by sentence-transformers. Models are never downloaded.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Callable, Sequence
from dataclasses import field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from keepgraph.errors import ModelUnavailable
from keepgraph.lazy import dataclass
from keepgraph.ml import minilm
from keepgraph.package_files import extra_hint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float32]
    Encode: TypeAlias = Callable[[Sequence[str]], Array]

DEFAULT_MODEL = "all-MiniLM-L6-v2"


def embed(texts: Sequence[str], *, model: str = DEFAULT_MODEL) -> Array:
    """Embed texts. The first call loads the model, which stays loaded. Threads may share it.

    Args:
        model: DEFAULT_MODEL, or the path of a folder with a sentence-transformers model.

    Returns:
        Shape (len(texts), dimension(model)); rows of length 1. Of a long text only the beginning counts: the default
        model reads 256 tokens.

    Raises:
        ModelUnavailable: the model is not on this machine, or its files are not what they should be.
    """
    loaded = _loaded_model(model)
    if loaded.encode is None:
        with loaded.loading:
            if loaded.encode is None:
                _require(model)
                loaded.encode = (
                    minilm.load().embed if model == DEFAULT_MODEL else _load_sentence_transformer(Path(model))
                )
    return loaded.encode([_replace_surrogates(text) for text in texts])


def unavailable_reason(model: str = DEFAULT_MODEL) -> str | None:
    """Why this model cannot be used on this machine, in words for a person to act on, or None. Loads nothing."""
    if model == DEFAULT_MODEL:
        # Not looked for again once it is loaded: that takes 1 to 2 ms, at every search.
        return None if _loaded_model(model).encode is not None else minilm.unavailable_reason()
    folder = Path(model)
    if not folder.is_dir():
        return f"{model!r} is neither {DEFAULT_MODEL} nor a folder on this machine; models are never downloaded"
    if not (folder / "modules.json").is_file():
        return f"the folder {model!r} holds no sentence-transformers model: it has no modules.json"
    if not has_sentence_transformers():
        return "the package sentence-transformers, which every model but the default needs, is not installed"
    return None


def is_loaded(model: str = DEFAULT_MODEL) -> bool:
    """Whether a model is loaded, so that embedding a text takes milliseconds."""
    return _loaded_model(model).encode is not None


def missing_extra(model: str = DEFAULT_MODEL) -> str | None:
    """The extra of Keepgraph whose packages this model lacks on this machine, or None. Loads nothing."""
    if model == DEFAULT_MODEL:
        return None if minilm.unavailable_reason() is None else "meaning"
    return "embeddings" if (Path(model) / "modules.json").is_file() and not has_sentence_transformers() else None


def dimension(model: str = DEFAULT_MODEL) -> int:
    """The length of the model's vectors, according to its files. Loads nothing.

    Raises:
        ModelUnavailable: the folder does not exist, or its files do not say it.
    """
    if model == DEFAULT_MODEL:
        return minilm.DIMENSION
    folder = Path(model)
    width: object = None
    try:
        for module in _read_json(folder / "modules.json"):
            config = folder / module["path"] / "config.json"
            if config.is_file():
                width = _output_width(_read_json(config), width)
    except (LookupError, TypeError, AttributeError):
        width = None  # it is JSON, but not a configuration of sentence-transformers
    if not isinstance(width, int):
        raise ModelUnavailable(f"the files in {model!r} do not say how long the model's vectors are")
    return width


@dataclass(slots=True)
class _LoadedModel:
    """A model that is loaded, or is about to be; then `encode` is None."""

    loading: Lock = field(default_factory=Lock)
    encode: Encode | None = None


_models: dict[str, _LoadedModel] = {}
_models_lock = Lock()


def _loaded_model(model: str) -> _LoadedModel:
    name = model if model == DEFAULT_MODEL else str(Path(model).resolve())
    with _models_lock:
        return _models.setdefault(name, _LoadedModel())


def _require(model: str) -> None:
    reason = unavailable_reason(model)
    if reason is not None:
        extra = missing_extra(model)
        raise ModelUnavailable(reason, hint=extra_hint(extra) if extra else None)


def has_sentence_transformers() -> bool:
    """Whether the package for models other than the default is installed. Loads nothing."""
    return find_spec("sentence_transformers") is not None and find_spec("torch") is not None


def _replace_surrogates(text: str) -> str:
    """The text with U+FFFD for each lone surrogate, which no tokenizer accepts."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _load_sentence_transformer(folder: Path) -> Encode:
    """Load a model with sentence-transformers, without output and without the network; about 5 s."""
    silence_libraries()
    load_errors = (OSError, ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError)
    try:
        encoder: Any = import_module("sentence_transformers").SentenceTransformer(
            str(folder), device="cpu", local_files_only=True
        )
    except (*load_errors, import_module("safetensors").SafetensorError) as error:
        raise ModelUnavailable(f"the model in {str(folder)!r} cannot be loaded: {error}") from error
    width = dimension(str(folder))
    if encoder.encode("", show_progress_bar=False).shape != (width,):
        raise ModelUnavailable(f"the vectors of the model in {str(folder)!r} are not {width} long, as its files say")
    encoding = Lock()

    def encode(texts: Sequence[str]) -> Array:
        with encoding:
            vectors: Array = encoder.encode(
                list(texts), batch_size=64, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        return vectors.reshape(len(texts), width)  # without texts, the library returns the shape (0,)

    return encode


def silence_libraries() -> None:
    """Keep the libraries under sentence-transformers from the network, and from writing to the terminal.

    Call it before transformers is imported, which may read the setting only once. HF_HUB_OFFLINE of huggingface_hub is
    set as a constant, because the environment belongs to whoever started this process.
    """
    hub: Any = import_module("huggingface_hub.constants")
    hub.HF_HUB_OFFLINE = True
    transformers_logging: Any = import_module("transformers.utils.logging")
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", module=r"(sentence_transformers|transformers|huggingface_hub|torch)(\.|$)")


def _output_width(config: dict[str, Any], input_width: object) -> object:
    """The width of the vectors after the module with this configuration."""
    if "out_features" in config:  # a Dense module
        return config["out_features"]
    if "hidden_size" in config:  # a Transformer
        return config["hidden_size"]
    pooled = config.get("embedding_dimension", config.get("word_embedding_dimension"))
    if pooled is None:
        return input_width
    # A Pooling module concatenates the outputs of its modes. Its configuration lists them, or has a flag for each.
    modes = config.get("pooling_mode")
    flags = [name for name, on in config.items() if name.startswith("pooling_mode_") and on is True]
    return pooled * max(1, len(modes if isinstance(modes, list) else flags))


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"{path.name} of the model in {str(path.parent)!r} cannot be read: {error}") from error
