"""Writes the table of components: the parts of which each character is drawn, according to a public table.

    python -m laboratory.tables.build_components cjk-decomp.txt 2026

The file is the CJK Decomposition Data File of Gavin Grover, which decomposes each character graphically, step by step
down to strokes. Licence: fingerprint/LICENSE. The same file gives the same bytes.
"""

import re
import sys
from collections import Counter
from collections.abc import Mapping
from math import log
from pathlib import Path

import numpy as np

from fingerprint.components import table_path
from fingerprint.near import pack_arrays
from laboratory.tables.build_shapes import big5, gb2312

Parts = Mapping[str, tuple[str, ...]]


def read_parts(lines: list[str]) -> Parts:
    """Return the parts of each character, or of each numbered part without a code point.

    >>> read_parts(["俞:d(亼,10102)", "㇐:c()"])
    {'俞': ('亼', '10102'), '㇐': ()}
    """
    found = (re.fullmatch(r"(.+?):[^(]*\((.*)\)", line) for line in lines)
    return {each[1]: tuple(part for part in each[2].split(",") if part) for each in found if each}


def components_of(character: str, parts: Parts) -> frozenset[str]:
    """Return the character and all its parts at any depth, down to single strokes.

    >>> sorted(components_of("伴", {"伴": ("亻", "半"), "半": ("丷", "㇐")}))
    ['㇐', '丷', '亻', '伴', '半']
    """
    found: set[str] = set()
    open_ones = [character]
    while open_ones:
        part = open_ones.pop()
        if part not in found:
            found.add(part)
            open_ones += parts.get(part, ())
    return frozenset(found)


def main(source: str, name: str) -> None:
    parts = read_parts(Path(source).read_text("utf-8").splitlines())
    everyday = gb2312(range(16, 56))
    characters = sorted(everyday | gb2312(range(56, 88)) | big5())
    listed = {character: components_of(character, parts) for character in characters}
    uses = Counter(part for character in everyday for part in listed[character])
    having = Counter(part for found in listed.values() for part in found)
    weight = {part: log(len(everyday) / max(1, uses[part])) for part in having}
    shared = sorted((part for part in having if having[part] > 1), key=lambda part: (-having[part], part))
    ids = {part: number for number, part in enumerate(shared)}
    rows = [sorted(ids[part] for part in listed[character] if part in ids) for character in characters]
    data = pack_arrays(
        [
            np.array([ord(character) for character in characters], np.uint32),
            np.array([len(row) for row in rows], np.uint8),
            np.array([number for row in rows for number in row], np.uint16),
            np.array([sum(weight[part] for part in listed[character]) for character in characters], np.float32),
            np.array([weight[part] for part in shared], np.float32),
        ]
    )
    table_path(name).write_bytes(data)
    sys.stdout.write(f"{len(characters)} characters, {len(shared)} components, {len(data)} bytes\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
