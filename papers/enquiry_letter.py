"""The letter of enquiry (沟通函): sentences of a page beside those of a work, and a question where they come from.

A draft for a person, without a template: whoever signs it edits the file itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.words import Words
from papers import enquiry_words as words
from papers.blocks import Align, Block, Cell, Document, Paragraph, Run, Table

MAX_WORDS = 60  # of each row of what both have: what twenty pairs of sentences have at most
Places = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence of the page and its counterpart. shared: places of what both have, ascending and disjoint."""

    page: str
    work: str
    shared_on_page: Places = ()
    shared_on_work: Places = ()


@dataclass(frozen=True, slots=True)
class Sender:
    """Who holds the rights, and where an answer goes."""

    name: str
    address: str = ""
    contact_person: str = ""
    phone: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Recipient:
    """Whom the letter goes to. is_read_on_site: nobody entered it."""

    name: str
    contact: str = ""
    is_read_on_site: bool = False


@dataclass(frozen=True, slots=True)
class Enquiry:
    """What a letter is made of, as it is shown; "" for what is not known. Each value is one line.

    pairs: in the order of the page; more_pairs: how many there are beside them. counterparts: how many sentences have
    one, in a sentence; caution: what a comparison of meaning does not prove. proofs: of ownership of the work.
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
    pairs: Sequence[SentencePair] = field(repr=False)
    more_pairs: int = 0


def enquiry_letter(about: Enquiry, language: str) -> Document:
    """The draft of a letter, in Chinese for "zh...", else in English."""
    made = _Letter(about, language)
    title = words.TITLE.in_language(language)
    blocks = (*made.opening(), *made.sides(), *made.sentences(), *made.shared(), *made.limits(), *made.closing())
    return Document(
        title, blocks, "zh" if language.startswith("zh") else "en", head=(Paragraph.of(title, align=Align.RIGHT),)
    )


class _Letter:
    """The sections, one after the other."""

    def __init__(self, about: Enquiry, language: str) -> None:
        self._about, self._language = about, language

    def opening(self) -> Iterator[Block]:
        about, opening = self._about, words.OPENING_TRANSLATED if self._about.is_translated else words.OPENING
        yield Paragraph.heading(self._said(words.TITLE), 1, Align.CENTER)
        yield self._text(words.FOR_THE_SIGNER)
        name = about.addressee.name if about.addressee else self._said(words.NO_ADDRESSEE)
        yield Paragraph.of(self._said(words.TO, name=name), is_bold=True)
        if about.addressee and about.addressee.contact:
            checked = self._said(words.READ_ON_SITE) if about.addressee.is_read_on_site else ""
            yield Paragraph.of(f"{about.addressee.contact} {checked}".strip())
        yield self._text(opening, site=about.site)

    def sides(self) -> Iterator[Block]:
        about = self._about
        yield self._heading(words.WORK)
        yield self._facts(
            (words.WORK_TITLE, f"《{about.work}》"),
            (words.AUTHOR, about.author),
            (words.CHAPTER, about.chapter),
            (words.HOLDER, about.holder.name),
            (words.PROOFS, about.proofs),
        )
        yield self._heading(words.PAGE)
        yield self._facts(
            (words.SITE, about.site),
            (words.ADDRESS, about.page_url),
            (words.PAGE_TITLE, about.page_title),
            (words.FETCHED, about.fetched),
            (words.RESPONSE, about.raw_digest),
        )

    def sentences(self) -> Iterator[Block]:
        about = self._about
        yield self._heading(words.SENTENCES)
        how_many = words.SOME_SHOWN if about.more_pairs else words.ALL_SHOWN
        yield self._text(how_many, counterparts=about.counterparts, shown=len(about.pairs), more=about.more_pairs)
        head = tuple(Cell.of(self._said(side), is_bold=True) for side in (words.PAGE_SIDE, words.WORK_SIDE))
        rows = ((_cell(pair.page, pair.shared_on_page), _cell(pair.work, pair.shared_on_work)) for pair in about.pairs)
        yield Table((head, *rows), (0.5, 0.5), has_head=True)

    def shared(self) -> Iterator[Block]:
        on_page = _pieces((pair.page, pair.shared_on_page) for pair in self._about.pairs)
        on_work = _pieces((pair.work, pair.shared_on_work) for pair in self._about.pairs)
        yield self._heading(words.SHARED)
        if not on_page and not on_work:
            yield self._text(words.SHARED_NONE)
            return
        yield self._text(words.SHARED_HOW)
        yield self._facts(
            (words.ON_BOTH, self._listed([each for each in on_page if each in on_work])),
            (words.ON_PAGE, self._listed([each for each in on_page if each not in on_work])),
            (words.ON_WORK, self._listed([each for each in on_work if each not in on_page])),
        )

    def limits(self) -> Iterator[Block]:
        yield self._heading(words.LIMITS)
        yield Paragraph.of(self._about.caution, is_indented=True)
        yield self._text(words.READ_BY, confirmed=self._about.confirmed)

    def closing(self) -> Iterator[Block]:
        about = self._about
        yield self._heading(words.ASKED)
        yield self._text(words.ANSWER)
        yield from map(self._text, words.QUESTIONS)
        yield self._heading(words.ARGUMENT)
        yield self._text(words.ARGUMENT_HERE)
        yield self._heading(words.CONTACT)
        holder = about.holder
        reached = holder.address or holder.phone or holder.email
        yield self._facts(
            (words.HOLDER, holder.name),
            (words.PERSON, holder.contact_person),
            (words.HOLDER_ADDRESS, holder.address if reached else self._said(words.NO_CONTACT)),
            (words.PHONE, holder.phone),
            (words.EMAIL, holder.email),
        )
        yield Paragraph.of(f"{holder.name} {self._said(words.SIGNATURE)}", align=Align.RIGHT)
        yield Paragraph.of(self._said(words.DATE), align=Align.RIGHT)

    def _heading(self, heading: Words) -> Paragraph:
        return Paragraph.heading(self._said(heading), 2)

    def _text(self, text: Words, **given: object) -> Paragraph:
        return Paragraph.of(self._said(text, **given), is_indented=True)

    def _said(self, text: Words, **given: object) -> str:
        said = text.in_language(self._language)
        return said.format_map(given) if given else said

    def _facts(self, *facts: tuple[Words, str]) -> Table:
        """Names and values; those without a value are left out."""
        rows = ((Cell.of(self._said(name), is_bold=True), Cell.of(value)) for name, value in facts if value.strip())
        return Table(tuple(rows), (0.26, 0.74))

    def _listed(self, pieces: Sequence[str]) -> str:
        listed = ("、" if self._language.startswith("zh") else ", ").join(pieces[:MAX_WORDS])
        more = len(pieces) - MAX_WORDS
        return listed + self._said(words.MORE_WORDS, more=more) if more > 0 else listed


def _cell(sentence: str, shared: Places) -> Cell:
    """The sentence with what both have in bold."""
    runs, at = [], 0
    for start, end in shared:
        runs += [Run(sentence[at:start]), Run(sentence[start:end], is_bold=True)]
        at = end
    return Cell((Paragraph(tuple(run for run in (*runs, Run(sentence[at:])) if run.text)),))


def _pieces(sides: Iterator[tuple[str, Places]]) -> list[str]:
    """What is marked on one side, each once, in order."""
    return list(dict.fromkeys(sentence[start:end] for sentence, shared in sides for start, end in shared))
