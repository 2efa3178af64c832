"""Measures how well rewritten pages are found, and how many innocent ones are reported.

`zhuiwen bench quality --parts reworded`. Scores of innocent passages below the threshold are listed too, so that other
thresholds can be evaluated; the half on which thresholds are chosen is kept separate from the other. As in the product,
a work that a page copies is not a lead. Rewritten pages are searched for in the same way as in the product.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from core.ids import WorkTextId
from core.matches import RewordedClass
from laboratory import draws
from laboratory.measures.finders import ProductFinder, Seeding
from laboratory.measures.reworded_cases import ENGLISH, RewordedCase, RewordedCorpora, among_others, by_kind
from matcher.reworded.background import load_background
from matcher.reworded.calibration import DEFAULT, RewordedCalibration
from matcher.reworded.chunks import ChunkIndex, TextCells
from matcher.reworded.encoding import Encoder, UseEncoder
from matcher.reworded.found import RewordedMatch
from matcher.reworded.meanings import MeaningIndex, TextMeanings
from matcher.reworded.searching import Indexes, RewordedSearch
from matcher.reworded.stretches import MemoryTexts

# Characters of works, and numbers of innocent passages, by the size of the measurement: a minute, ten minutes, an hour.
WORKS_CHARS = {"tiny": (300_000,), "small": (1_000_000,), "full": (1_000_000, 8_000_000, 25_000_000)}
INNOCENT = {"tiny": 200, "small": 2_000, "full": 21_000}
OF_ONE_TRADE = {"tiny": 20, "small": 500, "full": 4_000}  # innocent passages that are searched for in similar works
CHINESE_AGAINST_ENGLISH = 500  # innocent passages that are searched for in works in English
PLACE_SLACK_CHARS = 50  # a sentence across the end of the passage counts as in place
LOW = replace(DEFAULT, min_scores=((RewordedClass.REWORDED, 15.0), (RewordedClass.TRANSLATED, 0.5)))

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class RewordedFared:
    """The results for one kind of rewritten pages and one size of works. pairs_in_place: of pairs of the right text."""

    works_chars: int
    kind: str
    surroundings: str  # alone, among others
    pages: int
    found: int
    wrong: int  # other texts reported
    least_score: float
    pairs: int
    pairs_in_place: int
    cpu_s_a_page: float


class InnocentScore(NamedTuple):
    """The highest score of an innocent passage, with the text, for checking if it is innocent."""

    score: float
    case_id: str
    text_id: WorkTextId


@dataclass(frozen=True, slots=True)
class RewordedAlarms:
    """The scores of innocent passages of one kind. scores: all that are not 0, the highest first."""

    works_chars: int
    kind: str
    is_of_first_half: bool
    passages: int
    scores: tuple[InnocentScore, ...]
    cpu_s: float

    @property
    def reworded_class(self) -> RewordedClass:
        """The class of a lead of this kind."""
        return RewordedClass.TRANSLATED if ENGLISH in self.kind else RewordedClass.REWORDED

    @property
    def named(self) -> int:
        """The number of passages that the product would report."""
        return self.above(DEFAULT.min_score(self.reworded_class))

    def above(self, min_score: float) -> int:
        """Return the number of passages with at least this score."""
        return sum(each.score >= min_score for each in self.scores)


@dataclass(frozen=True, slots=True)
class RewordedResults:
    """The results. bytes_a_char: size of each index, by name and number of characters of works."""

    fared: tuple[RewordedFared, ...]
    alarms: tuple[RewordedAlarms, ...]
    bytes_a_char: tuple[tuple[str, int, float], ...]

    @property
    def as_dict(self) -> dict[str, Any]:
        """Return the figures as a dictionary."""
        return asdict(self)


def measured(corpora: Path, size: str, seed: int, progress: Progress) -> RewordedResults:
    """Return all figures at each size of works. progress: called with pages done and pages in total.

    Raises BadConfiguration if the extra `reworded` is not installed.
    """
    source = RewordedCorpora(corpora)
    several = [measured_at(source, chars, size, seed, progress) for chars in WORKS_CHARS[size]]
    return joined([*several, measured_once(source, max(WORKS_CHARS[size]), size, seed, progress)])


def joined(several: Sequence[RewordedResults]) -> RewordedResults:
    """Return several measurements as one."""
    return RewordedResults(
        tuple(row for each in several for row in each.fared),
        tuple(row for each in several for row in each.alarms),
        tuple(row for each in several for row in each.bytes_a_char),
    )


def measured_at(source: RewordedCorpora, chars: int, size: str, seed: int, progress: Progress) -> RewordedResults:
    """Return all figures that depend on the number of characters of works, for one number."""
    works, encoder = source.works(chars), UseEncoder()
    chars = sum(map(len, works.values()))
    indexes, sizes = _indexes(works, encoder)
    innocent = source.innocent(INNOCENT[size], draws.generator(seed, "reworded"))
    search = _searcher(indexes, works, encoder, DEFAULT)
    rewritten = source.rewritten()
    rng = draws.generator(seed, "surroundings")
    chinese = [case for case in rewritten if not case.kind.startswith(ENGLISH)]
    fared = _fared(search, rewritten, "alone", chars)
    fared += _fared(search, [among_others(case, innocent, rng) for case in chinese], "among others", chars)
    low = _searcher(indexes, works, encoder, LOW)
    alarms = _alarms(low, [*innocent, *source.innocent_english()], works, progress)
    return RewordedResults(tuple(fared), tuple(alarms), tuple((name, chars, bytes_) for name, bytes_ in sizes))


def measured_once(source: RewordedCorpora, chars: int, size: str, seed: int, progress: Progress) -> RewordedResults:
    """Return the figures that are measured on separate works. chars: maximum number of their characters."""
    encoder = UseEncoder()
    alarms = _of_one_trade(source, encoder, chars, size, seed)
    fared, of_english = _from_english(source, encoder, seed)
    development = [] if size == "tiny" else development_alarms(source, progress)
    return RewordedResults(tuple(fared), (*alarms, *of_english, *development), ())


def _of_one_trade(source: RewordedCorpora, encoder: Encoder, chars: int, size: str, seed: int) -> list[RewordedAlarms]:
    """Compare modern texts with works of their own kind, which is rare among the other works."""
    works, innocent = source.of_one_trade(chars, OF_ONE_TRADE[size], draws.generator(seed, "one trade"))
    alarms = _alarms(_by_characters(works, encoder), innocent, works, lambda done, of: None)
    return [replace(row, kind=f"{row.kind}, of one trade") for row in alarms]


def development_alarms(source: RewordedCorpora, progress: Progress) -> list[RewordedAlarms]:
    """Return the results for the innocent pages of the development data, with all other records as works."""
    works, innocent = source.development()
    alarms = _alarms(_by_characters(works, UseEncoder()), innocent, works, progress)
    return [replace(row, kind=f"{row.kind}, of the development data") for row in alarms]


def _by_characters(works: Mapping[WorkTextId, str], encoder: Encoder) -> RewordedSearch:
    chunks = ChunkIndex()
    for text_id, text in works.items():
        chunks.add_cells(text_id, TextCells.from_text(text))
    return _searcher(Indexes(chunks), works, encoder, LOW)


def _from_english(
    source: RewordedCorpora, encoder: Encoder, seed: int
) -> tuple[list[RewordedFared], list[RewordedAlarms]]:
    """Compare Chinese pages with the few works in English."""
    works, background = source.english_works(), load_background()
    latin = MeaningIndex(background.axes)
    for text_id, text in works.items():
        latin.add_meanings(text_id, TextMeanings.from_text(text, encoder, background))
    chars, indexes = sum(map(len, works.values())), Indexes(ChunkIndex(), latin=latin)
    fared = _fared(_searcher(indexes, works, encoder, DEFAULT), source.translated(), "alone", chars)
    innocent = source.innocent_chinese(CHINESE_AGAINST_ENGLISH, draws.generator(seed, "english"))
    low = _searcher(indexes, works, encoder, LOW)
    alarms = _alarms(low, innocent, works, lambda done, of: None)
    return fared, [replace(row, kind=f"{row.kind}, of English") for row in alarms]


def _indexes(works: Mapping[WorkTextId, str], encoder: Encoder) -> tuple[Indexes, list[tuple[str, float]]]:
    background = load_background()
    chunks, han = ChunkIndex(), MeaningIndex(background.axes)
    for text_id, text in works.items():
        chunks.add_cells(text_id, TextCells.from_text(text))
        han.add_meanings(text_id, TextMeanings.from_text(text, encoder, background))
    chars = sum(map(len, works.values()))
    sizes = [("rare characters", chunks.nbytes / chars), ("meanings", han.nbytes / chars)]
    return Indexes(chunks, han), sizes


def _searcher(
    indexes: Indexes, works: Mapping[WorkTextId, str], encoder: Encoder, calibration: RewordedCalibration
) -> RewordedSearch:
    return RewordedSearch(indexes, MemoryTexts(works), encoder, load_background(), calibration)


def _fared(search: RewordedSearch, cases: Sequence[RewordedCase], surroundings: str, chars: int) -> list[RewordedFared]:
    rows = []
    for kind, several in by_kind(cases).items():
        began = time.process_time()
        found = [search.search(case.text) for case in several]
        cpu_s = (time.process_time() - began) / len(several)
        right = [_right(case, matches) for case, matches in zip(several, found, strict=True)]
        wrong = sum(len(matches) for matches in found) - sum(match is not None for match in right)
        pairs = [_in_place(case, match) for case, match in zip(several, right, strict=True) if match]
        least = min((match.score if match else 0.0 for match in right), default=0.0)
        all_pairs, in_place = (sum(column) for column in zip(*pairs, strict=True)) if pairs else (0, 0)
        rows.append(
            RewordedFared(
                chars, kind, surroundings, len(several), len(pairs), wrong, least, all_pairs, in_place, round(cpu_s, 4)
            )
        )
    return rows


def _right(case: RewordedCase, matches: Iterable[RewordedMatch]) -> RewordedMatch | None:
    return next((match for match in matches if match.text_id == case.text_id), None)


def _in_place(case: RewordedCase, match: RewordedMatch) -> tuple[int, int]:
    """Return the number of pairs, and the number of those that lie in the passage on both sides."""
    inside = 0
    for pair in match.pairs:
        is_on_page = (
            case.page.start - PLACE_SLACK_CHARS <= pair.page.start
            and pair.page.end <= case.page.end + PLACE_SLACK_CHARS
        )
        is_in_work = (
            case.work.start - PLACE_SLACK_CHARS <= pair.work.start
            and pair.work.end <= case.work.end + PLACE_SLACK_CHARS
        )
        inside += is_on_page and is_in_work
    return len(match.pairs), inside


def _alarms(
    search: RewordedSearch, cases: Sequence[RewordedCase], works: Mapping[WorkTextId, str], progress: Progress
) -> list[RewordedAlarms]:
    copies = ProductFinder(works.items(), Seeding())
    chars = sum(map(len, works.values()))
    rows: list[RewordedAlarms] = []
    done = 0
    for kind, several in by_kind(cases).items():
        for first in (True, False):
            half = [case for case in several if case.is_of_first_half == first]
            began = time.process_time()
            found = []
            for case in half:
                found.append(search.search(case.text))
                done += 1
                progress(done, len(cases))
            cpu_s = round(time.process_time() - began, 3)
            scores: list[InnocentScore] = []
            for case, matches in zip(half, found, strict=True):
                best = _leads(matches, case.text, copies)[:1]
                scores += [InnocentScore(each.score, case.case_id, each.text_id) for each in best]
            rows.append(RewordedAlarms(chars, kind, first, len(half), tuple(sorted(scores, reverse=True)), cpu_s))
    return rows


def _leads(matches: Sequence[RewordedMatch], text: str, copies: ProductFinder) -> list[RewordedMatch]:
    """Return the matches with works that the page does not copy."""
    if not matches:
        return []
    found = copies.find(text)
    copied = {work_id for each in found if each.is_accusation for work_id in (each.work_id, *each.also)}
    return [match for match in matches if match.text_id not in copied]
