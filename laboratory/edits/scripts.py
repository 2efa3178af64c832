"""Simplified and traditional characters: detects the script of a text, and converts character by character."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from opencc import OpenCC

from fingerprint.readings import CODE_POINTS, READINGS_2026

UNIFIED = range(0x3400, 0xA000)


class Scripts:
    """The tables, computed at first use. Source: OpenCC's standard `s2t`, and the folding of the readings."""

    @cached_property
    def traditional_forms(self) -> NDArray[np.uint32]:
        """uint32[code point], the traditional form of a single character."""
        table = np.arange(CODE_POINTS, dtype=np.uint32)
        block = [chr(code) for code in UNIFIED]
        converted = OpenCC("s2t").convert("\n".join(block)).split("\n")
        table[UNIFIED.start : UNIFIED.stop] = [
            ord(form) if len(form) == 1 else ord(character) for character, form in zip(block, converted, strict=True)
        ]
        return table

    @cached_property
    def _leaning(self) -> NDArray[np.int8]:
        """int8[code point]: 1 if used in traditional text only, -1 in simplified text only, 0 in both or not Han."""
        leaning = np.zeros(CODE_POINTS, np.int8)
        block = np.arange(UNIFIED.start, UNIFIED.stop)
        leaning[block[READINGS_2026.folding[block] != block]] = 1
        leaning[block[self.traditional_forms[block] != block]] = -1
        return leaning

    def is_traditional(self, codes: NDArray[np.uint32]) -> bool:
        """Return True if the text has more traditional-only characters than simplified-only ones."""
        return int(self._leaning[codes].sum(dtype=np.int64)) > 0

    def as_in(self, codes: NDArray[np.uint32], text_codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return simplified characters in the script of a text, because an editor of traditional text types in it."""
        return self.traditional_forms[codes] if self.is_traditional(text_codes) else codes


SCRIPTS = Scripts()
