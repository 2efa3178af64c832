import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BrokenInvariant
from core.obfuscations import Obfuscation
from fingerprint.algorithms import ALGORITHMS, Algorithm
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.normalization import normalize
from fingerprint.readings import fold_variants, syllable_ids
from fingerprint.stream import WILDCARD
from fingerprint.syllables_2026 import SYLLABLES

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=200)
MIXED_TEXT = st.text(st.sampled_from("网絡和人民 　\u200b\ufeff，。（）()wangluohwǎ3９Ａ\ue000\ufffd□\n’"), max_size=80)


def sounds(text: str) -> list[str]:
    return ["*" if token == WILDCARD else SYLLABLES[token] for token in normalize(text).tokens.tolist()]


def noise(text: str) -> list[tuple[str, Obfuscation]]:
    return [(text[place.start : place.end], kind) for place, kind in normalize(text).noise.items()]


@pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))
def test_every_algorithm_reads_with_the_table_that_it_names(algorithm: Algorithm, tmp_path: Path) -> None:
    table = algorithm.tables.readings
    assert table.syllables.any()
    damaged = tmp_path / "readings.bin"
    damaged.write_bytes(lzma.compress(lzma.decompress(table.path.read_bytes())[:-4] + b"\0\0\0\0"))
    with pytest.raises(BrokenInvariant, match="not the expected table of readings"):
        _ = replace(table, path=damaged).syllables
    with pytest.raises(BrokenInvariant, match="cannot be read"):
        _ = replace(table, path=tmp_path / "absent.bin").folding


def test_traditional_and_compatibility_forms_read_and_fold_as_simplified() -> None:
    assert syllable_ids("網絡著豈").tolist() == syllable_ids("网络着岂").tolist()
    assert "".join(map(chr, fold_variants("網絡Ａ\uf900"))) == "网络A岂"


def test_digits_read_as_chinese_numerals() -> None:
    assert sounds("2016年") == sounds("二零一六年") == sounds("２０１６年")


@given(ANY_TEXT | MIXED_TEXT)
def test_offsets_increase_and_point_at_what_was_read(text: str) -> None:
    stream = normalize(text)
    assert (np.diff(stream.offsets) > 0).all()
    for token, offset in zip(stream.tokens.tolist(), stream.offsets.tolist(), strict=True):
        single = syllable_ids(text[offset])[0]
        is_letter = text[offset].isalpha() and single == 0
        assert token in (WILDCARD, single) or is_letter


@given(ANY_TEXT | MIXED_TEXT)
def test_noise_lies_inside_the_text_and_in_order(text: str) -> None:
    places = [place for place, _ in normalize(text).noise.items()]
    assert places == sorted(places)
    assert all(0 <= place.start < place.end <= len(text) for place in places)


@given(st.text(st.sampled_from("网絡和人民，。９"), max_size=60))
def test_what_was_kept_reads_the_same_again(text: str) -> None:
    stream = normalize(text)
    kept = "".join(text[offset] for offset in stream.offsets.tolist())
    assert normalize(kept).tokens.tolist() == stream.tokens.tolist()


def test_zero_width_characters_are_noise_only_behind_a_character() -> None:
    assert noise("\ufeff人\u200b\u200d民❤\ufe0f") == [("\u200b\u200d", Obfuscation.ZERO_WIDTH)]
    assert sounds("人\u200b民") == sounds("人民")


def test_spaces_between_characters_are_noise_but_not_those_at_line_ends() -> None:
    assert noise("  人 民\u3000\u3000大 \n会 A 场") == [(" ", Obfuscation.SPACES), ("\u3000\u3000", Obfuscation.SPACES)]


@pytest.mark.parametrize("bracketed", ["网(wǎng)络", "網（wang）絡", "网络（wǎng luò）", "网【ＷＡＮＧ】络"])
def test_pinyin_in_brackets_is_noise(bracketed: str) -> None:
    assert Obfuscation.PINYIN_INSERTED in [kind for _, kind in noise(bracketed)]
    assert sounds(bracketed) in (["wang", "luo"], ["wang"])


def test_pinyin_that_repeats_the_character_before_it_is_noise() -> None:
    assert sounds("网wǎng络luò") == ["wang", "luo"]
    assert [kind for _, kind in noise("网wǎng络luò")] == [Obfuscation.PINYIN_INSERTED] * 2


def test_pinyin_in_place_of_characters_is_read_as_syllables_with_offsets() -> None:
    text = "他shuo wǒmen走"
    assert sounds(text) == ["ta", "shuo", "wo", "men", "zou"]
    assert normalize(text).offsets.tolist() == [0, 1, 6, 8, 11]


@pytest.mark.parametrize("unit", ["字", "甲乙", "网(wǎng)", "我 ", "abc ", "\u200b", "人\ue000", "shuo我"])
def test_a_long_monotonous_text_is_fingerprinted(unit: str) -> None:
    """Anything worse than linear would run into the time limit of the suite."""
    short, long = fingerprint_text(unit * 1_000), fingerprint_text(unit * 100_000)
    assert long.tokens.size == 100 * short.tokens.size
    assert long.anchors.size <= long.tokens.size
