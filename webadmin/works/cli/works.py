"""The commands `work add`, `work list` and `work remove`."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from core.taken import share_of_work
from core.wording import Message
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.lists import ConsoleColumn, print_list, share_column
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import session
from webadmin.works.cli.keys import find_work
from webadmin.works.cli.work_add import add


def show(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """List the works."""
    with session() as settings:
        from django.db.models import Count, Q, Sum

        from webadmin.works.models import Work

        works = Work.objects.select_related("rights_holder", "unprotected").annotate(
            total=Count("chapters"),
            indexed=Count("chapters", filter=Q(chapters__indexed_at__isnull=False)),
        )
        cases = dict(Work.objects.order_by().values_list("pk").annotate(n=Count("cases")))
        taken = dict(Work.objects.order_by().values_list("pk").annotate(chars=Sum("copied_texts__taken_chars")))
        listed = [_Listed(work, cases.get(work.pk, 0), taken.get(work.pk) or 0) for work in works.order_by("pk")]
        print_list(listed, _COLUMNS, settings, is_json=is_json)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A work in the list, with the number of its cases and of its characters that were copied."""

    work: Any
    cases: int
    taken: int

    @property
    def unprotected_mark(self) -> Any:
        """The mark that the work is not protected, or None."""
        return getattr(self.work, "unprotected", None)

    @property
    def share(self) -> float:
        return share_of_work(self.taken, self.work.counted_chars) or 0.0


_COLUMNS = (
    ConsoleColumn("id", "column.id", "work.pk", is_number=True),
    ConsoleColumn("title", "column.title", "work.title"),
    ConsoleColumn("author", "column.author", "work.author"),
    ConsoleColumn("kind", "column.kind", "work.kind", "work.get_kind_display"),
    ConsoleColumn("rights_holder", "column.rights-holder", "work.rights_holder.name"),
    ConsoleColumn(
        "indexed", "column.indexed", "work.indexed", lambda each: f"{each.work.indexed}/{each.work.total}", True
    ),
    ConsoleColumn(
        "characters", "column.characters", "work.counted_chars", lambda each: f"{each.work.counted_chars:,}", True
    ),
    ConsoleColumn("cases", "column.cases", "cases", is_number=True),
    ConsoleColumn("taken_chars", "column.taken", "taken", lambda each: f"{each.taken:,}", True),
    share_column("share_taken", "column.share-taken", "share"),
    ConsoleColumn("added", "column.added", "work.added_at"),
    ConsoleColumn(
        "unprotected",
        "column.protection",
        lambda each: each.unprotected_mark.reason if each.unprotected_mark else None,
        lambda each: each.unprotected_mark.get_reason_display() if each.unprotected_mark else "",
    ),
    ConsoleColumn("unprotected_note", "", lambda each: each.unprotected_mark.note if each.unprotected_mark else ""),
    ConsoleColumn("chapters", "", "work.total"),
    ConsoleColumn("work_chars", "", "work.counted_chars"),
)


def remove(
    work: Annotated[str, typer.Argument(metavar="WORK")],
    rights_holder: str = "",
) -> None:
    """Remove a work from the corpus. A work with cases cannot be removed, because they need it as evidence."""
    with session():
        from webadmin import stores
        from webadmin.accounts.services import holders
        from webadmin.works.services import catalogue

        found = find_work(work, holders.find_holder(rights_holder) if rights_holder else None)
        number, title = found.pk, found.title
        print_line(
            Message("corpus.removed", id=number, title=title, chapters=catalogue.remove_work(found, stores.outbox()))
        )


GROUP = verb_group(
    "The works to protect.",
    {
        "add": add,
        "list": show,
        "remove": remove,
    },
)
