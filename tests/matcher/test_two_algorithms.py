"""Two algorithms with other normalisation and readings side by side: fingerprints, stores, indexes and matches."""

import lzma
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from core.ids import WorkTextId
from core.matches import ChangeKind, Match
from fingerprint.algorithms import ALGORITHMS, DEFAULT, Algorithm
from fingerprint.alphabets import Alphabet
from fingerprint.characters import CLASSES_2026, CharacterClasses, Kind
from fingerprint.fingerprinting import Fingerprint, fingerprint_text
from fingerprint.letters import TOKENS
from fingerprint.near import NEAR_2026, NearTable
from fingerprint.normalization import normalize
from fingerprint.readings import READINGS_2026, ReadingTable, code_points, pack_readings, payload_digest
from fingerprint.rules import AnchorRule, Normalization
from fingerprint.stream import Stream
from fingerprint.syllables_2026 import SYLLABLES
from fingerprint.tables import Tables
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.index.ports import MatchIndex
from matcher.matching import Matcher
from tests.support.corpus_texts import story
from tests.support.index_texts import occurrences

WORKS = {WorkTextId(f"work-{seed}"): story(seed).replace("。", "9。", 5) for seed in range(4)}
WORK = WorkTextId("work-1")
MANY = 10_000
REFERENCE_MARK = "※"
CHARACTER, VARIANT = "头", "凤"


def normalize_without_digits(text: str, tables: Tables) -> Stream:
    """Another first stage, without a compiled twin: digits are dropped."""
    stream = normalize(text, tables)
    is_kept = tables.kinds[code_points(text)[stream.offsets]] != Kind.DIGIT
    return Stream(stream.tokens[is_kept], stream.offsets[is_kept], stream.noise)


def last_letters(names: tuple[str, ...]) -> np.ndarray:
    """Another alphabet: tokens that end alike are one symbol."""
    symbols = np.zeros(TOKENS, np.uint16)
    symbols[1 : len(names)] = [ord(name[-1]) for name in names[1:]]
    return symbols


def southern_readings() -> dict[int, int]:
    """Give characters that begin with h the syllable with f in its place, where there is one."""
    as_f = {token: f"f{name[1:]}" for token, name in enumerate(SYLLABLES) if name.startswith("h")}
    moved = {token: SYLLABLES.index(name) for token, name in as_f.items() if name in SYLLABLES}
    codes = np.flatnonzero(np.isin(READINGS_2026.syllables, list(moved))).tolist()
    return {code: moved[int(READINGS_2026.syllables[code])] for code in codes}


def southern_table(folder: Path) -> ReadingTable:
    """Another table of readings, in a file of its own; VARIANT is another form of CHARACTER there."""
    syllables, folding = READINGS_2026.syllables.copy(), READINGS_2026.folding.copy()
    for code, token in southern_readings().items():
        syllables[code] = token
    folding[ord(VARIANT)], syllables[ord(VARIANT)] = ord(CHARACTER), syllables[ord(CHARACTER)]
    read = np.flatnonzero(syllables).astype(np.uint32)
    folded = np.flatnonzero(folding != np.arange(folding.size)).astype(np.uint32)
    payload = pack_readings((read, syllables[read].astype(np.uint32)), (folded, folding[folded]))
    path = folder / "readings_southern.bin"
    path.write_bytes(lzma.compress(payload))
    return ReadingTable(path, payload_digest(payload), SYLLABLES)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Algorithm]:
    """An algorithm that differs in everything, known for the time of these tests."""
    table = southern_table(tmp_path_factory.mktemp("readings"))
    mark = ord(REFERENCE_MARK)
    zero_width = (*CLASSES_2026.by_range[Kind.ZERO_WIDTH], range(mark, mark + 1))
    classes = CharacterClasses(CLASSES_2026.by_character, {**CLASSES_2026.by_range, Kind.ZERO_WIDTH: zero_width})
    algorithm = Algorithm(
        200,
        Normalization(2, normalize_without_digits, Tables(table, classes)),
        DEFAULT.windows,
        AnchorRule(Alphabet("last letters", last_letters), 7, 3),
        near=NearTable(NEAR_2026.path, table),
    )
    with patch.dict(ALGORITHMS, {algorithm.id: algorithm}):
        yield algorithm


@pytest.fixture
def both(other: Algorithm) -> tuple[Algorithm, Algorithm]:
    return DEFAULT, other


def make_prints(algorithm: Algorithm) -> dict[WorkTextId, Fingerprint]:
    return {text_id: fingerprint_text(text, algorithm) for text_id, text in WORKS.items()}


def read_syllables(text: str, algorithm: Algorithm) -> list[str]:
    names = algorithm.tables.readings.names
    return [names[token] for token in fingerprint_text(text, algorithm).tokens.tolist()]


def test_each_algorithm_reads_a_text_by_its_own_record_whichever_was_asked_first(
    both: tuple[Algorithm, Algorithm],
) -> None:
    text = f"湖{REFERENCE_MARK}水9米"
    expected = [["hu", "shui", "jiu", "mi"], ["fu", "shui", "mi"]]
    assert [read_syllables(text, algorithm) for algorithm in both] == expected
    assert [read_syllables(text, algorithm) for algorithm in reversed(both)] == expected[::-1]
    assert [len(fingerprint_text(text, algorithm).noise) for algorithm in both] == [0, 1]


def test_near_characters_by_other_readings_than_its_own_are_refused(other: Algorithm) -> None:
    with pytest.raises(ValueError, match="algorithm 202 has characters that are near by other readings than its own"):
        replace(other, id=202, near=NEAR_2026)


class TestIndexes:
    @pytest.fixture
    def indexes(self, both: tuple[Algorithm, Algorithm]) -> dict[int, MatchIndex]:
        indexes = {algorithm.id: MemoryIndex(algorithm.id) for algorithm in both}
        for algorithm_id, index in indexes.items():
            index.rebuild(make_prints(ALGORITHMS[algorithm_id]).items())
        return indexes

    def test_each_finds_its_own_seeds_and_none_of_the_other(self, indexes: dict[int, MatchIndex]) -> None:
        for algorithm_id, index in indexes.items():
            made = make_prints(ALGORITHMS[algorithm_id])[WORK]
            hashes = np.unique(made.hashes)
            found = occurrences(index.lookup(hashes, MANY))
            own = {(hashes[query], position) for query, text, position in found if text == WORK}
            assert own == set(zip(made.hashes.tolist(), made.anchors.tolist(), strict=True))
            (another,) = set(indexes) - {algorithm_id}
            assert indexes[another].lookup(hashes, MANY).queries.size == 0

    def test_each_matches_a_page_by_its_own_readings(self, indexes: dict[int, MatchIndex]) -> None:
        page = southern_page(WORKS[WORK]).replace(CHARACTER, VARIANT)
        kinds = {}
        for algorithm_id, index in indexes.items():
            (match,) = matches(page, index)
            assert (match.text_id, match.algorithm_id) == (WORK, algorithm_id)
            kinds[algorithm_id] = [change.kind for span in match.spans for change in span.changes]
        assert set(kinds[200]) == {ChangeKind.HOMOPHONE, ChangeKind.SCRIPT}
        # To the default hua and fa are two syllables that people confuse, and the variant of 200 is no variant.
        assert set(kinds[DEFAULT.id]) == {ChangeKind.HOMOPHONE, ChangeKind.REPLACED}


def southern_page(text: str) -> str:
    """The text with characters that begin with h written by others that begin with f."""
    written = {"fa": "发", "fan": "凡", "fang": "方", "fei": "非", "fen": "分", "feng": "风", "fou": "否", "fu": "夫"}
    moved = southern_readings()
    return "".join(written[SYLLABLES[moved[ord(each)]]] if ord(each) in moved else each for each in text)


def make_corpus(algorithm: Algorithm) -> MemoryCorpus:
    return MemoryCorpus({key: WorkEntry(WORKS[key], made) for key, made in make_prints(algorithm).items()})


def matches(page: str, index: MatchIndex) -> tuple[Match, ...]:
    algorithm = ALGORITHMS[index.algorithm_id]
    return Matcher(index, make_corpus(algorithm)).match(page, fingerprint_text(page, algorithm))
