"""The letter of enquiry (沟通函): sentences of a page next to those of a work, and a question on their origin.

It is a draft without a template; the person who signs it edits the file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.wording import Message
from documents.blocks import Align, Block, BlockTable, Cell, Document, Paragraph, TextRun

MAX_WORDS = 60  # in each row of shared words; twenty pairs of sentences have no more
Places = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class QuotedPair:
    """A sentence of the page and its counterpart, with the ranges of shared wording, ascending and disjoint."""

    page: str
    work: str
    shared_on_page: Places = ()
    shared_on_work: Places = ()


@dataclass(frozen=True, slots=True)
class Sender:
    """The rights holder, and the contact for an answer."""

    name: str
    address: str = ""
    contact_person: str = ""
    phone: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Recipient:
    """The recipient of the letter. is_read_on_site: read from the site, not entered by a person."""

    name: str
    contact: str = ""
    is_read_on_site: bool = False


@dataclass(frozen=True, slots=True)
class Enquiry:
    """The values of a letter as shown, "" if unknown. Each is one line.

    pairs: in the order of the page. more_pairs: number of further pairs. counterparts: a sentence on the number of
    sentences with a counterpart. caution: what a comparison of meaning does not prove. proofs: of ownership of the
    work.
    """

    holder: Sender
    addressee: Recipient | None
    work: str
    author: str
    chapter: str
    proofs: str
    site: str
    page_url: str
    page_title: str
    fetched: str
    raw_digest: str
    is_translated: bool
    counterparts: str
    caution: str
    confirmed: str
    pairs: Sequence[QuotedPair] = field(repr=False)
    more_pairs: int = 0


def enquiry_letter(about: Enquiry, language: str) -> Document:
    """Return the draft of a letter, in Chinese for "zh...", else in English."""
    made = _Letter(about, language)
    title = Message("letter.title").in_language(language)
    blocks = (*made.opening(), *made.sides(), *made.sentences(), *made.shared_words(), *made.limits(), *made.closing())
    return Document(
        title,
        blocks,
        "zh" if language.startswith("zh") else "en",
        head=(Paragraph.from_text(title, align=Align.RIGHT),),
    )


class _Letter:
    """Builds the sections of the letter in order."""

    def __init__(self, about: Enquiry, language: str) -> None:
        self._about, self._language = about, language

    def opening(self) -> Iterator[Block]:
        about, opening = self._about, "letter.opening-translated" if self._about.is_translated else "letter.opening"
        yield Paragraph.heading(self._phrase("letter.title"), 1, Align.CENTER)
        yield self._text("letter.for-the-signer")
        name = about.addressee.name if about.addressee else self._phrase("letter.no-addressee")
        yield Paragraph.from_text(self._phrase("letter.to", name=name), is_bold=True)
        if about.addressee and about.addressee.contact:
            checked = self._phrase("letter.read-on-site") if about.addressee.is_read_on_site else ""
            yield Paragraph.from_text(f"{about.addressee.contact} {checked}".strip())
        yield self._text(opening, site=about.site)

    def sides(self) -> Iterator[Block]:
        about = self._about
        yield self._heading("letter.work")
        yield self._facts(
            ("letter.work-title", f"《{about.work}》"),
            ("letter.author", about.author),
            ("letter.chapter", about.chapter),
            ("letter.holder", about.holder.name),
            ("letter.proofs", about.proofs),
        )
        yield self._heading("letter.page")
        yield self._facts(
            ("letter.site", about.site),
            ("letter.address", about.page_url),
            ("letter.page-title", about.page_title),
            ("letter.fetched", about.fetched),
            ("letter.response", about.raw_digest),
        )

    def sentences(self) -> Iterator[Block]:
        about = self._about
        yield self._heading("letter.sentences")
        how_many = "letter.some-shown" if about.more_pairs else "letter.all-shown"
        yield self._text(how_many, counterparts=about.counterparts, shown=len(about.pairs), more=about.more_pairs)
        head = tuple(
            Cell.from_text(self._phrase(side), is_bold=True) for side in ("letter.page-side", "letter.work-side")
        )
        rows = ((_cell(pair.page, pair.shared_on_page), _cell(pair.work, pair.shared_on_work)) for pair in about.pairs)
        yield BlockTable((head, *rows), (0.5, 0.5), has_head=True)

    def shared_words(self) -> Iterator[Block]:
        on_page = _pieces((pair.page, pair.shared_on_page) for pair in self._about.pairs)
        on_work = _pieces((pair.work, pair.shared_on_work) for pair in self._about.pairs)
        yield self._heading("letter.shared")
        if not on_page and not on_work:
            yield self._text("letter.shared-none")
            return
        yield self._text("letter.shared-how")
        yield self._facts(
            ("letter.on-both", self._join_words([each for each in on_page if each in on_work])),
            ("letter.on-page", self._join_words([each for each in on_page if each not in on_work])),
            ("letter.on-work", self._join_words([each for each in on_work if each not in on_page])),
        )

    def limits(self) -> Iterator[Block]:
        yield self._heading("letter.limits")
        yield Paragraph.from_text(self._about.caution, is_indented=True)
        yield self._text("letter.read-by", confirmed=self._about.confirmed)

    def closing(self) -> Iterator[Block]:
        about = self._about
        yield self._heading("letter.asked")
        yield self._text("letter.answer")
        yield from (
            Paragraph.from_text(each, is_indented=True) for each in self._phrase("letter.questions").split("\n")
        )
        yield self._heading("letter.argument")
        yield self._text("letter.argument-here")
        yield self._heading("letter.contact")
        holder = about.holder
        reached = holder.address or holder.phone or holder.email
        yield self._facts(
            ("letter.holder", holder.name),
            ("letter.person", holder.contact_person),
            ("letter.holder-address", holder.address if reached else self._phrase("letter.no-contact")),
            ("letter.phone", holder.phone),
            ("letter.email", holder.email),
        )
        yield Paragraph.from_text(f"{holder.name} {self._phrase('letter.signature')}", align=Align.RIGHT)
        yield Paragraph.from_text(self._phrase("letter.date"), align=Align.RIGHT)

    def _heading(self, code: str) -> Paragraph:
        return Paragraph.heading(self._phrase(code), 2)

    def _text(self, code: str, **given: object) -> Paragraph:
        return Paragraph.from_text(self._phrase(code, **given), is_indented=True)

    def _phrase(self, code: str, **given: object) -> str:
        return Message(code, **given).in_language(self._language)

    def _facts(self, *facts: tuple[str, str]) -> BlockTable:
        """Return a table of names and values, without empty values."""
        rows = (
            (Cell.from_text(self._phrase(name), is_bold=True), Cell.from_text(value))
            for name, value in facts
            if value.strip()
        )
        return BlockTable(tuple(rows), (0.26, 0.74))

    def _join_words(self, pieces: Sequence[str]) -> str:
        listed = ("、" if self._language.startswith("zh") else ", ").join(pieces[:MAX_WORDS])
        more = len(pieces) - MAX_WORDS
        return self._phrase("letter.more-words", listed=listed, more=more) if more > 0 else listed


def _cell(sentence: str, shared: Places) -> Cell:
    """Return a cell with the sentence and its shared wording in bold."""
    runs, at = [], 0
    for start, end in shared:
        runs += [TextRun(sentence[at:start]), TextRun(sentence[start:end], is_bold=True)]
        at = end
    return Cell((Paragraph(tuple(run for run in (*runs, TextRun(sentence[at:])) if run.text)),))


def _pieces(sides: Iterator[tuple[str, Places]]) -> list[str]:
    """Return the marked pieces of one side, each once, in order."""
    return list(dict.fromkeys(sentence[start:end] for sentence, shared in sides for start, end in shared))
