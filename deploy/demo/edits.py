"""What the demo's copyists do to a text: every edit, what it must be recognised as, and which classes may result.

All edits are pure: the same text, seed and strength give the same result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from random import Random

from core.matches import MatchClass
from core.obfuscations import Obfuscation
from deploy.demo import hiding, insertion, sentences, substitution

TextEdit = Callable[[str, Random, float], str]


class Edit(StrEnum):
    """One thing that is done to a text."""

    EXCERPT = "excerpt"
    DROPPED = "dropped"
    SHUFFLED = "shuffled"
    HOMOPHONES = "homophones"
    PINYIN_IN_PLACE = "pinyin_in_place"
    TRADITIONAL = "traditional"
    TRADITIONAL_TAIWAN = "traditional_taiwan"
    ADVERTISEMENTS = "advertisements"
    PINYIN_IN_BRACKETS = "pinyin_in_brackets"
    ZERO_WIDTH = "zero_width"
    SPACES = "spaces"
    HIDDEN = "hidden"  # done to the markup, after every edit of the text
    PATCHWORK = "patchwork"  # of two works; `sentences.patchwork`


@dataclass(frozen=True, slots=True)
class Step:
    """An edit and its strength, [0, 1]; what the share is of is said by the edit."""

    edit: Edit
    strength: float = 1.0


TEXT_EDITS: dict[Edit, TextEdit] = {
    Edit.EXCERPT: sentences.excerpt,
    Edit.DROPPED: sentences.drop,
    Edit.SHUFFLED: sentences.shuffle,
    Edit.HOMOPHONES: substitution.homophones,
    Edit.PINYIN_IN_PLACE: substitution.pinyin_in_place,
    Edit.TRADITIONAL: substitution.traditional,
    Edit.TRADITIONAL_TAIWAN: substitution.traditional_taiwan,
    Edit.ADVERTISEMENTS: insertion.advertisements,
    Edit.PINYIN_IN_BRACKETS: insertion.pinyin_in_brackets,
    Edit.ZERO_WIDTH: insertion.zero_width,
    Edit.SPACES: insertion.spaces,
}

OBFUSCATION_OF: dict[Edit, Obfuscation] = {
    Edit.DROPPED: Obfuscation.TEXT_DELETED,
    Edit.SHUFFLED: Obfuscation.SHUFFLED,
    Edit.HOMOPHONES: Obfuscation.HOMOPHONE,
    Edit.PINYIN_IN_PLACE: Obfuscation.PINYIN_REPLACED,
    Edit.TRADITIONAL: Obfuscation.SCRIPT_CONVERTED,
    Edit.TRADITIONAL_TAIWAN: Obfuscation.SCRIPT_CONVERTED,
    Edit.ADVERTISEMENTS: Obfuscation.TEXT_INSERTED,
    Edit.PINYIN_IN_BRACKETS: Obfuscation.PINYIN_INSERTED,
    Edit.ZERO_WIDTH: Obfuscation.ZERO_WIDTH,
    Edit.SPACES: Obfuscation.SPACES,
    Edit.HIDDEN: Obfuscation.HIDDEN_TEXT,
}

UNTOUCHED = frozenset({MatchClass.IDENTICAL, MatchClass.LIGHTLY_EDITED})
EDITED = frozenset({MatchClass.LIGHTLY_EDITED, MatchClass.HEAVILY_EDITED})
PARTIAL = frozenset({MatchClass.EXCERPT})
CLASSES: dict[Edit, frozenset[MatchClass]] = {
    Edit.EXCERPT: PARTIAL,
    Edit.DROPPED: EDITED | PARTIAL,
    Edit.SHUFFLED: EDITED | {MatchClass.PATCHWORK},
    Edit.HOMOPHONES: EDITED,
    Edit.PINYIN_IN_PLACE: EDITED,
    Edit.ADVERTISEMENTS: EDITED,
    Edit.PATCHWORK: frozenset({MatchClass.PATCHWORK, MatchClass.EXCERPT, MatchClass.HEAVILY_EDITED}),
}


def edited(text: str, steps: Sequence[Step], rng: Random) -> str:
    """The text after every step that is done to text, in order."""
    for step in steps:
        if step.edit in TEXT_EDITS:
            text = TEXT_EDITS[step.edit](text, rng, step.strength)
    return text


def marked_up(text: str, steps: Sequence[Step], rng: Random) -> list[str]:
    """The paragraphs of an edited text as HTML, with decoys where a step asks for them."""
    paragraphs = text.split("\n")
    for step in steps:
        if step.edit is Edit.HIDDEN:
            return hiding.with_decoys(paragraphs, rng, step.strength)
    return [escape(paragraph) for paragraph in paragraphs]


def obfuscations(steps: Sequence[Step]) -> tuple[Obfuscation, ...]:
    """What must be reported of a page that these steps made, without repetition."""
    return tuple(dict.fromkeys(OBFUSCATION_OF[step.edit] for step in steps if step.edit in OBFUSCATION_OF))


def classes(steps: Sequence[Step]) -> frozenset[MatchClass]:
    """The classes that are right for a whole text after these steps: those that any of them admits.

    A part of a text stays a part whatever else is done to it.
    """
    admitted = [CLASSES[step.edit] for step in steps if step.edit in CLASSES]
    for partial in (Edit.PATCHWORK, Edit.EXCERPT):
        if any(step.edit is partial for step in steps):
            return CLASSES[partial]
    return frozenset().union(*admitted) if admitted else UNTOUCHED
