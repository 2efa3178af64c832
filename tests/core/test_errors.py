"""Errors carry a code and parameters, can be pickled, and say one sentence."""

from __future__ import annotations

import pickle

import pytest

from core.errors import (
    AlgorithmMismatch,
    BadConfiguration,
    BadInput,
    IndexStale,
    MalformedLine,
    NotFound,
    PortTaken,
    ServiceUnavailable,
    UnreadableFile,
    UnsafeUrl,
    ZhuiwenError,
)
from core.wording import Message

ERRORS = [
    BadInput("missing.site", key=7),
    ServiceUnavailable(Message("service.page-store"), "127.0.0.1:1"),
    IndexStale("index.empty"),
    UnreadableFile("夜航.txt", "index.empty"),
    UnsafeUrl("http://a.example/", Message("index.empty")),
    MalformedLine("a.jsonl", 3, "index.empty"),
    NotFound("site", 7),
    BadConfiguration([Message("missing.site", key=7), Message("missing.work", key=8)]),
    PortTaken("Redis", 6379, "ZHUIWEN_REDIS_URL"),
    AlgorithmMismatch(1, 2),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_can_be_pickled_with_all_that_it_carries(error: ZhuiwenError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.message, str(again), again.__dict__) == (error.message, str(error), error.__dict__)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_has_words_in_both_languages(error: ZhuiwenError) -> None:
    assert str(error) == error.message.in_language("en") != error.message.in_language("zh")


def test_every_fault_of_a_configuration_is_named_and_one_alone_is_the_message() -> None:
    several = ERRORS[7]
    assert str(several) == "there is no site 7; there is no work 8"
    assert several.message.in_language("zh") == "没有网站 7；没有作品 8"
    alone = BadConfiguration("missing.site", key=7)
    assert alone.faults == (alone.message,) == (Message("missing.site", key=7),)


def test_a_message_is_passed_on_as_it_is() -> None:
    assert BadInput(ERRORS[0].message).message is ERRORS[0].message
