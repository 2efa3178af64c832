"""Searches a set of texts for rewrites in memory, and converts leads to JSON values, for `batch`."""

from collections.abc import Callable, Mapping
from typing import Any

from core.ids import WorkTextId
from core.text import TextRange
from matcher.reworded.background import load_background
from matcher.reworded.chunks import ChunkIndex, TextCells
from matcher.reworded.encoding import UseEncoder
from matcher.reworded.found import RewordedMatch
from matcher.reworded.meanings import MeaningIndex, TextMeanings
from matcher.reworded.record import CURRENT
from matcher.reworded.searching import Indexes, RewordedSearch
from matcher.reworded.sentences import is_latin
from matcher.reworded.stretches import MemoryTexts

Progress = Callable[[int, int], None]


def search_among(texts: MemoryTexts, languages: frozenset[bool], tell: Progress) -> RewordedSearch:
    """Return a search for rewrites of these texts.

    languages: contains True if some pages are in Latin script, False if some are not. Texts are encoded by meaning only
    for pages in the other script. tell: called with the numbers of characters encoded and in total. Raises
    BadConfiguration if the extra `reworded` is not installed.
    """
    encoder = UseEncoder()
    latin = {text_id: text for text_id, text in texts.items() if is_latin(text)}
    han = {text_id: text for text_id, text in texts.items() if text_id not in latin}
    chunks = ChunkIndex()
    for text_id, text in han.items():
        chunks.add_cells(text_id, TextCells.from_text(text))
    wanted = [han if True in languages else {}, latin if False in languages else {}]
    total = sum(len(text) for several in wanted for text in several.values())
    done = 0

    def by_meaning(several: Mapping[WorkTextId, str]) -> MeaningIndex | None:
        nonlocal done
        index = MeaningIndex(load_background().axes)
        for text_id, text in several.items():
            index.add_meanings(text_id, TextMeanings.from_text(text, encoder, load_background()))
            done += len(text)
            tell(done, total)
        return index if several else None

    return RewordedSearch(Indexes(chunks, *map(by_meaning, wanted)), texts, encoder, load_background())


def lead_record(match: RewordedMatch) -> dict[str, Any]:
    """Return a match as JSON values, without its work."""
    band = match.band
    return {
        "class": str(match.found),
        "score": match.score,
        "elsewhere": match.elsewhere,
        "band": band and {"name": band.name, "alarms": band.alarms, "passages": band.trials},
        "algorithm": CURRENT.version,
        "pairs": [_pair_places(pair.page, pair.work) | {"strength": pair.strength} for pair in match.pairs],
    }


def _pair_places(page: TextRange, work: TextRange) -> dict[str, int]:
    return {"page_start": page.start, "page_end": page.end, "work_start": work.start, "work_end": work.end}
