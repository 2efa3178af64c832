"""Writes a table of readings: readings_<name>.bin and syllables_<name>.py, one reading for each code point.

    python -m laboratory.tables.build_readings 2026

Requires pypinyin and opencc. The same versions of both give the same bytes.
An algorithm contains the digest of its table, so new bytes need a new name and a new algorithm
(docs/recipes/fingerprint-algorithm.md).
"""

import lzma
import sys
import unicodedata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from opencc import OpenCC
from pypinyin.constants import PINYIN_DICT

import fingerprint
from fingerprint.readings import CODE_POINTS, pack_readings, payload_digest

FOLDER = Path(fingerprint.__file__).parent
NUMERALS = "零一二三四五六七八九"
# Taiwan writes one where the mainland writes the other; OpenCC does not convert it because of compounds such as 著作.
# Both sides of a comparison are folded in the same way, so the lost distinction is harmless.
EXTRA_VARIANTS = {"著": "着"}
FIRST_NON_ASCII = 0x80
SURROGATES = range(0xD800, 0xE000)

SYLLABLES_TEMPLATE = '''"""Toneless syllables by id; id 0 is "no reading". Written by build_readings."""

_NAMES = (
{lines}
)
SYLLABLES: tuple[str, ...] = ("", *_NAMES.split())
'''


def folding() -> dict[int, int]:
    """Return the simplified or compatibility form of each code point that has a different one."""
    direct = _compatibility_forms() | _simplified_forms()
    return {source: target for source in direct if (target := _follow(source, direct)) != source}


def readings(fold: dict[int, int]) -> dict[int, str]:
    """Return the toneless syllable of each code point: the first reading of its folded form, else of itself."""
    own = {code: toneless(listed.split(",")[0]) for code, listed in PINYIN_DICT.items()}
    own |= {ord("0") + value: own[ord(numeral)] for value, numeral in enumerate(NUMERALS)}
    found = {code: own.get(fold.get(code, code)) or own.get(code, "") for code in own.keys() | fold.keys()}
    return {code: syllable for code, syllable in sorted(found.items()) if syllable}


def _simplified_forms() -> dict[int, int]:
    characters = [chr(code) for code in sorted(PINYIN_DICT)]
    simplified = characters
    for standard in ("t2s", "hk2s"):
        simplified = OpenCC(standard).convert("\n".join(simplified)).split("\n")
    pairs = dict(zip(characters, simplified, strict=True)) | EXTRA_VARIANTS
    return {ord(source): ord(target) for source, target in pairs.items() if len(target) == 1 and source != target}


def _compatibility_forms() -> dict[int, int]:
    forms = {}
    for code in range(FIRST_NON_ASCII, CODE_POINTS):
        if code not in SURROGATES:
            normalized = unicodedata.normalize("NFKC", chr(code))
            if len(normalized) == 1 and ord(normalized) != code:
                forms[code] = ord(normalized)
    return forms


def _follow(code: int, direct: dict[int, int]) -> int:
    seen = {code}
    while (following := direct.get(code, code)) not in seen:
        code = following
        seen.add(code)
    return code


def toneless(reading: str) -> str:
    decomposed = unicodedata.normalize("NFD", reading.lower()).replace("u\u0308", "v")
    return "".join(letter for letter in decomposed if "a" <= letter <= "z")


def _to_columns(table: dict[int, int]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    return np.array(list(table.keys()), np.uint32), np.array(list(table.values()), np.uint32)


def main(name: str) -> None:
    fold = dict(sorted(folding().items()))
    read = readings(fold)
    names = sorted(set(read.values()))
    number = {syllable: index for index, syllable in enumerate(names, start=1)}
    columns = _to_columns({code: number[syllable] for code, syllable in read.items()})
    payload = pack_readings(columns, _to_columns(fold))
    (FOLDER / f"readings_{name}.bin").write_bytes(lzma.compress(payload, preset=9))
    rows = [names[start : start + 16] for start in range(0, len(names), 16)]
    lines = "\n".join(f'    "{" ".join(row)} "' for row in rows)
    module = FOLDER / f"syllables_{name}.py"
    module.write_text(SYLLABLES_TEMPLATE.format(lines=lines), encoding="utf-8")
    summary = f"{len(read)} readings, {len(fold)} folded, {len(names)} syllables, digest {payload_digest(payload)}\n"
    sys.stdout.write(summary)


if __name__ == "__main__":
    main(sys.argv[1])
