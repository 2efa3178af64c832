"""The explanation in the export of a matter, in Chinese and English."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from core.ids import Digest
from core.wording import Message, say
from core.words import Words
from evidence import bundle, layout
from evidence.document import Block, Heading, Pairs, Paragraph, Points
from evidence.document_html import as_html
from evidence.document_pdf import as_pdf
from evidence.explanation import Example, Step, by_hand, steps
from evidence.explanation_words import HEADLINE
from evidence.matter_words import CHINESE, ENGLISH, MatterWords
from evidence.shapes import moment


@dataclass(frozen=True, slots=True)
class Told:
    """What the explanation is written from. example: a bundle, with its way to a stamped root where one has any.

    contents: each file or folder for people, and its use.
    """

    matter: int
    site: str
    work: str
    cases: int
    bundles: int
    unstamped: Sequence[Digest]
    example: Example
    contents: Sequence[tuple[str, Words]]
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
        layout.MATTER_EXPLANATION: as_html(title, blocks).encode("utf-8", "replace"),
        layout.MATTER_PRINTED: as_pdf(title, blocks, at),
    }


def _in_one_language(words: MatterWords, told: Told) -> list[Block]:
    common = words.words
    for_people = [(name, said.in_language(common.language)) for name, said in told.contents]
    for_programs = [(layout.in_checks(names), said) for names, said in words.for_programs]
    return [
        Heading(common.proves, 2),
        Points(common.proves_points),
        Heading(common.proves_not, 2),
        Points((*common.proves_not_points, *_missing(words, told))),
        Heading(common.contents, 2),
        Pairs((*for_people, *for_programs)),
        *by_hand(
            common, chain(steps(common, told.example, told.is_sealed, layout.CHECKS), _all_steps(words, told.example))
        ),
    ]


def _missing(words: MatterWords, told: Told) -> list[str]:
    """What this very file lacks."""
    named = ", ".join(digest[:16] for digest in told.unstamped)
    missing = [words.words.unstamped.format(bundles=named)] if told.unstamped else []
    missing += [] if told.is_sealed else [words.unsealed]
    return missing + [say(each, words.words.language) for each in told.left_out]


def _all_steps(words: MatterWords, example: Example) -> Iterator[Step]:
    stamp = f'openssl ts -verify -in "$d/{layout.RESPONSE}" -queryfile "$d/{layout.QUERY}" -CAfile "$d/{layout.ROOTS}"'
    folder = example.file.rpartition("/")[0]
    yield (
        words.check_all_bundles,
        (f'for f in {folder}/*.wacz; do echo "$f"; unzip -p "$f" {bundle.PACKAGE} | sha256sum; done',),
    )
    if example.is_stamped:  # the example is one that is, where any is
        stamps = layout.in_checks("stamps")
        yield (
            words.check_all_stamps,
            (f"find {stamps} -mindepth 2 -maxdepth 2 -type d | while read -r d; do {stamp}; done",),
        )
    yield words.check_warc, (f"unzip -p {example.file} {bundle.ARCHIVE} > data.warc.gz", "warcio check data.warc.gz")
    yield words.check_replay.format(folder=folder), ()
