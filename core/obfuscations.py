"""The kinds of obfuscation, in the order in which they are detected and shown.

The admin, reports, the command line and evidence use these labels. A record names its repair by a dotted path, because
labels are also needed in processes that must not load the libraries that read pages. docs/recipes/obfuscation.md says
how to add a kind.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Self

from core.wording import Message, has_words


class Obfuscation(StrEnum):
    """A way in which a text is altered or hidden from programs, whatever the purpose. The value is stored.

    label, explanation: words from the catalogues. caveat: a warning about the repair for readers who rely on the text.
    repair: a `crawler.obfuscation.repairs.Repair`, which kinds may share; "" if only comparison with the work detects
    the kind.
    """

    repair: str

    def __new__(cls, kind: str, repair: str = "") -> Self:
        """Create a member whose value is its kind."""
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

    # In the markup of a page, repaired in this order: scripts first, because styles hide the text they wrote; hidden
    # text before shapes and order; the order last, because it moves everything displayed.
    SCRIPTED = ("scripted", "crawler.obfuscation.scripted.REPAIR")
    ENCODED_TEXT = ("encoded_text", "crawler.obfuscation.encoded_text.REPAIR")
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
    INTERRUPTING_LINES = ("interrupting_lines", "crawler.obfuscation.interrupting_lines.REPAIR")
    SPACES = ("spaces", "crawler.obfuscation.text_noise.SPACES")
    PINYIN_INSERTED = ("pinyin_inserted", "crawler.obfuscation.text_noise.PINYIN_INSERTED")
    FULL_WIDTH = ("full_width", "crawler.obfuscation.text_noise.FULL_WIDTH")
    PUNCTUATION_NOISE = ("punctuation_noise", "crawler.obfuscation.text_noise.PUNCTUATION_NOISE")

    # Detected by comparison with the work.
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

    # While reading: parts that are too large or too slow are skipped (crawler.opening).
    SLOW_PARTS = "slow_parts"


# By stored value; a store may contain kinds of another version, which are missing here.
OBFUSCATIONS: Mapping[str, Obfuscation] = MappingProxyType({kind.value: kind for kind in Obfuscation})


@dataclass(frozen=True, slots=True)
class ObfuscationFound:
    """One kind of obfuscation on a page, with its count and one unrepaired example of at most 80 characters."""

    kind: Obfuscation
    count: int
    example: str = ""


def merge_findings(found: Iterable[ObfuscationFound]) -> tuple[ObfuscationFound, ...]:
    """Merge the findings of each kind: add their counts, and keep the order and the example of the first."""
    merged: dict[Obfuscation, ObfuscationFound] = {}
    for one in found:
        before = merged.get(one.kind, ObfuscationFound(one.kind, 0))
        merged[one.kind] = ObfuscationFound(one.kind, before.count + one.count, before.example or one.example)
    return tuple(merged.values())
