from pathlib import Path

import pytest

from core.errors import BrokenInvariant
from fingerprint.near import NEAR_2026
from fingerprint.readings import code_points
from fingerprint.variants import SOURCE_1955, SOURCE_UNIHAN, read_groups
from laboratory.tables.build_variants import groups_of_1955, pairs_of_unihan
from tests.support.fingerprint_definition import are_variants

VARIANTS = (
    "揹背 彷仿 倣仿 彷倣 裏里 裡里 裏裡 牀床 峯峰 綫線 羣群 喫吃 啓啟 祇只 妳你 牠它 粘黏 炮砲 雕凋 群羣 岳嶽 后後"
)
WORDS_OF_THEIR_OWN = "他她 帐账 做作 象像 的地 哪那 合阁 辩辨 亲榛 板版 背被 完烟 玫瑰 历厉"


@pytest.mark.parametrize("pair", VARIANTS.split())
def test_variants_are_one_character_in_either_order(pair: str) -> None:
    assert are_variants(code_points(pair), code_points(pair[::-1])).tolist() == [True, True]


@pytest.mark.parametrize("pair", WORDS_OF_THEIR_OWN.split())
def test_words_of_their_own_are_no_variants(pair: str) -> None:
    assert not are_variants(code_points(pair), code_points(pair[::-1])).any()


def test_the_table_has_the_groups_of_1955_and_pairs_of_unihan() -> None:
    groups = read_groups()
    assert {source for source, _ in groups} == {SOURCE_1955, SOURCE_UNIHAN}
    assert all(len(set(group)) == len(group) > 1 for _, group in groups)
    of_1955 = [group for source, group in groups if source == SOURCE_1955]
    # 810 groups with 1,055 variants as issued. The transcription has 1,053, of which one is the character itself;
    # 閤 is left out.
    assert (len(of_1955), sum(len(group) - 1 for group in of_1955)) == (806, 1051)


def test_the_sources_are_read_as_they_are_written() -> None:
    lines = [
        "dypytz/variant,<rev>,dypytz/proper",
        "背,dypytz/variant,揹",
        "閣,dypytz/variant,閤",
        "閣,dypytz/variant,阁",
    ]
    assert list(groups_of_1955(lines)) == ["背揹", "閣阁"]
    unihan = [
        "# U+4ED6",
        "U+4ED6\tkSemanticVariant\tU+5979 U+7260<kMatthews",
        "U+80CC\tkSpecializedSemanticVariant\tU+63F9",
    ]
    assert list(pairs_of_unihan(unihan, NEAR_2026)) == ["他牠"]


def test_a_table_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.tsv").write_text("no columns\n")
    for name in ("broken.tsv", "absent.tsv"):
        with pytest.raises(BrokenInvariant):
            read_groups(tmp_path / name)
