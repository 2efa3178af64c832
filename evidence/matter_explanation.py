"""The explanation in the export of a matter, in Chinese and English."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.ids import Digest
from core.wording import Message, say
from evidence import bundle, layout
from evidence.document import Block, Heading, Lines, Pairs, Paragraph, Points
from evidence.document_html import as_html
from evidence.document_pdf import as_pdf
from evidence.explanation import by_hand
from evidence.explanation_words import HEADLINE
from evidence.matter_words import CHINESE, ENGLISH, MatterWords
from evidence.records import DayProof
from evidence.shapes import moment


@dataclass(frozen=True, slots=True)
class Told:
    """What the explanation is written from. example: a bundle, with its way to a stamped root where one has any."""

    matter: int
    site: str
    work: str
    cases: int
    bundles: int
    unstamped: Sequence[Digest]
    example: tuple[Digest, DayProof | None]
    left_out: Sequence[Message]
    is_sealed: bool


def matter_explanation(told: Told, at: datetime, code_version: str) -> dict[str, bytes]:
    """README.html, which needs no network and runs nothing, and the same as PDF."""
    title = f"{HEADLINE} M{told.matter}"
    blocks: list[Block] = []
    for words in (CHINESE, ENGLISH):
        opening = words.words.opening.format(at=moment(at), version=code_version)
        about = words.about.format(site=told.site, work=told.work, cases=told.cases, bundles=told.bundles)
        blocks += [Heading(words.title.format(matter=told.matter)), Paragraph(opening), Paragraph(about)]
        blocks += _in_one_language(words, told)
    return {
        layout.EXPLANATION: as_html(title, blocks).encode("utf-8", "replace"),
        layout.PRINTED: as_pdf(title, blocks, at),
    }


def _in_one_language(words: MatterWords, told: Told) -> list[Block]:
    common = words.words
    digest, proof = told.example
    return [
        Heading(common.proves, 2),
        Points(common.proves_points),
        Heading(common.proves_not, 2),
        Points((*common.proves_not_points, *_missing(words, told))),
        Heading(common.contents, 2),
        Pairs(words.contents_pairs),
        *by_hand(common, digest, proof, told.is_sealed),
        *_all_by_hand(words, digest),
    ]


def _missing(words: MatterWords, told: Told) -> list[str]:
    """What this very file lacks."""
    named = ", ".join(digest[:16] for digest in told.unstamped)
    missing = [words.words.unstamped.format(bundles=named)] if told.unstamped else []
    missing += [] if told.is_sealed else [words.unsealed]
    return missing + [say(each, words.words.language) for each in told.left_out]


def _all_by_hand(words: MatterWords, digest: Digest) -> list[Block]:
    stamp = f'openssl ts -verify -in "$d/{layout.RESPONSE}" -queryfile "$d/{layout.QUERY}" -CAfile "$d/{layout.ROOTS}"'
    one = layout.bundle_file(digest)
    return [
        Paragraph(words.check_all_bundles),
        Lines((f'for f in bundles/*.wacz; do echo "$f"; unzip -p "$f" {bundle.PACKAGE} | sha256sum; done',)),
        Paragraph(words.check_all_stamps),
        Lines((f"find stamps -mindepth 2 -maxdepth 2 -type d | while read -r d; do {stamp}; done",)),
        Paragraph(words.check_warc),
        Lines((f"unzip -p {one} {bundle.ARCHIVE} > data.warc.gz", "warcio check data.warc.gz")),
        Paragraph(words.check_replay),
    ]
