"""Writes the explanation in the export of a matter, in Chinese and English."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from bundles import bundle, layout
from bundles.shapes import moment
from core.ids import Digest
from core.wording import Message
from documents.explanation_blocks import (
    BOTH_LANGUAGES,
    HEADLINE,
    Block,
    ExplanationHeading,
    ExplanationPairs,
    ExplanationParagraph,
    Points,
    Words,
)
from documents.explanation_html import as_html
from documents.explanation_pdf import as_pdf
from webadmin.evidence.services.explanation import Example, Step, check_blocks, check_steps, limit_points, proof_points

_CONTENTS = ("cases/*.json", "proofs/*.json, stamps/", "matter.json", "manifest.json, SHA256SUMS", "seal/")


@dataclass(frozen=True, slots=True)
class MatterSummary:
    """The input of the explanation.

    example: a bundle, preferably with an audit path to a timestamped root. unstamped: the bundles without a timestamp.
    contents: each file or folder for people, with its use.
    """

    matter: int
    site: str
    work: str
    cases: int
    bundles: int
    unstamped: Sequence[Digest]
    example: Example
    contents: Sequence[tuple[str, Message]]
    left_out: Sequence[Message]
    is_sealed: bool


def matter_explanation(told: MatterSummary, at: datetime, code_version: str) -> dict[str, bytes]:
    """Return README.html, which needs no network and no scripts, and the same text as PDF, by file name.

    at: the time of the export.
    """
    title = f"{HEADLINE} M{told.matter}"
    blocks: list[Block] = []
    for words in BOTH_LANGUAGES:
        opening = words("explanation.opening", at=moment(at), version=code_version)
        about = words(
            "explanation.matter-about", site=told.site, work=told.work, cases=told.cases, bundles=told.bundles
        )
        blocks += [
            ExplanationHeading(words("explanation.matter-title", matter=told.matter)),
            ExplanationParagraph(opening),
            ExplanationParagraph(about),
        ]
        blocks += _language_blocks(words, told)
    return {
        layout.MATTER_EXPLANATION: as_html(title, blocks).encode("utf-8", "replace"),
        layout.MATTER_PRINTED: as_pdf(title, blocks, at),
    }


def _language_blocks(words: Words, told: MatterSummary) -> list[Block]:
    for_people = [(name, said.in_language(words.language)) for name, said in told.contents]
    for_programs = zip(
        map(layout.checks_path, _CONTENTS), words.lines("explanation.matter-contents-files"), strict=True
    )
    return [
        ExplanationHeading(words("explanation.proves"), 2),
        Points(proof_points(words)),
        ExplanationHeading(words("explanation.proves-not"), 2),
        Points((*limit_points(words), *_missing_sentences(words, told))),
        ExplanationHeading(words("explanation.contents"), 2),
        ExplanationPairs((*for_people, *for_programs)),
        *check_blocks(
            words,
            chain(check_steps(words, told.example, told.is_sealed, layout.CHECKS), _check_steps(words, told.example)),
        ),
    ]


def _missing_sentences(words: Words, told: MatterSummary) -> list[str]:
    """Return sentences about what this file lacks, such as timestamps."""
    named = ", ".join(digest[:16] for digest in told.unstamped)
    missing = [words("explanation.unstamped", bundles=named)] if told.unstamped else []
    missing += [] if told.is_sealed else [words("explanation.matter-unsealed")]
    return missing + [each.in_language(words.language) for each in told.left_out]


def _check_steps(words: Words, example: Example) -> Iterator[Step]:
    stamp = f'openssl ts -verify -in "$d/{layout.RESPONSE}" -queryfile "$d/{layout.QUERY}" -CAfile "$d/{layout.ROOTS}"'
    folder = example.file.rpartition("/")[0]
    yield (
        words("explanation.matter-check-all-bundles"),
        (f'for f in {folder}/*.wacz; do echo "$f"; unzip -p "$f" {bundle.PACKAGE} | sha256sum; done',),
    )
    if example.is_stamped:  # The example is a timestamped bundle if there is one.
        stamps = layout.checks_path("stamps")
        yield (
            words("explanation.matter-check-all-stamps"),
            (f"find {stamps} -mindepth 2 -maxdepth 2 -type d | while read -r d; do {stamp}; done",),
        )
    yield (
        words("explanation.matter-check-warc"),
        (f"unzip -p {example.file} {bundle.ARCHIVE} > data.warc.gz", "warcio check data.warc.gz"),
    )
    yield words("explanation.matter-check-replay", folder=folder), ()
