"""The token stream of a text: what all later stages see of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.noise import Noise

WILDCARD = 0xFFFF  # a character stood here that cannot be read: equal to nothing, unequal to nothing


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Tokens as they are read.

    tokens: uint16[n], syllable ids or WILDCARD; offsets: int32[n], each once, increasing but in noise of the kind
    REARRANGED; noise: what was left out, and what was put in order.
    """

    tokens: NDArray[np.uint16]
    offsets: NDArray[np.int32]
    noise: Noise
