"""Searches a page for rewritten passages of works: gates, encodes, aligns, joins and decides."""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from core.batches import batches
from core.ids import WorkTextId
from core.matches import RewordedClass
from core.text import TextRange
from matcher.reworded.alignment import Alignment, align
from matcher.reworded.background import Background, SentenceWindows
from matcher.reworded.calibration import DEFAULT, RewordedCalibration, highest
from matcher.reworded.chunks import ChunkIndex, FoundChunk, shared_pairs
from matcher.reworded.encoding import Encoder
from matcher.reworded.found import RewordedMatch, RewordedPair
from matcher.reworded.meanings import MeaningIndex
from matcher.reworded.other_words import SentenceSide, in_other_words
from matcher.reworded.record import bands
from matcher.reworded.sentences import Block, Units, blocks, is_latin, runs, sentence_units
from matcher.reworded.stretches import EncodedStretch, StretchEncoder, WorkTextStore

TENTH = 9  # index of the tenth of chunks sorted by score
RIVALS_AT_ONCE = 3  # compared at once: text that others have too is usually in the first of them


@dataclass(frozen=True, slots=True)
class Indexes:
    """Indexes of stretches of works.

    chunks: works in Chinese, for pages in Chinese. han and latin: the same works and works in English by meaning, each
    for pages in the other language; None if translations are not searched for.
    """

    chunks: ChunkIndex
    han: MeaningIndex | None = None
    latin: MeaningIndex | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _SearchedPage:
    """A page, and the texts to ignore."""

    text: str
    without: Container[WorkTextId]

    def exclude(self, found: Sequence[FoundChunk]) -> list[FoundChunk]:
        """Return the chunks, without chunks of ignored texts."""
        return [chunk for chunk in found if chunk.text_id not in self.without]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A run of sentences of the page, and the chunks with which ranges of it are compared."""

    page: _SearchedPage
    units: Units
    windows: SentenceWindows
    candidates: tuple[tuple[TextRange, FoundChunk], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _BlockComparison:
    """A block of sentences of a part, aligned with a stretch."""

    part: _Part
    block: Block
    stretch: EncodedStretch
    alignment: Alignment


class RewordedSearch:
    """Finds rewritten passages of works on pages, for one thread at a time."""

    def __init__(
        self,
        indexes: Indexes,
        texts: WorkTextStore,
        encoder: Encoder,
        background: Background,
        calibration: RewordedCalibration = DEFAULT,
    ) -> None:
        self._indexes, self._texts, self._encoder, self._background = indexes, texts, encoder, background
        self._stretches = StretchEncoder(texts, encoder, background)
        self._calibration = calibration

    def search(self, text: str, without: Container[WorkTextId] = ()) -> tuple[RewordedMatch, ...]:
        """Return the suspected rewrites of a page, the highest score first.

        without: texts to ignore.
        """
        page, latin = _SearchedPage(text, without), is_latin(text)
        matches = self._decide_parts(self._by_meaning(page, self._indexes.han if latin else self._indexes.latin), True)
        if not latin:
            matches += self._decide_parts(self._by_characters(page), False)
        return tuple(sorted(matches, key=lambda match: (-match.score, match.text_id)))

    def _by_characters(self, page: _SearchedPage) -> list[_Part]:
        """Return the parts of a page that share rare characters with a chunk; no other part is encoded."""
        text = page.text
        units = sentence_units(text)
        passed: dict[Block, list[FoundChunk]] = {}
        for first, last in self._sentence_blocks(len(units)):
            found = self._indexes.chunks.find(text[units[first, 0] : units[last - 1, 1]])
            if chosen := self._standing_out(page.exclude(found), self._calibration.min_standing_out):
                passed[first, last] = chosen
        parts = []
        for first, last in runs(passed):
            start, end = int(units[first, 0]), int(units[last - 1, 1])
            encoded = self._encoder.encode([text[start:end]])[0]
            inside = [
                (TextRange(int(units[block[0], 0]), int(units[block[1] - 1, 1])), each)
                for block, chosen in passed.items()
                if first <= block[0] < last
                for each in chosen
            ]
            parts.append(_Part(page, encoded.units + start, self._background.windows(encoded), tuple(inside)))
        return parts

    def _by_meaning(self, page: _SearchedPage, index: MeaningIndex | None) -> list[_Part]:
        if index is None:
            return []
        encoded = self._encoder.encode([page.text])[0]
        windows = self._background.windows(encoded)
        parts = []
        several = self._sentence_blocks(windows.units)
        for (first, last), found in zip(several, index.find(windows, several), strict=True):
            if chosen := self._standing_out(page.exclude(found), self._calibration.min_meaning_standing_out):
                units = encoded.units[first:last]
                whole = TextRange(int(units[0, 0]), int(units[-1, 1]))
                parts.append(_Part(page, units, windows.subset(first, last), tuple((whole, each) for each in chosen)))
        return parts

    def _sentence_blocks(self, units: int) -> list[Block]:
        return blocks(units, self._calibration.block_units, self._calibration.block_step)

    def _standing_out(self, found: Sequence[FoundChunk], min_ratio: float) -> list[FoundChunk]:
        return outstanding_chunks(found, min_ratio, self._calibration.max_stretches)

    def _decide_parts(self, parts: Sequence[_Part], translated: bool) -> list[RewordedMatch]:
        found = RewordedClass.TRANSLATED if translated else RewordedClass.REWORDED
        by_text: dict[WorkTextId, list[_BlockComparison]] = defaultdict(list)
        for part in parts:
            for compared in self._compare_blocks(part):
                by_text[compared.stretch.chunk.text_id].append(compared)
        matches = (self._joined_match(text_id, several, found) for text_id, several in by_text.items())
        return [match for match in matches if match is not None]

    def _compare_blocks(self, part: _Part) -> list[_BlockComparison]:
        """Compare each block with the stretches for which blocks at its place passed the gate."""
        chunks = {(chunk.text_id, chunk.start): chunk for _, chunk in part.candidates}
        around = self._stretches.around(list(chunks.values()))
        stretches = {(stretch.chunk.text_id, stretch.chunk.start): stretch for stretch in around}
        several = []
        for first, last in self._sentence_blocks(part.windows.units):
            start, end = int(part.units[first, 0]), int(part.units[last - 1, 1])
            here = dict.fromkeys(
                (chunk.text_id, chunk.start)
                for place, chunk in part.candidates
                if place.start < end and start < place.end
            )
            block = part.windows.subset(first, last)
            several += [
                _BlockComparison(part, (first, last), stretches[place], align(block, stretches[place].windows))
                for place in here
                if place in stretches
            ]
        return several

    def _joined_match(
        self, text_id: WorkTextId, several: Sequence[_BlockComparison], found: RewordedClass
    ) -> RewordedMatch | None:
        least = self._calibration.min_score(found)
        score = elsewhere = 0.0
        for each in sorted(several, key=lambda each: -each.alignment.score):
            asked = max(least, score)
            if each.alignment.score < asked:
                break
            own, other = each.alignment, 0.0
            if found is RewordedClass.REWORDED:
                own = self._reduce_to_other_words(each)
                other = self._elsewhere_score(each, own, asked) if own.score >= asked else 0.0
            left = self._reduced_score(own.score, other)
            if left >= asked and left > score:
                score, elsewhere = left, other
        if score < least:
            return None
        joined = [each for each in several if each.alignment.score >= self._calibration.min_joining_score]
        return RewordedMatch(
            found, text_id, score, elsewhere, highest(bands(found), score), self._strongest_pairs(joined)
        )

    @staticmethod
    def _reduce_to_other_words(compared: _BlockComparison) -> Alignment:
        part, (first, last), stretch = compared.part, compared.block, compared.stretch
        page = SentenceSide(part.page.text, part.units[first:last])
        return in_other_words(compared.alignment, page, SentenceSide(stretch.text, stretch.units - stretch.start))

    def _elsewhere_score(self, compared: _BlockComparison, own: Alignment, least: float) -> float:
        """Return the best score of the block elsewhere in the works; stop as soon as less than `least` is left."""
        part, (first, last) = compared.part, compared.block
        block = part.windows.subset(first, last)
        found = self._indexes.chunks.find(part.page.text[part.units[first, 0] : part.units[last - 1, 1]])
        others = elsewhere_chunks(compared.stretch.chunk, part.page.exclude(found), self._texts)
        most = 0.0
        for rivals in batches(others, RIVALS_AT_ONCE):
            several = [shared_score(own, align(block, each.windows)) for each in self._stretches.around(rivals)]
            most = max([most, *several])
            if self._reduced_score(own.score, most) < least:
                break
        return most

    def _reduced_score(self, score: float, elsewhere: float) -> float:
        return round(score - self._calibration.rival_weight * elsewhere, 4)

    def _strongest_pairs(self, several: Sequence[_BlockComparison]) -> tuple[RewordedPair, ...]:
        """Return the strongest pair of each sentence of the page over all joined blocks."""
        strongest: dict[tuple[int, int], RewordedPair] = {}
        for each in several:
            for pair in each.alignment.pairs:
                page = _unit_range(each.part.units, each.block[0] + pair.page)
                work = _unit_range(each.stretch.units, pair.work)
                strength = round(min(1.0, pair.strength / self._calibration.strength_scale), 2)
                place = page.start, page.end
                if strength >= max(
                    self._calibration.min_pair_strength,
                    strongest[place].strength + 0.01 if place in strongest else 0.0,
                ):
                    strongest[place] = RewordedPair(page, work, strength)
        return tuple(strongest[place] for place in sorted(strongest))


def _unit_range(units: Units, number: int) -> TextRange:
    return TextRange(int(units[number, 0]), int(units[number, 1]))


def outstanding_chunks(found: Sequence[FoundChunk], min_ratio: float, most: int) -> list[FoundChunk]:
    """Return at most `most` chunks with at least min_ratio times the tenth's score; `found` is sorted by score.

    With fewer than ten chunks there is no reference: the first ones are returned.
    """
    least = min_ratio * found[TENTH].score if len(found) > TENTH else 0.0
    return [chunk for chunk in found[:most] if chunk.score >= least]


# As long as a chunk with the text read around it: closer places of one text have sentences in common.
NEAR_CHARS = 1_000
# Of the pairs of characters of a stretch; a chunk that shares this many is the same place in another edition or as a
# quotation. Of 600 characters of 12 works with two editions, .87 to 1.0 are in the other edition, .03 to .11 in the
# best stretch of an edition without the place (shared corpora, 28 November 2026).
SAME_TEXT_SHARE = 0.5


def elsewhere_chunks(chunk: FoundChunk, found: Sequence[FoundChunk], texts: WorkTextStore) -> Iterator[FoundChunk]:
    """Yield the chunks found for a block, except chunks near `chunk` and chunks with its wording."""
    around = _chunk_text(chunk, texts, NEAR_CHARS)
    for other in found:
        if other.text_id == chunk.text_id:
            is_elsewhere = abs(other.start - chunk.start) >= NEAR_CHARS
        else:
            text = _chunk_text(other, texts, 0)
            is_elsewhere = bool(text) and shared_pairs(text, around) < SAME_TEXT_SHARE
        if is_elsewhere:
            yield other


def shared_score(own: Alignment, rival: Alignment) -> float:
    """Return the part of a competing place's score for sentences that the place itself matches too.

    Each sentence counts at most as much as in the place itself. If a page continues in the next chapter or in another
    work, other sentences match that place.
    """
    strengths = {pair.page: pair.strength for pair in own.pairs}
    whole = sum(pair.strength for pair in rival.pairs)
    both = sum(min(pair.strength, strengths.get(pair.page, 0.0)) for pair in rival.pairs)
    return round(rival.score * both / whole, 4) if whole else 0.0


def _chunk_text(chunk: FoundChunk, texts: WorkTextStore, margin: int) -> str:
    text = texts.text(chunk.text_id) or ""
    return text[max(0, chunk.start - margin) : chunk.end + margin]
