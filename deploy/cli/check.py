"""The `check` command, which compares one text or page with the whole corpus and stores nothing."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.counting import count_characters
from core.errors import IndexStale
from core.marks import RawPlaces
from core.matches import Match
from core.pages import Reading
from core.settings import Settings
from core.shares import cut_share, format_percentage
from core.wording import Message
from core.zones import Zone
from webadmin.ui.console.faults import complain
from webadmin.ui.console.output import (
    as_json,
    excerpt_pieces,
    print_fields,
    print_line,
    print_passage,
    print_table,
)
from webadmin.ui.console.session import session
from webadmin.ui.console.words import console_language, obfuscation

if TYPE_CHECKING:
    from deploy.cli.source import PageSource
    from webadmin.works.models import Chapter

MAX_PASSAGES = 3  # shown for one match; --json has all passages
MAX_EXCERPT_CHARS = 80


def check(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Compare one text or page with all works, and show the matches."""
    from deploy.cli.source import read_as_text

    with session() as settings:
        found = read_as_text(source, settings)
        matches, works_texts = _compare_text(found.reading, settings)
        owners = _chapters_by_text([match.text_id for match in matches])
        raw = found.reading.raw_places()
        records = [_match_record(match, owners, found, works_texts, raw) for match in matches if owners[match.text_id]]
        if is_json:
            obfuscations = [_obfuscation_record(item) for item in found.reading.obfuscations]
            as_json(
                {
                    "source": found.name,
                    "title": found.reading.title,
                    "obfuscations": obfuscations,
                    "raw_text": found.reading.raw_whole_text,
                    "marks": [mark.record for mark in found.reading.marks],
                    "matches": records,
                }
            )
        else:
            _print_result(found, records)


def _compare_text(reading: Reading, settings: Settings) -> tuple[Sequence[Match], dict[str, str]]:
    """Return the matches of a text, and the texts of their works by id. Raises IndexStale if there is no index."""
    from fingerprint.fingerprinting import fingerprint_text
    from pipeline.steps import merge_matches
    from webadmin.wiring import live_ports
    from webadmin.works.services.catalogue import corpus_texts

    ports = live_ports(settings)
    if ports.index.state().generation == 0:
        raise IndexStale("index.empty")
    missing = len(corpus_texts() - frozenset(ports.index.text_ids()))
    if missing:
        complain(Message("corpus.not-indexed", count=missing))
    texts = (reading.text, reading.surrounding_text)
    main, found = (ports.matcher.match(text, fingerprint_text(text, ports.algorithm)) for text in texts)
    matches = merge_matches(main, found, reading)
    return matches, {match.text_id: ports.works.text(match.text_id) or "" for match in matches}


def _chapters_by_text(text_ids: Sequence[str]) -> "dict[str, list[Chapter]]":
    from webadmin.works.models import Chapter

    owners: dict[str, list[Chapter]] = defaultdict(list)
    chapters = Chapter.objects.filter(text_id__in=text_ids).select_related("work__rights_holder")
    for chapter in chapters.order_by("work_id", "number"):
        owners[chapter.text_id].append(chapter)
    return owners


def _match_record(
    match: Match,
    owners: "dict[str, list[Chapter]]",
    found: "PageSource",
    works_texts: dict[str, str],
    raw: RawPlaces,
) -> dict[str, Any]:
    from webadmin.cases.services.findings import frozen_span

    return {
        "works": _chapter_records(owners[match.text_id]),
        "class": str(match.match_class),
        "similarity": cut_share(match.similarity),
        "page_containment": cut_share(match.page_containment),
        "work_containment": cut_share(match.work_containment),
        "matched_chars": match.matched_chars,
        "obfuscations": [_obfuscation_record(item) for item in match.obfuscations],
        "spans": [frozen_span(span, found.reading.whole_text, works_texts[match.text_id], raw) for span in match.spans],
    }


def _chapter_records(chapters: "Sequence[Chapter]") -> list[dict[str, Any]]:
    return [
        {
            "id": chapter.work_id,
            "title": chapter.work.title,
            "rights_holder": chapter.work.rights_holder.name,
            "chapter": chapter.number,
            "chapter_title": chapter.title,
        }
        for chapter in chapters
    ]


def _obfuscation_record(item: Any) -> dict[str, Any]:
    return {"kind": str(item.kind), "count": item.count, "example": item.example}


def _print_result(found: "PageSource", records: list[dict[str, Any]]) -> None:
    if not records:
        print_line(Message("corpus.no-copy", name=found.name, chars=count_characters(found.reading.text)))
        return
    from webadmin.ui.models.phrases import MATCH_CLASSES, ZONES

    rows = []
    for record in records:
        first = record["works"][0]
        more = len(record["works"]) - 1
        title = Message("corpus.more-works", title=first["title"], count=more) if more else first["title"]
        shares = (format_percentage(record[name]) for name in ("similarity", "page_containment", "work_containment"))
        obfuscations = ", ".join(f"{obfuscation(item['kind'])} {item['count']}" for item in record["obfuscations"])
        chapter = first["chapter_title"] or first["chapter"]
        match_class = MATCH_CLASSES[record["class"]]
        rows.append((title, chapter, match_class, *shares, record["matched_chars"], obfuscations))
    right = ("column.similarity", "column.of-the-page", "column.of-the-chapter", "column.characters")
    print_table(("column.work", "column.chapter", "column.class", *right, "column.obfuscations"), rows, right=right)
    for record in records:
        print_line("")
        print_line(Message("corpus.passages", title=record["works"][0]["title"], count=len(record["spans"])))
        for span in record["spans"][:MAX_PASSAGES]:
            if span["zone"] != Zone.MAIN:
                print_fields([("column.zone", ZONES[span["zone"]])])
            print_passage("column.page", excerpt_pieces(span, "page", MAX_EXCERPT_CHARS))
            print_passage("column.work", excerpt_pieces(span, "work", MAX_EXCERPT_CHARS))
    if found.reading.obfuscations:
        print_line("")
        kinds = [f"{obfuscation(item.kind)} {item.count}" for item in found.reading.obfuscations]
        print_line(Message("corpus.undone", kinds=kinds))
        for told in filter(None, (item.kind.caveat for item in found.reading.obfuscations)):
            print_line(told.in_language(console_language()))
