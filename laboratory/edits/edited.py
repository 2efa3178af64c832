"""An edited text that records the origin of each character."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.readings import code_points

PUT_IN = -1


@dataclass(frozen=True, slots=True)
class Passage:
    """A shared passage of a page and a work, as half-open ranges in the texts as given."""

    work_id: str
    page: TextRange
    work: TextRange

    @property
    def chars(self) -> int:
        """The number of characters of both sides together."""
        return len(self.page) + len(self.work)


@dataclass(frozen=True, slots=True, eq=False)
class Edited:
    """A text and its origins.

    origins: int32[len(text)], for each character the offset in the original text of the character that it stands for,
    or -1 if it was inserted. Several characters (pinyin) or another one (a homophone) may stand for an original one.
    """

    text: str
    origins: NDArray[np.int32]

    def __post_init__(self) -> None:
        if self.origins.shape != (len(self.text),) or self.origins.dtype != np.int32:
            raise ValueError(f"{len(self.text)} characters do not go with origins {self.origins.shape}")

    @classmethod
    def of(cls, text: str) -> "Edited":
        """Return the unedited text, each character standing for itself."""
        return cls(text, np.arange(len(text), dtype=np.int32))

    @classmethod
    def of_codes(cls, codes: NDArray[np.uint32], origins: NDArray[np.int32]) -> "Edited":
        """Make a text from uint32[n] code points (lone surrogates included) and their int32[n] origins."""
        return cls(codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass"), origins)

    @property
    def codes(self) -> NDArray[np.uint32]:
        """uint32[len(text)], the code points, read-only."""
        return code_points(self.text)

    def with_codes(self, codes: NDArray[np.uint32]) -> "Edited":
        """Return a text of other characters with the same origins."""
        return Edited.of_codes(codes, self.origins)

    def taken(self, places: NDArray[np.int64] | NDArray[np.bool_]) -> "Edited":
        """Return the characters at these places, in the given order."""
        return Edited.of_codes(self.codes[places], self.origins[places])


def passage_of(edited: Edited, work_id: str, page_start: int = 0, work_start: int = 0) -> Passage | None:
    """Return the passage that a page took, in whatever order of sentences, or None if nothing of the original is left.

    page_start and work_start are the offsets of the edited passage in the page and of the original in the work.
    The passage runs from the first to the last character that stands for one of the original, and in the work from the
    first to the last of those: insertions and deletions at the ends are outside, those in between are inside.
    """
    places = np.flatnonzero(edited.origins >= 0)
    if not places.size:
        return None
    origins = edited.origins[places]
    page = TextRange(page_start + int(places[0]), page_start + int(places[-1]) + 1)
    return Passage(work_id, page, TextRange(work_start + int(origins.min()), work_start + int(origins.max()) + 1))
