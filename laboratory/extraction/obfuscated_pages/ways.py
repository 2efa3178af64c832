"""The obfuscations of generated pages by name, and the pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from core.obfuscations import Obfuscation
from laboratory.extraction.obfuscated_pages import css, glyphs, page_scripts, text_noise
from laboratory.extraction.obfuscated_pages.page import HiddenPage, Maker, page_of, plain
from laboratory.extraction.obfuscated_pages.prose import paragraphs


@dataclass(frozen=True, slots=True)
class Way:
    """One way to obfuscate a text. is_external: on every other page its style is in a linked style sheet."""

    name: str
    kind: Obfuscation | None
    maker: Maker
    is_external: bool = False
    marks_count: bool = True  # False: the text's own marks can no longer be recognized, so only letters are compared


MARKUP_WAYS = (
    Way("hidden words", Obfuscation.HIDDEN_TEXT, css.hidden_text, is_external=True),
    Way("hidden paragraphs", Obfuscation.HIDDEN_TEXT, css.hidden_paragraphs, is_external=True),
    Way("decoy characters", Obfuscation.DECOYS, css.decoy_characters, is_external=True),
    Way("text in the sheet", Obfuscation.GENERATED_TEXT, css.generated, is_external=True),
    Way("right to left", Obfuscation.REORDERED, css.right_to_left, is_external=True),
    Way("boxes in order", Obfuscation.REORDERED, css.shuffled_boxes, is_external=True),
    Way("ruby", Obfuscation.RUBY, text_noise.ruby),
    Way("assembled by script", Obfuscation.SCRIPTED, page_scripts.scripted),
    Way("encoded", Obfuscation.ENCODED_TEXT, text_noise.encoded),
    Way("zero-width", Obfuscation.ZERO_WIDTH, text_noise.zero_width),
    Way("spaces", Obfuscation.SPACES, text_noise.spaces),
    Way("pinyin in brackets", Obfuscation.PINYIN_INSERTED, text_noise.pinyin_in_brackets),
    Way("full and half width", Obfuscation.FULL_WIDTH, text_noise.full_width),
    Way("odd marks", Obfuscation.PUNCTUATION_NOISE, text_noise.punctuation),
    Way("true marks", Obfuscation.PUNCTUATION_NOISE, text_noise.true_marks, marks_count=False),
    Way("site advertisements", Obfuscation.SITE_ADVERTISEMENT, text_noise.advertisements),
)
CLEAN = Way("clean", None, plain)


def drawn_ways(face: Path, label: str) -> tuple[Way, ...]:
    """Return the ways that draw characters in a face."""
    drawer = glyphs.drawer(face)
    return (
        Way(f"private-use font, {label}", Obfuscation.FONT, drawer.private_font, is_external=True),
        Way(f"remapped font, {label}", Obfuscation.FONT, drawer.remapped_font, is_external=True),
        Way(f"pictures, {label}", Obfuscation.PICTURE_TEXT, drawer.pictures),
        Way(f"strip of pictures, {label}", Obfuscation.PICTURE_TEXT, drawer.strip, is_external=True),
    )


def pages_of(way: Way, seed: int, count: int, passages: Sequence[Sequence[str]] = ()) -> Iterator[HiddenPage]:
    """Yield `count` pages of one way; the same seed gives the same pages.

    passages: texts of paragraphs to use instead of generated prose.
    """
    for number in range(count):
        rng = Random(f"{seed}:{way.name}:{number}")  # noqa: S311, no secret
        text = passages[number % len(passages)] if passages else paragraphs(rng, rng.randint(6, 12))
        body = way.maker(text, rng)
        yield page_of(way.name, way.kind, body, is_external=way.is_external and number % 2 == 1)
