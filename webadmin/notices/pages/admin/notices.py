"""The admin of notices, templates, and the identities and documents of rights holders."""

from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.addressees import Paper
from core.errors import BadInput
from core.hidden_characters import clip_text, spell_hidden
from documents.word_files import MAX_FILE_BYTES
from webadmin.accounts.pages.isolation import HolderAdmin, signed_in_user
from webadmin.notices.models import HolderIdentity, HolderPaper, Notice, PaperTemplate
from webadmin.notices.pages.due_view import due_view
from webadmin.notices.pages.notice_view import draft_view, notice_view
from webadmin.notices.services import kept_files
from webadmin.notices.services.kept_files import check_template
from webadmin.notices.services.standard_templates import standard_template
from webadmin.ui.models.phrases import PAPERS
from webadmin.ui.pages.actions import carry_out_each, confirmed_action, redirect_to_record
from webadmin.ui.pages.columns import NOTHING, moment, moment_column, site_name, text_column
from webadmin.ui.pages.downloads import as_file, kept_download
from webadmin.ui.pages.wording import message_text
from webadmin.works.pages.sent_files import validate_document, validate_file


class HolderPaperForm(forms.ModelForm):
    file = forms.FileField(
        label=_("File"),
        max_length=255,
        help_text=_("PDF, PNG, JPEG or Word (DOCX), up to 20 MB. The file is stored unchanged with its hash."),
    )

    class Meta:
        model = HolderPaper
        fields = ["rights_holder", "kind", "work", "valid_from", "valid_until"]

    def clean_file(self) -> Any:
        return validate_document(self.cleaned_data["file"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        work, holder = cleaned.get("work"), cleaned.get("rights_holder")
        if work is not None and holder is not None and work.rights_holder_id != holder.pk:
            self.add_error("work", message_text(BadInput("paper.other-holder")))
        begins, ends = cleaned.get("valid_from"), cleaned.get("valid_until")
        if begins and ends and begins > ends:
            fault = BadInput("paper.ends-before-it-begins", begins=begins.isoformat(), ends=ends.isoformat())
            self.add_error("valid_until", message_text(fault))
        return cleaned


class PaperTemplateForm(forms.ModelForm):
    file = forms.FileField(
        label=_("Template"),
        max_length=255,
        help_text=_("A Word document (DOCX) with fields such as {{权利人名称}}; begin with the standard one."),
    )

    class Meta:
        model = PaperTemplate
        fields = ["rights_holder", "kind"]

    def clean(self) -> dict[str, Any]:
        """Check the uploaded template against the chosen kind."""
        cleaned = super().clean() or {}
        file, kind = cleaned.get("file"), str(cleaned.get("kind", ""))
        if file is None or kind not in set(Paper):
            return cleaned
        try:
            validate_file(file, MAX_FILE_BYTES, partial(check_template, kind=Paper(kind), name=file.name or ""))
        except forms.ValidationError as error:
            self.add_error("file", error)
        return cleaned


@admin.register(HolderIdentity)
class HolderIdentityAdmin(HolderAdmin):
    list_display = ["shown_name", "rights_holder", "shown_identity", "shown_contact", "phone", "email"]
    list_select_related = ["rights_holder"]
    list_filter = ["rights_holder"]
    search_fields = ["legal_name"]
    fieldsets = [
        (None, {"fields": ["rights_holder", "legal_name", "identity", "representative"]}),
        (_("Contact"), {"fields": ["address", "postcode", "contact_person", ("phone", "fax"), "email"]}),
        (_("Agent"), {"fields": ["agent_name", "agent_contact"]}),
    ]

    shown_name = text_column("legal_name", _("legal name"), is_ordered=True)

    shown_identity = text_column("identity", _("identity document"))

    shown_contact = text_column("contact_person", _("contact person"), 30)


class StoredFileAdmin(HolderAdmin):
    """A base admin for files that can be uploaded, downloaded and withdrawn, but not changed or deleted."""

    record_pages = [("file", "file", lambda request, row: kept_download(row.name, row.digest))]
    list_select_related = ["rights_holder", "added_by", "withdrawn_by"]
    actions: ClassVar[Any] = ["take_back"]
    actions_detail: ClassVar[Any] = ["take_back_one"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [] if obj is None else [*self.shown]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*self.form._meta.fields, "file"] if obj is None else [*self.shown]

    shown: ClassVar[tuple[str, ...]] = ()

    @admin.action(description=_("Withdraw"), permissions=["manage"])
    def take_back(self, request: HttpRequest, queryset: QuerySet) -> None:
        user = signed_in_user(request)
        done = carry_out_each(
            request, queryset, lambda row: kept_files.withdraw_file(row, user), lambda row: clip_text(row.name, 40)
        )
        if done:
            messages.success(request, _now("Undone: %(count)d.") % {"count": done})

    @confirmed_action(
        "take-back",
        "undo",
        _("Withdraw"),
        _("Withdraw this file?"),
        _("It will no longer be attached to notices. It remains visible and cannot be reinstated."),
    )
    def take_back_one(self, request: HttpRequest, form: object, object_id: str) -> HttpResponseBase:
        row = self.get_record_or_404(request, object_id)
        self.take_back(request, self.get_queryset(request).filter(pk=row.pk))
        return redirect_to_record(request, row)

    def is_offered(self, path: str, key: Any) -> bool:
        return self.model._default_manager.filter(pk=key, withdrawn_at=None).exists()

    shown_name = text_column("name", _("file"), 40, is_ordered=True)

    @display(description=_("file"))
    def file_link(self, row: Any) -> object:
        address = reverse(f"admin:{self.model._meta.app_label}_{self.model._meta.model_name}_file", args=[row.pk])
        return format_html('<a class="text-link" href="{}">{}</a>', address, spell_hidden(row.name))

    @display(description=_("entered by"), ordering="added_at")
    def upload_summary(self, row: Any) -> str:
        return f"{row.added_by or NOTHING} · {moment(row.added_at)}"

    @display(description=_("withdrawn by"))
    def withdrawal_summary(self, row: Any) -> str:
        return f"{row.withdrawn_by or NOTHING} · {moment(row.withdrawn_at)}" if row.withdrawn_at else NOTHING


@admin.register(HolderPaper)
class HolderPaperAdmin(StoredFileAdmin):
    form = HolderPaperForm
    list_display = [
        "shown_name",
        "kind",
        "work_title",
        "validity",
        "rights_holder",
        "upload_summary",
        "withdrawal_summary",
    ]
    list_filter = ["rights_holder", "kind"]
    list_select_related = ["rights_holder", "work", "added_by", "withdrawn_by"]
    search_fields = ["name", "work__title"]
    shown = (
        "rights_holder",
        "kind",
        "work_title",
        "validity",
        "file_link",
        "digest",
        "upload_summary",
        "withdrawal_summary",
    )

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        file = form.cleaned_data["file"]
        made = kept_files.add_paper(obj, file.name or "", file.read(), signed_in_user(request))
        obj.__dict__.update(made.__dict__)

    @display(description=_("work"), ordering="work__title")
    def work_title(self, paper: HolderPaper) -> str:
        return clip_text(str(paper.work), 40) if paper.work else _now("all works")

    @display(description=_("valid"), ordering="valid_until")
    def validity(self, paper: HolderPaper) -> str:
        begins, ends = paper.valid_from, paper.valid_until
        if begins and ends:
            return f"{begins:%Y-%m-%d} – {ends:%Y-%m-%d}"
        if begins:
            return _now("from %(day)s") % {"day": f"{begins:%Y-%m-%d}"}
        return _now("until %(day)s") % {"day": f"{ends:%Y-%m-%d}"} if ends else _now("no end")


@admin.register(PaperTemplate)
class PaperTemplateAdmin(StoredFileAdmin):
    form = PaperTemplateForm
    list_display = ["shown_name", "kind", "usage_status", "rights_holder", "upload_summary", "withdrawal_summary"]
    list_filter = ["rights_holder", "kind"]
    search_fields = ["name"]
    shown = ("rights_holder", "kind", "usage_status", "file_link", "digest", "upload_summary", "withdrawal_summary")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        fields = super().get_fields(request, obj)
        return fields if obj is not None else [*fields, "standard_links"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*super().get_readonly_fields(request, obj), *(["standard_links"] if obj is None else [])]

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(self.standard_file)
        return [path("standard/<str:kind>/", view, name="notices_papertemplate_standard"), *super().get_urls()]

    def standard_file(self, request: HttpRequest, kind: str) -> HttpResponse:
        if kind not in set(Paper):
            raise Http404
        return as_file(f"{PAPERS[Paper(kind)]}.docx", standard_template(Paper(kind)))

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """Annotate each template with `used`, the key of the newest template of its kind that is not withdrawn."""
        rows = super().get_queryset(request)
        active = PaperTemplate.objects.filter(
            rights_holder=OuterRef("rights_holder"), kind=OuterRef("kind"), withdrawn_at=None
        )
        return rows.annotate(used=Subquery(active.order_by("-added_at", "-pk").values("pk")[:1]))

    @display(description=_("use"))
    def usage_status(self, template: Any) -> str:
        if template.withdrawn_at:
            return _now("permanently withdrawn")
        return _now("in use") if template.used == template.pk else _now("replaced by a newer one")

    @display(description=_("standard templates"))
    def standard_links(self, row: Any) -> object:
        links = [(reverse("admin:notices_papertemplate_standard", args=[kind]), PAPERS[kind]) for kind in Paper]
        return format_html_join(" · ", '<a class="text-link" href="{}">{}</a>', links)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        given, file = form.cleaned_data, form.cleaned_data["file"]
        holder, kind = given["rights_holder"], Paper(given["kind"])
        made = kept_files.add_template(holder, kind, file.name or "", file.read(), signed_in_user(request))
        obj.__dict__.update(made.__dict__)


@admin.register(Notice)
class NoticeAdmin(HolderAdmin):
    is_read_only = True
    record_view = staticmethod(notice_view)
    list_display = [
        "name",
        site_name,
        "addressee_name",
        "state",
        "page_count",
        "sent_on",
        "answer_due",
        "rights_holder",
        "when_drafted",
    ]
    list_filter = ["rights_holder", "state"]
    list_select_related = ["site", "rights_holder", "addressee"]
    search_fields = ["site__name"]
    search_help_text = _("Site")

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).annotate(pages_total=Count("pages"))

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(draft_view)
        due = path("due/", self.admin_site.admin_view(due_view), name="notices_notice_due")
        return [path("draft/", view, name="notices_notice_draft"), due, *super().get_urls()]

    @display(description=_("document"), ordering="kind")
    def name(self, notice: Notice) -> str:
        return f"{notice.get_kind_display()} #{notice.pk}"

    addressee_name = text_column("addressee_name", _("addressee"), 40)

    @display(description=_("pages"))
    def page_count(self, notice: Any) -> int:
        return int(notice.pages_total)

    when_drafted = moment_column("drafted_at", _("drafted"), is_ordered=True)
