"""What can be measured of a main text before anybody has read it, and how sure that makes us."""

from collections.abc import Sequence
from dataclasses import dataclass

from crawler.cleaning import END_OF_SENTENCE
from crawler.density import weight
from crawler.markup import Line
from crawler.repertoire import count_han

HAN_OF_WHOLE_TEXT = 120  # a paragraph: from here on length says nothing any more


@dataclass(frozen=True, slots=True)
class Signals:
    """All in [0, 1].

    agreement: of two extractors; length: of a paragraph; share: of all running text on the page; ended: of the lines,
    those that end a sentence.
    """

    agreement: float
    length: float
    share: float
    ended: float

    @property
    def confidence(self) -> float:
        """The product of the four, each of which can take away at most what stands beside it."""
        parts = (
            0.6 + 0.4 * self.agreement,
            0.7 + 0.3 * self.length,
            0.7 + 0.3 * self.share,
            0.7 + 0.3 * min(1.0, 2 * self.ended),
        )
        product = 1.0
        for part in parts:
            product *= part
        return round(product, 3)


def signals(chosen: Sequence[Line], page: Sequence[Line], second: Sequence[Line]) -> Signals:
    """Of the lines chosen of a page, where another extractor took the lines `second`."""
    whole = total_weight(page)
    ended = sum(bool(END_OF_SENTENCE.search(line.text)) for line in chosen)
    return Signals(
        agreement=agreement(chosen, second),
        length=min(1.0, count_han("".join(line.text for line in chosen)) / HAN_OF_WHOLE_TEXT),
        share=total_weight(chosen) / whole if whole else 0.0,
        ended=ended / len(chosen) if chosen else 0.0,
    )


def agreement(first: Sequence[Line], second: Sequence[Line]) -> float:
    """[0, 1]: twice the weight that both took over the sum of what each took."""
    total = total_weight(first) + total_weight(second)
    ids = {id(line) for line in second}
    return 2 * total_weight([line for line in first if id(line) in ids]) / total if total else 0.0


def total_weight(chosen: Sequence[Line]) -> float:
    """How much lines speak for running text, together."""
    return sum(map(weight, chosen))
