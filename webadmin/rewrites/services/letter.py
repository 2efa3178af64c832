"""Drafts the letter of enquiry (沟通函) about a confirmed lead on request. It is neither stored nor sent.

It quotes sentences of the page next to sentences of the work, and asks for their origin. The signer edits the file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from core.errors import BadInput
from core.matches import RewordedClass, RewordedState
from core.wording import Message
from documents.blocks import Align, Block, BlockTable, Cell, Document, Paragraph, TextRun
from documents.plain import render_plain_text
from documents.word_writing import word_file
from matcher.reworded.shared_wording import shared_wording
from webadmin.notices.models import HolderIdentity, HolderPaper
from webadmin.notices.services.addressees import OF_ONE_SITE, Origin, SiteAddressee, list_addressees
from webadmin.notices.services.kept_files import is_valid
from webadmin.notices.services.values import format_with_offset
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.services.lead_status import compared_texts, lead_status
from webadmin.rewrites.services.verdicts import is_verdict_current

MAX_WORDS = 60  # shared wordings listed in each row; twenty pairs of sentences rarely have more
MAX_PAIRS = 20  # chosen to fill two to three sheets; the lead's page lists all pairs
MAX_SENTENCE_CHARS = 300  # a sentence has 50; longer ones on a hostile page are cut
WRITERS: Mapping[str, Callable[[Document, datetime], bytes]] = {
    "docx": word_file,
    "txt": lambda document, made_at: render_plain_text(document),
}
LANGUAGES = ("zh-hans", "en")
Places = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class QuotedPair:
    """A sentence of the page and its counterpart, each with the ascending, disjoint ranges of shared wording."""

    page: str
    work: str
    shared_on_page: Places
    shared_on_work: Places


def letter_refusal(lead: RewordedLead) -> Message | None:
    """Return a message on why no letter about a lead can be drafted now, or None if one can be."""
    if lead.state != RewordedState.CONFIRMED:
        is_waiting = lead.state == RewordedState.WAITING
        return Message("reworded.letter-waits" if is_waiting else "reworded.letter-dismissed")
    status = lead_status(lead)
    if not status.is_given:
        return Message("reworded.letter-not-now", standing=status.said)
    newest = lead.verdicts.first()
    if newest is None or not is_verdict_current(newest, lead):
        return Message("reworded.letter-compared-since")
    return None


def letter_file(lead: RewordedLead, kind: str, language: str) -> bytes:
    """Return the current draft as a file. kind: a key of WRITERS. language: one of LANGUAGES.

    The caller must check that the user may see the lead. Raises BadInput for another kind or language, if
    `letter_refusal` returns a message, and if a compared text is missing. Raises ServiceUnavailable if a store is
    unreachable.
    """
    if kind not in WRITERS:
        raise BadInput("reworded.letter-kind", kind=kind, kinds=tuple(WRITERS))
    if language not in LANGUAGES:
        raise BadInput("reworded.letter-language", language=language, languages=LANGUAGES)
    refusal = letter_refusal(lead)
    if refusal is not None:
        raise BadInput(refusal)
    return WRITERS[kind](_Letter(lead, language).document(), timezone.now())


def letter_name(lead: RewordedLead, kind: str, language: str) -> str:
    """Return the file name of the letter."""
    return f"{Message('letter.title').in_language(language)} {lead.pk}.{kind}"


class _Letter:
    """Builds the sections of the letter in order. Each value from the web is reduced to one line."""

    def __init__(self, lead: RewordedLead, language: str) -> None:
        self._lead, self._language, self._zone = lead, language, timezone.get_default_timezone()
        self._pairs = _strongest_pairs(lead)
        identity = HolderIdentity.objects.filter(rights_holder=lead.rights_holder_id).first()
        self._holder = identity or HolderIdentity(legal_name=lead.rights_holder.name)

    def document(self) -> Document:
        title = self._message_text("letter.title")
        sections = (self._opening, self._sides, self._sentences, self._shared_words, self._limits, self._closing)
        blocks = tuple(block for section in sections for block in section())
        language = "zh" if self._language.startswith("zh") else "en"
        return Document(title, blocks, language, head=(Paragraph.from_text(title, align=Align.RIGHT),))

    def _opening(self) -> Iterator[Block]:
        lead = self._lead
        # A host or registrar does not know the origin of the site's texts.
        addressee = next((each for each in list_addressees(lead.site) if each.role not in OF_ONE_SITE), None)
        yield Paragraph.heading(self._message_text("letter.title"), 1, Align.CENTER)
        yield self._add_text("letter.for-the-signer")
        name = _recipient_name(addressee) if addressee else self._message_text("letter.no-addressee")
        yield Paragraph.from_text(self._message_text("letter.to", name=name), is_bold=True)
        if addressee is not None and (contact := _recipient_contact(addressee)):
            checked = self._message_text("letter.read-on-site") if addressee.origin is Origin.READ else ""
            yield Paragraph.from_text(f"{contact} {checked}".strip())
        is_translated = lead.found_as == RewordedClass.TRANSLATED
        opening = "letter.opening-translated" if is_translated else "letter.opening"
        yield self._add_text(opening, site=_single_line(lead.site.name))

    def _sides(self) -> Iterator[Block]:
        lead = self._lead
        yield self._add_heading("letter.work")
        yield self._facts_table(
            ("letter.work-title", f"《{lead.work.title}》"),
            ("letter.author", lead.work.author),
            ("letter.chapter", lead.chapter_title),
            ("letter.holder", self._holder.legal_name),
            ("letter.proofs", self._proof_names()),
        )
        yield self._add_heading("letter.page")
        yield self._facts_table(
            ("letter.site", lead.site.name),
            ("letter.address", lead.page_url),
            ("letter.page-title", lead.page_title),
            ("letter.fetched", format_with_offset(lead.fetched_at, self._zone)),
            ("letter.response", lead.raw_digest),
        )

    def _sentences(self) -> Iterator[Block]:
        lead, shown = self._lead, len(self._pairs)
        counts = {"pairs": lead.pair_count, "sentences": lead.sentence_count, "in_order": lead.in_order}
        more = len(lead.pairs) - shown
        yield self._add_heading("letter.sentences")
        how_many = "letter.some-shown" if more else "letter.all-shown"
        yield self._add_text(how_many, counterparts=Message("reworded.sentences", **counts), shown=shown, more=more)
        head = tuple(
            Cell.from_text(self._message_text(side), is_bold=True) for side in ("letter.page-side", "letter.work-side")
        )
        rows = (
            (_sentence_cell(pair.page, pair.shared_on_page), _sentence_cell(pair.work, pair.shared_on_work))
            for pair in self._pairs
        )
        yield BlockTable((head, *rows), (0.5, 0.5), has_head=True)

    def _shared_words(self) -> Iterator[Block]:
        on_page = _marked_pieces((pair.page, pair.shared_on_page) for pair in self._pairs)
        on_work = _marked_pieces((pair.work, pair.shared_on_work) for pair in self._pairs)
        yield self._add_heading("letter.shared")
        if not on_page and not on_work:
            yield self._add_text("letter.shared-none")
            return
        yield self._add_text("letter.shared-how")
        yield self._facts_table(
            ("letter.on-both", self._join_words([each for each in on_page if each in on_work])),
            ("letter.on-page", self._join_words([each for each in on_page if each not in on_work])),
            ("letter.on-work", self._join_words([each for each in on_work if each not in on_page])),
        )

    def _limits(self) -> Iterator[Block]:
        confirmed = self._lead.verdicts.all()[0].decided_at.astimezone(self._zone).date().isoformat()
        yield self._add_heading("letter.limits")
        yield self._add_text("reworded.caution")
        yield self._add_text("letter.read-by", confirmed=confirmed)

    def _closing(self) -> Iterator[Block]:
        holder = self._holder
        yield self._add_heading("letter.asked")
        yield self._add_text("letter.answer")
        yield from (
            Paragraph.from_text(each, is_indented=True) for each in self._message_text("letter.questions").split("\n")
        )
        yield self._add_heading("letter.argument")
        yield self._add_text("letter.argument-here")
        yield self._add_heading("letter.contact")
        reached = holder.address or holder.phone or holder.email
        yield self._facts_table(
            ("letter.holder", holder.legal_name),
            ("letter.person", holder.contact_person),
            ("letter.holder-address", holder.address if reached else self._message_text("letter.no-contact")),
            ("letter.phone", holder.phone),
            ("letter.email", holder.email),
        )
        yield Paragraph.from_text(f"{holder.legal_name} {self._message_text('letter.signature')}", align=Align.RIGHT)
        yield Paragraph.from_text(self._message_text("letter.date"), align=Align.RIGHT)

    def _add_heading(self, code: str) -> Paragraph:
        return Paragraph.heading(self._message_text(code), 2)

    def _add_text(self, code: str, **given: object) -> Paragraph:
        return Paragraph.from_text(self._message_text(code, **given), is_indented=True)

    def _message_text(self, code: str, **given: object) -> str:
        return Message(code, **given).in_language(self._language)

    def _facts_table(self, *facts: tuple[str, str]) -> BlockTable:
        """Return a table of names and values. Empty values are left out."""
        rows = (
            (Cell.from_text(self._message_text(name), is_bold=True), Cell.from_text(_single_line(value)))
            for name, value in facts
            if value.strip()
        )
        return BlockTable(tuple(rows), (0.26, 0.74))

    def _join_words(self, pieces: Sequence[str]) -> str:
        listed = self._join_list(pieces[:MAX_WORDS])
        more = len(pieces) - MAX_WORDS
        return self._message_text("letter.more-words", listed=listed, more=more) if more > 0 else listed

    def _join_list(self, pieces: Sequence[str]) -> str:
        return ("、" if self._language.startswith("zh") else ", ").join(pieces)

    def _proof_names(self) -> str:
        """Return the names of the documents that prove the ownership of the work and are valid today."""
        lead, today = self._lead, timezone.now().astimezone(self._zone).date()
        papers = HolderPaper.objects.filter(
            rights_holder=lead.rights_holder_id, kind=HolderPaper.Kind.OWNERSHIP, withdrawn_at=None
        )
        return self._join_list(
            [each.name for each in papers if each.work_id in {None, lead.work_id} and is_valid(each, today)]
        )


def _sentence_cell(sentence: str, shared: Places) -> Cell:
    """Return a cell with the sentence, in which the shared wording is bold."""
    runs, at = [], 0
    for start, end in shared:
        runs += [TextRun(sentence[at:start]), TextRun(sentence[start:end], is_bold=True)]
        at = end
    return Cell((Paragraph(tuple(run for run in (*runs, TextRun(sentence[at:])) if run.text)),))


def _marked_pieces(sides: Iterator[tuple[str, Places]]) -> list[str]:
    """Return the shared wordings of one side, each once, in order."""
    return list(dict.fromkeys(sentence[start:end] for sentence, shared in sides for start, end in shared))


def _strongest_pairs(lead: RewordedLead) -> list[QuotedPair]:
    """Return the MAX_PAIRS strongest pairs of a lead, in page order. Raises the errors of `compared_texts`."""
    page, work = compared_texts(lead)
    strongest = sorted(lead.pairs, key=lambda pair: (-pair[4], pair[0]))[:MAX_PAIRS]
    return [_quoted_pair(page[start:end], work[first:last]) for start, end, first, last, _ in sorted(strongest)]


def _quoted_pair(page: str, work: str) -> QuotedPair:
    said, counterpart = _quoted_sentence(page), _quoted_sentence(work)
    return QuotedPair(said, counterpart, *shared_wording(said, counterpart))


def _quoted_sentence(text: str) -> str:
    sentence = _single_line(text)
    return sentence if len(sentence) <= MAX_SENTENCE_CHARS else f"{sentence[:MAX_SENTENCE_CHARS]}…"


def _recipient_name(found: SiteAddressee) -> str:
    return _single_line((found.addressee.legal_name if found.addressee else "") or found.name)


def _recipient_contact(found: SiteAddressee) -> str:
    postal = found.addressee.postal_address if found.addressee else ""
    return "  ".join(
        _single_line(each) for each in (postal, found.email, found.complaint_page or found.form_page) if each
    )


def _single_line(text: str) -> str:
    """Return a text on one line, so that a crawled title cannot start a new paragraph."""
    return " ".join(text.split())
