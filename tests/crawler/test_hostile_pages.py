"""Pages that are made to be slow (tests.crawler.hostile_pages), small: each is read right, or refused."""

from collections.abc import Iterator

import pytest
from lxml import html

from core.pages import Reading
from core.states import Rejection
from crawler.characters import decoding, mojibake
from crawler.characters.decoding import decode
from crawler.css import cascade as cascades
from crawler.css.matching import MAX_STEPS, SelectorMatcher, compile_selector
from crawler.css.sheets import parse_sheet
from crawler.markup import element_text
from crawler.obfuscation.encoded_text import decode_text
from crawler.opening import MAX_ATTRIBUTES, MAX_TAGS, Rejected, SkippedPart, open_page
from crawler.plain_markup import plain_markup
from crawler.readers.pages import PageToRead
from crawler.readers.worker import ReadingSession
from laboratory.extraction.fuzz import main as fuzz
from tests.crawler.crawl_process import plan_of
from tests.crawler.hostile_pages import KINDS, SENTENCE

URL = "http://a.example/1/1.html"
SIZE = 20_000
REFUSED = {
    "ISO-2022": Rejection.MOJIBAKE,
    "ISO-2022 in GBK": Rejection.MOJIBAKE,
    "broken GB 18030": Rejection.MOJIBAKE,
    "broken Big5": Rejection.MOJIBAKE,
    "two encodings in one line": Rejection.MOJIBAKE,
    "all bytes": Rejection.MOJIBAKE,
}
WITHOUT_THE_SENTENCE = {
    "two encodings": "渡口的灯\n渡口的灯火",
    "UTF-16": "渡口的灯",
    "plain text with advertisements": "渡口【看书网",
}


@pytest.fixture(scope="module")
def desk() -> Iterator[ReadingSession]:
    made = ReadingSession(plan_of(URL))
    yield made
    made.close()


def read(desk: ReadingSession, body: bytes) -> Reading | Rejected | None:
    return PageToRead(body, {"Content-Type": "text/html"}, URL, is_kept=True).run(desk).reading


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_that_is_made_to_be_slow_is_read_or_refused(kind: str, desk: ReadingSession) -> None:
    reading = read(desk, KINDS[kind](SIZE))
    if kind in REFUSED:
        assert isinstance(reading, Rejected)
        assert reading.reason is REFUSED[kind]
    else:
        assert WITHOUT_THE_SENTENCE.get(kind, SENTENCE[:10]) in reading.whole_text


@pytest.mark.parametrize(
    ("flood", "skipped"),
    [
        ("<br>" * (MAX_TAGS + 1), SkippedPart.MARKUP),
        (f"<p {'a=1 ' * (MAX_ATTRIBUTES + 1)}>", SkippedPart.ATTRIBUTES),
        ("<div>" * 3_000, SkippedPart.MARKUP),
        ("<b>" * 3_000, SkippedPart.MARKUP),
    ],
)
def test_a_page_that_no_tree_of_bounded_size_holds_is_read_by_its_plain_markup(
    flood: str, skipped: SkippedPart
) -> None:
    for body in (f"{flood}<p>{SENTENCE}", f"<p>{SENTENCE}{flood}"):
        page = open_page(f"<html><body>{body}".encode(), {}, URL)
        assert page.skipped == [skipped]
        assert page.tree is not None
        assert SENTENCE in element_text(page.tree)


@pytest.mark.parametrize("tag", ['<div =">', '<p a="x"=">', "<p a=1 ='>", "<p a=\">\" b = '>' c=>"])
def test_a_tag_of_plain_markup_ends_where_it_ends_for_a_browser(tag: str) -> None:
    assert SENTENCE in element_text(html.document_fromstring(plain_markup(f"{tag}{SENTENCE}</p></div><p>")))


@pytest.mark.parametrize(
    "hiding",
    [
        *("<noscript><!--</noscript>", "<noscript><script></noscript>", '<noscript><a b="</noscript>'),
        *("<noscript><div></noscript>", "<svg><style></svg>", "<svg><title></svg>", "<svg><script></svg>"),
        *("<math><title></math>", "<svg><div>", "<button><div></button>", "<textarea><!--</textarea>"),
        *("<xmp><!--</xmp>", "<iframe><script></iframe>", "<noembed><!--</noembed>", "<noframes><!--</noframes>"),
        *("<svg><style/></svg>", "<svg><desc><style>p {}</style></desc></svg>", "<noscript><p>x</noscript>"),
    ],
)
def test_no_element_takes_the_page_behind_it_that_a_browser_has_ended(hiding: str) -> None:
    for is_plain in (False, True):
        page = open_page(f"<html><body>{hiding}<p>{SENTENCE}".encode(), {}, URL, is_plain=is_plain)
        assert page.tree is not None
        assert SENTENCE in element_text(page.tree)
    assert SENTENCE in element_text(html.document_fromstring(plain_markup(f"{'<br>' * 300_001}{hiding}<p>{SENTENCE}")))


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        *(("<svg><foreignObject>", "</foreignObject></svg>"), ("<svg><text>", "</text></svg>")),
        *(("<math><mtext>", "</mtext></math>"), ('<iframe srcdoc="', '"></iframe>')),
        ("<div><template shadowrootmode=open>", "</template></div>"),
    ],
)
def test_a_text_is_read_in_what_browsers_show_of_drawings_frames_and_templates(before: str, behind: str) -> None:
    page = open_page(f"<html><body>{before}{SENTENCE * 2}{behind}<p>end".encode(), {}, URL)
    assert page.tree is not None
    assert element_text(page.tree).split() == [SENTENCE * 2, "end"]


@pytest.mark.parametrize(
    "usual",
    [
        "<noscript><div><img src=a></div></noscript><button><div>x</div></button><template><div></div></template>",
        "<svg><title>x</title><style><![CDATA[p {}]]></style><foreignObject><div>x</div></foreignObject></svg>",
    ],
)
def test_usual_elements_that_are_not_shown_leave_a_page_as_it_is(usual: str) -> None:
    page = open_page(f"<html><body>{usual}<p>{SENTENCE}".encode(), {}, URL)
    assert not page.skipped
    assert usual in page.decoded.text


def test_text_behind_the_end_of_a_page_is_read_as_browsers_show_it(desk: ReadingSession) -> None:
    reading = read(desk, f"<html><body></body></html><html><body><p>{SENTENCE * 2}</p></body></html>".encode())
    assert reading.text == SENTENCE * 2


def test_blanks_before_a_rule_and_lines_of_a_code_are_each_read_once() -> None:
    """Read again from each of their beginnings, they would outlast the time limit of a test."""
    assert parse_sheet(" " * 400_000 + "@x").rules == []
    assert parse_sheet("x" + "}" * 290_000 + "{top:0}p{top:1px}").rules[0].selectors == ("p",)
    code = ("A" * 40 + " ") * 150_000 + "AAAA===="
    assert decode_text(code) == code


def test_selectors_beyond_the_steps_of_a_page_are_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ones hold; each of them looks at all paragraphs."""
    read_selectors: list[str] = []

    def counted(text: str) -> object:
        read_selectors.append(text)
        return compile_selector(text)

    monkeypatch.setattr(cascades, "compile_selector", counted)
    monkeypatch.setattr("crawler.css.matching.MAX_STEPS", 20_000)
    sheet = "".join(f"p:not(.c{number}){{top:{number}px}}" for number in range(500))
    tree = html.document_fromstring(f"<style>{sheet}</style>" + "<p>字</p>" * 1_000)
    styles = cascades.cascade(tree)
    assert 5 <= len(read_selectors) <= 20
    assert styles.properties(tree.find(".//p"))["top"] in {
        f"{len(read_selectors) - 2}px",
        f"{len(read_selectors) - 1}px",
    }
    assert MAX_STEPS > 20_000
    assert not SelectorMatcher(tree).is_used_up


def test_blocks_beyond_those_that_are_looked_at_are_read_in_the_encoding_of_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decoding, "MAX_BLOCKS", 20)
    mixed = ("<p>渡口的灯火是这里的</p>" * 30).encode("gbk") + "<p>老人把灯挂在桅杆上</p>".encode() * 3
    page = "<p>老人把灯挂在桅杆上</p>".encode() * 3 + mixed
    decoded = decode(page)
    assert decoded.encoding == "gb18030"
    assert decoded.text.count("老人把灯挂在桅杆上") == 3
    assert decoded.text.count("渡口的灯火是这里的") == 30


def test_mojibake_is_looked_for_in_so_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    saved_wrongly = "<p>" + "</p><p>".join([SENTENCE.encode().decode("latin-1")] * 20)
    assert mojibake.repair(saved_wrongly) is not None
    monkeypatch.setattr(mojibake, "MAX_BLOCKS_TO_REPAIR", 20)
    assert mojibake.repair(saved_wrongly) is None


def test_pages_that_are_spoilt_at_random_raise_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz(["tests/crawler/cases", "--pages", "40", "--seed", "7"]) == 0
    assert "exceptions: 0" in capsys.readouterr().out
