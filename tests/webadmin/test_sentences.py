"""Sentences that other packages said in English are found by their shape and shown in the reader's language."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from django.utils import translation

from core.errors import ServiceUnavailable, UnsafeUrl
from webadmin.admin.columns import stored_sentence
from webadmin.sentences import MAX_CHARS, PREFIXED, SENTENCES, translated

ROOT = Path(__file__).resolve().parents[2]
PLACEHOLDER = re.compile(r"%\(\w+\)s")


@cache
def said_somewhere() -> str:
    """Every string that the code of the other packages (and of intake and uploads) can say, one a line."""
    parts: list[str] = []
    for package in ("core", "crawler", "pipeline", "webadmin"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.name != "sentences.py":
                tree = ast.parse(path.read_text(encoding="utf-8"))
                parts += [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return "\n".join(parts)


@pytest.mark.parametrize("template", SENTENCES)
def test_a_known_sentence_is_still_said_by_the_code(template: str) -> None:
    for words in re.split(r"%\(\w+\)s|; ", template):  # a remedy may stand in a constant of its own
        assert words in said_somewhere()


@pytest.mark.parametrize("template", SENTENCES)
def test_a_known_sentence_is_found_by_its_shape_with_its_names_in_it(template: str) -> None:
    values = iter(f"值{number}" for number in range(9))
    sentence = PLACEHOLDER.sub(lambda _: next(values), template)
    with translation.override("zh-hans"):
        found = translated(sentence)
    assert found != sentence
    assert sorted(re.findall("值[0-9]", found)) == sorted(re.findall("值[0-9]", sentence))
    with translation.override("en"):
        assert translated(sentence) == sentence


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("http://a.example/9 answers with HTTP status 404", "http://a.example/9 返回 HTTP 状态码 404"),
        (str(ServiceUnavailable("Redis", "127.0.0.1:6479")), "Redis（127.0.0.1:6479）没有响应；请运行：zhuiwen doctor"),
        (
            str(UnsafeUrl("http://10.0.0.1/", "it names no host")),
            "http://10.0.0.1/ 未抓取：it names no host",
        ),
        ("a.jsonl, line 3: is no JSON object", "a.jsonl 第 3 行：不是 JSON 对象"),
        ("夜航/一.txt: is empty", "夜航/一.txt：是空文件"),
    ],
)
def test_real_sentences_are_shown_in_chinese(sentence: str, expected: str) -> None:
    with translation.override("zh-hans"):
        assert translated(sentence) == expected


@pytest.mark.parametrize("sentence", ["", "nobody says this", "a: b", "x" * (MAX_CHARS + 1), "100% (of) %(url)s"])
def test_an_unknown_sentence_stays_as_it_is(sentence: str) -> None:
    with translation.override("zh-hans"):
        assert translated(sentence) == sentence


def test_a_hostile_name_in_a_sentence_is_spelled_out_and_formats_nothing() -> None:
    with translation.override("zh-hans"):
        shown = stored_sentence("http://a.example/%(x)s\u202e answers with HTTP status 404")
    assert shown == "http://a.example/%(x)s‹RLO› 返回 HTTP 状态码 404"


def test_the_reasons_of_runs_are_chinese() -> None:
    from pipeline.crawl_process import DIED
    from pipeline.crawl_process import SENTENCES as OF_CRAWLS
    from pipeline.interruptions import INTERRUPTED
    from webadmin import crawls

    own = (
        crawls.STOPPED_ANSWERING,
        crawls.NEVER_TAKEN_UP,
        crawls.DID_NOT_HAPPEN,
        DIED,
        INTERRUPTED,
        *OF_CRAWLS.values(),
    )
    with translation.override("zh-hans"):
        for sentence in own:
            assert stored_sentence(sentence) != sentence
    assert PREFIXED
