"""Rows for reports: a small month of a made-up rights holder, and titles that mean harm."""

from datetime import UTC, date, datetime, timedelta

from analytics.records import CaseRow, CrawlRow, CrawlState, ExclusionRow, LeadRow, PageRow, ReportScope, SitePages
from core.matches import MatchClass, RewordedClass, RewordedState
from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict
from core.taken import Places

HOLDER = "青岸文学出版社"
SINCE, UNTIL = date(2026, 11, 1), date(2026, 11, 20)

HOSTILE_TITLES = (
    '=HYPERLINK("http://evil.example","点我")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1:A9)",
    "＝1+1",
    '#eval("1+1") #panic("boom") $x$ *bold* _it_ @ref <label> \\ `raw` [a](b)',
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&",
    "正文\u202e倒写\u202c \u2067hidden\u2069 مرحبا",
    "控制\x00\x07\x1b[31m\x7f\x85字符\ufffe\uffff\ud800",
    "表情 😀👨‍👩‍👧 \ue123 𠮷",
    "很长" * 60 + "w" * 400,
    "\t\r\n行\u2028段\u200b零\ufeff宽",
)

EXCERPT = "雨落在旧码头的铁皮棚上，像有人在远处一把一把地撒豆子。他把信折好，塞进大衣内侧的口袋，朝灯塔的方向走去。"


def scope(language: str = "zh-hans", **changes: object) -> ReportScope:
    fields: dict[str, object] = {
        "rights_holder": HOLDER,
        "since": SINCE,
        "until": UNTIL,
        "time_zone": "Asia/Shanghai",
        "language": language,
        "generated_at": datetime(2026, 11, 21, 1, 30, tzinfo=UTC),
    }
    return ReportScope(**(fields | changes))  # type: ignore[arg-type]


def case(case_id: int = 1, **changes: object) -> CaseRow:
    fields: dict[str, object] = {
        "case_id": case_id,
        "rights_holder": HOLDER,
        "work_title": "灯塔来信",
        "chapter_title": "第三章 旧码头",
        "site_name": "快读小说网",
        "site_host": "www.kuaidu.example",
        "page_url": f"https://www.kuaidu.example/book/8812/{case_id}.html",
        "page_title": "灯塔来信 第三章 最新章节免费阅读",
        "state": CaseState.OPEN,
        "verdict": None,
        "reviewer": "",
        "decided_at": None,
        "match_class": MatchClass.LIGHTLY_EDITED,
        "similarity": 0.9371,
        "page_containment": 0.8812,
        "matched_chars": 2143,
        "taken_chars": 2087,
        "work_chars": 84_310,
        "taken": {"chapter 3": Places.from_starts(range(2087))},
        "obfuscations": (Obfuscation.HOMOPHONE, Obfuscation.ZERO_WIDTH),
        "opened_at": datetime(2026, 11, 3, 4, 5, tzinfo=UTC),
        "first_seen_at": datetime(2026, 10, 30, 22, 10, tzinfo=UTC),
        "last_seen_at": datetime(2026, 11, 19, 20, 30, tzinfo=UTC),
        "excerpt": EXCERPT,
    }
    return CaseRow(**(fields | changes))  # type: ignore[arg-type]


def decided(case_id: int, verdict: Verdict, hours: float = 30.0, **changes: object) -> CaseRow:
    opened_at = changes.get("opened_at", datetime(2026, 11, 3, 4, 5, tzinfo=UTC))
    assert isinstance(opened_at, datetime)
    verdict_given = {"state": verdict.state, "verdict": verdict, "reviewer": "沈一帆"}
    return case(case_id, **(verdict_given | {"decided_at": opened_at + timedelta(hours=hours)} | changes))


def month_of_cases() -> list[CaseRow]:
    """Fifteen cases on three sites, of three works, in all states."""
    day = timedelta(days=1)
    start = datetime(2026, 11, 2, 3, 0, tzinfo=UTC)
    second = {"site_name": "书荒阁", "site_host": "shuhuang.example", "page_title": "灯塔来信（全本）"}
    news = {
        "work_title": "台风过境四十八小时", "chapter_title": "",
        "site_name": "今日看点", "site_host": "m.kandian.example",
        "page_title": "独家：台风过境四十八小时全记录", "match_class": MatchClass.EXCERPT, "matched_chars": 611,
        "obfuscations": (), "similarity": 0.9988, "page_containment": 0.4217,
        "taken_chars": 604, "work_chars": 1812, "taken": {"news": Places.from_starts(range(100, 704))},
        "page_url": "https://m.kandian.example/article?channel=news&id=" + "9f3a7c" * 20 + "&from=app",
    }  # fmt: skip
    heavy = {
        "match_class": MatchClass.HEAVILY_EDITED,
        "similarity": 0.7123,
        "obfuscations": (Obfuscation.SHUFFLED, Obfuscation.REPLACED, Obfuscation.TEXT_INSERTED),
    }
    identical = {"match_class": MatchClass.IDENTICAL, "similarity": 1.0, "obfuscations": ()}
    tides = {
        "work_title": "潮汐表", "chapter_title": "第一章", "work_chars": 31_000, "taken_chars": 1500,
        "taken": {"tides": Places.from_starts(range(1500))},
    }  # fmt: skip
    patchwork = {"match_class": MatchClass.PATCHWORK, "obfuscations": (Obfuscation.PATCHWORK,)}
    return [
        decided(1, Verdict.CONFIRMED, 5.5, opened_at=start),
        decided(2, Verdict.CONFIRMED, 20, opened_at=start + day, **identical),
        decided(3, Verdict.CONFIRMED, 49.25, opened_at=start + day, **second),
        decided(4, Verdict.LICENSED, 3, opened_at=start + 2 * day, **second),
        decided(5, Verdict.FAIR_USE, 70, opened_at=start + 4 * day, **news),
        decided(6, Verdict.CONFIRMED, 12, opened_at=start + 4 * day, **(second | heavy)),
        decided(7, Verdict.FALSE_ALARM, 9, opened_at=start + 4 * day, **tides),
        *(case(n, opened_at=start + (n - 2) * day) for n in (8, 9, 10)),
        case(11, opened_at=start + 9 * day, **news),
        case(12, opened_at=start + 9 * day, **(second | heavy)),
        case(13, opened_at=start + 9 * day, **tides, **patchwork),
        case(14, opened_at=start + 17 * day, excerpt="", page_title=""),
        case(15, opened_at=start + 17 * day, state=CaseState.SET_ASIDE, allowed_as=Rejection.LICENSED,
             allowed_by="快读科技 HT-2026-017"),
    ]  # fmt: skip


def month_of_checks() -> list[SitePages]:
    return [
        SitePages("快读小说网", 980),
        SitePages("书荒阁", 402),
        SitePages("今日看点", 2877),
        SitePages("静读书屋", 131),
    ]


def month_of_pages() -> list[PageRow]:
    sites = (("快读小说网", 120), ("书荒阁", 48), ("今日看点", 310), ("静读书屋", 15))
    return [
        PageRow(name, SINCE + timedelta(days=n), pages + n, pages // 10 + n % 3)
        for name, pages in sites
        for n in range(0, 20, 2)
    ]


def month_of_exclusions() -> list[ExclusionRow]:
    return [
        ExclusionRow("快读小说网", "", Rejection.NO_MATCH, 1082),
        ExclusionRow("快读小说网", "", Rejection.ROBOTS, 14),
        ExclusionRow("书荒阁", "", Rejection.NO_MATCH, 455),
        ExclusionRow("今日看点", "台风过境四十八小时", Rejection.LICENSED, 6),
        ExclusionRow("今日看点", "灯塔来信", Rejection.QUOTATION, 3),
    ]


def month_of_crawls() -> list[CrawlRow]:
    start = datetime(2026, 11, 1, 19, 0, tzinfo=UTC)
    return [
        CrawlRow("快读小说网", start, start + timedelta(minutes=14), 126, 2, CrawlState.FINISHED),
        CrawlRow("快读小说网", start + timedelta(days=1), None, 0, 0, CrawlState.MISSED),
        CrawlRow("书荒阁", start, start + timedelta(minutes=3), 51, 11, CrawlState.FAILED),
    ]


def lead(lead_id: int = 1, **changes: object) -> LeadRow:
    fields: dict[str, object] = {
        "lead_id": lead_id,
        "rights_holder": HOLDER,
        "work_title": "灯塔来信",
        "chapter_title": "第三章 旧码头",
        "site_name": "快读小说网",
        "page_url": f"https://www.kuaidu.example/retold/{lead_id}.html",
        "page_title": "码头旧事",
        "found_as": RewordedClass.REWORDED,
        "state": RewordedState.WAITING,
        "pairs": 14,
        "sentences": 17,
        "in_order": 11,
        "band": "middle",
        "alarms": 11,
        "passages": 10_461,
        "found_at": datetime(2026, 11, 5, 4, 5, tzinfo=UTC),
    }
    return LeadRow(**(fields | changes))  # type: ignore[arg-type]


def month_of_leads() -> list[LeadRow]:
    decided_at = datetime(2026, 11, 8, 4, 5, tzinfo=UTC)
    return [
        lead(1),
        lead(2, state=RewordedState.CONFIRMED, reviewer="沈一帆", decided_at=decided_at, band="high", alarms=4),
        lead(3, state=RewordedState.DISMISSED, reviewer="沈一帆", decided_at=decided_at),
        lead(4, found_as=RewordedClass.TRANSLATED, page_title="Letters from the Lighthouse", band="", alarms=None,
             passages=None, chapter_title=""),
    ]  # fmt: skip
