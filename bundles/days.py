"""The tree of a day: what is stamped, and the way from one bundle to it."""

from collections.abc import Iterable, Sequence
from datetime import date

from bundles import merkle
from bundles.records import DayProof, TimeStamp
from core.ids import Digest


def day_root(digests: Iterable[Digest]) -> Digest:
    """Return the root over all bundles of a day, in whatever order they come. This digest is what authorities stamp."""
    return merkle.root(merkle.sort_leaves(tuple(digests)))


def make_day_proof(bundle: Digest, day: date, digests: Iterable[Digest], stamps: Sequence[TimeStamp] = ()) -> DayProof:
    """Return the proof that `bundle` is one of the day's. It names no other bundle, only digests over them.

    Raises ValueError when it is not.
    """
    leaves = merkle.sort_leaves(tuple(digests))
    index = leaves.index(bundle)
    return DayProof(day, len(leaves), index, merkle.audit_path(leaves, index), merkle.root(leaves), tuple(stamps))
