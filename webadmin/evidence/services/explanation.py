"""Writes the explanation in an export, in Chinese and English: what the export proves and how to verify it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bundles import layout
from bundles.opened import OpenedBundle
from bundles.records import CaseMaterial, DayProof, Undrawn
from bundles.shapes import moment
from core.captures import CaptureSource
from core.ids import Digest
from core.shares import format_percentage
from documents.explanation_blocks import (
    BOTH_LANGUAGES,
    HEADLINE,
    Block,
    ExplanationHeading,
    ExplanationPairs,
    ExplanationParagraph,
    Lines,
    Points,
    Words,
)
from documents.explanation_html import as_html
from documents.explanation_pdf import as_pdf
from webadmin.evidence.services.circumstances_text import circumstance_blocks

# These suffice to show the copying. The bundle contains all passages.
MAX_PASSAGES_SHOWN = 20
MAX_EXCERPT_CHARS = 600
MAX_MISSING_SHOWN = 10
NUMERALS = "一二三四五六七八九十"
_CONTENTS = (
    "bundles/*.wacz",
    "proofs/*.json",
    "stamps/",
    "pages/",
    "papers/",
    "case.json",
    "manifest.json, SHA256SUMS",
    "seal/",
)

Taken = Sequence[tuple[OpenedBundle, DayProof | None]]


def explanation(
    material: CaseMaterial, taken: Taken, at: datetime, code_version: str, *, is_sealed: bool
) -> dict[str, bytes]:
    """Return README.html, which needs no network and no scripts, and the same text as PDF.

    taken: the opened bundles with their audit paths. at: the time of the export. is_sealed: whether an authority sealed
    it.
    """
    title = f"{HEADLINE} {material.case}"
    blocks: list[Block] = []
    for words in BOTH_LANGUAGES:
        opening = words("explanation.opening", at=moment(at), version=code_version)
        blocks += [ExplanationHeading(words("explanation.title", case=material.case)), ExplanationParagraph(opening)]
        blocks += _language_blocks(words, material, taken, is_sealed)
    return {
        layout.EXPLANATION: as_html(title, blocks).encode("utf-8", "replace"),
        layout.PRINTED: as_pdf(title, blocks, at),
    }


def _language_blocks(words: Words, material: CaseMaterial, taken: Taken, is_sealed: bool) -> list[Block]:
    blocks: list[Block] = [ExplanationHeading(words("explanation.pages"), 2), *_signature_blocks(words, material)]
    for number, (bundle, proof) in enumerate(taken, 1):
        blocks += _page_blocks(words, number, bundle, proof, _later_drawings(bundle, taken))
    blocks += circumstance_blocks(words, [bundle for bundle, _ in taken])
    if material.history:
        blocks += [
            ExplanationHeading(words("explanation.history"), 2),
            ExplanationPairs(tuple(_event_row(words, event) for event in material.history)),
        ]
    blocks += [ExplanationHeading(words("explanation.proves"), 2), Points(proof_points(words))]
    blocks += [
        ExplanationHeading(words("explanation.proves-not"), 2),
        Points(limit_points(words) + _missing_points(words, material, taken, is_sealed)),
    ]
    blocks += [
        ExplanationHeading(words("explanation.contents"), 2),
        ExplanationPairs(tuple(zip(_CONTENTS, words.lines("explanation.contents-files"), strict=True))),
    ]
    bundle, proof = next(((each, way) for each, way in taken if way is not None), taken[0])
    example = Example(bundle.digest, layout.bundle_file(bundle.digest), proof)
    return [
        *blocks,
        *check_blocks(words, check_steps(words, example, is_sealed)),
        ExplanationParagraph(words("explanation.check-replay")),
    ]


def proof_points(words: Words) -> tuple[str, ...]:
    """Return sentences on what an export proves. words: the language of the sentences."""
    return (words("explanation.integrity"), *words.lines("explanation.proves-besides"))


def limit_points(words: Words) -> tuple[str, ...]:
    """Return sentences on what an export does not prove. words: the language of the sentences."""
    parts = ("of-fetching", "of-finding", "of-stamps")
    points = (each for part in parts for each in words.lines(f"explanation.proves-not-{part}"))
    return (*points, words("explanation.withheld"))


def _signature_blocks(words: Words, material: CaseMaterial) -> list[Block]:
    """Return the poster and the author stated on the page, or a note that it states neither."""
    page = material.facts.get("page")
    if page is None:
        return []
    named = (words("explanation.poster"), page.get("poster")), (words("explanation.stated-author"), page.get("author"))
    told = tuple((name, str(value)) for name, value in named if value)
    return [ExplanationPairs(told or ((words("explanation.signatures"), words("explanation.unsigned")),))]


def _page_blocks(
    words: Words, number: int, bundle: OpenedBundle, proof: DayProof | None, later: Mapping[str, int]
) -> list[Block]:
    """Return the blocks about a bundle.

    later: renderings that only another bundle of the page contains, by name, with the number of that bundle.
    """
    page, finding = bundle.page, bundle.finding
    work = finding["work"]
    pairs = [
        *page_rows(words, bundle),
        (words("explanation.work"), f"{work['title']} {work['author']} {work['chapter']}".strip()),
        (words("explanation.work-digest"), str(work["digest"])),
        (words("explanation.similarity"), format_percentage(float(finding["similarity"]))),
        (words("explanation.copied"), f"{finding['matched_chars']:,}"),
        (words("explanation.longest-equal"), f"{finding['longest_equal_run_chars']:,}"),
        (words("explanation.algorithm"), f"{finding['algorithm_id']} ({finding['code_version']})"),
        *bundle_rows(words, bundle),
        (words("explanation.stamps"), _stamp_authorities(words, proof)),
        *capture_rows(words, bundle, later),
    ]
    passages = [
        (
            f"{words('explanation.on-page')} {place}",
            shorten(passage["page_excerpt"]),
            words("explanation.in-work"),
            shorten(passage["work_excerpt"]),
        )
        for place, passage in enumerate(finding["passages"][:MAX_PASSAGES_SHOWN], 1)
    ]
    shown = tuple(pair for a, b, c, d in passages for pair in ((a, b), (c, d)))
    left = len(finding["passages"]) - MAX_PASSAGES_SHOWN
    more = [ExplanationParagraph(words("explanation.more-passages", count=left))] if left > 0 else []
    return [
        ExplanationHeading(f"{number}. {page['title'] or page['url']}", 3),
        ExplanationPairs(tuple(pairs)),
        ExplanationPairs(shown),
        *more,
    ]


def page_rows(words: Words, bundle: OpenedBundle) -> list[tuple[str, str]]:
    """Return the rows about the page: URL, title and fetch time."""
    page = bundle.page
    return [
        (words("explanation.url"), str(page["url"])),
        (words("explanation.page-title"), str(page["title"])),
        (words("explanation.fetched"), str(page["fetched_at"])),
    ]


def bundle_rows(words: Words, bundle: OpenedBundle) -> list[tuple[str, str]]:
    """Return the rows about the bundle: path in the export, digest and renderings."""
    return [
        (words("explanation.bundle"), layout.bundle_file(bundle.digest)),
        (words("explanation.digest"), bundle.digest),
        (words("explanation.shown"), _copy_paths(bundle, "")),
    ]


def capture_rows(words: Words, bundle: OpenedBundle, later: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return the rows about the fetching and reading of the page, and about missing parts.

    later: as in `_page_blocks`.
    """
    absent = [(words("explanation.absent"), said) for said in _describe_absent(words, bundle.page, later)]
    return [*_fetch_rows(words, bundle), *_obfuscation_caveats(words, bundle.page), *absent]


def _later_drawings(bundle: OpenedBundle, taken: Taken) -> Mapping[str, int]:
    """Return the renderings that only another bundle of the same response contains, with the number of that bundle."""
    found: dict[str, int] = {}
    for number, (other, _) in enumerate(taken, 1):
        if _main_response(other) == _main_response(bundle):
            found |= {name: number for name in other.renderings if name not in bundle.renderings}
    return found


def _main_response(bundle: OpenedBundle) -> tuple[object, ...]:
    return bundle.page["url"], bundle.page["fetched_at"], bundle.page["body_digest"]


def _describe_absent(words: Words, page: Mapping[str, Any], later: Mapping[str, int]) -> Iterator[str]:
    """Describe each missing part of a bundle with the reason, or with the number of the bundle that contains it."""
    for name, why in dict(page["absent"]).items():
        of_page, _, kind = name.rpartition(", ")
        shown = words.name(f"explanation.absent-{kind.replace(' ', '-')}", kind)
        if kind.startswith("page "):
            of_page, shown = kind, ""
        place = words("explanation.absent-of-page", number=of_page.removeprefix("page ")) if of_page else ""
        reason = why if isinstance(why, str) else why[words.language]  # Older bundles have only English.
        said = words("explanation.drawn-later", number=later[name]) if name in later else reason
        yield f"{place} {shown}".strip() + words.colon + said


def _fetch_rows(words: Words, bundle: OpenedBundle) -> list[tuple[str, str]]:
    """Return the rows about the source, the following pages, the resources, and the gaps in the renderings."""
    page, following = bundle.page, bundle.page.get("following", ())
    pairs = []
    if page.get("source") in list(CaptureSource):
        said = words(f"explanation.source-{page['source']}", made_with=page["made_with"])
        pairs.append((words("explanation.source"), said))
    for each in following:
        copies = _copy_paths(bundle, f"-{each['number']}") if "number" in each else ""
        pairs.append((words("explanation.following"), f"{each['url']} SHA-256 {each['body_digest']} {copies}".rstrip()))
    if page.get("page_resources"):
        pairs.append((words("explanation.resources"), str(len(page["page_resources"]))))
    for each in (page, *following):
        where = "" if each is page else f"{each['url']} "
        pairs += [(name, where + said) for name, said in _drawing_gaps(words, each)]
    return pairs


def _obfuscation_caveats(words: Words, page: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the label and the caveat of each obfuscation that was undone in the page's text and has a caveat."""
    for item in page.get("obfuscations", ()):
        if "caveat" in item:
            yield f"{item['label'][words.language]} × {item['count']}", item["caveat"][words.language]


def _copy_paths(bundle: OpenedBundle, of: str) -> str:
    """Return the paths of a page's renderings. of: "" for the first page of the text, "-N" for page N."""
    names = (f"{kind}{of}" for kind in layout.SHOWN)
    return " ".join(layout.shown_file(bundle.digest, name) for name in names if name in bundle.renderings)


def _drawing_gaps(words: Words, page: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the reason why a page was not rendered, or the resources that are missing from its rendering."""
    undrawn, drawn = page.get("undrawn") or {}, page.get("screenshot") or {}
    if undrawn.get("why") in list(Undrawn):
        why = f"explanation.undrawn-{undrawn['why'].replace('_', '-')}"
        yield words("explanation.undrawn"), words(why, limit=undrawn["limit"])
    if drawn.get("missing"):
        yield (
            words("explanation.not-drawn"),
            f"{drawn['missing_count']}: {' '.join(drawn['missing'][:MAX_MISSING_SHOWN])}",
        )


def _event_row(words: Words, event: Mapping[str, Any]) -> tuple[str, str]:
    """Return the time of an event, and its kind with all further details."""
    kind = str(event.get("event", ""))
    rest = [_event_detail(words, name, value) for name, value in event.items() if name not in ("at", "event") and value]
    return str(event.get("at", "")), words.semicolon.join(
        [words.name(f"explanation.event-{kind.replace('_', '-')}", kind), *rest]
    )


def _event_detail(words: Words, name: str, value: object) -> str:
    shown = words.name(f"explanation.detail-{name.replace('_', '-')}", name)
    reason = f"explanation.absence-{str(value).replace('_', '-')}"
    said = words.name(reason, str(value)) if name == "reason" else value
    return f"{shown}{words.colon}{said}"


def _stamp_authorities(words: Words, proof: DayProof | None) -> str:
    if proof is None or not proof.stamps:
        return words("explanation.no-stamp")
    return " ".join(stamp.authority for stamp in proof.stamps)


def _missing_points(words: Words, material: CaseMaterial, taken: Taken, is_sealed: bool) -> tuple[str, ...]:
    """Return sentences about what this export lacks: timestamps, the seal, and files that were left out."""
    unstamped = [bundle.digest[:16] for bundle, proof in taken if proof is None or not proof.stamps]
    missing = [words("explanation.unstamped", bundles=", ".join(unstamped))] if unstamped else []
    missing += [] if is_sealed else [words("explanation.unsealed")]
    return (*missing, *(each.in_language(words.language) for each in material.left_out))


@dataclass(frozen=True, slots=True)
class Example:
    """The bundle in the example commands. file: its path. proof: its audit path, or None."""

    digest: Digest
    file: str
    proof: DayProof | None

    @property
    def is_stamped(self) -> bool:
        return self.proof is not None and bool(self.proof.stamps)


Step = tuple[str, tuple[str, ...]]


def check_steps(words: Words, example: Example, is_sealed: bool, folder: str = "") -> Iterator[Step]:
    """Yield the steps of a manual verification, each with its commands.

    is_sealed: include the seal. folder: the folder of the machine-readable files, or "".
    """
    proof, place = example.proof, f"{folder}/" if folder else ""
    yield words("explanation.check-sums"), (f"sha256sum -c {place}{layout.SUMS}",)
    yield (
        words("explanation.check-bundle", digest=example.digest),
        (f"unzip -p {example.file} datapackage.json | sha256sum",),
    )
    if proof is not None:
        yield words("explanation.check-path", root=proof.root), path_commands(example.digest, proof)
        if proof.stamps:
            yield words("explanation.check-stamp"), stamp_commands(proof, place)
    if is_sealed:
        seal = f"{place}{layout.seal_folder(1)}"
        data = f"-data {place}{layout.MANIFEST} -CAfile {seal}/{layout.ROOTS}"
        yield words("explanation.check-seal"), (f"openssl ts -verify -in {seal}/{layout.RESPONSE} {data}",)


def check_blocks(words: Words, each: Iterable[Step]) -> list[Block]:
    """Return instructions for verifying a file with the program, and step by step with public tools.

    each: the manual steps (`check_steps`).
    """
    blocks: list[Block] = [
        ExplanationHeading(words("explanation.check"), 2),
        ExplanationParagraph(words("explanation.check-program")),
        Lines(("zhuiwen evidence verify FILE", "python -m bundles.verify FILE")),
        ExplanationParagraph(words("explanation.check-by-hand")),
    ]
    for number, (said, commands) in enumerate(each):
        begin = f"{NUMERALS[number]}、" if words.language == "zh" else f"{number + 1}. "
        blocks += [ExplanationParagraph(begin + said), *([Lines(commands)] if commands else [])]
    return blocks


def path_commands(digest: Digest, proof: DayProof) -> tuple[str, ...]:
    """Return shell commands that compute the root from a bundle's audit path with xxd and sha256sum."""
    step = "| xxd -r -p | sha256sum | cut -c1-64)"
    commands = [f"h={digest}", f"h=$(printf '00%s' $h {step}"]
    last, current = proof.tree_size - 1, proof.leaf_index
    for sibling in proof.path:
        if current & 1 or current == last:
            commands.append(f"h=$(printf '01%s%s' {sibling} $h {step}")
            while not current & 1 and current:
                current, last = current >> 1, last >> 1
        else:
            commands.append(f"h=$(printf '01%s%s' $h {sibling} {step}")
        current, last = current >> 1, last >> 1
    return (*commands, "echo $h")


def stamp_commands(proof: DayProof, place: str) -> tuple[str, ...]:
    """Return openssl commands that verify each timestamp on the root and print its time.

    place: the prefix of all paths.
    """
    commands = []
    for number in range(1, len(proof.stamps) + 1):
        folder = f"{place}{layout.stamp_folder(proof.root, number)}"
        response, query, roots = (f"{folder}/{name}" for name in (layout.RESPONSE, layout.QUERY, layout.ROOTS))
        commands += [
            f"openssl ts -verify -in {response} -queryfile {query} -CAfile {roots}",
            f"openssl ts -verify -in {response} -digest {proof.root} -CAfile {roots}",
            f"openssl ts -reply -in {response} -text",
        ]
    return tuple(commands)


def shorten(text: str) -> str:
    """Return the text, cut to MAX_EXCERPT_CHARS with an ellipsis."""
    return text if len(text) <= MAX_EXCERPT_CHARS else f"{text[:MAX_EXCERPT_CHARS]}…"
