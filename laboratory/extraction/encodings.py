"""How often the bytes of a page become the right characters: texts x encodings and damages x labels.

A cell is right when every character is right, a truncated one at the end aside, and the codec is named rightly.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from core.states import Rejection
from crawler.characters.decoding import Decoded, decode
from laboratory.extraction.samples import Sample, samples
from laboratory.extraction.sections import ExtractPlan, Say, Section
from laboratory.text_table import TextTable

SEED = 20_261_121
MIN_SHARE_RIGHT = 0.995  # of the cells, as the crawler promises
# Wrong ones among them on purpose; what is right for one encoding is wrong for the others.
HEADERS = ("", "utf-8", "gbk", "big5", "iso-8859-1")
METAS = ("", "utf-8", "gb2312", "big5")
_WHOLE = ("gb2312", "gbk", "gb18030", "big5", "big5hkscs", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")
_NAMES = {
    **dict.fromkeys(("gb2312", "gbk", "gb18030"), ("gb18030",)),
    **dict.fromkeys(("big5", "big5hkscs"), ("big5hkscs",)),
    **dict.fromkeys(("utf-8", "utf-8-sig"), ("utf-8",)),
    "utf-16": ("utf-16-le",),
}
MIN_CHARS_TWICE = 30  # of what is left where clauses that lose a byte on the way are left out
_CLAUSE = re.compile(r"[^，。；！？]+[，。；！？\n]*")
_ADVERTISEMENTS = (
    "最新网址已经更换，请收藏本站，方便下次阅读。",
    "最新網址已經更換，請收藏本站，方便下次閱讀。",
)
_BANNERS = ("收藏本站", "加入書籤")
_LATIN = (
    "<script>var _hmt = _hmt || []; (function() { var s = document.createElement('script'); s.async = true; })();"
    "</script><nav><a href='/index.html'>Home</a> | <a href='/login?next=%2Fbook%2F12'>Login</a> | RSS</nav>"
)


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which a text became bytes; `make` gives None where the text cannot take this form.

    codecs: the names that are right for these bytes.
    """

    name: str
    codecs: tuple[str, ...]
    make: Callable[[str, str], tuple[bytes, str] | None]  # head and text -> bytes, and the characters they stand for


@dataclass(frozen=True, slots=True)
class Cell:
    """One text in one form under a pair of labels."""

    sample: Sample
    form: Form
    header: str
    meta: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that came out wrong; `got` names the codec, or the refusal."""

    sample: str
    form: str
    header: str
    meta: str
    got: str


@dataclass(slots=True)
class EncodingResult:
    """Cells and those that are right, for each form and each kind of text."""

    cells: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    flagged: int = 0  # wrong, but shown as doubtful or refused: nothing false was stored as truth
    doubts: int = 0  # right, but shown as doubtful
    failures: list[Failure] = field(default_factory=list)

    @property
    def total(self) -> int:
        return sum(count for name, count in self.cells.items() if name.startswith("form "))

    @property
    def share_right(self) -> float:
        """Of all cells, [0, 1]; 0.0 without cells."""
        correct = sum(count for name, count in self.right.items() if name.startswith("form "))
        return correct / self.total if self.total else 0.0

    def note(self, cell: Cell, text: str, got: Decoded | Rejection) -> None:
        """Count one cell. text: the characters that its bytes stand for."""
        is_right = isinstance(got, Decoded) and got.text == text and got.encoding in cell.form.codecs
        is_flagged = isinstance(got, Rejection) or got.is_doubtful
        for name in (f"form {cell.form.name}", f"kind {cell.sample.kind}"):
            self.cells[name] += 1
            self.right[name] += is_right
        self.doubts += is_right and is_flagged
        if is_right:
            return
        self.flagged += is_flagged
        named = f"{got.encoding}{', doubtful' if is_flagged else ''}" if isinstance(got, Decoded) else str(got)
        self.failures.append(Failure(cell.sample.name, cell.form.name, cell.header, cell.meta, named))

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "cells": self.total,
            "share_right": self.share_right,
            "target": MIN_SHARE_RIGHT,
            "wrong_but_flagged": self.flagged,
            "right_but_flagged": self.doubts,
            "parts": {name: [count, self.right[name]] for name, count in self.cells.items()},
            "failures": [f"{f.sample} {f.form} {f.header} {f.meta} {f.got}" for f in self.failures],
        }


def section(plan: ExtractPlan, say: Say) -> Section:
    """The matrix of texts, encodings and wrong labels. Raises UnreadableFile for an incomplete folder of corpora."""
    say("encodings: the whole matrix is decoded")
    corpora = plan.corpora if plan.corpora.is_dir() else None
    result = measure(corpora)
    rows = [("all cells", f"{result.total:,}", f"{result.share_right:.2%}")]
    rows += [(name, f"{count:,}", f"{result.right[name] / count:.2%}") for name, count in result.cells.items()]
    title = f"Encodings read rightly (asked for: {MIN_SHARE_RIGHT:.1%})"
    table = TextTable(title, ("bytes", "cells", "right"), tuple(rows), ("cells", "right"))
    return Section((table,), result.as_dict())


def measure(corpora: Path | None, seed: int = SEED, texts: Sequence[Sample] | None = None) -> EncodingResult:
    """Decode the whole matrix. corpora: folder of the shared corpora; without it the own texts alone are used.

    Raises UnreadableFile for an incomplete folder.
    """
    result = EncodingResult()
    for sample, form, markup in product(samples(corpora, seed) if texts is None else texts, FORMS, (False, True)):
        for header, meta in _labels(sample, form, markup):
            made = form.make(_head(meta, markup), sample.text)
            if made is None:
                continue
            result.note(Cell(sample, form, header, meta), made[1], decode(made[0], header))
    return result


def _labels(sample: Sample, form: Form, markup: bool) -> list[tuple[str, str]]:
    """Every header with one meta tag, every meta tag with one header: what matters is each lie and a pair of them."""
    turn = sum(map(ord, sample.name + form.name)) + markup
    pairs = [(header, METAS[(turn + number) % len(METAS)]) for number, header in enumerate(HEADERS)]
    return [("", ""), *dict.fromkeys(pair for pair in pairs if any(pair))]


def _head(meta: str, markup: bool) -> str:
    charset = f'<meta charset="{meta}">' if meta else ""
    return f"<html><head>{charset}</head>{_LATIN if markup else ''}<body>"


def _whole(codec: str) -> Form:
    def make(head: str, text: str) -> tuple[bytes, str] | None:
        markup = f"{head}<p>{text}</p></body></html>"
        body = _encoded(markup, codec)
        return None if body is None else (body, markup)

    return Form(codec, _NAMES.get(codec, (codec,)), make)


def _cut_off(codec: str) -> Form:
    """The last character has lost its last byte, as where a connection or an excerpt ended."""

    def make(head: str, text: str) -> tuple[bytes, str] | None:
        kept = text.rstrip("\n 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,:;!?-()<>\"'")
        body = _encoded(f"{head}<p>{kept}", codec)
        return None if body is None or kept[-1:].isascii() else (body[:-1], f"{head}<p>{kept[:-1]}")

    return Form(f"{codec}, cut off", _NAMES[codec], make)


def _mixed(codec: str, other: str, *, is_first: bool = False) -> Form:
    """A page in one encoding with a block of the site's in another: a long one at the end, or a short one first."""

    def make(head: str, text: str) -> tuple[bytes, str] | None:
        for words in _BANNERS if is_first else _ADVERTISEMENTS:
            parts = [(f"{head}<p>{text}</p>", codec), (f"<div>{words}</div>", other)]
            bodies = [_encoded(*part) for part in (reversed(parts) if is_first else parts)]
            if None not in bodies:
                whole = "".join(part for part, _ in (reversed(parts) if is_first else parts))
                return b"".join(body for body in bodies if body is not None), whole
        return None

    return Form(
        f"{other + ' banner + ' if is_first else ''}{codec}{'' if is_first else f' + {other} block'}",
        _NAMES[codec],
        make,
    )


def _twice(right: str, wrong: str) -> Form:
    """Read in the wrong encoding once and saved as UTF-8, with no byte lost on the way."""

    def make(head: str, text: str) -> tuple[bytes, str] | None:
        kept = "".join(part for part in _CLAUSE.findall(text) if _is_reversible(part, right, wrong))
        markup = f"{head}<p>{kept}</p></body></html>"
        return (markup.encode(right).decode(wrong).encode(), markup) if len(kept) >= MIN_CHARS_TWICE else None

    return Form(f"{right} read as {wrong}", ("utf-8",), make)


def _is_reversible(text: str, right: str, wrong: str) -> bool:
    try:
        # As it stands between tags; the codecs of Python refuse bytes that others would silently replace.
        return _encoded(text, right) is not None and bool(f"<p>{text}</p>".encode(right).decode(wrong))
    except UnicodeError:
        return False


def _encoded(text: str, codec: str) -> bytes | None:
    """None where the codec lacks a character, or the table of the codec that reads it has another one for the bytes."""
    try:
        body = text.encode(codec)
        reader = _NAMES.get(codec, (codec,))[0]
        return body if codec in ("utf-8-sig", "utf-16") or body.decode(reader) == text else None
    except UnicodeError:
        return None


FORMS = (
    *map(_whole, _WHOLE),
    *map(_cut_off, ("utf-8", "gb18030", "big5")),
    _mixed("gb18030", "utf-8"),
    _mixed("utf-8", "gb18030"),
    _mixed("big5", "utf-8"),
    _mixed("utf-8", "big5"),
    _mixed("gb18030", "utf-8", is_first=True),
    _mixed("utf-8", "gb18030", is_first=True),
    _mixed("big5", "utf-8", is_first=True),
    _twice("utf-8", "gb18030"),
    _twice("utf-8", "latin-1"),
    _twice("gb18030", "latin-1"),
    _twice("big5", "latin-1"),
    _twice("utf-8", "cp1252"),
)
