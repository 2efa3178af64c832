"""Texts that no honest page holds: always a fingerprint, never seeds out of nothing, time and memory linear."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fingerprint.algorithms import ALGORITHMS, Algorithm
from fingerprint.fingerprinting import Fingerprint, fingerprint_text
from fingerprint.readings import code_points
from fingerprint.seeds import window_count
from tests.support.fingerprint_definition import alternatives, shape_alternatives

EVERY_ALGORITHM = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))
WITHOUT_CHINESE = {
    "empty": "",
    "punctuation": "，。！？……——《》" * 500,
    "English": "An English sentence, nothing else. " * 500,
    "kana": "ひらがなカタカナ" * 500,
    "emoji": "🙂👨\u200d👩\u200d👧" * 500,
    "lone surrogates": "\ud800\udfff\udc00" * 500,
    "zero-width": "\u200b\ufeff" * 500,
    "spaces": " \u3000\u00a0\t" * 500,
    "control characters": "\x00\x01\x1f\x7f" * 500,
}
# Prints how many bytes beyond the text a fingerprint took for each character, at its highest.
MEMORY = """
import sys
from pathlib import Path
from fingerprint.fingerprinting import fingerprint_text

def status(name):
    return next(int(line.split()[1]) * 1024 for line in Path("/proc/self/status").open() if line.startswith(name))

unit = sys.argv[1].encode().decode("unicode_escape")
fingerprint_text(unit * 100)
text = unit * (4_000_000 // len(unit))
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
fingerprint = fingerprint_text(text)
print((status("VmHWM") - before) / len(text))
"""


@EVERY_ALGORITHM
def test_a_text_without_chinese_has_no_seeds(algorithm: Algorithm) -> None:
    for name, text in WITHOUT_CHINESE.items():
        fingerprint = fingerprint_text(text, algorithm)
        assert fingerprint.tokens.size == fingerprint.hashes.size == fingerprint.anchors.size == 0, name
        assert [len(rows) for rows in fingerprint.windows] == [0] * len(algorithm.windows)
        assert Fingerprint.from_bytes(fingerprint.to_bytes()).tokens.size == 0


@EVERY_ALGORITHM
def test_a_text_shorter_than_a_window_has_none(algorithm: Algorithm) -> None:
    for length in (1, 4, 5, 10, 11, 31, 32, 63, 64, 65):
        fingerprint = fingerprint_text("".join(chr(0x4E00 + 7 * place) for place in range(length)), algorithm)
        assert fingerprint.tokens.size == length
        for rows, rule in zip(fingerprint.windows, algorithm.windows, strict=True):
            assert len(rows) == window_count(length, rule) == max(0, (length - rule.granularity) // rule.step + 1)


def test_lone_surrogates_between_characters_change_no_seed() -> None:
    text = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
    torn = "\udfff".join(text)
    plain, found = fingerprint_text(text), fingerprint_text(torn)
    assert (found.hashes == plain.hashes).all()
    assert (found.offsets == 2 * plain.offsets).all()


@pytest.mark.usefixtures("long_computation")
def test_three_million_characters_are_fingerprinted() -> None:
    """Anything worse than linear would run into the time limit of the suite."""
    rng = np.random.default_rng(8)
    text = rng.integers(0x4E00, 0x9FA0, 3_000_000).astype("<u4").tobytes().decode("utf-32-le")
    fingerprint = fingerprint_text(text)
    assert fingerprint.tokens.size > 2_970_000
    assert fingerprint.hashes.size == pytest.approx(fingerprint.tokens.size / 4, rel=0.01)
    start = int(fingerprint.offsets[1_500_000])
    middle = fingerprint_text(text[start : start + 1_000])
    assert set(middle.hashes.tolist()) <= set(fingerprint.hashes.tolist())


def test_no_code_point_breaks_what_is_near() -> None:
    codes = np.arange(0x110000, dtype=np.uint32)
    assert alternatives(codes[:0]).shape[0] == shape_alternatives(codes[:0]).shape[0] == 0
    assert len(alternatives(codes)) == len(shape_alternatives(codes)) == codes.size
    assert not alternatives(code_points("\ud800\ue000a，\U0010ffff")).any()


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is read from Linux's /proc")
@pytest.mark.parametrize(
    ("unit", "bytes_per_character"),
    [
        ("\u5929\u5730\u7384\u9ec4\u5b87\u5b99\u6d2a\u8352\u65e5\u6708", 16),  # ordinary text
        ("\u6211 ", 24),  # an item of noise for every second character
        ("\u6211shuo", 16),
    ],
)
def test_memory_is_bounded_for_every_character(unit: str, bytes_per_character: int) -> None:
    argument = unit.encode("unicode_escape").decode()
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, argument], cwd=root, capture_output=True, text=True, timeout=120, check=True
    )
    assert float(done.stdout) <= bytes_per_character
