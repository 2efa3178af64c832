"""Records about evidence that the stores, the pipeline and the admin share."""

from dataclasses import dataclass
from datetime import datetime

from core.ids import Digest


@dataclass(frozen=True, slots=True)
class BundleRemoval:
    """The removal of a bundle by a retention policy. reason: the rule that removed it."""

    digest: Digest
    bytes: int
    removed_at: datetime
    reason: str
