"""Files that people sent, or that notices were made into: their bytes stand in the evidence store beside the bundles.

Every table that names such a file stands in KEPT, so that the nightly check reads it again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.apps import apps
from django.db.models import Model

from core.ids import Digest
from webadmin.evidence.models import ThirdPartyProof
from webadmin.notices.models import EventPaper, HolderPaper, NoticeFile, NoticeMail, PaperTemplate
from webadmin.works.models import LicenceProof

# Rows that were taken back or withdrawn stay in it: what they went with names their files still.
KEPT: Mapping[type[Model], str] = {  # to the field that names the file
    HolderPaper: "name",
    PaperTemplate: "name",
    NoticeFile: "name",
    NoticeMail: "message_id",
    EventPaper: "name",
    ThirdPartyProof: "name",
    LicenceProof: "name",
}
CHUNK_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as a row names it. model: in small letters, as Django names it."""

    model: str
    name: str
    digest: Digest


def kept_files() -> Iterator[KeptFile]:
    """Every file that any row names, once for each row."""
    for model, named in KEPT.items():
        rows = model._default_manager.order_by("pk").values_list(named, "digest")
        for name, digest in rows.iterator(chunk_size=CHUNK_ROWS):
            yield KeptFile(str(model._meta.model_name), name, Digest(digest))


def kind_of_file(model: str) -> str:
    """What the desk calls a kept file of this model, in the language of now."""
    try:
        return str(apps.get_model("records", model)._meta.verbose_name)
    except LookupError:  # a check of another release
        return model
