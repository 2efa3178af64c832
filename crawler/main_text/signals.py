"""What can be measured of a main text before anybody has read it, and how sure that makes us.

Confidence is the probability that F1 against a person's reading is .9 or more: a logistic regression on 680 readings of
88 pages, of which 61 % were poor ones made on purpose (other boxes, whole pages, what was left over). How it was fitted
and what it is worth on sites it never saw: docs/decisions/reading-pages.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from crawler.characters.repertoire import count_han
from crawler.main_text.cleaning import END_OF_SENTENCE
from crawler.main_text.density import weight
from crawler.markup import Line

HAN_OF_WHOLE_TEXT = 120  # a paragraph: from here on length says nothing any more
# Fitted 2026-11 with an L2 penalty of 1 (.3, 1 and 3 tried); these move together with the sieve and the density.
# A sixth signal, the agreement of a second extractor, is gone; the base has it at the value at which 176 labelled pages
# are judged best without it (.8 to 1 tried).
_BASE, _LENGTH, _SHARE, _PROSE, _COMPACT = -5.21, 0.25, 2.01, 1.93, 3.54


@dataclass(frozen=True, slots=True)
class Signals:
    """All in [0, 1].

    length: of a paragraph; share: of all running text on the page; prose: characters in
    lines with a sentence's end; compact: of the characters between the first and the last line, those that were taken.
    """

    length: float
    share: float
    prose: float
    compact: float

    @property
    def confidence(self) -> float:
        """The probability that this is what a person would take for the text, nearly whole and with little else."""
        sum_of_signals = (
            _BASE + _LENGTH * self.length + _SHARE * self.share + _PROSE * self.prose + _COMPACT * self.compact
        )
        return round(1.0 / (1.0 + exp(-sum_of_signals)), 3)


def signals(chosen: Sequence[Line], page: Sequence[Line]) -> Signals:
    """Of the lines chosen of a page."""
    whole, chars = total_weight(page), _chars(chosen)
    speaking = [line for line in chosen if END_OF_SENTENCE.search(line.text)]
    return Signals(
        length=min(1.0, count_han("".join(line.text for line in chosen)) / HAN_OF_WHOLE_TEXT),
        share=total_weight(chosen) / whole if whole else 0.0,
        prose=_chars(speaking) / chars if chars else 0.0,
        compact=_compactness(chosen, page),
    )


def total_weight(chosen: Sequence[Line]) -> float:
    """How much lines speak for running text, together."""
    return sum(map(weight, chosen))


def _compactness(chosen: Sequence[Line], page: Sequence[Line]) -> float:
    ids = {id(line) for line in chosen}
    places = [number for number, line in enumerate(page) if id(line) in ids]
    return _chars(chosen) / _chars(page[places[0] : places[-1] + 1]) if places else 0.0


def _chars(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)
