"""All disguises that pages are generated of, each under a name, and the pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from core.pages import Disguise
from laboratory.hidden_pages import assembled, drawn, strewn, styled
from laboratory.hidden_pages.page import HiddenPage, Maker, page_of, plain
from laboratory.hidden_pages.prose import paragraphs


@dataclass(frozen=True, slots=True)
class Way:
    """One way to disguise a text. is_external: its style stands in a linked sheet on every other page."""

    name: str
    kind: Disguise | None
    maker: Maker
    is_external: bool = False
    marks_count: bool = True  # False: which marks were the text's own cannot be told any more; letters are compared


MARKUP_WAYS = (
    Way("hidden words", Disguise.HIDDEN_TEXT, styled.hidden_text, is_external=True),
    Way("hidden paragraphs", Disguise.HIDDEN_TEXT, styled.hidden_paragraphs, is_external=True),
    Way("decoy characters", Disguise.DECOYS, styled.decoy_characters, is_external=True),
    Way("text in the sheet", Disguise.GENERATED_TEXT, styled.generated, is_external=True),
    Way("right to left", Disguise.REORDERED, styled.right_to_left, is_external=True),
    Way("boxes in order", Disguise.REORDERED, styled.shuffled_boxes, is_external=True),
    Way("ruby", Disguise.RUBY, strewn.ruby),
    Way("assembled by script", Disguise.SCRIPTED, assembled.scripted),
    Way("zero-width", Disguise.ZERO_WIDTH, strewn.zero_width),
    Way("spaces", Disguise.SPACES, strewn.spaces),
    Way("pinyin in brackets", Disguise.PINYIN_INSERTED, strewn.pinyin_in_brackets),
    Way("full and half width", Disguise.FULL_WIDTH, strewn.full_width),
    Way("odd marks", Disguise.PUNCTUATION_NOISE, strewn.punctuation),
    Way("true marks", Disguise.PUNCTUATION_NOISE, strewn.true_marks, marks_count=False),
    Way("site advertisements", Disguise.SITE_ADVERTISEMENT, strewn.advertisements),
)
CLEAN = Way("clean", None, plain)


def drawn_ways(face: Path, label: str) -> tuple[Way, ...]:
    """The ways that draw characters, in one face."""
    drawer = drawn.drawer(face)
    return (
        Way(f"private-use font, {label}", Disguise.FONT, drawer.private_font, is_external=True),
        Way(f"remapped font, {label}", Disguise.FONT, drawer.remapped_font, is_external=True),
        Way(f"pictures, {label}", Disguise.PICTURE_TEXT, drawer.pictures),
        Way(f"strip of pictures, {label}", Disguise.PICTURE_TEXT, drawer.strip, is_external=True),
    )


def pages_of(way: Way, seed: int, count: int, passages: Sequence[Sequence[str]] = ()) -> Iterator[HiddenPage]:
    """`count` pages of one way; the same seed gives the same pages.

    passages: paragraphs that stand in place of generated prose, one text after another.
    """
    for number in range(count):
        rng = Random(f"{seed}:{way.name}:{number}")  # noqa: S311, no secret
        text = passages[number % len(passages)] if passages else paragraphs(rng, rng.randint(6, 12))
        body = way.maker(text, rng)
        yield page_of(way.name, way.kind, body, is_external=way.is_external and number % 2 == 1)
