from pathlib import Path

import numpy as np
import pytest

from core.errors import BrokenInvariant
from matcher.reworded.background import (
    AXES,
    BACKGROUND_2026,
    load_background,
    pack_background,
    unpack_background,
)
from matcher.reworded.encoding import Encoded
from matcher.reworded.record import CURRENT


def background_file(seed: int = 1, size: int = 200) -> tuple[np.ndarray, np.ndarray]:
    vectors = np.random.default_rng(seed).normal(size=(size, 512)).astype(np.float32)
    return vectors[0] / 100, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_the_file_that_comes_with_the_product_is_the_one_of_the_record() -> None:
    background = load_background()
    assert background.digest == CURRENT.background
    assert background.sample.shape == (3_000, 512)
    assert np.linalg.norm(background.sample, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.abs(background.axes.T @ background.axes - np.eye(AXES)).max() < 0.01


def test_a_file_with_one_other_byte_is_refused(tmp_path: Path) -> None:
    content = bytearray(BACKGROUND_2026.read_bytes())
    content[-1_000] ^= 1
    changed, cut = tmp_path / "changed.bin", tmp_path / "cut.bin"
    changed.write_bytes(content)
    cut.write_bytes(content[:1_000])
    with pytest.raises(BrokenInvariant, match="not the expected background"):
        load_background(changed)
    with pytest.raises(BrokenInvariant, match="cannot be read"):
        load_background(cut)


def test_packing_keeps_vectors_to_the_third_digit_and_is_the_same_twice() -> None:
    mean, sample = background_file()
    content = pack_background(mean, sample)
    assert content == pack_background(mean, sample)
    kept = unpack_background(content)
    assert kept.mean == pytest.approx(mean)
    assert np.einsum("ij,ij->i", kept.sample, sample) == pytest.approx(1, abs=1e-3)


def test_windows_are_centred_sentences_then_pairs() -> None:
    mean, sample = background_file()
    background = unpack_background(pack_background(mean, sample))
    encoded = Encoded(np.zeros((3, 2), np.int32), sample[:3], sample[3:5])
    windows = background.windows(encoded)
    assert (windows.units, len(windows.vectors), len(windows.nearness)) == (3, 5, 5)
    assert np.linalg.norm(windows.vectors, axis=1) == pytest.approx(1, abs=1e-5)
    moved = sample[3] - background.mean
    assert windows.vectors[3] == pytest.approx(moved / np.linalg.norm(moved), abs=1e-5)
