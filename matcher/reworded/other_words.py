"""Reduces an alignment to the part that is in other words.

Sentences with the same wording are a copy or a quotation, which the first stage reports. A sentence with other numbers
says something else by the same pattern.
"""

from dataclasses import dataclass

from matcher.reworded.alignment import NOTHING, Alignment, UnitPair
from matcher.reworded.chunks import shared_pairs
from matcher.reworded.numerals import numerals
from matcher.reworded.sentences import Units, fold_characters

# Of the pairs of characters of a sentence. If the other side's sentence and its neighbours share this many, the
# sentence still counts in full; if they share all, it does not count. Tried on the shared corpora, 28 November 2026:
# .5, .6 and .7 up to 1, .6 up to .9, and .8 or .9 as one step; see docs/decisions/rewritten-text.md.
SAME_WORDS = 0.6
OTHER_NUMBERS = 0.5  # the weight of a sentence that shares no numbers with the other side; 0 and 1 were tried


@dataclass(frozen=True, slots=True, eq=False)
class SentenceSide:
    """The sentences of one side, as numbered by an alignment. units: their offsets in the text."""

    text: str
    units: Units

    def sentence(self, number: int) -> str:
        """Return the text of a sentence."""
        return self._text_range(number, number)

    def around(self, number: int) -> str:
        """Return a sentence with its neighbours: the vectors of two sentences may belong to either."""
        return self._text_range(max(0, number - 1), min(len(self.units) - 1, number + 1))

    def _text_range(self, first: int, last: int) -> str:
        return self.text[self.units[first, 0] : self.units[last, 1]]


def in_other_words(alignment: Alignment, page: SentenceSide, work: SentenceSide) -> Alignment:
    """Return the alignment with each pair weighted by its share in other words, and the score in proportion."""
    whole = sum(pair.strength for pair in alignment.pairs)
    if not whole:
        return NOTHING
    pairs = tuple(
        UnitPair(pair.page, pair.work, pair.strength * _counted_share(pair, page, work)) for pair in alignment.pairs
    )
    left = sum(pair.strength for pair in pairs)
    return Alignment(round(alignment.score * left / whole, 4), pairs)


def _counted_share(pair: UnitPair, page: SentenceSide, work: SentenceSide) -> float:
    """Return the share of a pair that counts as other words."""
    sentence, around = page.sentence(pair.page), page.around(pair.page)
    counterpart, around_it = work.sentence(pair.work), work.around(pair.work)
    same = max(shared_pairs(sentence, around_it), shared_pairs(counterpart, around))
    counted = min(1.0, (1.0 - same) / (1.0 - SAME_WORDS))
    ours, theirs = _sentence_numbers(sentence), _sentence_numbers(counterpart)
    if (
        ours
        and theirs
        and ours.isdisjoint(_sentence_numbers(around_it))
        and theirs.isdisjoint(_sentence_numbers(around))
    ):
        return counted * OTHER_NUMBERS
    return counted


def _sentence_numbers(text: str) -> frozenset[float]:
    return frozenset(each.value for each in numerals(fold_characters(text)) if not each.is_loose)
