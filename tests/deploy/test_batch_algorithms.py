"""The batch by other fingerprints than the one in use."""

import pytest

from core.errors import BadInput
from deploy.cli.comparers import make_comparer, parse_method
from fingerprint.algorithms import ALGORITHMS, DEFAULT
from fingerprint.fingerprinting import fingerprint_text
from tests.support.corpus_texts import story

WORKS = {f"work-{seed}": story(seed, 100) for seed in range(1, 4)}
OFFSETS = fingerprint_text(WORKS["work-2"]).offsets
PAGES = {
    "copy": WORKS["work-1"],
    "out-of-phase": WORKS["work-2"][OFFSETS[45] : 1_000],
    "innocent": story(99),
}


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_a_batch_by_any_algorithm_finds_copies(algorithm: int) -> None:
    comparer = make_comparer("zhuiwen", WORKS, parse_method("zhuiwen", algorithm, None))
    found = comparer.matches(list(PAGES.items()), exclude_same_id=False)
    assert [[match["work_id"] for match in of_page] for of_page in found] == [["work-1"], ["work-2"], []]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (("zhuiwen", 99, None), "there is no algorithm 99; choose one of 1, 2, 3, 4, 5"),
        (
            ("zhuiwen", None, 1),
            f"--page-step only applies to windows as seeds; algorithm {DEFAULT.id} only has anchors",
        ),
        (("nshash", 3, None), "--algorithm and --page-step only apply to zhuiwen, not to nshash"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(given: tuple[str, int | None, int | None], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        parse_method(*given)
