"""Obfuscations by CSS: hidden text, decoy characters, text in the style sheet, and visual reordering."""

import re
from collections.abc import Callable, Sequence
from html import escape
from random import Random

from crawler.characters.repertoire import FREQUENT_HAN
from laboratory.extraction.obfuscated_pages.page import Body

_ALPHABET = sorted(FREQUENT_HAN)
HIDING = (
    "display:none",
    "visibility:hidden",
    "font-size:0",
    "font-size:0.5px",
    "opacity:0",
    "opacity:.01",
    "position:absolute;left:-9999px",
    "position:fixed;top:-200em",
    "position:absolute;left:20000px",
    "margin-left:-9999px;float:left",
    "color:transparent",
    "color:#fff;background:#ffffff",
    "color:#fdfdfd;background-color:#fff",
    "height:0;overflow:hidden;display:inline-block",
    "position:absolute;clip:rect(0,0,0,0)",
    "position:absolute;clip-path:inset(50%)",
    "position:absolute;transform:translateX(-10000px)",
    "transform:scale(0);display:inline-block",
    "text-indent:-9999px;display:inline-block",
    "filter:opacity(0)",
)
_REVERSE_PAIRS = str.maketrans("（）《》「」『』【】()", "）（》《」「』『】【)(")


def hidden_text(paragraphs: Sequence[str], rng: Random) -> Body:
    """Insert words of 2 to 8 characters after about every tenth character, each hidden in one of several ways."""
    return _with_decoys(paragraphs, rng, (2, 8), 0.1)


def decoy_characters(paragraphs: Sequence[str], rng: Random) -> Body:
    return _with_decoys(paragraphs, rng, (1, 1), 0.3)


def hidden_paragraphs(paragraphs: Sequence[str], rng: Random) -> Body:
    way = rng.choice(HIDING)
    markup: list[str] = []
    for number, each in enumerate(paragraphs):
        markup.append(f"<p>{escape(each)}</p>")
        if number % 3 == 1:
            markup.append(f'<p class="tip">{"".join(rng.choices(_ALPHABET, k=18))}。</p>')
    return Body(markup, "\n".join(paragraphs), css=f".tip{{{way}}}")


def generated(paragraphs: Sequence[str], rng: Random) -> Body:
    """Move about every tenth word into the style sheet, or into an attribute that the style sheet displays."""
    rules: list[str] = ["[data-w]::before{content:attr(data-w)}"]
    markup = []
    for each in paragraphs:
        parts = []
        for word in _words(each, rng):
            drawn = rng.random()
            if drawn < 0.1 and re.fullmatch("[\u4e00-\u9fff]+", word):
                place = rng.choice(("before", "after"))
                shown = f'"{word}"' if rng.random() < 0.5 else '"' + "".join(f"\\{ord(c):x} " for c in word) + '"'
                rules.append(f".g{len(rules)}::{place}{{content:{shown}}}")
                parts.append(f'<i class="g{len(rules) - 1}"></i>')
            elif drawn < 0.2 and re.fullmatch("[\u4e00-\u9fff]+", word):
                parts.append(f'<span data-w="{word}"></span>')
            else:
                parts.append(escape(word))
        markup.append(f"<p>{''.join(parts)}</p>")
    return Body(markup, "\n".join(paragraphs), css="".join(rules))


def right_to_left(paragraphs: Sequence[str], rng: Random) -> Body:
    """Reverse whole paragraphs in the source, and restore them by CSS."""
    markup, css = [], ".r{direction:rtl;unicode-bidi:bidi-override;text-align:left}"
    for each in paragraphs:
        turned = escape(each[::-1].translate(_REVERSE_PAIRS))
        way = rng.randrange(4)
        if way == 0:
            markup.append(f'<p class="r">{turned}</p>')
        elif way == 1:
            markup.append(f'<p><bdo dir="rtl">{turned}</bdo></p>')
        elif way == 2:
            markup.append(f"<p>\u202e{turned}\u202c</p>")
        else:
            markup.append(f'<p style="unicode-bidi:bidi-override;direction:rtl;text-align:left">{turned}</p>')
    return Body(markup, "\n".join(paragraphs), css=css)


def shuffled_boxes(paragraphs: Sequence[str], rng: Random) -> Body:
    """Cut clauses into characters that CSS reorders: reversed boxes, `order`, floats, offsets."""
    css = ".fr{display:inline-flex;flex-direction:row-reverse}.fx{display:inline-flex}"
    css += ".fl{display:inline-block}.fl i{float:right}"
    css += ".ps{display:inline-block;position:relative;height:1em}.ps i{position:absolute;top:0}"
    markup = []
    for each in paragraphs:
        parts = []
        for clause in re.split("(?<=[，。])", each):
            is_long = len(clause) > 3 and rng.random() < 0.6
            parts.append(rng.choice(_BOXES)(clause, rng) if is_long else escape(clause))
        markup.append(f"<p>{''.join(parts)}</p>")
    return Body(markup, "\n".join(paragraphs), css=css)


def _reversed_box(clause: str, rng: Random) -> str:
    return f'<span class="fr">{"".join(f"<i>{escape(char)}</i>" for char in reversed(clause))}</span>'


def _ordered_box(clause: str, rng: Random) -> str:
    pieces = [f'<b style="order:{number}">{escape(char)}</b>' for number, char in enumerate(clause, 1)]
    rng.shuffle(pieces)
    return f'<span class="fx">{"".join(pieces)}</span>'


def _floated_box(clause: str, rng: Random) -> str:
    return f'<span class="fl">{"".join(f"<i>{escape(char)}</i>" for char in reversed(clause))}</span>'


def _placed_box(clause: str, rng: Random) -> str:
    pieces = [f'<i style="left:{number}em">{escape(char)}</i>' for number, char in enumerate(clause)]
    rng.shuffle(pieces)
    return f'<span class="ps" style="width:{len(clause)}em">{"".join(pieces)}</span>'


_BOXES: tuple[Callable[[str, Random], str], ...] = (_reversed_box, _ordered_box, _floated_box, _placed_box)


def _with_decoys(paragraphs: Sequence[str], rng: Random, sizes: tuple[int, int], share: float) -> Body:
    ways = rng.sample(HIDING, 3)
    rules = "".join(f".{name}{{{way}}}" for name, way in zip(("xa", "xb", "xc"), ways, strict=True))
    markup = []
    for each in paragraphs:
        parts = []
        for char in each:
            parts.append(escape(char))
            if rng.random() < share:
                decoy = "".join(rng.choices(_ALPHABET, k=rng.randint(*sizes)))
                tag, name = rng.choice(("span", "i", "font")), rng.choice(("xa", "xb", "xc"))
                parts.append(f'<{tag} class="{name}">{decoy}</{tag}>')
        markup.append(f"<p>{''.join(parts)}</p>")
    return Body(markup, "\n".join(paragraphs), css=rules)


def _words(text: str, rng: Random) -> list[str]:
    words, at = [], 0
    while at < len(text):
        size = rng.randint(1, 3)
        words.append(text[at : at + size])
        at += size
    return words
