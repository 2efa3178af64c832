"""The Merkle tree of a day: its stamped root, and the audit path from one bundle to it."""

from collections.abc import Iterable, Sequence
from datetime import date

from bundles import merkle
from bundles.records import DayProof, TimeStamp
from core.ids import Digest


def day_root(digests: Iterable[Digest]) -> Digest:
    """Return the root over all bundles of a day, in any order. Authorities stamp this digest."""
    return merkle.root(merkle.sort_leaves(tuple(digests)))


def make_day_proof(bundle: Digest, day: date, digests: Iterable[Digest], stamps: Sequence[TimeStamp] = ()) -> DayProof:
    """Return the proof that `bundle` is one of the day. It names no other bundle, only digests over them.

    Raises ValueError if it is not.
    """
    leaves = merkle.sort_leaves(tuple(digests))
    index = leaves.index(bundle)
    return DayProof(day, len(leaves), index, merkle.audit_path(leaves, index), merkle.root(leaves), tuple(stamps))
