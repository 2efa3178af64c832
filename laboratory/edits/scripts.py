"""Simplified and traditional, character by character: which of the two a text is in, and the other form."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from opencc import OpenCC

from fingerprint.readings import CODE_POINTS, READINGS_2026

UNIFIED = range(0x3400, 0xA000)


class Scripts:
    """The tables, worked out at the first question. Source: OpenCC's standard `s2t`, and the fold of the readings."""

    @cached_property
    def traditional_forms(self) -> NDArray[np.uint32]:
        """uint32[code point]: the form that traditional text has for a character that stands alone."""
        table = np.arange(CODE_POINTS, dtype=np.uint32)
        block = [chr(code) for code in UNIFIED]
        converted = OpenCC("s2t").convert("\n".join(block)).split("\n")
        table[UNIFIED.start : UNIFIED.stop] = [
            ord(form) if len(form) == 1 else ord(character) for character, form in zip(block, converted, strict=True)
        ]
        return table

    @cached_property
    def _leaning(self) -> NDArray[np.int8]:
        """int8[code point]: 1 written in traditional text only, -1 in simplified text only, 0 in both or no Han."""
        leaning = np.zeros(CODE_POINTS, np.int8)
        block = np.arange(UNIFIED.start, UNIFIED.stop)
        leaning[block[READINGS_2026.folding[block] != block]] = 1
        leaning[block[self.traditional_forms[block] != block]] = -1
        return leaning

    def is_traditional(self, codes: NDArray[np.uint32]) -> bool:
        """Return whether more characters are traditional alone than simplified alone.

        Text that is in both is simplified.
        """
        return int(self._leaning[codes].sum(dtype=np.int64)) > 0

    def as_in(self, codes: NDArray[np.uint32], text_codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Simplified characters in the script of a text: who edits traditional text types traditional characters."""
        return self.traditional_forms[codes] if self.is_traditional(text_codes) else codes


SCRIPTS = Scripts()
