"""One set of words in Chinese: on the desk, in reports, in the explanation of evidence and on the command line."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from core.states import CaseState
from webadmin import translation as catalogue
from webadmin.ui.models.phrases import case_name

ROOT = Path(__file__).parents[2]
# Instead of: what reviewers and lawyers say.
FORBIDDEN = {
    "洗稿": "轻度修改, 重度修改",
    "抄": "使用, 登载: nobody has decided yet",
    "疑似侵权片段": "相似片段",
    "母本": "作品库",
    "摘要": "哈希值, or 概要 for a summary",
    "散列": "哈希值",
    "立案": "建立, 列为线索",
    "裁定": "审核结论",
    "已排除案件": "已办结",
    "已结案": "已办结",
    "躲避手法": "改动与隐藏",
    "伪装手法": "改动与隐藏",
    "规避": "改动与隐藏: nobody knows what for",
    "假阳性": "误报",
    "管理后台": "工作台",
    "站点": "网站",
    "网站地图": "站点地图",
}
_SITEMAP = re.compile("站点地图")  # the format is called so
# What is called so in Chinese as well: formats, programs, names.
LATIN = set(
    re.findall(
        r"\w+",
        """
    AOF ARC CSS CSV Chromium Cookie DNS Django EPUB GB HSTS HTML HTTP IP IPv6 JSON Lines MB Markdown MiB MongoDB PDF PEM
    PostgreSQL RFC Redis SHA SQLite SearXNG TLS URL UTC WACZ WARC WET Word XLSX XPath ZIP docx robots txt zip
    AdSense Analytics CNZZ DOCX Google ICP ID JPEG PNG imports li
    AccessKey COS OSS S3 Secret boto3 check fill open submit user
        """,
    )
)  # identifiers of sites and kinds of proof; names of examples; object stores and their keys; steps of a login
_NO_WORDS = re.compile(
    r"`[^`]*`|(?<!\S)(/[\w.-]+){2,}|%\(\w+\)[sd]|\{\w*\}|<[^>]*>|\S*://\S*|[\w-]+(\.[\w-]+)+(:\d+)?|[A-Z]\w+/[A-Z]\w+|U\+\d+"
)


@cache
def of_catalogue() -> dict[str, str]:
    with catalogue.CATALOGUE.open("rb") as file:
        return {str(each.id): _one(each.string) for each in read_po(file) if each.id and not _is_of_unfold_alone(each)}


def _is_of_unfold_alone(message: Any) -> bool:
    return all(place.startswith("unfold/") for place, _ in message.locations)


def _one(string: Any) -> str:
    return string if isinstance(string, str) else " ".join(string)


def spoken() -> Iterator[tuple[str, str]]:
    """Every Chinese text of ours, with where it stands."""
    for english, chinese in of_catalogue().items():
        yield f"django.po: {english}", chinese
    yield from ((code, words["zh_Hans"]) for code, words in catalogue.messages().items())
    for path in [ROOT / "README.zh.md", ROOT / "docs" / "glossary.md", *sorted((ROOT / "docs").glob("**/*.zh.md"))]:
        yield path.name, path.read_text(encoding="utf-8")


def test_a_word_that_is_not_ours_is_said_nowhere() -> None:
    for where, text in spoken():
        said = _SITEMAP.sub("", text)
        assert not {word: instead for word, instead in FORBIDDEN.items() if word in said}, where


def test_no_english_is_left_in_the_chinese_of_the_desk() -> None:
    rests = {
        english: words
        for english, chinese in of_catalogue().items()
        if (words := set(re.findall(r"[A-Za-z][A-Za-z0-9]+", _NO_WORDS.sub(" ", chinese))) - LATIN)
    }
    assert rests == {}


def test_a_setting_is_named_to_operators_alone() -> None:
    settings = [english for english, chinese in of_catalogue().items() if "ZHUIWEN_" in re.sub("`[^`]*`", "", chinese)]
    assert settings == []


@pytest.mark.parametrize(
    ("state", "name"),
    [(CaseState.OPEN, "侵权线索 #12"), (CaseState.SET_ASIDE, "侵权线索 #12"), (CaseState.CONFIRMED, "案件 #12")],
)
def test_a_lead_becomes_a_case_when_it_is_confirmed(state: CaseState, name: str) -> None:
    from django.utils import translation

    with translation.override("zh-hans"):
        assert case_name(12, state) == name
    with translation.override("en"):
        assert case_name(12, state) == "Case 12"
