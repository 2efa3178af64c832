"""The `import` command: imports pages of WARC, WACZ and Common Crawl files, and resumes an interrupted import."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, NotFound
from core.settings import Settings
from core.wording import Message
from webadmin.ui.console.faults import FAILED, complain
from webadmin.ui.console.output import as_json, print_fields, progress
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from webadmin.accounts.models import RightsHolder
    from webadmin.sites.models import ArchiveImport, Site


def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...")],
    site: Annotated[str, typer.Option()] = "",
    rights_holder: str = "",
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Import the pages in archive files with their capture times, and resume interrupted imports of the same files."""
    ok = True
    with session() as settings:
        from webadmin.accounts.services import holders

        holder = holders.holder(rights_holder)
        chosen = _target_site(site, holder) if site.strip() else None
        rows = []
        for file in files:
            row = _import_archive(file.expanduser().resolve(), holder, chosen, settings)
            rows.append(row)
            ok = ok and row.state == row.State.FINISHED
            if not is_json:
                _print_import(row)
        if is_json:
            shown = ({"file": row.path, "state": str(row.state), **row.counts, "faults": row.faults} for row in rows)
            as_json(list(shown))
    if not ok:
        raise typer.Exit(FAILED)


def _target_site(key: str, holder: "RightsHolder") -> "Site":
    from webadmin.sites.services import watchlist

    try:
        found = watchlist.find_site(key)
    except NotFound:
        return watchlist.archive_site(holder, key)
    if found.rights_holder_id != holder.pk:
        raise BadInput("tracking.belongs", site=found.name, rights_holder=found.rights_holder.name)
    return found


def _import_archive(path: Path, holder: "RightsHolder", site: "Site | None", settings: Settings) -> "ArchiveImport":
    from webadmin import stores
    from webadmin.sites.services import imports
    from webadmin.sites.services.archive_imports import run_import

    row = imports.begin_import(holder, path, site)
    if row.position:
        complain(Message("tracking.going-on", file=path.name))
    try:
        with progress(path.name) as meter:
            run_import(
                row,
                stores.page_store(),
                stores.outbox(),
                settings.crawl,
                lambda _, at: meter.update(at.offset, row.size_bytes),
            )
    except BaseException:
        imports.interrupt_import(row)
        raise
    for fault in row.faults:
        complain(fault)
    return row


def _print_import(row: "ArchiveImport") -> None:
    from webadmin.ui.models.phrases import PASSED_BY

    counts = row.counts
    left_out = ", ".join(
        f"{PASSED_BY.get(name, name)} {count:,}" for name, count in sorted(counts["passed_by"].items())
    )
    by_server = counts.get("dated_by_server", 0)
    print_fields(
        [
            ("column.import-file", row.path),
            ("column.state", row.get_state_display()),
            ("column.records", f"{counts['records']:,}"),
            ("column.pages-kept", Message("tracking.kept", stored=counts["stored"], new=counts["new_versions"])),
            ("column.truncated", f"{counts['truncated']:,}"),
            *([("column.dated-by-server", f"{by_server:,}")] if by_server else []),
            ("column.left-out", left_out or Message("tracking.none")),
        ]
    )
