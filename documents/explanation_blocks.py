"""The blocks of the explanation in an export of evidence: headings, paragraphs, lists, pairs, tables and commands.

Text is never interpreted as markup.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.wording import Message, has_words

HEADLINE = "追文证据 Zhuiwen evidence"


@dataclass(frozen=True, slots=True)
class Words:
    """The messages in one language. A call returns the text of one: `words("explanation.url")`."""

    language: str

    def __call__(self, code: str, /, **params: object) -> str:
        return Message(code, **params).in_language(self.language)

    def lines(self, code: str) -> tuple[str, ...]:
        """Return the lines of a message's text."""
        return tuple(self(code).split("\n"))

    def name(self, code: str, other: str) -> str:
        """Return the text of a message without parameters, or `other` if this release has no such message."""
        return self(code) if has_words(code) else other

    @property
    def colon(self) -> str:
        return "：" if self.language == "zh" else ": "

    @property
    def semicolon(self) -> str:
        return "；" if self.language == "zh" else "; "


BOTH_LANGUAGES = (Words("zh"), Words("en"))


@dataclass(frozen=True, slots=True)
class ExplanationHeading:
    """A heading. level: 1 to 3."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class ExplanationParagraph:
    text: str


@dataclass(frozen=True, slots=True)
class Points:
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplanationPairs:
    """Names and values in two columns."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ExplanationSides:
    """Two texts side by side. A row is a label, the left text and the right text; `heads` are the column headings."""

    heads: tuple[str, str, str]
    rows: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Preformatted lines, such as commands."""

    lines: tuple[str, ...]


Block = ExplanationHeading | ExplanationParagraph | Points | ExplanationPairs | ExplanationSides | Lines


def block_values(block: Block, format_text: Callable[[str], Any]) -> dict[str, Any]:
    """Return a block as a dict for the templates, which distinguish blocks by `kind`.

    format_text: prepares each text for the output format.
    """
    match block:
        case ExplanationHeading(text, level):
            return {"kind": "heading", "text": format_text(text), "level": level}
        case ExplanationParagraph(text):
            return {"kind": "paragraph", "text": format_text(text)}
        case Points(items):
            return {"kind": "points", "entries": [format_text(item) for item in items]}
        case ExplanationPairs(rows):
            return {"kind": "pairs", "rows": [[format_text(name), format_text(value)] for name, value in rows]}
        case ExplanationSides(heads, rows):
            head, *body = [[format_text(each) for each in row] for row in (heads, *rows)]
            return {"kind": "sides", "heads": head, "rows": body}
        case Lines(lines):
            return {"kind": "lines", "lines": [format_text(line) for line in lines]}
