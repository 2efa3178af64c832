"""Layouts after one another, of a part of a text, and of a text of which characters were replaced, too."""

from random import Random

import numpy as np

from laboratory.edits.edited import PUT_IN, Edited
from laboratory.edits.material import default_material
from laboratory.edits.moves import Layout
from laboratory.edits.substitution import homophone


def then(*layouts: Layout) -> Layout:
    """One after the other."""

    def layout(page: Edited, rng: Random) -> Edited:
        for each in layouts:
            page = each(page, rng)
        return page

    return layout


def in_part(layout: Layout, share: float) -> Layout:
    """Only the last part of the text, from the line or the character where it begins."""

    def in_the_rest(page: Edited, rng: Random) -> Edited:
        start = round(len(page.text) * (1 - share))
        head, rest = page.taken(np.arange(start)), layout(page.taken(np.arange(start, len(page.text))), rng)
        return Edited(
            f"{head.text}\n{rest.text}", np.concatenate([head.origins, [PUT_IN], rest.origins]).astype(np.int32)
        )

    return in_the_rest


def replaced_by_sound(share: float) -> Layout:
    """A share of the characters replaced by ones of the same sound."""

    def layout(page: Edited, rng: Random) -> Edited:
        return homophone(page, share, rng, default_material())

    return layout
