"""Test what a text may hold."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from core.text import storable


@given(st.text(st.characters(), max_size=60))
def test_what_is_storable_can_be_encoded_and_stands_in_xml_and_stays_so(text: str) -> None:
    kept = storable(text)
    kept.encode("utf-8")
    element = etree.Element("a")
    element.text = kept
    assert "\x00" not in kept
    assert storable(kept) == kept


def test_half_a_character_is_shown_as_lost_and_a_whole_one_is_not() -> None:
    assert storable("a\ud842b\udfb7") == "a\ufffdb\ufffd"
    assert storable("𠮷\u200b\ue001") == "𠮷\u200b\ue001"
