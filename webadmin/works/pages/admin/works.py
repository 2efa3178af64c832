"""The admin of works and chapters. Their texts come from uploads and `zhuiwen work add`, and cannot be edited."""

from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from core.errors import RetryLater
from core.hidden_characters import clip_text
from core.messages import WorkRemoved
from webadmin import stores
from webadmin.accounts.pages.isolation import HolderInline, signed_in_user
from webadmin.ui.pages.columns import NOTHING, moment, moment_column
from webadmin.ui.pages.wording import message_text
from webadmin.works.models import Chapter, Unprotected, Work
from webadmin.works.pages.add_work import add_work_view, plan_view
from webadmin.works.pages.author_search import AuthorSearchAdmin
from webadmin.works.pages.read_chapter import read_chapter_view
from webadmin.works.pages.rulings import announce_rulings
from webadmin.works.pages.work_times import work_times_view

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Figures(TypedDict):
        chapters_total: int | None
        chapters_indexed: int | None

    WorkWithFigures = WithAnnotations[Work, _Figures]


MAX_TITLE_CHARS = 60  # characters of a chapter's title in the work's list


class ChapterInline(HolderInline):
    model = Chapter
    is_read_only = True
    hide_title = True
    fields = readonly_fields = ["number", "reading", "char_count", "official", "added_at", "index_state"]
    ordering = ["number"]
    per_page = 50
    can_delete = False

    @display(description=_("title"))
    def reading(self, chapter: Chapter) -> object:
        """Return the title of a chapter as a link to its text."""
        if not chapter.number:  # The row comes from a forged form.
            return NOTHING
        address = reverse("admin:works_work_read", args=[chapter.work_id, chapter.number])
        return format_html('<a class="text-link" href="{}">{}</a>', address, clip_text(str(chapter), MAX_TITLE_CHARS))

    official = moment_column("published_at", _("officially published"))

    @display(description=_("characters"))
    def char_count(self, chapter: Chapter) -> str:
        return f"{chapter.chars or 0:,}"  # A forged row has no chapter.

    @display(description=_("in the index"))
    def index_state(self, chapter: Chapter) -> object:
        return _("waiting") if chapter.indexed_at is None else moment(chapter.indexed_at)


class UnprotectedInline(HolderInline):
    """An inline for the mark that a work is not protected."""

    model = Unprotected
    fields = ["reason", "note", "entered_by", "entered_at"]
    readonly_fields = ["entered_by", "entered_at"]
    max_num = 1
    hide_title = True
    verbose_name = _("reason")
    verbose_name_plural = _("Not protected (what is found of the work then opens no case)")


class WorkAdmin(AuthorSearchAdmin):
    record_pages = [
        ("read/<str:number>", "read", read_chapter_view),
        ("times", "times", work_times_view),
    ]
    list_display = [
        *("title", "author", "kind", "rights_holder", "chapter_count", "chars", "index_state", "protection"),
    ]
    list_filter = ["rights_holder", "kind", "unprotected__reason"]
    list_select_related = ["rights_holder", "unprotected"]
    search_fields = ["title", "author"]
    author_path = "author"
    search_help_text = _("Title or author, pen names too")
    fields = ["rights_holder", "title", "author", "kind", "added_at"]
    readonly_fields = ["added_at"]
    actions_detail = ["official_times"]
    inlines = [UnprotectedInline, ChapterInline]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[WorkWithFigures]":
        """Return the works with their numbers of chapters, as subqueries that run only for the rows of one page."""
        chapters = Chapter.objects.filter(work=OuterRef("pk")).order_by().values("work")
        return (
            super()
            .get_queryset(request)
            .annotate(
                chapters_total=Subquery(chapters.annotate(n=Count("pk")).values("n"), output_field=IntegerField()),
                chapters_indexed=Subquery(
                    chapters.annotate(n=Count("indexed_at")).values("n"), output_field=IntegerField()
                ),
            )
        )

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        """Return the upload page in place of Django's form, because every work needs a text."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return add_work_view(request)

    def get_urls(self) -> list[Any]:
        plan = path("add/<str:upload>/", self.admin_site.admin_view(self.plan_page), name="works_work_plan")
        return [plan, *super().get_urls()]

    def plan_page(self, request: HttpRequest, upload: str) -> HttpResponseBase:
        if not self.has_add_permission(request):
            raise PermissionDenied
        return plan_view(request, upload)

    @action(description=_("Official times"), url_path="official-times", icon="schedule")
    def official_times(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        work: Work = self.get_record_or_404(request, object_id)
        return HttpResponseRedirect(reverse("admin:works_work_times", args=[work.pk]))

    @display(description=_("chapters"))
    def chapter_count(self, work: "WorkWithFigures") -> int:
        return work.chapters_total or 0

    @display(description=_("characters"))
    def chars(self, work: "WorkWithFigures") -> str:
        return f"{work.counted_chars:,}"

    @display(description=_("in the index"), label={"indexed": "success", "partly": "warning", "waiting": "warning"})
    def index_state(self, work: "WorkWithFigures") -> tuple[str, object]:
        done, total = work.chapters_indexed or 0, work.chapters_total or 0
        if total and done == total:
            return "indexed", _("complete")
        return ("partly", f"{done} / {total}") if done else ("waiting", _("waiting"))

    @display(description=_("protection"))
    def protection(self, work: Work) -> str:
        mark = getattr(work, "unprotected", None)
        return mark.get_reason_display() if mark else ""

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save an inline. For the mark of an unprotected work, record the user and announce the effects on cases."""
        if formset.model is not Unprotected:
            super().save_formset(request, form, formset, change)
            return
        for each in formset.forms:
            each.instance.entered_by = signed_in_user(request)
        with announce_rulings(request, form.instance.rights_holder_id):
            super().save_formset(request, form, formset, change)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        texts = set(obj.chapters.values_list("text_id", flat=True))
        super().delete_model(request, obj)
        transaction.on_commit(partial(_withdraw_texts, request, texts))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        texts = set(Chapter.objects.filter(work__in=queryset.values("pk")).values_list("text_id", flat=True))
        super().delete_queryset(request, queryset)
        transaction.on_commit(partial(_withdraw_texts, request, texts))


def _withdraw_texts(request: HttpRequest, texts: set[str]) -> None:
    """Remove those of `texts` that no other work has from the index."""
    kept = set(Chapter.objects.filter(text_id__in=texts).values_list("text_id", flat=True))
    try:
        for text_id in sorted(texts - kept):
            stores.outbox().send(WorkRemoved(text_id))
    except RetryLater as error:
        explanation = _now("The work was deleted, but the index could not be updated: %(error)s") % {
            "error": message_text(error)
        }
        messages.warning(request, explanation)
