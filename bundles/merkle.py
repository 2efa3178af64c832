"""Computes Merkle trees as in Certificate Transparency: the root of a day, and audit paths.

The data of a leaf are the 32 bytes of a bundle's digest. Leaves and nodes are hashed with different prefixes, so that a
leaf cannot be mistaken for a node. Source: RFC 6962, section 2.1 (the same in RFC 9162).
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date

from bundles.records import DayProof, TimeStamp
from core.ids import Digest

_LEAF, _NODE = b"\x00", b"\x01"
MAX_DEPTH = 64


def sort_leaves(digests: Sequence[Digest]) -> tuple[Digest, ...]:
    """Return the leaves of a tree, sorted and distinct, so that the order of the bundles does not change its root."""
    return tuple(sorted(set(digests)))


def root(leaves: Sequence[Digest]) -> Digest:
    """Return the root of the tree with these leaves.

    Raises ValueError if there are none.
    """
    if not leaves:
        raise ValueError("a tree needs a leaf")
    return Digest(_tree_hash([_leaf_hash(leaf) for leaf in leaves]).hex())


def audit_path(leaves: Sequence[Digest], index: int) -> tuple[Digest, ...]:
    """Return the audit path of the leaf at `index`: the siblings from the leaf up to the root."""
    return tuple(Digest(node.hex()) for node in _audit_path([_leaf_hash(leaf) for leaf in leaves], index))


def compute_root(leaf: Digest, index: int, tree_size: int, path: Sequence[Digest]) -> Digest | None:
    """Return the root computed from a leaf and its audit path, or None if the path's length does not fit.

    Source: RFC 9162, section 2.1.3.2.
    """
    if not 0 <= index < tree_size or len(path) > MAX_DEPTH:
        return None
    node, last, current = _leaf_hash(leaf), tree_size - 1, index
    for sibling in path:
        if last == 0:
            return None
        if current & 1 or current == last:
            node = _node_hash(bytes.fromhex(sibling), node)
            while not current & 1 and current:
                current, last = current >> 1, last >> 1
        else:
            node = _node_hash(node, bytes.fromhex(sibling))
        current, last = current >> 1, last >> 1
    return Digest(node.hex()) if last == 0 else None


def _leaf_hash(digest: Digest) -> bytes:
    return hashlib.sha256(_LEAF + bytes.fromhex(digest)).digest()


def _node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(_NODE + left + right).digest()


def _split_point(count: int) -> int:
    """Return the largest power of two below `count`."""
    return 1 << (count - 1).bit_length() - 1


def _tree_hash(nodes: Sequence[bytes]) -> bytes:
    if len(nodes) == 1:
        return nodes[0]
    middle = _split_point(len(nodes))
    return _node_hash(_tree_hash(nodes[:middle]), _tree_hash(nodes[middle:]))


def _audit_path(nodes: Sequence[bytes], index: int) -> list[bytes]:
    if len(nodes) == 1:
        return []
    middle = _split_point(len(nodes))
    if index < middle:
        return [*_audit_path(nodes[:middle], index), _tree_hash(nodes[middle:])]
    return [*_audit_path(nodes[middle:], index - middle), _tree_hash(nodes[:middle])]


def day_root(digests: Iterable[Digest]) -> Digest:
    """Return the root of the tree of a day's bundles, in any order. Authorities issue timestamps on this digest."""
    return root(sort_leaves(tuple(digests)))


def make_day_proof(bundle: Digest, day: date, digests: Iterable[Digest], stamps: Sequence[TimeStamp] = ()) -> DayProof:
    """Return the proof that `bundle` is one of the day's bundles.

    digests: of all bundles of the day. stamps: the timestamps on the root. The proof does not reveal the digests of
    other bundles, only hashes of them. Raises ValueError if `bundle` is not in `digests`.
    """
    leaves = sort_leaves(tuple(digests))
    index = leaves.index(bundle)
    return DayProof(day, len(leaves), index, audit_path(leaves, index), root(leaves), tuple(stamps))
