"""Text that stands in a page's source and not on the screen: decoys between the characters of a copy."""

from collections.abc import Sequence
from html import escape
from random import Random

from deploy.demo.substitution import common_characters

OFF_SCREEN_CLASS = "kd"  # the templates' style sheets put it beyond the left edge
WRAPPERS = (
    '<span style="display:none">%s</span>',
    '<span style="font-size:0">%s</span>',
    f'<i class="{OFF_SCREEN_CLASS}">%s</i>',
)
DECOY_CHARS = (2, 6)


def with_decoys(paragraphs: Sequence[str], rng: Random, strength: float) -> list[str]:
    """The paragraphs as HTML, with unseen characters after a share `strength` of all characters."""
    alphabet = sorted(common_characters())
    return ["".join(_unit(char, alphabet, rng, strength) for char in paragraph) for paragraph in paragraphs]


def _unit(char: str, alphabet: Sequence[str], rng: Random, strength: float) -> str:
    if rng.random() >= strength:
        return escape(char)
    decoy = "".join(rng.choices(alphabet, k=rng.randint(*DECOY_CHARS)))
    return escape(char) + rng.choice(WRAPPERS) % decoy
