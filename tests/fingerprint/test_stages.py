"""Every compiled stage equals its definition bit for bit, on texts made to break it."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fingerprint.algorithms import ALGORITHMS, FREQUENT_INITIALS, REFERENCE_PERMILLE, Algorithm
from fingerprint.alphabets import ALPHABETS, Alphabet
from fingerprint.fingerprinting import Fingerprint, fingerprint_text
from fingerprint.normalization import normalize
from fingerprint.rules import AnchorRule, WindowRule
from fingerprint.seeds import find_anchors, windows_of_rule
from fingerprint.stream import WILDCARD
from fingerprint.syllables_2026 import SYLLABLES
from fingerprint.tables import TABLES_2026
from tests.support import fingerprint_definition
from tests.support.corpus_texts import shared_records, story, with_pinyin
from tests.support.examples import examples
from tests.support.fingerprint_definition import (
    anchor_positions,
    assert_same,
    fingerprint_by_definition,
    window_fingerprints,
)

GOLDEN_FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = json.loads((GOLDEN_FOLDER / "fingerprint_digests.json").read_text(encoding="utf-8"))
DIGEST_FILE = "algorithm_digests.json"  # by id: of all arrays of all golden texts, in order of their names
DIGESTS = json.loads((GOLDEN_FOLDER / DIGEST_FILE).read_text(encoding="utf-8"))
SIGNS = (
    "网絡和人民我 　\u00a0\u200b\ufeff\u180e，。（）()[]【】{}wangluohshxi'’-·nǎüǚÜńe3９Ａｗ\ue000\ufffd□\n\ud800𠀀🙂"
)
PIECES = ["网络", *"网络（） '\u200ba", "shi", "xian", "fangan", "wang", "Wǎng", "luo", "ＷＡＮＧ"]
HOSTILE = (
    st.text(st.sampled_from(SIGNS), max_size=150)
    | st.lists(st.sampled_from([*PIECES, "q", "\ue000", "  ", "。"]), max_size=60).map("".join)
    | st.text(st.characters(exclude_categories=[]), max_size=150)
)
TOKENS = hnp.arrays(np.uint16, st.integers(0, 200), elements=st.sampled_from([1, 2, 3, 50, 300, WILDCARD]))
MORE = examples(400)


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))
@MORE
@given(HOSTILE, st.sampled_from([1, 1, 2, 9]))
@example("Ａ\u200bＡ \ue000", 9)  # more noise than one item for two characters
@example("我" + "shuo" * 10 + "shuo", 1)
def test_a_fingerprint_equals_its_definition(algorithm, text: str, times: int) -> None:
    assert_same(fingerprint_text(text * times, algorithm), fingerprint_by_definition(text * times, algorithm))


@MORE
@given(TOKENS, st.sampled_from(ALPHABETS), st.integers(1, 12), st.integers(1, 9), st.sampled_from([1, 40]))
def test_anchors_of_any_rule_equal_their_definition(
    tokens: np.ndarray, alphabet: Alphabet, length: int, one_in: int, times: int
) -> None:
    rule = AnchorRule(alphabet, length, one_in)
    tokens = np.tile(tokens, times)  # several blocks of the compiled loop
    symbols = alphabet.symbols(SYLLABLES)
    for found, defined in zip(
        find_anchors(tokens, rule, symbols), anchor_positions(tokens, rule, symbols), strict=True
    ):
        assert found.dtype == defined.dtype
        assert found.tolist() == defined.tolist()


@MORE
@given(TOKENS, st.integers(1, 70), st.integers(1, 70), st.sampled_from([1, 3, 7, 9]))
def test_windows_of_any_rule_equal_their_definition(
    tokens: np.ndarray, granularity: int, step: int, max_digit: int
) -> None:
    rule = WindowRule(granularity, min(step, granularity), max_digit, FREQUENT_INITIALS, REFERENCE_PERMILLE)
    tokens = np.where(tokens == WILDCARD, WILDCARD, tokens % len(SYLLABLES)).astype(np.uint16)
    initials = TABLES_2026.initials
    found, defined = windows_of_rule(tokens, rule, initials), window_fingerprints(initials[tokens], rule)
    assert found.shape == defined.shape
    assert found.dtype == defined.dtype
    assert (found == defined).all()


def test_every_code_point_is_read_as_by_its_definition() -> None:
    codes = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for first in range(0, len(codes), 200_000):
        text = "".join(map(chr, codes[first : first + 200_000]))
        found, defined = normalize(text), fingerprint_definition.normalize(text)
        assert (found.tokens == defined.tokens).all()
        assert (found.offsets == defined.offsets).all()
        assert (found.noise.starts == defined.noise.starts).all()
        assert (found.noise.kinds == defined.noise.kinds).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))
def test_no_algorithm_ever_changes(algorithm: Algorithm) -> None:
    digest = hashlib.sha256()
    for name in sorted(GOLDEN):
        for array in stored_arrays(fingerprint_text(GOLDEN[name]["text"] * GOLDEN[name]["times"], algorithm)):
            digest.update(array.tobytes())
    line = f'"{algorithm.id}": "{digest.hexdigest()}"'
    assert str(algorithm.id) in DIGESTS, f"a new algorithm needs its golden line in tests/golden/{DIGEST_FILE}: {line}"
    assert DIGESTS[str(algorithm.id)] == digest.hexdigest(), "a numbered algorithm is never edited: add another"


def stored_arrays(made: Fingerprint) -> list[np.ndarray]:
    """Every array of a fingerprint, with the byte order fixed."""
    noise = made.noise
    numbers = [made.tokens.astype("<u2"), made.offsets.astype("<i4")]
    seeds = [made.hashes.astype("<u8"), made.anchors.astype("<i4")]
    return [*numbers, *seeds, *made.windows, noise.starts.astype("<i4"), noise.ends.astype("<i4"), noise.kinds]


@pytest.mark.parametrize("name", ["editions_dev.jsonl.gz", "news_xwlb_dev.jsonl.gz"])
def test_real_texts_equal_their_definition(name: str) -> None:
    for record in shared_records(name, 5):
        assert_same(fingerprint_text(record["text"]), fingerprint_by_definition(record["text"]))


@pytest.mark.parametrize("in_brackets", [False, True])
def test_a_text_full_of_pinyin_equals_its_definition(in_brackets: bool) -> None:
    text = with_pinyin(story(4), 0.3, in_brackets=in_brackets)
    assert_same(fingerprint_text(text), fingerprint_by_definition(text))
