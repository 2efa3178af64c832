"""Whether pages were removed, as real crawls of a real server see it: what is said of each, and what never is.

/ ------ a page for each way to take a text down, or to seem to
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as django_settings

from bundles.faults import DoesNotHold
from bundles.verification import check_file
from deploy.cli import evidence as evidence_verbs
from tests.crawler.texts import SIMPLIFIED, own_text, paragraphs
from tests.support import admin_data
from tests.support.followed_site import FollowedSite
from tests.support.refusals import refused
from tests.support.web_server import Answer, Routes, WebServer, page, redirect
from webadmin.notices.models import Notice, NoticeEvent, Removal, RemovalLook
from webadmin.notices.services.removals.proof import export_removal

pytestmark = pytest.mark.django_db
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
COPY = "\n".join(SIMPLIFIED)
GONE, CLEARED, DOWN = "/gone.html", "/cleared.html", "/down.html"
STANDING = ("/edited.html", "/written.html", "/hidden.html", "/attribute.html")
UNSEEN = ("/forbidden.html", "/members.html", "/checked.html", "/empty.html", "/wall.html", "/withheld.html")
PATHS = (GONE, CLEARED, DOWN, *STANDING, *UNSEEN)
OTHER = page("天气", "".join(f"<p>今天江上有雾，第{n}班渡船停航，请改走北岸石桥，沿途注意防滑。</p>" for n in range(9)))


def front() -> Answer:
    links = "".join(f'<li><a href="{path}">{path} 江边</a></li>' for path in (*PATHS, "/other.html"))
    return page("目录", f"<ul>{links}</ul>")


def copied() -> Routes:
    """Every page has the text, each with a line of its own."""
    texts = {path: page(f"江边 {path}", f"<p>本页{path}</p>" + paragraphs()) for path in PATHS}
    return {"/": front(), "/other.html": OTHER, "/sign-in": page("登录", "<p>请登录后阅读</p>"), **texts}


def taken_down() -> Routes:
    """Return pages that seem gone: of the first three the text is, of the others it is not or nobody knows."""
    written = "".join(SIMPLIFIED)
    escaped = "".join(f"\\u{ord(char):04x}" for char in written)
    said = "本站今日公告，渡口改道，客运班次照旧，乘客请留意广播。" * 9
    news = f"{own_text(3).replace(paragraphs(), '')}<p>{said}</p>"
    return {
        CLEARED: page("公告", news),
        DOWN: page("提示", "<p>该内容因版权原因已下架</p>"),
        "/edited.html": page("江边", paragraphs(tuple(line.replace("的", "地") for line in SIMPLIFIED))),
        "/written.html": page("公告", news.replace("今日", "明日") + f'<script>var t="{escaped}"</script>'),
        "/hidden.html": page("公告", news.replace("今日", "后日") + f'<div style="display:none">{written}</div>'),
        "/attribute.html": page("公告", news.replace("今日", "昨日") + f'<i data-t="{written}"></i>'),
        "/forbidden.html": Answer(b"<p>no</p>", status=403),
        "/withheld.html": Answer(b"<p>no</p>", status=451),
        "/members.html": redirect("/sign-in"),
        "/checked.html": page("安全验证", "<p>请输入验证码以继续访问</p>"),
        "/empty.html": Answer(b""),
        "/wall.html": page("江边", "<p>本章为付费章节，订阅后即可继续阅读全文，感谢支持正版</p>"),
    }


@pytest.fixture
def site(loopback: None, processes: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[FollowedSite]:
    with WebServer(copied()) as server:
        followed = FollowedSite(server, monkeypatch, COPY)
        followed.crawl()
        followed.confirm_all()
        yield followed


def sent_notice(site: FollowedSite, *paths: str) -> Notice:
    made = admin_data.notice(site.case(paths[0]), site.desk.manager, state=Notice.State.SENT)
    for path in paths[1:]:
        made.pages.create(case=site.case(path))
    NoticeEvent.objects.create(notice=made, state=Notice.State.SENT, by=site.desk.manager, at=site.now)
    return made


def removed(site: FollowedSite) -> set[str]:
    urls = Removal.objects.filter(ended_at=None).values_list("case__page_url", flat=True)
    return {url.removeprefix(site.server.url("")) for url in urls}


def seen(site: FollowedSite, path: str) -> list[str]:
    return list(RemovalLook.objects.filter(case=site.case(path)).values_list("seen", flat=True))


def take_down(site: FollowedSite) -> None:
    site.server.routes |= taken_down()
    del site.server.routes[GONE]


def test_each_way_to_take_a_text_down_or_to_seem_to_and_back_again(site: FollowedSite, tmp_path: Path) -> None:
    assert len({case.page_url for case in site.desk.work.cases.all()}) == len(PATHS)
    notice = sent_notice(site, GONE, CLEARED, DOWN)
    take_down(site)
    site.crawl(DAY, *PATHS, "/")
    assert removed(site) == set()
    assert [seen(site, path) for path in (GONE, CLEARED, DOWN)] == [["gone"], ["cleared"], ["cleared"]]
    site.crawl(DAY + 13 * HOUR, *PATHS, "/")
    assert removed(site) == {GONE, CLEARED, DOWN}
    assert [path for path in STANDING if seen(site, path)] == []
    assert [path for path in UNSEEN if seen(site, path) != ["not_seen"]] == []
    _each_look_is_kept(site)
    for path in (GONE, CLEARED, DOWN):
        _the_proof_verifies_until_a_byte_is_changed(site, path, tmp_path / "proof.zip")
    _the_command_line_writes_it_too(site, tmp_path / "by-command.zip")
    notice.refresh_from_db()
    assert notice.state == Notice.State.REMOVED
    assert notice.events.last().by is None

    site.server.routes[GONE] = copied()[GONE]
    site.desk.outbox.sent.clear()
    site.crawl(3 * DAY, GONE, "/")
    assert removed(site) == {CLEARED, DOWN}
    case = site.case(GONE)
    assert case.returned_at is not None
    assert case.matter.returned_cases == 1, "it stands in the inbox again"
    assert case.removals.get().ended_at == site.now
    notice.refresh_from_db()
    assert notice.state == Notice.State.SENT
    assert list(notice.events.values_list("state", flat=True)) == ["sent", "removed", "sent"]
    assert not [message for message in site.desk.outbox.sent if "Notice" in type(message).__name__], "nothing is sent"


def _each_look_is_kept(site: FollowedSite) -> None:
    for path, status in ((GONE, 404), (CLEARED, 200)):
        first, second = site.case(path).removals.get().looks.all()
        assert {first.status, second.status} == {status}
        assert first.final_url == second.final_url == site.server.url(path)
        assert (second.at - first.at) >= 12 * HOUR
        assert first.bundle != second.bundle
        assert (first.bundle.kind, second.bundle.kind) == ("removal", "removal")


def _the_proof_verifies_until_a_byte_is_changed(site: FollowedSite, path: str, file: Path) -> None:
    removal = site.case(path).removals.get()
    report = export_removal(removal, file, site.evidence)
    assert check_file(file) == report
    assert [bundle.url for bundle in report.bundles] == [site.server.url(path)] * 2
    assert [bundle.fetched_at for bundle in report.bundles] == [look.at for look in removal.looks.all()]
    content = file.read_bytes()
    for place in (len(content) // 7, len(content) // 3, len(content) // 2):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(DoesNotHold):
            check_file(file)


def _the_command_line_writes_it_too(site: FollowedSite, file: Path) -> None:
    material = evidence_verbs._newest_removal(site.case(GONE).pk)
    evidence_verbs._write_report(evidence_verbs._case_writer(material, file), django_settings.ZHUIWEN, is_sealed=False)
    assert [bundle.url for bundle in check_file(file).bundles] == [site.server.url(GONE)] * 2
    refused("no removal of the page of case", evidence_verbs._newest_removal, site.case(STANDING[0]).pk)


def test_while_the_whole_site_is_away_nothing_is_removed(site: FollowedSite) -> None:
    for path in list(site.server.routes):
        del site.server.routes[path]
    for hours in (24, 37, 50):
        site.crawl(hours * HOUR, GONE, CLEARED, "/")
    assert removed(site) == set()
    assert seen(site, GONE) == ["not_seen"], "of looks in a row that saw nothing the newest stands"
    assert RemovalLook.objects.filter(case=site.case(GONE)).get().fault.code == "removal.site-away"


def test_it_is_asked_once_more_by_another_route_where_there_is_one(site: FollowedSite) -> None:
    site.desk.site.proxies.create(place="proxy.example:3128", is_second_route=True)
    del site.server.routes[GONE]
    site.crawl(DAY, GONE, "/")
    site.crawl(DAY + 13 * HOUR, GONE, "/")
    assert removed(site) == set(), "not before it was asked by the other route"
    site.crawl(DAY + 14 * HOUR, GONE, "/", by_second_route=True)
    assert removed(site) == {GONE}
    assert [look.by_second_route for look in Removal.objects.get().looks.all()] == [False, False, True]


@pytest.mark.parametrize(
    ("answer", "is_removed"),
    [
        (page("提示", "<p>请登录后阅读本站的全部章节，新用户注册即可领取书券，感谢您的支持</p>"), False),
        (redirect("/sign-in"), False),
        (page("提示", "<p>抱歉，您访问的页面不存在，请检查网址是否正确，或返回首页重新查找</p>"), True),
        (redirect("/"), True),
    ],
    ids=["login", "to the login", "says that nothing is there", "to the front page"],
)
def test_a_page_for_all_addresses_proves_nothing(site: FollowedSite, answer: Answer, *, is_removed: bool) -> None:
    del site.server.routes[GONE]
    site.server.fallback = lambda _: answer
    for after in (DAY, DAY + 13 * HOUR):
        site.crawl(after, GONE, "/other.html", "/")
    assert (GONE in removed(site)) == is_removed


def test_an_error_of_the_site_in_place_of_the_text_is_not_to_be_seen(site: FollowedSite) -> None:
    errors = {
        GONE: "系统繁忙，请稍后再试。Copyright © 2026 某某网 版权所有 保留一切权利",
        CLEARED: "数据库连接失败，错误代码一零四五，请联系管理员处理，本站将尽快恢复正常访问",
        DOWN: "Oops, the server is having some trouble today and could not show what you asked for.",
    }
    site.server.routes |= {path: page("错误", f"<p>{text}</p>") for path, text in errors.items()}
    for after in (DAY, DAY + 13 * HOUR):
        site.crawl(after, *errors, "/other.html", "/")
    assert (removed(site), [set(seen(site, path)) for path in errors]) == (set(), [{"not_seen"}] * 3)
