"""Files that people sent, or that notices were made into: their bytes stand in the evidence store beside the bundles.

Every table that names such a file is registered, so that the nightly check reads it again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Model

from core.ids import Digest
from webadmin.evidence.models import ThirdPartyProof
from webadmin.works.models import LicenceProof

# To the field that names the file. Rows that were taken back or withdrawn stay: what they went with names their files.
KEPT: dict[type[Model], str] = {ThirdPartyProof: "name", LicenceProof: "name"}
CHUNK_ROWS = 1_000


def register_kept_file(model: type[Model], field: str = "name") -> None:
    """Have the files that a model's rows name read again each night, and kept by backups. field: the name's."""
    KEPT[model] = field


@dataclass(frozen=True, slots=True)
class KeptFileEntry:
    """A file as a row names it. model: in small letters, as Django names it."""

    model: str
    name: str
    digest: Digest


def kept_files() -> Iterator[KeptFileEntry]:
    """Yield every file that any row names, once for each row."""
    for model, named in KEPT.items():
        rows = model._default_manager.order_by("pk").values_list(named, "digest")
        for name, digest in rows.iterator(chunk_size=CHUNK_ROWS):
            yield KeptFileEntry(str(model._meta.model_name), name, Digest(digest))


def kept_file_label(model: str) -> str:
    """What the desk calls a kept file of this model, in the language of now."""
    names = {str(each._meta.model_name): str(each._meta.verbose_name) for each in KEPT}
    return names.get(model, model)  # one of another release keeps its own name
