import base64
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fingerprint.algorithms import ALGORITHMS, Algorithm
from fingerprint.fingerprinting import DamagedFingerprint, Fingerprint, fingerprint_text
from tests.support.corpus_texts import story
from tests.support.fingerprint_definition import assert_same

GOLDEN_FOLDER = Path(__file__).parents[1] / "golden"
DIGESTS = json.loads((GOLDEN_FOLDER / "fingerprint_digests.json").read_text(encoding="utf-8"))
TEXT = story(3, sentences=20)


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))
@given(
    st.text(st.sampled_from("网絡和人民 \u200b，（）wang\ue000\n") | st.characters(exclude_categories=[]), max_size=120)
)
def test_bytes_give_the_same_fingerprint_back(algorithm: Algorithm, text: str) -> None:
    fingerprint = fingerprint_text(text, algorithm)
    stored = fingerprint.to_bytes()
    assert stored[0] == algorithm.id
    assert_same(Fingerprint.from_bytes(stored), fingerprint)


@pytest.mark.parametrize("cut", [0, 1, 10, 21, 22, 40, -1])
def test_bytes_that_were_cut_short_are_refused(cut: int) -> None:
    with pytest.raises(DamagedFingerprint, match="rebuild it from its text"):
        Fingerprint.from_bytes(fingerprint_text(TEXT).to_bytes()[:cut])


@given(st.binary(max_size=200))
def test_foreign_bytes_are_refused(stored: bytes) -> None:
    with pytest.raises(DamagedFingerprint):
        Fingerprint.from_bytes(stored)


@given(st.integers(0, 2000), st.integers(1, 255))
@example(928, 29)  # bits that the compression leaves unused
def test_a_changed_byte_is_noticed(place: int, change: int) -> None:
    stored = bytearray(fingerprint_text(TEXT).to_bytes())
    place %= len(stored)
    stored[place] ^= change
    with pytest.raises(DamagedFingerprint):
        Fingerprint.from_bytes(bytes(stored))


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", sorted(name for name, entry in DIGESTS.items() if "stored" in entry))
def test_what_was_stored_before_can_be_read(name: str, number: int) -> None:
    entry = DIGESTS[name]
    stored = base64.b64decode(entry["stored"][str(number)])
    assert_same(Fingerprint.from_bytes(stored), fingerprint_text(entry["text"] * entry["times"], ALGORITHMS[number]))


def test_windows_that_do_not_fit_the_tokens_are_refused() -> None:
    fingerprint = fingerprint_text(TEXT)
    short = replace(fingerprint, windows=(fingerprint.windows[0][:-1],)).to_bytes()
    with pytest.raises(DamagedFingerprint, match="do not match"):
        Fingerprint.from_bytes(short)


def test_positions_that_are_no_windows_are_refused() -> None:
    fingerprint = fingerprint_text(TEXT, ALGORITHMS[3])
    moved = replace(fingerprint, anchors=fingerprint.anchors + np.int32(1)).to_bytes()
    with pytest.raises(DamagedFingerprint, match="not those of its tokens"):
        Fingerprint.from_bytes(moved)
