"""What is said of evidence between the stores, the pipeline and the admin."""

from dataclasses import dataclass
from datetime import datetime

from core.ids import Digest


@dataclass(frozen=True, slots=True)
class BundleRemoval:
    """A bundle that a retention policy removed: which, how large, when, and by what rule."""

    digest: Digest
    bytes: int
    removed_at: datetime
    reason: str
