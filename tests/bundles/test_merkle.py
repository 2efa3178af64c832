"""Trees as RFC 6962 has them."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from bundles import merkle
from bundles.merkle import day_root
from core.ids import Digest

sets = st.sets(st.binary(min_size=32, max_size=32).map(lambda data: Digest(data.hex())), min_size=1, max_size=70)


def by_the_book(leaves: list[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1, word for word."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + by_the_book(leaves[:k]) + by_the_book(leaves[k:])).digest()


@given(sets)
def test_the_root_is_that_of_the_standard(digests: set[Digest]) -> None:
    assert day_root(digests) == by_the_book([bytes.fromhex(each) for each in sorted(digests)]).hex()


@given(sets)
def test_each_audit_path_leads_to_the_root(digests: set[Digest]) -> None:
    leaves = merkle.sort_leaves(tuple(digests))
    for index, leaf in enumerate(leaves):
        path = merkle.audit_path(leaves, index)
        assert merkle.compute_root(leaf, index, len(leaves), path) == merkle.root(leaves)


@given(sets, st.data())
def test_no_other_leaf_place_or_path_leads_there(digests: set[Digest], data: st.DataObject) -> None:
    leaves = merkle.sort_leaves(tuple(digests))
    index = data.draw(st.integers(0, len(leaves) - 1))
    path, root = merkle.audit_path(leaves, index), merkle.root(leaves)
    other = Digest(hashlib.sha256(leaves[index].encode()).hexdigest())
    assert merkle.compute_root(other, index, len(leaves), path) != root
    assert merkle.compute_root(leaves[index], index, len(leaves), (*path, other)) != root
    assert merkle.compute_root(leaves[index], len(leaves), len(leaves), path) is None
    if path:
        assert merkle.compute_root(leaves[index], index, len(leaves), path[:-1]) != root
