"""The verb `check`: one text or page against the whole corpus. Nothing is stored."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import IndexStale
from core.matches import Match
from core.settings import Settings
from deploy.cli.faults import complain
from deploy.cli.output import as_json, counted, passage, pieces_of, say, table
from deploy.cli.session import session

if TYPE_CHECKING:
    from deploy.cli.source import Source
    from webadmin.models import Chapter

MAX_PASSAGES = 3  # of one match; all of them stand in --json
MAX_EXCERPT_CHARS = 80


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command("check")(check)


def check(
    source: Annotated[str, typer.Argument(metavar="FILE|URL|-", help="a text, a saved page, an address, or -")],
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Compare one text or page with all works, and show what it took from which."""
    from deploy.cli.source import read_as_text

    with session() as settings:
        found = read_as_text(source, settings)
        matches, works_texts = _compared(found.reading.text, settings)
        owners = _owners([match.text_id for match in matches])
        records = [_record(match, owners, found, works_texts) for match in matches if owners[match.text_id]]
    if is_json:
        disguises = [_disguise(item) for item in found.reading.disguises]
        as_json({"source": found.name, "title": found.reading.title, "disguises": disguises, "matches": records})
    else:
        _show(found, records)


def _compared(text: str, settings: Settings) -> tuple[Sequence[Match], dict[str, str]]:
    """The matches, and the texts that they are with. Raises IndexStale rather than find nothing in nothing."""
    from fingerprint.fingerprinting import fingerprint_text
    from pipeline.wiring import live
    from webadmin.catalogue import corpus_texts

    ports = live(settings)
    if ports.index.state().generation == 0:
        raise IndexStale("empty")
    missing = len(corpus_texts() - frozenset(ports.index.text_ids()))
    if missing:
        complain(
            f"{missing} texts of the corpus are not indexed yet, so copies of them are not found; see zhuiwen status"
        )
    matches = ports.matcher.match(text, fingerprint_text(text, ports.algorithm))
    return matches, {match.text_id: ports.works.text(match.text_id) or "" for match in matches}


def _owners(text_ids: Sequence[str]) -> "dict[str, list[Chapter]]":
    from webadmin.models import Chapter

    owners: dict[str, list[Chapter]] = defaultdict(list)
    chapters = Chapter.objects.filter(text_id__in=text_ids).select_related("work__rights_holder")
    for chapter in chapters.order_by("work_id", "number"):
        owners[chapter.text_id].append(chapter)
    return owners


def _record(
    match: Match, owners: "dict[str, list[Chapter]]", found: "Source", works_texts: dict[str, str]
) -> dict[str, Any]:
    from webadmin.frozen import frozen_span

    return {
        "works": [
            {
                "id": chapter.work_id,
                "title": chapter.work.title,
                "rights_holder": chapter.work.rights_holder.name,
                "chapter": chapter.number,
                "chapter_title": chapter.title,
            }
            for chapter in owners[match.text_id]
        ],
        "class": str(match.match_class),
        "similarity": round(match.similarity, 4),
        "page_containment": round(match.page_containment, 4),
        "work_containment": round(match.work_containment, 4),
        "matched_chars": match.matched_chars,
        "disguises": [_disguise(item) for item in match.disguises],
        "spans": [frozen_span(span, found.reading.text, works_texts[match.text_id]) for span in match.spans],
    }


def _disguise(item: Any) -> dict[str, Any]:
    return {"kind": str(item.kind), "count": item.count, "example": item.example}


def _show(found: "Source", records: list[dict[str, Any]]) -> None:
    if not records:
        say(f"{found.name}: no copy of any work was found in its {len(found.reading.text):,} characters")
        return
    rows = []
    for record in records:
        first = record["works"][0]
        more = f" (+{len(record['works']) - 1})" if len(record["works"]) > 1 else ""
        shares = (f"{record[name]:.1%}" for name in ("similarity", "page_containment", "work_containment"))
        disguises = ", ".join(f"{item['kind']} {item['count']}" for item in record["disguises"])
        chapter = first["chapter_title"] or first["chapter"]
        rows.append((first["title"] + more, chapter, record["class"], *shares, record["matched_chars"], disguises))
    right = ("similarity", "of the page", "of the chapter", "characters")
    table(("work", "chapter", "class", *right, "disguises"), rows, right=right)
    for record in records:
        say("")
        say(f"{record['works'][0]['title']}, {counted(len(record['spans']), 'passage')}:")
        for span in record["spans"][:MAX_PASSAGES]:
            passage("page", pieces_of(span, "page", MAX_EXCERPT_CHARS))
            passage("work", pieces_of(span, "work", MAX_EXCERPT_CHARS))
    if found.reading.disguises:
        kinds = ", ".join(f"{item.kind} {item.count}" for item in found.reading.disguises)
        say("")
        say(f"undone while reading: {kinds}")
