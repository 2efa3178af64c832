"""The rules that make up a fingerprint algorithm (`fingerprint.algorithms`)."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag

from fingerprint.alphabets import Alphabet
from fingerprint.stream import Stream
from fingerprint.tables import Tables

PUBLISHED_MAX_DIGITS = (1, 3, 7, 9)

Stage = Callable[[str, Tables], Stream]


class Seeds(Flag):
    """The seeds that an algorithm's index uses and `Fingerprint.hashes` contains."""

    ANCHORS = 1
    WINDOWS = 2
    BOTH = 3


@dataclass(frozen=True, eq=False)
class Normalization:
    """The rule that turns a text into a token stream.

    number: its name in stored descriptions; stage: the function from text to stream; tables: the tables that the
    function uses.
    """

    number: int
    stage: Stage
    tables: Tables


@dataclass(frozen=True, slots=True)
class WindowRule:
    """The rule for frequency windows.

    granularity: the tokens in a window; step: the tokens from one window to the next. A step of half the granularity is
    an overlap of 50 %. Raises ValueError if the parameters do not fit each other.
    """

    granularity: int
    step: int
    max_digit: int  # one of PUBLISHED_MAX_DIGITS
    letters: str  # alphabetical
    reference_permille: tuple[int, ...]  # of each letter, in ordinary Chinese

    def __post_init__(self) -> None:
        if not 1 <= self.step <= self.granularity:
            raise ValueError(f"a step of {self.step} does not fit a granularity of {self.granularity}")
        if len(self.letters) != len(self.reference_permille):
            raise ValueError("every letter needs its reference frequency")
        if list(self.letters) != sorted(set(self.letters)):
            raise ValueError(f"letters {self.letters!r} are not in alphabetical order, each once")
        if self.max_digit not in PUBLISHED_MAX_DIGITS:
            raise ValueError(f"digits up to {self.max_digit} are not published; choose among {PUBLISHED_MAX_DIGITS}")


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """The rule for anchors: hashes of `tokens` consecutive tokens, of which about one in `one_in` is selected."""

    alphabet: Alphabet
    tokens: int
    one_in: int
