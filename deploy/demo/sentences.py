"""Edits that leave every sentence as it is and change which sentences stand where.

A text is paragraphs on lines. Every edit takes the text, a source of chance and a strength, and changes nothing else:
the same three give the same text.
"""

import re
from random import Random

SENTENCE = re.compile(r"[^。！？…\n]*[。！？…]+[”’』」）]*|[^。！？…\n]+")
NEIGHBOURS = 6  # sentences that change places among themselves: a reshuffled paragraph, not a reshuffled book
PASSAGE_CHARS = (200, 500)  # a passage of a patchwork


def sentences(paragraph: str) -> list[str]:
    """The sentences of one paragraph, closing quotation marks included; joined they give it back.

    >>> sentences("他说：“走。”我不走！好")
    ['他说：“走。”', '我不走！', '好']
    """
    return SENTENCE.findall(paragraph)


def shuffle(text: str, rng: Random, strength: float) -> str:
    """Neighbouring sentences in another order; `strength`: the share of neighbourhoods that are reordered."""
    shape = [len(sentences(paragraph)) for paragraph in text.split("\n")]
    flat = _flat(text)
    groups = [flat[start : start + NEIGHBOURS] for start in range(0, len(flat), NEIGHBOURS)]
    chosen = set(rng.sample(range(len(groups)), max(1, round(strength * len(groups)))))
    shuffled = [
        sentence for at, group in enumerate(groups) for sentence in (_reordered(group, rng) if at in chosen else group)
    ]
    rest = iter(shuffled)
    return "\n".join("".join(next(rest) for _ in range(count)) for count in shape)


def drop(text: str, rng: Random, strength: float) -> str:
    """The text without a share `strength` of its sentences; a paragraph that loses all of them goes too."""
    flat = _flat(text)
    lost = set(rng.sample(range(len(flat)), min(len(flat) - 1, round(strength * len(flat)))))
    paragraphs, position = [], 0
    for paragraph in text.split("\n"):
        parts = sentences(paragraph)
        kept = [part for at, part in enumerate(parts, position) if at not in lost]
        position += len(parts)
        if kept:
            paragraphs.append("".join(kept))
    return "\n".join(paragraphs)


def excerpt(text: str, rng: Random, strength: float) -> str:
    """A run of whole paragraphs that holds about a share `strength` of the text, from anywhere in it."""
    paragraphs = text.split("\n")
    goal = strength * len(text)
    tails = [at for at in range(len(paragraphs)) if sum(map(len, paragraphs[at:])) >= goal]
    start = rng.choice(tails)
    end = start + 1
    while sum(map(len, paragraphs[start:end])) < goal:
        end += 1
    return "\n".join(paragraphs[start:end])


def patchwork(first: str, second: str, rng: Random, strength: float) -> str:
    """Passages of two works by turns, in the order they have there; `strength`: the share of each that is used."""
    chosen = [_some(_passages(text, rng), rng, strength) for text in (first, second)]
    woven = []
    for turn in range(max(map(len, chosen))):
        woven += [passages[turn] for passages in chosen if turn < len(passages)]
    return "\n".join(woven)


def _flat(text: str) -> list[str]:
    return [sentence for paragraph in text.split("\n") for sentence in sentences(paragraph)]


def _reordered(group: list[str], rng: Random) -> list[str]:
    """The group in another order than its own, where it has one."""
    order = rng.sample(group, len(group))
    return order if order != group else group[::-1]


def _passages(text: str, rng: Random) -> list[str]:
    """The text cut at sentence ends into pieces of about 200 to 500 characters."""
    pieces, goal = [""], rng.randint(*PASSAGE_CHARS)
    for sentence in _flat(text):
        if len(pieces[-1]) + len(sentence) > goal and len(pieces[-1]) >= PASSAGE_CHARS[0]:
            pieces.append("")
            goal = rng.randint(*PASSAGE_CHARS)
        pieces[-1] += sentence
    return [piece for piece in pieces if len(piece) >= PASSAGE_CHARS[0]]


def _some(passages: list[str], rng: Random, share: float) -> list[str]:
    count = max(1, round(share * len(passages)))
    return [passages[at] for at in sorted(rng.sample(range(len(passages)), count))]
