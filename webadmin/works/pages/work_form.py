"""The forms for uploading works and choosing their rights holder."""

from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.services.access import is_administrator, manageable
from webadmin.accounts.services.holders import MAX_HOLDER_CHARS, holder
from webadmin.ui.pages.wording import message_text
from webadmin.ui.services.upload_limits import MAX_UPLOAD_BYTES, TOO_LARGE
from webadmin.works.models import Work
from webadmin.works.services.catalogue import MAX_AUTHOR_CHARS
from webadmin.works.services.changes import MAX_TITLE_CHARS
from webadmin.works.services.intake.files import READERS
from webadmin.works.services.uploads import MAX_FILES


class FilesInput(forms.FileInput):
    """A file input for several files."""

    allow_multiple_selected = True

    def __init__(self) -> None:
        super().__init__(
            {
                "multiple": True,
                "accept": ",".join([*READERS, ".zip"]),
                "data-most-bytes": MAX_UPLOAD_BYTES,
                "data-most-files": MAX_FILES,
            }
        )


class FilesField(forms.FileField):
    """A field for a list of files. An empty file is no form error; it is reported with the results of the others."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files = list(data or [])
        if not files:
            raise forms.ValidationError(self.error_messages["required"], code="required")
        if sum(file.size or 0 for file in files) > MAX_UPLOAD_BYTES:
            raise forms.ValidationError(message_text(TOO_LARGE), code="too_large")
        return files


class AddWorkForm(forms.Form):
    """A form for files and a rights holder that the user manages, which can also be chosen after reading the files."""

    rights_holder = forms.ModelChoiceField(
        RightsHolder.objects.none(),
        label=_("Rights holder"),
        required=False,
        help_text=_("You can also choose it after the files have been read."),
    )
    uploads = FilesField(
        label=_("Files"),
        help_text=_(
            "Text, Markdown, EPUB, Word (.docx), PDF, HTML or JSON lines; a .zip file of chapters is one work. "
            "Chapters are found by their headings."
        ),
    )
    title = forms.CharField(
        label=_("Title"),
        required=False,
        max_length=MAX_TITLE_CHARS,
        help_text=_("For a single work. Leave empty to use the value in the file."),
    )
    author = forms.CharField(
        label=_("Author"),
        required=False,
        max_length=MAX_AUTHOR_CHARS,
        help_text=_("For every uploaded work. Leave empty to use the value in the file."),
    )
    kind = forms.ChoiceField(
        label=_("Kind of work"),
        required=False,
        choices=[("", _("unchanged, or as given in the file")), *Work.Kind.choices],
    )

    def __init__(self, data: Any, files: Any, user: User | AnonymousUser) -> None:
        super().__init__(data, files)
        offered = manageable(RightsHolder.objects.all(), user)
        field: Any = self.fields["rights_holder"]
        field.queryset = offered
        only = list(offered[:2])
        if len(only) == 1:
            field.initial = only[0].pk


class HolderForm(forms.Form):
    """A form in which the user chooses a rights holder for uploaded works; administrators can also name a new one."""

    rights_holder = forms.ModelChoiceField(RightsHolder.objects.none(), label=_("Rights holder"), required=False)
    name = forms.CharField(label=_("Or create a new one"), required=False, max_length=MAX_HOLDER_CHARS)

    def __init__(self, data: Any, user: User | AnonymousUser) -> None:
        super().__init__(data)
        offered = manageable(RightsHolder.objects.all(), user)
        field: Any = self.fields["rights_holder"]
        field.queryset = offered
        if not is_administrator(user):
            del self.fields["name"]
        elif not offered.exists():
            del self.fields["rights_holder"]

    def clean(self) -> dict[str, Any]:
        """Return the values. Raises ValidationError without a chosen rights holder or the name of a new one."""
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("rights_holder") and not cleaned.get("name", "").strip() and not self.errors:
            raise forms.ValidationError(_("Choose or name a rights holder."))
        return cleaned

    def holder(self) -> RightsHolder:
        """Return the chosen rights holder, or create one with the entered name."""
        chosen: RightsHolder | None = self.cleaned_data.get("rights_holder")
        return holder(self.cleaned_data["name"]) if chosen is None else chosen
