"""Texts x encodings x labels: what comes out is the text or a refusal, never mojibake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.states import Rejection
from crawler.decoding import Decoded, decode, quality
from tests.crawler.texts import SIMPLIFIED, TRADITIONAL

SHORT = ("的", "你好", "第一章", "联通", "林黛玉贾宝玉薛宝钗王熙凤", "中华人民共和国国务院办公厅关于印发通知")
RARE = "饕餮鼍龙，魑魅魍魉，皆在窳陋之室；觥筹交错，羁旅之人彳亍而行。"
LABELS = ("", "utf-8", "gb2312", "gbk", "big5", "iso-8859-1", "utf-16", "shift_jis", "no-such-charset")


def _encodings(text: str) -> list[str]:
    fitting = []
    for codec in (
        "utf-8",
        "utf-8-sig",
        "gb18030",
        "gbk",
        "gb2312",
        "big5hkscs",
        "big5",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
    ):
        try:
            text.encode(codec)
        except UnicodeError:
            continue
        fitting.append(codec)
    return fitting


CASES = [
    (text, codec)
    for text in (*SHORT, RARE, "".join(SIMPLIFIED), "".join(TRADITIONAL), "東邪西毒，重慶大廈，阿飛正傳。")
    for codec in _encodings(text)
]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(("text", "codec"), CASES)
def test_a_page_is_read_whatever_its_header_says(text: str, codec: str, label: str) -> None:
    markup = f"<html><head><title>{text}</title></head><body><p>{text}</p></body></html>"
    decoded = decode(markup.encode(codec), label)
    assert isinstance(decoded, Decoded)
    assert decoded.text == markup


@pytest.mark.parametrize("meta", ["utf-8", "gb2312", "big5"])
@pytest.mark.parametrize(("text", "codec"), [case for case in CASES if not case[1].startswith("utf-16")])
def test_a_page_is_read_whatever_its_meta_tag_says(text: str, codec: str, meta: str) -> None:
    markup = f'<html><head><meta charset="{meta}"></head><body><p>{text}</p></body></html>'
    decoded = decode(markup.encode(codec))
    assert isinstance(decoded, Decoded)
    assert decoded.text == markup


@given(st.lists(st.sampled_from(SIMPLIFIED + TRADITIONAL), min_size=1, max_size=6), st.sampled_from(LABELS))
def test_any_mixture_of_sentences_survives_gb18030_under_any_label(lines: list[str], label: str) -> None:
    text = "<br>".join(lines)
    decoded = decode(text.encode("gb18030"), label)
    assert isinstance(decoded, Decoded)
    assert decoded.text == text


@given(st.binary(min_size=200, max_size=2000))
def test_noise_is_refused_or_at_least_never_called_sure(noise: bytes) -> None:
    decoded = decode(bytes(byte | 0x80 for byte in noise))
    assert decoded is Rejection.MOJIBAKE or (isinstance(decoded, Decoded) and decoded.is_doubtful)


@pytest.mark.parametrize("wrong", ["gb18030", "big5hkscs", "latin-1"])
def test_text_that_was_decoded_wrongly_and_saved_as_utf8_is_refused(wrong: str) -> None:
    mojibake = "".join(SIMPLIFIED).encode("utf-8").decode(wrong, "replace")
    assert decode(f"<p>{mojibake}</p>".encode(), "utf-8") is Rejection.MOJIBAKE


def test_text_whose_characters_were_lost_before_is_refused() -> None:
    assert decode(f"<p>{'锟斤拷' * 20}</p>".encode(), "utf-8") is Rejection.MOJIBAKE
    assert decode(("<p>" + "\ufffd" * 40 + "</p>").encode(), "utf-8") is Rejection.MOJIBAKE


def test_a_page_cut_off_in_a_character_is_read() -> None:
    for codec in ("utf-8", "gb18030", "big5hkscs"):
        text = "".join(TRADITIONAL)
        decoded = decode(text.encode(codec)[:-1], codec)
        assert isinstance(decoded, Decoded)
        assert decoded.text == text[:-1]


def test_a_single_broken_byte_is_shown_as_doubt() -> None:
    body = ("".join(SIMPLIFIED) * 3).encode("utf-8")
    decoded = decode(body[:300] + b"\xff" + body[300:], "utf-8")
    assert isinstance(decoded, Decoded)
    assert decoded.encoding == "utf-8"
    assert decoded.is_doubtful


def test_private_use_characters_of_a_web_font_are_not_mojibake() -> None:
    text = "".join(SIMPLIFIED).replace("的", "\ue001").replace("了", "\ue002")
    decoded = decode(text.encode(), "utf-8")
    assert isinstance(decoded, Decoded)
    assert decoded.text == text


def test_the_euro_sign_and_four_byte_characters_of_gb18030_are_read_under_the_label_gb2312() -> None:
    text = "".join(SIMPLIFIED) + "𠮷野家的价钱是€12，喆和镕也写得出来。"
    decoded = decode(text.encode("gb18030"), "gb2312")
    assert isinstance(decoded, Decoded)
    assert decoded.text == text


def test_pages_in_other_languages_are_no_mojibake() -> None:
    for text, codec in (
        ("<p>Le café était fermé; où aller?</p>", "cp1252"),
        ("<p>吾輩は猫である。名前はまだ無い。</p>", "cp932"),
        ("<p>plain ASCII</p>", "ascii"),
        ("<p>Съешь же ещё этих мягких булок</p>", "utf-8"),
    ):
        decoded = decode(text.encode(codec), {"cp1252": "iso-8859-1", "cp932": "shift_jis"}.get(codec, ""))
        assert isinstance(decoded, Decoded), text
        assert decoded.text == text


def test_what_the_operator_knows_decides_between_readings_that_are_as_good() -> None:
    decoded = decode("第一章".encode("gb18030"), "", "gbk")
    assert isinstance(decoded, Decoded)
    assert decoded.encoding == "gb18030"


def test_an_empty_page_is_empty_text() -> None:
    assert decode(b"") == Decoded("", "utf-8")
    assert quality("") == 1.0


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["一万一千", "一人一船，一夜一江。", "三一班\n一上一下", "第一章 渡口一夜", "1. 丁一 2. 万一"]
)
def test_the_byte_order_of_utf16_without_a_mark_is_the_one_that_gives_text(text: str, codec: str) -> None:
    decoded = decode(text.encode(codec))
    assert isinstance(decoded, Decoded)
    assert (decoded.text, decoded.encoding) == (text, codec)
