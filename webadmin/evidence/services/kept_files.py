"""Uploaded files and the files of notices. The evidence store holds their bytes next to the bundles.

Every model that names such a file is registered, so that the nightly check reads the file again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Model

from core.ids import Digest
from webadmin.evidence.models import ThirdPartyProof
from webadmin.works.models import LicenceProof

# Each model with the field that names the file. Withdrawn rows count too: exported documents refer to their files.
KEPT: dict[type[Model], str] = {ThirdPartyProof: "name", LicenceProof: "name"}
CHUNK_ROWS = 1_000


def register_kept_file(model: type[Model], field: str = "name") -> None:
    """Include the files of a model in the nightly check and in backups. field: the one with the file's name."""
    KEPT[model] = field


@dataclass(frozen=True, slots=True)
class KeptFileEntry:
    """A file that a row names. model: Django's `model_name`, in lower case."""

    model: str
    name: str
    digest: Digest


def kept_files() -> Iterator[KeptFileEntry]:
    """Yield the files of all registered models, once for each row."""
    for model, named in KEPT.items():
        rows = model._default_manager.order_by("pk").values_list(named, "digest")
        for name, digest in rows.iterator(chunk_size=CHUNK_ROWS):
            yield KeptFileEntry(str(model._meta.model_name), name, Digest(digest))


def kept_file_label(model: str) -> str:
    """Return the display name of a kept file of this model, in the active language."""
    names = {str(each._meta.model_name): str(each._meta.verbose_name) for each in KEPT}
    return names.get(model, model)  # a model of another release
