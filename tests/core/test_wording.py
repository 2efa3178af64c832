"""Test that a message keeps its parameters, and that its words come from the files of core.wording."""

from __future__ import annotations

import json
import pickle

from core.states import Verdict
from core.terms import term
from core.wording import Message

NESTED = Message(
    "core.not-fetched",
    url="http://a.example/",
    reason=Message("core.faults", faults=[Message("index.empty"), Message("index.changing")]),
)


def test_a_message_is_worded_in_the_language_asked_for() -> None:
    message = Message("missing.site", key="甲")
    assert message.in_language("en") == str(message) == "there is no site 甲"
    assert message.in_language("zh-hans") == "没有网站 甲"
    assert message.in_language("fr") == "there is no site 甲"


def test_messages_inside_a_message_are_worded_too_and_joined_as_the_text_asks() -> None:
    assert str(NESTED) == "http://a.example/ was not fetched: empty; changing too fast to be read"
    assert NESTED.in_language("zh") == "http://a.example/ 未抓取：为空；变动过快，无法读取"
    listed = Message("core.verbatim", text=["甲", "乙"])
    assert (str(listed), listed.in_language("zh")) == ("甲, 乙", "甲、乙")


def test_a_term_inside_a_message_is_in_the_reader_s_language_and_survives_json() -> None:
    message = Message("missing.site", key=term(Verdict.FALSE_ALARM))
    for each in (message, Message.from_json(json.loads(json.dumps(message.to_json())))):
        assert (each.in_language("en"), each.in_language("zh")) == ("there is no site false alarm", "没有网站 误报")


def test_a_message_survives_json_and_pickle_and_equals_itself() -> None:
    again = Message.from_json(json.loads(json.dumps(NESTED.to_json())))
    assert again == NESTED == pickle.loads(pickle.dumps(NESTED))
    assert len({again, NESTED, Message("index.empty")}) == 2


def test_a_value_is_never_taken_for_a_text_with_placeholders() -> None:
    assert str(Message("missing.site", key="{key.__class__}")) == "there is no site {key.__class__}"


def test_what_no_release_has_words_for_is_shown_by_its_code() -> None:
    assert Message("gone.code", url="http://a.example/").in_language("zh") == "gone.code: url=http://a.example/"
    assert Message("missing.site").in_language("zh") == "missing.site: "
