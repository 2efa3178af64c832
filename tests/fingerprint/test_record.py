import base64
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fingerprint.algorithms import ALGORITHMS, DEFAULT, Algorithm
from fingerprint.alphabets import FOLDED
from fingerprint.fingerprinting import DamagedFingerprint, Fingerprint, fingerprint_text
from fingerprint.rules import Seeds
from tests.support.corpus_texts import story

GOLDEN_FOLDER = Path(__file__).parents[1] / "golden"
GOLDEN = json.loads((GOLDEN_FOLDER / "fingerprints_1.json").read_text(encoding="utf-8"))
DIGESTS = json.loads((GOLDEN_FOLDER / "fingerprint_digests.json").read_text(encoding="utf-8"))
TEXT = story(3, sentences=20)


def same(first: Fingerprint, second: Fingerprint) -> bool:
    arrays = ("tokens", "offsets", "hashes", "anchors")
    noises = ("starts", "ends", "kinds")
    return (
        first.algorithm_id == second.algorithm_id
        and all(np.array_equal(getattr(first, name), getattr(second, name)) for name in arrays)
        and all(np.array_equal(*pair) for pair in zip(first.windows, second.windows, strict=True))
        and all(np.array_equal(getattr(first.noise, name), getattr(second.noise, name)) for name in noises)
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))
@given(
    st.text(st.sampled_from("网絡和人民 \u200b，（）wang\ue000\n") | st.characters(exclude_categories=[]), max_size=120)
)
def test_bytes_give_the_same_fingerprint_back(algorithm: Algorithm, text: str) -> None:
    fingerprint = fingerprint_text(text, algorithm)
    assert same(Fingerprint.from_bytes(fingerprint.to_bytes()), fingerprint)


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))
def test_the_first_byte_is_the_algorithm_id(algorithm: Algorithm) -> None:
    stored = fingerprint_text(TEXT, algorithm).to_bytes()
    assert stored[0] == algorithm.id
    assert same(Fingerprint.from_bytes(stored), fingerprint_text(TEXT, algorithm))


def test_arrays_have_the_types_that_the_record_promises() -> None:
    for fingerprint in (fingerprint_text(TEXT), Fingerprint.from_bytes(fingerprint_text(TEXT).to_bytes())):
        kinds = [
            array.dtype for array in (fingerprint.tokens, fingerprint.offsets, fingerprint.hashes, fingerprint.anchors)
        ]
        assert kinds == [np.uint16, np.int32, np.uint64, np.int32]
        assert [rows.dtype for rows in fingerprint.windows] == [np.uint8]


@pytest.mark.parametrize("cut", [0, 1, 10, 21, 22, 40, -1])
def test_bytes_that_were_cut_short_are_refused(cut: int) -> None:
    with pytest.raises(DamagedFingerprint, match="make it again from its text"):
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


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_algorithm_1_never_changes(name: str) -> None:
    golden = GOLDEN[name]
    fingerprint = fingerprint_text(golden["text"] * golden["times"], ALGORITHMS[1])
    assert fingerprint.tokens.tolist()[:40] == golden["tokens"]
    assert fingerprint.offsets.tolist()[:40] == golden["offsets"]
    assert [f"{value:016x}" for value in fingerprint.hashes.tolist()[:40]] == golden["hashes"]
    assert fingerprint.anchors.tolist()[:40] == golden["anchors"]
    assert [row.tobytes().hex() for row in fingerprint.windows[0][:40]] == golden["windows"]
    noise = [[place.start, place.end, kind.value] for place, kind in fingerprint.noise.items()]
    assert noise[:40] == golden["noise"]
    sizes = [fingerprint.tokens.size, fingerprint.anchors.size, len(fingerprint.windows[0])]
    assert sizes == golden["sizes"]


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", sorted(name for name, entry in DIGESTS.items() if "stored" in entry))
def test_what_was_stored_before_can_be_read(name: str, number: int) -> None:
    entry = DIGESTS[name]
    stored = base64.b64decode(entry["stored"][str(number)])
    assert same(Fingerprint.from_bytes(stored), fingerprint_text(entry["text"] * entry["times"], ALGORITHMS[number]))


def test_windows_that_do_not_fit_the_tokens_are_refused() -> None:
    fingerprint = fingerprint_text(TEXT)
    short = replace(fingerprint, windows=(fingerprint.windows[0][:-1],)).to_bytes()
    with pytest.raises(DamagedFingerprint, match="do not fit"):
        Fingerprint.from_bytes(short)


def test_positions_that_are_no_windows_are_refused() -> None:
    fingerprint = fingerprint_text(TEXT, ALGORITHMS[3])
    moved = replace(fingerprint, anchors=fingerprint.anchors + np.int32(1)).to_bytes()
    with pytest.raises(DamagedFingerprint, match="not those of its tokens"):
        Fingerprint.from_bytes(moved)


def test_the_default_are_anchors_of_folded_syllables() -> None:
    assert DEFAULT is ALGORITHMS[7]
    assert (DEFAULT.anchors.alphabet, DEFAULT.seeds) == (FOLDED, Seeds.ANCHORS)
