"""What versions of this release say more than those of earlier ones, and that those are still read."""

from datetime import UTC, datetime

from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId
from core.pages import ChapterStart, Fetched, NetDiskLink, Poster, Reading
from core.text import TextOffset
from core.zones import SurroundingLine, Zone
from pagestore.documents import new_version, read_version, reading_texts, version_document

FETCHED = Fetched(
    site_id=SiteId("site"),
    requested_url=RequestedUrl("http://a.example/3.html"),
    final_url=FinalUrl("http://a.example/3.html"),
    canonical_url=CanonicalUrl("http://a.example/3.html"),
    status=200,
    headers=(),
    body=b"<p>x</p>",
    fetched_at=datetime(2026, 11, 1, tzinfo=UTC),
)
READING = Reading(
    "第三章 石牛闸",
    "正文。",
    site_name="小书站",
    chapter_number=3,
    left_out=("一秒记住【小书站】", "孤\ud800字"),
    surroundings=(
        SurroundingLine(Zone.FRAME, "首页\t书库", 0),
        SurroundingLine(Zone.COMMENT, "孤\ud800字，写得真好。", 1),
        SurroundingLine(Zone.TEASER, "第四章", 12),
    ),
    chapters=(ChapterStart("", TextOffset(0)), ChapterStart("二", TextOffset(2))),
    net_disks=(NetDiskLink("https://pan.baidu.com/s/1", "百度网盘", "提取码"),),
    posters=(Poster("闻笛", 1),),
)


def test_site_chapter_omissions_and_side_texts_come_back_unchanged() -> None:
    version = new_version(FETCHED, READING)
    assert read_version(version_document(version), reading_texts(READING)).reading == READING
