"""The ways to alter or hide a text: one record each, in the order in which they are looked for and shown.

Desk, reports, command line and evidence take their words from here. A record names its repair by a dotted path, as a
kind of site names its spider: words are needed where the libraries that read pages must not be loaded.
docs/recipes/obfuscation.md says how to add one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Self

from core.wording import Message, has_words


class Obfuscation(StrEnum):
    """What was altered in a text, or hides it from programs; what for, nobody knows. The value is what is stored.

    label, explanation: for people, from the catalogues. caveat: what readers who rely on the text have to know of how
    it was undone. repair: a `crawler.obfuscation.repairs.Repair`, which several may share; "" where only comparison
    with the work shows it.
    """

    repair: str

    def __new__(cls, kind: str, repair: str = "") -> Self:
        """Return a member whose value is its kind."""
        member = str.__new__(cls, kind)
        member._value_ = kind
        member.repair = repair
        return member

    @property
    def label(self) -> Message:
        return Message(f"obfuscation.{self.value.replace('_', '-')}")

    @property
    def explanation(self) -> Message:
        return Message(f"{self.label.code}-explanation")

    @property
    def caveat(self) -> Message | None:
        code = f"{self.label.code}-caveat"
        return Message(code) if has_words(code) else None

    # In the markup of a page, repaired in this order: scripts write first, since style hides what they wrote; what is
    # hidden goes before shapes and order are looked at; the order comes last, since it moves whatever is shown.
    SCRIPTED = ("scripted", "crawler.obfuscation.scripted.REPAIR")
    HIDDEN_TEXT = ("hidden_text", "crawler.obfuscation.visibility.REPAIR")
    RUBY = ("ruby", "crawler.obfuscation.visibility.REPAIR")
    DECOYS = ("decoys", "crawler.obfuscation.visibility.REPAIR")
    GENERATED_TEXT = ("generated_text", "crawler.obfuscation.generated_text.REPAIR")
    FONT = ("font", "crawler.obfuscation.shown_fonts.REPAIR")
    PICTURE_TEXT = ("picture_text", "crawler.obfuscation.pictures.REPAIR")
    TEXT_PICTURE = ("text_picture", "crawler.obfuscation.page_pictures.REPAIR")
    REORDERED = ("reordered", "crawler.obfuscation.reordered.REPAIR")

    # Between the characters of the text, repaired in this order.
    ZERO_WIDTH = ("zero_width", "crawler.obfuscation.text_noise.ZERO_WIDTH")
    SITE_ADVERTISEMENT = ("site_advertisement", "crawler.obfuscation.advertisements.REPAIR")
    SPACES = ("spaces", "crawler.obfuscation.text_noise.SPACES")
    PINYIN_INSERTED = ("pinyin_inserted", "crawler.obfuscation.text_noise.PINYIN_INSERTED")
    FULL_WIDTH = ("full_width", "crawler.obfuscation.text_noise.FULL_WIDTH")
    PUNCTUATION_NOISE = ("punctuation_noise", "crawler.obfuscation.text_noise.PUNCTUATION_NOISE")

    # Seen by comparison with the work.
    PINYIN_REPLACED = "pinyin_replaced"
    PRIVATE_USE = "private_use"
    HOMOPHONE = "homophone"
    SHAPE = "shape"
    REPLACED = "replaced"
    SCRIPT_CONVERTED = "script_converted"
    TEXT_INSERTED = "text_inserted"
    TEXT_DELETED = "text_deleted"
    REARRANGED = "rearranged"
    STREWN = "strewn"
    SHUFFLED = "shuffled"
    PATCHWORK = "patchwork"

    # Of reading itself: what takes too long is left out (crawler.reading_steps).
    SLOW_PARTS = "slow_parts"


# By what is stored; another version may know kinds that this one does not.
OBFUSCATIONS: Mapping[str, Obfuscation] = MappingProxyType({kind.value: kind for kind in Obfuscation})


@dataclass(frozen=True, slots=True)
class ObfuscationFound:
    """One kind of obfuscation on a page: how often, and one example as it stood there (at most 80 characters)."""

    kind: Obfuscation
    count: int
    example: str = ""
