"""Forms of the files that go with notices: what is refused is said before anything is kept."""

from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.addressees import Paper
from core.errors import BadInput
from papers.word_files import MAX_FILE_BYTES
from records.models import HolderPaper, PaperTemplate
from records.notices.kept_files import check_template
from webadmin.forms.sent_files import checked, checked_document
from webadmin.wording import said


class HolderPaperForm(forms.ModelForm):
    file = forms.FileField(
        label=_("file"),
        max_length=255,
        help_text=_("PDF, PNG, JPEG or Word (DOCX), up to 20 MB. It is kept as it is, with its hash."),
    )

    class Meta:
        model = HolderPaper
        fields = ["rights_holder", "kind", "work", "valid_from", "valid_until"]

    def clean_file(self) -> Any:
        return checked_document(self.cleaned_data["file"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        work, holder = cleaned.get("work"), cleaned.get("rights_holder")
        if work is not None and holder is not None and work.rights_holder_id != holder.pk:
            self.add_error("work", said(BadInput("paper.other-holder")))
        begins, ends = cleaned.get("valid_from"), cleaned.get("valid_until")
        if begins and ends and begins > ends:
            fault = BadInput("paper.ends-before-it-begins", begins=begins.isoformat(), ends=ends.isoformat())
            self.add_error("valid_until", said(fault))
        return cleaned


class PaperTemplateForm(forms.ModelForm):
    file = forms.FileField(
        label=_("template"),
        max_length=255,
        help_text=_("A Word document (DOCX) with fields such as {{权利人名称}}; begin with the standard one."),
    )

    class Meta:
        model = PaperTemplate
        fields = ["rights_holder", "kind"]

    def clean(self) -> dict[str, Any]:
        """Try the template as the kind that was chosen."""
        cleaned = super().clean() or {}
        file, kind = cleaned.get("file"), str(cleaned.get("kind", ""))
        if file is None or kind not in set(Paper):
            return cleaned
        try:
            checked(file, MAX_FILE_BYTES, partial(check_template, kind=Paper(kind), name=file.name or ""))
        except forms.ValidationError as error:
            self.add_error("file", error)
        return cleaned
