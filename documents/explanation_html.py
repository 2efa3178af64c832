"""A document as one HTML file without scripts or network access."""

from collections.abc import Sequence
from html import escape

from documents.explanation_blocks import (
    Block,
    ExplanationHeading,
    ExplanationPairs,
    ExplanationParagraph,
    ExplanationSides,
    Lines,
    Points,
)

_STYLE = """
body{font:16px/1.7 "Noto Serif CJK SC","Songti SC",SimSun,Georgia,serif;color:#1c1c1c;background:#fff;
max-width:56rem;margin:2rem auto;padding:0 1.25rem}
h1{font-size:1.7rem;border-bottom:2px solid #1c1c1c;padding-bottom:.4rem;margin-top:3.5rem}
h2{font-size:1.25rem;margin-top:2.2rem}h3{font-size:1.05rem;margin-top:1.6rem}
table{border-collapse:collapse;width:100%;margin:.6rem 0 1rem;table-layout:fixed}
th,td{border-top:1px solid #d4d4d4;padding:.3rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{width:11rem;font-weight:600;color:#444}
.sides th{width:auto}.sides th:first-child{width:7.5rem}
.sides td:first-child{color:#444;font-size:.8rem;white-space:pre-line}
pre{background:#f4f4f2;border:1px solid #ddd;padding:.7rem .9rem;font:13px/1.6 "DejaVu Sans Mono",Consolas,monospace;
white-space:pre-wrap;overflow-wrap:anywhere}
@media print{body{margin:0;max-width:none;font-size:11pt}h1{break-before:page}h1:first-of-type{break-before:auto}}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def as_html(title: str, blocks: Sequence[Block]) -> str:
    """Return the page; everything in `blocks` is shown as text."""
    head = (
        '<!doctype html>\n<html lang="zh-Hans">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    return head + "".join(_block(block) for block in blocks) + "</body>\n</html>\n"


def _block(block: Block) -> str:
    match block:
        case ExplanationHeading(text, level):
            return f"<h{level}>{_text(text)}</h{level}>\n"
        case ExplanationParagraph(text):
            return f"<p>{_text(text)}</p>\n"
        case Points(items):
            return "<ul>\n" + "".join(f"<li>{_text(item)}</li>\n" for item in items) + "</ul>\n"
        case ExplanationPairs(rows):
            cells = (f"<tr><th>{_text(name)}</th><td>{_text(value)}</td></tr>\n" for name, value in rows)
            return f"<table>\n{''.join(cells)}</table>\n" if rows else ""
        case ExplanationSides(heads, rows):
            head = "".join(f"<th>{_text(each)}</th>" for each in heads)
            body = "".join(f"<tr>{''.join(f'<td>{_text(each)}</td>' for each in row)}</tr>\n" for row in rows)
            return f'<table class="sides">\n<thead><tr>{head}</tr></thead>\n{body}</table>\n'
        case Lines(lines):
            return f"<pre>{_text(chr(10).join(lines))}</pre>\n"


def _text(text: str) -> str:
    """Return escaped text. Characters that reorder or hide text are shown by number, since titles may be hostile."""
    return escape("".join(char if _is_plain(char) else f"[U+{ord(char):04X}]" for char in text))


def _is_plain(char: str) -> bool:
    return char in "\n\t" or (char.isprintable() and not "\u2066" <= char <= "\u2069") or char == "\u3000"
