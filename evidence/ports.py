"""What evidence needs from outside, and what others may ask of it.

BundleStore     bundles by their digest; append-only
StampStore      the stamps of each day's root; append-only
CaseMaterials   what is exported of a case
Stamper         an authority that stamps a digest (`evidence.authority.Authority`)

Values (`evidence.records`): Capture + Finding -> Bundle -> DayProof -> CaseMaterial.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Protocol

from core.ids import Digest
from evidence.records import Bundle, CaseMaterial, Stamp


class BundleStore(Protocol):
    """Bundles, each stored once under its digest. Nothing is ever overwritten or deleted here."""

    def put(self, bundle: Bundle) -> None:
        """Store it; a bundle that is stored already is left as it is."""

    def get(self, digest: Digest) -> bytes:
        """The WACZ. Raises NotFound."""

    def days(self) -> Sequence[date]:
        """The days that have bundles, in order."""

    def digests(self, day: date) -> Iterator[Digest]:
        """The bundles of one day (UTC, by the moment of fetching), in any order."""


class StampStore(Protocol):
    """Stamps by the root that they are on. A root that changes (a late bundle) is another root with its own stamps."""

    def add(self, day: date, root: Digest, leaves: Sequence[Digest], stamp: Stamp) -> None:
        """Keep a stamp with the leaves of its tree."""

    def stamped(self, day: date) -> Sequence[tuple[Digest, Sequence[Digest], Sequence[Stamp]]]:
        """Each stamped root of the day with its leaves and stamps, the oldest first."""


class CaseMaterials(Protocol):
    """Cases as they are exported."""

    def material_of(self, case: int) -> CaseMaterial:
        """Raises NotFound for no such case."""


class Stamper(Protocol):
    """A time stamp authority."""

    def stamp(self, digest: Digest) -> Stamp:
        """Its stamp on `digest`, verified. Raises ServiceUnavailable or DoesNotHold."""
