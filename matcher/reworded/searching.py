"""Searches a page for rewritten passages of works: looks up blocks, encodes and aligns sentences, and decides."""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from core.batches import batches
from core.ids import WorkTextId
from core.matches import RewordedClass
from core.text import TextRange, join_ranges
from matcher.reworded.alignment import Alignment, align
from matcher.reworded.background import Background, SentenceWindows
from matcher.reworded.calibration import DEFAULT, RewordedCalibration, highest
from matcher.reworded.chunks import ChunkIndex, FoundChunk, shared_pairs
from matcher.reworded.encoding import Encoder
from matcher.reworded.found import RewordedMatch, RewordedPair
from matcher.reworded.meanings import MeaningIndex
from matcher.reworded.other_words import SentenceSide, keep_other_words
from matcher.reworded.record import bands
from matcher.reworded.sentences import Block, Units, blocks, is_latin, sentence_units
from matcher.reworded.stretches import EncodedStretch, StretchEncoder, WorkTextStore

TENTH = 9  # index of the tenth of chunks sorted by score
RIVALS_AT_ONCE = 3  # compared at once: text that others have too is usually in the first of them


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indexes of stretches of works.

    chunks: works in Chinese, for pages in Chinese. han, latin: the works in Chinese and in English by meaning, each for
    pages in the other language; None if translations are not searched for.
    """

    chunks: ChunkIndex
    han: MeaningIndex | None = None
    latin: MeaningIndex | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _SearchedPage:
    """A page, and the texts to ignore."""

    text: str
    without: Container[WorkTextId]

    def exclude(self, chunks: Sequence[FoundChunk]) -> list[FoundChunk]:
        """Return the chunks without those of ignored texts."""
        return [chunk for chunk in chunks if chunk.text_id not in self.without]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A run of sentences of the page, and its candidates: ranges of it, each with a chunk to compare."""

    page: _SearchedPage
    units: Units
    windows: SentenceWindows
    candidates: tuple[tuple[TextRange, FoundChunk], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _BlockComparison:
    """A block of sentences in a part, aligned with a stretch of a work."""

    part: _Part
    block: Block
    stretch: EncodedStretch
    alignment: Alignment


class RewordedSearch:
    """Finds rewritten passages of works on pages. For one thread at a time."""

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
        """Return the suspected rewrites on a page, the highest score first.

        without: the texts to ignore.
        """
        page, latin = _SearchedPage(text, without), is_latin(text)
        matches = self._find_matches(self._by_meaning(page, self._indexes.han if latin else self._indexes.latin), True)
        if not latin:
            matches += self._find_matches(self._by_characters(page), False)
        return tuple(sorted(matches, key=lambda match: (-match.score, match.text_id)))

    def _by_characters(self, page: _SearchedPage) -> list[_Part]:
        """Return the parts of a page that share rare characters with chunks; only these are encoded."""
        text = page.text
        units = sentence_units(text)
        chunks_of_block: dict[Block, list[FoundChunk]] = {}
        for first, last in self._sentence_blocks(len(units)):
            chunks = self._indexes.chunks.find(text[units[first, 0] : units[last - 1, 1]])
            if chosen := self._outstanding_chunks(page.exclude(chunks), self._calibration.min_standing_out):
                chunks_of_block[first, last] = chosen
        parts = []
        for first, last in join_ranges(chunks_of_block):
            start, end = int(units[first, 0]), int(units[last - 1, 1])
            encoded = self._encoder.encode([text[start:end]])[0]
            candidates = [
                (TextRange(int(units[block[0], 0]), int(units[block[1] - 1, 1])), chunk)
                for block, chosen in chunks_of_block.items()
                if first <= block[0] < last
                for chunk in chosen
            ]
            parts.append(_Part(page, encoded.units + start, self._background.windows(encoded), tuple(candidates)))
        return parts

    def _by_meaning(self, page: _SearchedPage, index: MeaningIndex | None) -> list[_Part]:
        if index is None:
            return []
        encoded = self._encoder.encode([page.text])[0]
        windows = self._background.windows(encoded)
        parts = []
        sentence_blocks = self._sentence_blocks(windows.units)
        for (first, last), chunks in zip(sentence_blocks, index.find(windows, sentence_blocks), strict=True):
            if chosen := self._outstanding_chunks(page.exclude(chunks), self._calibration.min_meaning_standing_out):
                units = encoded.units[first:last]
                text_range = TextRange(int(units[0, 0]), int(units[-1, 1]))
                parts.append(
                    _Part(page, units, windows.subset(first, last), tuple((text_range, chunk) for chunk in chosen))
                )
        return parts

    def _sentence_blocks(self, units: int) -> list[Block]:
        return blocks(units, self._calibration.block_units, self._calibration.block_step)

    def _outstanding_chunks(self, chunks: Sequence[FoundChunk], min_ratio: float) -> list[FoundChunk]:
        return outstanding_chunks(chunks, min_ratio, self._calibration.max_stretches)

    def _find_matches(self, parts: Sequence[_Part], is_translated: bool) -> list[RewordedMatch]:
        reworded_class = RewordedClass.TRANSLATED if is_translated else RewordedClass.REWORDED
        by_text: dict[WorkTextId, list[_BlockComparison]] = defaultdict(list)
        for part in parts:
            for comparison in self._compare_blocks(part):
                by_text[comparison.stretch.chunk.text_id].append(comparison)
        matches = (self._joined_match(text_id, comparisons, reworded_class) for text_id, comparisons in by_text.items())
        return [match for match in matches if match is not None]

    def _compare_blocks(self, part: _Part) -> list[_BlockComparison]:
        """Compare each block with the stretches that were found for blocks overlapping it."""
        chunks = {(chunk.text_id, chunk.start): chunk for _, chunk in part.candidates}
        encoded = self._stretches.encode_around(list(chunks.values()))
        stretches = {(stretch.chunk.text_id, stretch.chunk.start): stretch for stretch in encoded}
        comparisons = []
        for first, last in self._sentence_blocks(part.windows.units):
            start, end = int(part.units[first, 0]), int(part.units[last - 1, 1])
            keys = dict.fromkeys(
                (chunk.text_id, chunk.start) for key, chunk in part.candidates if key.start < end and start < key.end
            )
            block = part.windows.subset(first, last)
            comparisons += [
                _BlockComparison(part, (first, last), stretches[key], align(block, stretches[key].windows))
                for key in keys
                if key in stretches
            ]
        return comparisons

    def _joined_match(
        self, text_id: WorkTextId, comparisons: Sequence[_BlockComparison], reworded_class: RewordedClass
    ) -> RewordedMatch | None:
        min_score = self._calibration.min_score(reworded_class)
        score = elsewhere = 0.0
        for comparison in sorted(comparisons, key=lambda comparison: -comparison.alignment.score):
            required = max(min_score, score)
            if comparison.alignment.score < required:
                break
            alignment, other_score = comparison.alignment, 0.0
            if reworded_class is RewordedClass.REWORDED:
                alignment = self._reduce_to_other_words(comparison)
                other_score = (
                    self._elsewhere_score(comparison, alignment, required) if alignment.score >= required else 0.0
                )
            remaining = self._reduced_score(alignment.score, other_score)
            if remaining >= required and remaining > score:
                score, elsewhere = remaining, other_score
        if score < min_score:
            return None
        joined = [
            comparison
            for comparison in comparisons
            if comparison.alignment.score >= self._calibration.min_joining_score
        ]
        return RewordedMatch(
            reworded_class,
            text_id,
            score,
            elsewhere,
            highest(bands(reworded_class), score),
            self._strongest_pairs(joined),
        )

    @staticmethod
    def _reduce_to_other_words(comparison: _BlockComparison) -> Alignment:
        part, (first, last), stretch = comparison.part, comparison.block, comparison.stretch
        page = SentenceSide(part.page.text, part.units[first:last])
        return keep_other_words(comparison.alignment, page, SentenceSide(stretch.text, stretch.units - stretch.start))

    def _elsewhere_score(self, comparison: _BlockComparison, own: Alignment, min_score: float) -> float:
        """Return the block's best score elsewhere in the works.

        Stop early if the remaining score falls below `min_score`.
        """
        part, (first, last) = comparison.part, comparison.block
        block = part.windows.subset(first, last)
        chunks = self._indexes.chunks.find(part.page.text[part.units[first, 0] : part.units[last - 1, 1]])
        others = competing_chunks(comparison.stretch.chunk, part.page.exclude(chunks), self._texts)
        highest_score = 0.0
        for rivals in batches(others, RIVALS_AT_ONCE):
            scores = [
                shared_score(own, align(block, stretch.windows)) for stretch in self._stretches.encode_around(rivals)
            ]
            highest_score = max([highest_score, *scores])
            if self._reduced_score(own.score, highest_score) < min_score:
                break
        return highest_score

    def _reduced_score(self, score: float, elsewhere: float) -> float:
        return round(score - self._calibration.rival_weight * elsewhere, 4)

    def _strongest_pairs(self, comparisons: Sequence[_BlockComparison]) -> tuple[RewordedPair, ...]:
        """Return the strongest pair of each sentence of the page, over all blocks."""
        strongest: dict[tuple[int, int], RewordedPair] = {}
        for comparison in comparisons:
            for pair in comparison.alignment.pairs:
                page = _unit_range(comparison.part.units, comparison.block[0] + pair.page)
                work = _unit_range(comparison.stretch.units, pair.work)
                strength = round(min(1.0, pair.strength / self._calibration.strength_scale), 2)
                page_range = page.start, page.end
                if strength >= max(
                    self._calibration.min_pair_strength,
                    strongest[page_range].strength + 0.01 if page_range in strongest else 0.0,
                ):
                    strongest[page_range] = RewordedPair(page, work, strength)
        return tuple(strongest[page_range] for page_range in sorted(strongest))


def _unit_range(units: Units, number: int) -> TextRange:
    return TextRange(int(units[number, 0]), int(units[number, 1]))


def outstanding_chunks(chunks: Sequence[FoundChunk], min_ratio: float, max_chunks: int) -> list[FoundChunk]:
    """Return at most `max_chunks` chunks whose score is at least `min_ratio` times that of the tenth chunk.

    chunks: sorted by score. With fewer than ten chunks there is no reference, and the first ones are returned.
    """
    min_score = min_ratio * chunks[TENTH].score if len(chunks) > TENTH else 0.0
    return [chunk for chunk in chunks[:max_chunks] if chunk.score >= min_score]


# As long as a chunk with the text read around it: closer places of one text have sentences in common.
NEAR_CHARS = 1_000
# Of the pairs of characters of a stretch; a chunk that shares this many is the same place in another edition or as a
# quotation. Of 600 characters of 12 works with two editions, .87 to 1.0 are in the other edition, .03 to .11 in the
# best stretch of an edition without the place (shared corpora, 28 November 2026).
SAME_TEXT_SHARE = 0.5


def competing_chunks(chunk: FoundChunk, chunks: Sequence[FoundChunk], texts: WorkTextStore) -> Iterator[FoundChunk]:
    """Yield the chunks found for a block, except those near `chunk` and those with the same wording."""
    context = _chunk_text(chunk, texts, NEAR_CHARS)
    for other in chunks:
        if other.text_id == chunk.text_id:
            is_elsewhere = abs(other.start - chunk.start) >= NEAR_CHARS
        else:
            text = _chunk_text(other, texts, 0)
            is_elsewhere = bool(text) and shared_pairs(text, context) < SAME_TEXT_SHARE
        if is_elsewhere:
            yield other


def shared_score(own: Alignment, rival: Alignment) -> float:
    """Return the part of a competing chunk's score for the sentences that `own` matches too.

    Each sentence counts at most as much as in `own`. If the page continues in the next chapter or in another work,
    other sentences match there.
    """
    strengths = {pair.page: pair.strength for pair in own.pairs}
    total = sum(pair.strength for pair in rival.pairs)
    shared = sum(min(pair.strength, strengths.get(pair.page, 0.0)) for pair in rival.pairs)
    return round(rival.score * shared / total, 4) if total else 0.0


def _chunk_text(chunk: FoundChunk, texts: WorkTextStore, margin: int) -> str:
    text = texts.text(chunk.text_id) or ""
    return text[max(0, chunk.start - margin) : chunk.end + margin]
