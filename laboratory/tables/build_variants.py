"""Writes the table of variants: characters that are forms of the same character, according to two public tables.

    python -m laboratory.tables.build_variants Unihan_Variants.txt dypytz-variants.txt 2026

The first file is from the Unicode Character Database (Unihan, version 15.0). The second is the First Table of Verified
Variant Characters (第一批异体字整理表) of 1955 as transcribed by the project cjkvi-variants, with the characters that
later tables restored (彷, 黏). Licences: fingerprint/LICENSE. Fingerprints do not depend on this table.
"""

import re
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

from fingerprint.near import NEAR_2026, NearTable
from fingerprint.variants import SOURCE_1955, SOURCE_UNIHAN, table_path
from laboratory.tables.build_shapes import gb2312

# The same word by definition, or with other glyphs. The specialised kind (the same in one sense) is left out.
UNIHAN_FIELDS = frozenset({"kSemanticVariant", "kZVariant"})
# It is simplified to 合, which is not a variant of 阁.
FOLDED_INTO_ANOTHER = frozenset("閤")
GB_2312_ROWS = range(16, 88)
HEADER = f"""# Characters that are variants of one another: the source, and the characters of one group.
# Written by laboratory.tables.build_variants. {SOURCE_1955}: 第一批异体字整理表;
# {SOURCE_UNIHAN}: Unihan, {", ".join(sorted(UNIHAN_FIELDS))}.
# Licences: fingerprint/LICENSE.
"""


def groups_of_1955(lines: list[str]) -> Iterator[str]:
    """Return each character of the table with all its variants. lines: `背,dypytz/variant,揹`.

    >>> list(groups_of_1955(["#", "dypytz/proper,<name>,x", "背,dypytz/variant,揹", "仿,dypytz/variant/1988,彷"]))
    ['背揹', '仿彷']
    """
    groups: dict[str, list[str]] = {}
    for line in lines:
        if found := re.match(r"(.),dypytz/variant[^,]*,(.)", line):
            proper, variant = found.groups()
            if variant not in FOLDED_INTO_ANOTHER | {proper}:
                groups.setdefault(proper, [proper]).append(variant)
    return map("".join, groups.values())


def pairs_of_unihan(lines: list[str], near: NearTable) -> Iterator[str]:
    """Yield the pairs that share a reading, with one in everyday use and the other not.

    Two characters that are both in use are different words today (他 and 她, 帐 and 账).
    """
    everyday = gb2312(GB_2312_ROWS)
    for line in lines:
        code, field, values = (*line.rstrip("\n").split("\t"), "", "")[:3]
        for value in values.split() if field in UNIHAN_FIELDS else ():
            pair = [_character(code), _character(value.split("<")[0])]
            folded = [chr(near.table.folding[ord(character)]) for character in pair]
            is_everyday = [character in everyday for character in folded]
            if sum(is_everyday) == 1 and _share_a_reading(folded, near):
                yield "".join(pair if is_everyday[0] else reversed(pair))


def _share_a_reading(pair: list[str], near: NearTable) -> bool:
    first, second = (set(near.readings[near.rows[ord(character)]].tolist()) - {0} for character in pair)
    return not first.isdisjoint(second)


def _character(code: str) -> str:
    return chr(int(code.removeprefix("U+"), 16))


def main(unihan: str, of_1955: str, name: str) -> None:
    groups = list(groups_of_1955(Path(of_1955).read_text("utf-8").splitlines()))
    known = {pair for group in groups for pair in permutations(group, 2)}
    pairs = {*pairs_of_unihan(Path(unihan).read_text("utf-8").splitlines(), NEAR_2026)}
    further = sorted(pair for pair in pairs if tuple(pair) not in known)
    rows = [*((SOURCE_1955, group) for group in groups), *((SOURCE_UNIHAN, pair) for pair in further)]
    table_path(name).write_text(HEADER + "".join(f"{source}\t{group}\n" for source, group in rows), "utf-8")
    sys.stdout.write(f"{len(groups)} groups of 1955, {len(further)} pairs of Unihan\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
