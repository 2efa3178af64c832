"""Texts x encodings x labels: what comes out is the text or a refusal, never mojibake."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.states import Rejection
from crawler.characters.decoding import Decoded, decode
from crawler.characters.mojibake import quality
from tests.crawler.texts import SIMPLIFIED, TRADITIONAL, paragraphs

SHORT = ("的", "你好", "第一章", "联通", "林黛玉贾宝玉薛宝钗王熙凤", "中华人民共和国国务院办公厅关于印发通知")
WITH_FONT = "".join(SIMPLIFIED).replace("的", "\ue001").replace("了", "\ue002")
WITH_RARE = "".join(SIMPLIFIED) + "𠮷野家的价钱是€12，喆和镕也写得出来。"
RARE = "饕餮鼍龙，魑魅魍魉，皆在窳陋之室；觥筹交错，羁旅之人彳亍而行。"
LABELS = ("", "utf-8", "gb2312", "big5", "iso-8859-1", "utf-16", "shift_jis", "euc-kr", "koi8-r", "no-such-charset")
CODECS = ("utf-8", "utf-8-sig", "gb18030", "gbk", "gb2312", "big5hkscs", "big5", "utf-16", "utf-16-le", "utf-16-be")


def _is_fit(text: str, codec: str) -> bool:
    try:
        return bool(text.encode(codec))
    except UnicodeError:
        return False


TEXTS = (*SHORT, RARE, "".join(SIMPLIFIED), "".join(TRADITIONAL), "東邪西毒，重慶大廈，阿飛正傳。")


@pytest.mark.parametrize("codec", CODECS)
def test_a_page_is_read_whatever_its_header_or_its_meta_tag_says(codec: str) -> None:
    for text in (text for text in TEXTS if _is_fit(text, codec)):
        markup = f"<html><head><title>{text}</title></head><body><p>{text}</p></body></html>"
        for label in LABELS:
            assert decode(markup.encode(codec), label).text == markup, (text, label)
        for meta in ("utf-8", "gb2312", "big5") if not codec.startswith("utf-16") else ():
            tagged = f'<html><head><meta charset="{meta}"></head><body><p>{text}</p></body></html>'
            assert decode(tagged.encode(codec)).text == tagged, (text, meta)


@given(st.lists(st.sampled_from(SIMPLIFIED + TRADITIONAL), min_size=1, max_size=6), st.sampled_from(LABELS))
def test_any_mixture_of_sentences_survives_gb18030_under_any_label(lines: list[str], label: str) -> None:
    text = "<br>".join(lines)
    decoded = decode(text.encode("gb18030"), label)
    assert decoded.text == text


@given(st.binary(min_size=200, max_size=2000))
def test_noise_is_refused_or_at_least_never_called_sure(noise: bytes) -> None:
    decoded = decode(bytes(byte | 0x80 for byte in noise))
    assert decoded is Rejection.MOJIBAKE or (isinstance(decoded, Decoded) and decoded.is_doubtful)


@pytest.mark.parametrize("wrong", ["gb18030", "big5hkscs"])
def test_wrongly_decoded_text_that_lost_bytes_is_refused_or_doubtful(wrong: str) -> None:
    mojibake = "".join(SIMPLIFIED).encode("utf-8").decode(wrong, "replace")
    decoded = decode(f"<p>{mojibake}</p>".encode(), "utf-8")
    assert decoded is Rejection.MOJIBAKE or (isinstance(decoded, Decoded) and decoded.is_doubtful)


@pytest.mark.parametrize(("right", "wrong"), [("utf-8", "latin-1"), ("gb18030", "latin-1"), ("gb18030", "cp1252")])
def test_wrongly_decoded_text_is_repaired_where_no_byte_was_lost(right: str, wrong: str) -> None:
    markup = f"<title>渡口</title><p>{'</p><p>'.join(SIMPLIFIED[:3])}</p>"
    decoded = decode(markup.encode(right).decode(wrong, "ignore").encode(), "utf-8")
    assert isinstance(decoded, Decoded)
    if wrong == "latin-1":
        assert (decoded.text, decoded.is_doubtful) == (markup, False)
    assert decoded.encoding == "utf-8"
    assert tuple(map(str, decoded.repairs)) == (f"saved in utf-8 after {right} had been decoded as cp1252",)


@pytest.mark.parametrize(
    ("body", "label", "text"),
    [
        (
            f"<p>{'老渡口的石阶上坐满了人，'.encode().decode('gb18030')}</p><p>ok</p>".encode(),
            "gbk",
            "<p>老渡口的石阶上坐满了人，</p><p>ok</p>",
        ),
        (
            f"<h1>{SIMPLIFIED[1]}</h1><p>{SIMPLIFIED[0].encode().decode('latin-1')}</p><p>{SIMPLIFIED[2]}</p>".encode(),
            "utf-8",
            f"<h1>{SIMPLIFIED[1]}</h1><p>{SIMPLIFIED[0]}</p><p>{SIMPLIFIED[2]}</p>",
        ),
        (
            f"<p>{SIMPLIFIED[0]} ".encode("gbk") + "最新网址".encode() + f" {SIMPLIFIED[1]}</p>".encode("gbk"),
            "gbk",
            f"<p>{SIMPLIFIED[0]} 最新网址 {SIMPLIFIED[1]}</p>",
        ),
        (WITH_FONT.encode(), "utf-8", WITH_FONT),
        (WITH_RARE.encode("gb18030"), "gb2312", WITH_RARE),
    ],
    ids=["saved after utf-8 was read as gbk", "one field of mojibake", "another encoding within a line",
         "characters of a web font", "the euro sign and four bytes under gb2312"],
)  # fmt: skip
def test_a_text_is_brought_back_or_stays_as_it_is(body: bytes, label: str, text: str) -> None:
    assert decode(body, label).text == text


@pytest.mark.parametrize(
    ("codec", "other", "lines"),
    [
        ("gb18030", "utf-8", SIMPLIFIED),
        ("utf-8", "gb18030", SIMPLIFIED),
        ("big5hkscs", "utf-8", TRADITIONAL),
        ("utf-8", "big5hkscs", TRADITIONAL),
    ],
)
def test_a_page_put_together_from_two_encodings_is_read_piece_by_piece(
    codec: str, other: str, lines: tuple[str, ...]
) -> None:
    parts = [(paragraphs(lines[:2]), codec), (f"<div>{lines[2]}</div>", other), (paragraphs(lines[3:]), codec)]
    for label in ("", codec, other):
        decoded = decode(b"".join(part.encode(name) for part, name in parts), label)
        assert decoded.text == "".join(part for part, _ in parts)
        assert (decoded.encoding, decoded.is_doubtful) == (codec, False)
        assert len(decoded.repairs) == 1


def test_a_byte_order_mark_before_text_in_another_encoding_is_not_believed() -> None:
    text = "".join(SIMPLIFIED)
    decoded = decode(b"\xef\xbb\xbf" + text.encode("gb18030"), "utf-8")
    assert (decoded.text, decoded.encoding) == (text, "gb18030")


def test_text_whose_characters_were_lost_before_is_refused() -> None:
    assert decode(f"<p>{'锟斤拷' * 20}</p>".encode(), "utf-8") is Rejection.MOJIBAKE
    assert decode(("<p>" + "\ufffd" * 40 + "</p>").encode(), "utf-8") is Rejection.MOJIBAKE


def test_a_page_cut_off_in_a_character_is_read() -> None:
    for codec in ("utf-8", "gb18030", "big5hkscs"):
        text = "".join(TRADITIONAL)
        decoded = decode(text.encode(codec)[:-1], codec)
        assert decoded.text == text[:-1]


def test_a_single_broken_byte_is_shown_as_doubt() -> None:
    body = ("".join(SIMPLIFIED) * 3).encode("utf-8")
    decoded = decode(body[:300] + b"\xff" + body[300:], "utf-8")
    assert decoded.encoding == "utf-8"
    assert decoded.is_doubtful


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Le café était fermé; où aller?", "utf-8"),
        ("Le café était fermé; où aller?", "cp1252"),
        ("It’s © 2026 Foo Ltd. – “all” rights reserved", "cp1252"),
        ("plain ASCII", "utf-8"),
    ],
)
def test_short_pages_in_latin_letters_are_not_forced_into_chinese(text: str, codec: str) -> None:
    markup = f"<html><body><p>{text}</p></body></html>"
    decoded = decode(markup.encode(codec))
    assert (decoded.text, decoded.encoding) == (markup, codec)


@pytest.mark.parametrize(
    ("text", "label", "codec"),
    [
        ("Für Größe und Höhe: Straße", "iso-8859-1", "cp1252"),
        ("Zażółć gęślą jaźń. Łódź leży nad rzeką.", "iso-8859-2", "iso8859-2"),
        ("Съешь же ещё этих булок, да выпей чаю", "koi8-r", "koi8-r"),
        ("שלום עולם, זהו מבחן קצר", "windows-1255", "cp1255"),
        ("PC를 켜고 ▲ 오늘의 ‘뉴스’ 3·1절", "ks_c_5601-1987", "cp949"),
        ("東京都内の企業は対応を急いでいる", "euc-jp", "euc_jp"),
    ],
)
def test_a_declared_encoding_wins_where_its_text_looks_like_its_language(text: str, label: str, codec: str) -> None:
    body = f"<html><body><p>{text}</p></body></html>".encode(codec)
    for labelled, header in ((body, label), (f'<meta charset="{label}">'.encode() + body, "gb2312")):
        decoded = decode(labelled, header)
        assert decoded == Decoded(labelled.decode(codec), codec)
    spoilt = decode(body * 40 + b"\xff\xff" + body, label)  # a byte that is broken costs no page its language
    assert spoilt.text.count(text) == 41


@pytest.mark.parametrize(
    "label", ["iso-8859-2", "windows-1251", "iso-8859-5", "windows-1253", "windows-1255", "euc-jp"]
)
@pytest.mark.parametrize(("lines", "codec"), [(SIMPLIFIED, "gb18030"), (TRADITIONAL, "gb18030"), (TRADITIONAL, "big5")])
def test_no_label_of_another_language_beats_a_reading_as_chinese(
    lines: tuple[str, ...], codec: str, label: str
) -> None:
    for line in lines:
        markup = f"<p>{line}</p>"
        decoded = decode(markup.encode(codec), label)
        assert decoded.text == markup


@pytest.mark.parametrize("signs", ["×", "××", "× ×", "°C", "é", "Ã", "锟斤拷", "\ufffd"])
def test_valid_utf8_that_is_declared_is_believed_however_little_of_it_there_is(signs: str) -> None:
    markup = f"<p>&#26411;&#29677;&#33337; <a>{signs}</a></p>"
    for body, header in ((markup, "utf-8"), (f'<meta charset="utf-8">{markup}', "")):
        decoded = decode(body.encode(), header)
        assert (decoded.text, decoded.encoding) == (body, "utf-8")
        assert decoded.is_doubtful is (signs == "\ufffd")


def test_rare_characters_are_not_repaired_into_question_marks() -> None:
    markup = f"<p>{SIMPLIFIED[0]}</p><p>㐀㐁㐂㐃㐄㐅㐆㐇㐈</p>"
    decoded = decode(markup.encode(), "utf-8")
    assert (decoded.text, decoded.repairs) == (markup, ())


def test_a_page_in_utf8_with_a_block_in_latin1_is_read_piece_by_piece() -> None:
    parts = [("<p>Schöne Grüße aus Köln</p>" * 9, "utf-8"), ("<p>Öffnungszeiten für Gäste</p>", "latin-1")]
    decoded = decode(b"".join(text.encode(codec) for text, codec in parts), "utf-8")
    assert (decoded.text, decoded.encoding) == ("".join(text for text, _ in parts), "utf-8")


def test_what_the_operator_knows_decides_between_readings_that_are_as_good() -> None:
    decoded = decode("第一章".encode("gb18030"), "", "gbk")
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
    assert (decoded.text, decoded.encoding) == (text, codec)
