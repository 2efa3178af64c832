"""What evidence needs from outside. Bundles themselves are kept by `core.ports.EvidenceStore`.

CaseMaterials   what is exported of a case
Stamper         an authority that stamps a digest (`evidence.authority.Authority`)

Values (`evidence.records`): Capture + Finding -> Bundle -> DayProof -> CaseMaterial.
"""

from typing import Protocol

from core.ids import Digest
from evidence.records import CaseMaterial, Stamp


class CaseMaterials(Protocol):
    """Cases as they are exported."""

    def material_of(self, case: int) -> CaseMaterial:
        """Raises NotFound for no such case."""


class Stamper(Protocol):
    """A time stamp authority."""

    def stamp(self, digest: Digest) -> Stamp:
        """Its stamp on `digest`, verified. Raises RetryLater, or DoesNotHold for an answer that is no such stamp."""
