"""The verb `import`: pages of WARC, WACZ and Common Crawl files into the page store. Goes on where it was stopped."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, NotFound
from core.settings import Settings
from deploy.cli.faults import FAILED, complain
from deploy.cli.output import as_json, fields, progress
from deploy.cli.session import session

if TYPE_CHECKING:
    from webadmin.models import ArchiveImport, RightsHolder, Site


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command("import")(import_)


def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="WARC, WACZ, ARC or WET, gzipped or not")],
    site: Annotated[
        str,
        typer.Option(help="all pages go there; made if there is none. Without it: to the site that owns their host"),
    ] = "",
    rights_holder: Annotated[str, typer.Option(help="who watches it. Needed where there are several")] = "",
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Take in the pages of archive files, with the moment at which they were archived. The same file again goes on."""
    ok = True
    with session() as settings:
        from webadmin import catalogue

        holder = catalogue.holder(rights_holder)
        chosen = _site(site, holder) if site.strip() else None
        rows = []
        for file in files:
            row = _imported(file.expanduser().resolve(), holder, chosen, settings)
            rows.append(row)
            ok = ok and row.state == row.State.FINISHED
            if not is_json:
                _show(row)
        if is_json:
            as_json([_record(row) for row in rows])
    if not ok:
        raise typer.Exit(FAILED)


def _site(key: str, holder: "RightsHolder") -> "Site":
    from webadmin import watchlist

    try:
        found = watchlist.find_site(key)
    except NotFound:
        return watchlist.archive_site(holder, key)
    if found.rights_holder_id != holder.pk:
        raise BadInput(f"the site {found.name} belongs to {found.rights_holder.name}; say so with --rights-holder")
    return found


def _imported(path: Path, holder: "RightsHolder", site: "Site | None", settings: Settings) -> "ArchiveImport":
    from django.utils import timezone

    from pipeline.imports import run_import
    from webadmin import imports, stores

    row = imports.request_import(holder, path, site)
    if not imports.take(row, timezone.now()):
        raise BadInput(f"{path} is being imported already; wait until that has ended")
    if row.position:
        complain(f"{path.name}: going on where the last import stopped")
    try:
        with progress(path.name) as meter:
            run_import(
                row,
                stores.page_store(),
                stores.outbox(),
                settings.crawl,
                lambda _, at: meter.at(at.offset, row.size_bytes),
            )
    except BaseException:
        type(row).objects.filter(pk=row.pk).update(heartbeat_at=None)  # so that the next one need not wait
        raise
    for fault in row.faults:
        complain(fault)
    return row


def _show(row: "ArchiveImport") -> None:
    counts = row.counts
    left_out = ", ".join(f"{reason} {count:,}" for reason, count in sorted(counts["passed_by"].items()))
    fields(
        [
            ("file", str(row.path)),
            ("state", str(row.state)),
            ("records", f"{counts['records']:,}"),
            ("pages kept", f"{counts['stored']:,} ({counts['new_versions']:,} new versions)"),
            ("truncated", f"{counts['truncated']:,}"),
            ("left out", left_out or "none"),
        ]
    )


def _record(row: "ArchiveImport") -> dict[str, object]:
    return {"file": row.path, "state": str(row.state), **row.counts, "faults": row.faults}
