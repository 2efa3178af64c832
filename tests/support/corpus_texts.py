"""Texts for matching tests: invented prose, invented edits, and the shared corpora where they are present."""

import gzip
import json
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fingerprint.folding import folded_symbols
from fingerprint.readings import syllable_ids
from fingerprint.syllables_2026 import SYLLABLES

SHARED_CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"

SUBJECTS = ["老船工", "小学徒", "卖花的女孩", "守灯塔的人", "新来的先生", "巷口的裁缝", "隔壁的木匠", "送信的少年"]
PLACES = ["旧码头边", "石桥底下", "药铺门前", "山坳里", "半截城墙上", "米仓后头", "渡口的茶棚里", "竹林深处"]
COMMON = range(0x4E00, 0x4E00 + 6000)


@cache
def story(seed: int, sentences: int = 60) -> str:
    """Invented text in which people and places come back, and nothing else does: another seed, another story."""
    rng = random.Random(seed)
    common = _common()
    lines = []
    for _ in range(sentences):
        first, second, third = ("".join(rng.choices(common, k=rng.randint(6, 12))) for _ in range(3))
        lines.append(f"{first}，{rng.choice(SUBJECTS)}{second}，在{rng.choice(PLACES)}{third}。")
    return "".join(lines)


def unrelated_story(seed: int, sentences: int = 80) -> str:
    """Text that has no phrase in common with that of any other seed."""
    rng = random.Random(seed)
    return "".join("".join(rng.choices(_common(), k=rng.randint(8, 30))) + "。" for _ in range(sentences))


@cache
def _common() -> list[str]:
    return [chr(code) for code in COMMON if syllable_ids(chr(code))[0]]


def formulaic_texts(count: int) -> list[str]:
    """Texts of 120 characters: set phrases of one stock in an order of their own, and 20 characters that are new."""
    stock = [story(7)[start : start + 20] for start in range(0, 400, 20)]
    made = []
    for number in range(count):
        phrases = random.Random(number).sample(stock, 5)
        made.append("".join([*phrases[:2], story(500 + number)[100:120], *phrases[2:]]))
    return made


@cache
def _characters_of_sound() -> dict[int, list[str]]:
    sounds: dict[int, list[str]] = {}
    block = "".join(map(chr, range(0x4E00, 0x9FA6)))
    for character, sound in zip(block, syllable_ids(block).tolist(), strict=True):
        sounds.setdefault(sound, []).append(character)
    return sounds


def with_homophones(text: str, share: float, seed: int = 1) -> str:
    rng = random.Random(seed)
    ids = syllable_ids(text).tolist()
    sounds = _characters_of_sound()
    return "".join(
        rng.choice(sounds[sound]) if sound and _is_han(character) and rng.random() < share else character
        for character, sound in zip(text, ids, strict=True)
    )


def with_folded_sounds(text: str, share: float, seed: int = 1) -> str:
    """Characters of another syllable that anchors of folded syllables take for the same."""
    rng = random.Random(seed)
    folded = _others_folded_alike()
    return "".join(
        rng.choice(folded[sound]) if sound in folded and _is_han(character) and rng.random() < share else character
        for character, sound in zip(text, syllable_ids(text).tolist(), strict=True)
    )


@cache
def _others_folded_alike() -> dict[int, list[str]]:
    symbols, sounds = folded_symbols(SYLLABLES), _characters_of_sound()
    found = {
        sound: [
            character
            for other in np.flatnonzero(symbols[: len(SYLLABLES)] == symbols[sound]).tolist()
            if other not in {0, sound}
            for character in sounds.get(other, ())
        ]
        for sound in sounds
        if sound
    }
    return {sound: characters for sound, characters in found.items() if characters}


def with_random_characters(text: str, share: float, seed: int = 1) -> str:
    rng = random.Random(seed)
    return "".join(
        chr(rng.randrange(0x4E00, 0x8000)) if _is_han(character) and rng.random() < share else character
        for character in text
    )


def with_pinyin(text: str, share: float, seed: int = 1, in_brackets: bool = False) -> str:
    rng = random.Random(seed)
    written = []
    for character, sound in zip(text, syllable_ids(text).tolist(), strict=True):
        chosen = _is_han(character) and sound and rng.random() < share
        written.append(
            f"{character}（{SYLLABLES[sound]}）"
            if chosen and in_brackets
            else SYLLABLES[sound]
            if chosen
            else character
        )
    return "".join(written)


def shuffled_sentences(text: str, seed: int = 1) -> str:
    sentences = [sentence + "。" for sentence in text.split("。") if sentence]
    random.Random(seed).shuffle(sentences)
    return "".join(sentences)


def shared_file(name: str) -> Path:
    """A file of the shared corpora; skips the test where they are not there."""
    path = SHARED_CORPORA / name
    if not path.exists():
        pytest.skip(f"{path} is not there: the corpora are no part of the repository")
    return path


def shared_records(name: str, limit: int) -> list[dict[str, str]]:
    """The first records of a shared corpus; skips the test where the corpora are not there."""
    records = []
    with gzip.open(shared_file(name), "rt", encoding="utf-8") as lines:
        for line in lines:
            records.append(json.loads(line))
            if len(records) >= limit:
                break
    return records


def _is_han(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fa5"
