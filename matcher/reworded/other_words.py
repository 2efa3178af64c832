"""Reduces an alignment to the part that is in other words.

Sentences with the same wording are a copy or a quotation, which the first stage reports. A sentence with different
numbers uses the same pattern for another statement.
"""

from dataclasses import dataclass

from matcher.reworded.alignment import NO_ALIGNMENT, Alignment, UnitPair
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
    """The sentences of one side, numbered as in an alignment. units: their offsets in the text."""

    text: str
    units: Units

    def sentence(self, number: int) -> str:
        """Return the text of a sentence."""
        return self._text_range(number, number)

    def with_neighbours(self, number: int) -> str:
        """Return a sentence with its neighbours: the vector of a pair of sentences may belong to either."""
        return self._text_range(max(0, number - 1), min(len(self.units) - 1, number + 1))

    def _text_range(self, first: int, last: int) -> str:
        return self.text[self.units[first, 0] : self.units[last, 1]]


def keep_other_words(alignment: Alignment, page: SentenceSide, work: SentenceSide) -> Alignment:
    """Return the alignment with each pair weighted by its share in other words, and the score reduced in proportion."""
    total = sum(pair.strength for pair in alignment.pairs)
    if not total:
        return NO_ALIGNMENT
    pairs = tuple(
        UnitPair(pair.page, pair.work, pair.strength * _counted_share(pair, page, work)) for pair in alignment.pairs
    )
    remaining = sum(pair.strength for pair in pairs)
    return Alignment(round(alignment.score * remaining / total, 4), pairs)


def _counted_share(pair: UnitPair, page: SentenceSide, work: SentenceSide) -> float:
    """Return the share of a pair that counts as other words, [0, 1]."""
    sentence, context = page.sentence(pair.page), page.with_neighbours(pair.page)
    counterpart, counterpart_context = work.sentence(pair.work), work.with_neighbours(pair.work)
    shared = max(shared_pairs(sentence, counterpart_context), shared_pairs(counterpart, context))
    share = min(1.0, (1.0 - shared) / (1.0 - SAME_WORDS))
    page_numbers, work_numbers = _sentence_numbers(sentence), _sentence_numbers(counterpart)
    if (
        page_numbers
        and work_numbers
        and page_numbers.isdisjoint(_sentence_numbers(counterpart_context))
        and work_numbers.isdisjoint(_sentence_numbers(context))
    ):
        return share * OTHER_NUMBERS
    return share


def _sentence_numbers(text: str) -> frozenset[float]:
    return frozenset(numeral.value for numeral in numerals(fold_characters(text)) if not numeral.is_loose)
