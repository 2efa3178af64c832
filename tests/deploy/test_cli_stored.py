"""The verbs that work on what is stored: with the real page store, the real Redis and a database of their own.

No worker runs: messages stay with the broker, and the index is filled by `index rebuild`.
"""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import redis

from core.redis_names import QUEUE_PREFIX
from tests.support.command_line import CommandLine
from tests.support.web_server import page

if TYPE_CHECKING:
    from collections.abc import Callable


WORKS = Path(__file__).parents[2] / "deploy" / "demo" / "works"
WORKS_OF = {
    "青梧文学": ("river-town", "borrowed-rain", "一杆秤.txt", "搬琴.txt"),
    "澄江日报": ("老码头菜场搬家记.txt", "换绳人.txt", "村小的天文台.txt", "云溪石桥.txt"),
}
SCALE = (WORKS / "一杆秤.txt").read_text("utf-8")
OTHER = "渡船在雾里停了很久。船工说，今天不会有人来了，可他还是把灯点上，坐在船头等。"

# What a crawler and a worker do with one page, in one process.
STORE_AND_MATCH = """
from datetime import UTC, datetime
from pipeline.app import SETTINGS
from pipeline.steps import compare_pages
from webadmin.cases.models import Case
from webadmin.wiring import live_ports
from core.pages import Fetched, Reading
url, text = sys.argv[1], sys.stdin.read()
ports = live_ports(SETTINGS)
fetched = Fetched("1", url, url, url, 200, (), text.encode(), datetime.now(UTC))
stored = ports.pages.put(fetched, Reading(title="转载\\x1b[31m\\x9b31m\\u202e", text=text))
compare_pages([stored.version_id], ports)
print(*Case.objects.filter(version_id=stored.version_id).order_by("pk").values_list("pk", flat=True))
"""


@pytest.fixture(scope="module")
def installed(with_stores: Callable[..., CommandLine]) -> CommandLine:
    return with_stores(ZHUIWEN_ALLOW_PRIVATE_HOSTS="127.0.0.1:8801,127.0.0.1:8802")


@pytest.fixture(scope="module")
def broker(installed: CommandLine) -> redis.Redis:
    return redis.Redis.from_url(installed.environment["ZHUIWEN_REDIS_URL"])


@pytest.fixture(scope="module")
def corpus(installed: CommandLine, broker: redis.Redis) -> CommandLine:
    """The same with the demo's works added and indexed, and a site."""
    for holder, names in WORKS_OF.items():
        added = installed("work", "add", *(WORKS / name for name in names), "--rights-holder", holder)
        assert (added.code, added.err) == (0, "")
        assert len(added.out.splitlines()) == 4
    assert broker.llen(f"{QUEUE_PREFIX}works") == 14
    site = installed("site", "add", "http://127.0.0.1:8801/", "--name", "落霞", "--rights-holder", "青梧文学")
    assert (site.code, site.err) == (0, "")
    rebuilt = installed("index", "rebuild")
    assert (rebuilt.code, rebuilt.out) == (0, "texts in the index: 14, generation 1\n")
    return installed


@pytest.fixture(scope="module")
def case(corpus: CommandLine) -> str:
    text = f"转载来的文章。\n{SCALE.replace('红木', '虹木')}"
    return corpus.in_django(STORE_AND_MATCH, "http://127.0.0.1:8801/a.html", stdin=text.encode())


CRAWLED_AHEAD = """
from datetime import timedelta
from pipeline.app import SETTINGS
from django.utils import timezone
from webadmin.sites.models import CrawlRun, Site
CrawlRun.objects.create(site=Site.objects.get(), state="finished", due_at=timezone.now() + timedelta(days=400))
"""


def test_doctor_names_what_lies_ahead_of_the_clock(corpus: CommandLine) -> None:
    def is_named() -> bool:
        doctor = corpus("doctor")
        assert doctor.complaints == []
        return "crawl runs 1" in doctor.out

    assert not is_named()
    corpus.in_django(CRAWLED_AHEAD)
    assert is_named()
    with closing(sqlite3.connect(corpus.home / "admin.sqlite3")) as database, database:
        database.execute("DELETE FROM watched_sites_crawlrun")


def test_works_added_again_change_nothing_and_bad_ones_are_named(corpus: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "空.txt").write_bytes(b"")
    (tmp_path / "图.txt").write_bytes(b"\x89PNG\r\n" + bytes(range(256)) * 4)
    bad = [tmp_path / name for name in ("空.txt", "图.txt", "无.txt")]
    done = corpus("work", "add", *bad, WORKS / "river-town", "--rights-holder", "青梧文学")
    assert done.code == 2
    assert "unchanged" in done.out
    assert "《river-town》 (青梧文学): chapters 4\n" in done.out
    assert [line.split(": ")[1] for line in done.complaints] == [*map(str, bad)]


def test_nothing_that_was_crawled_or_typed_acts_on_a_terminal(corpus: CommandLine, case: str) -> None:
    typed = "无\x1b[31m\x9b31m\u202e此书"
    for arguments in (
        *(("cases",), ("site", "list"), ("work", "list"), ("work", "remove", typed)),
        *(("cases", "--json"), ("site", "list", "--json"), ("work", "list", "--json")),
    ):
        done = corpus(*arguments)
        acting = {char for char in done.out + done.err if unicodedata.category(char) in {"Cc", "Cf", "Cs"}}
        assert acting <= {"\n", "\t"}, arguments
    (found,) = corpus("cases", "--json").json()
    assert "\x9b31m\u202e" in json.dumps(found, ensure_ascii=False), "programs get the title as it is"


def test_a_work_is_added_brought_up_to_date_listed_and_removed(corpus: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "雾船.txt"
    path.write_bytes(OTHER.encode("gbk"))
    refused = corpus("work", "add", path)
    assert (refused.code, "--rights-holder" in refused.complaints[0]) == (2, True), "where there are several"
    assert corpus("work", "add", path, "--rights-holder", "青梧文学", "--kind", "poem").code == 2
    arguments = ("work", "add", path, "--rights-holder", "临时社", "--author", "闻笛", "--kind", "story")
    assert "added" in corpus(*arguments).out
    path.write_bytes((OTHER + "船头的灯又亮了一夜。").encode("gbk"))
    assert "updated" in (updated := corpus(*arguments).out)
    assert "changed 1" in updated
    (work,) = [each for each in corpus("work", "list", "--json").json() if each["title"] == "雾船"]
    assert (work["author"], work["kind"], work["rights_holder"], work["chapters"]) == ("闻笛", "story", "临时社", 1)
    assert corpus("work", "remove", "雾船").code == 0
    gone = corpus("work", "remove", "雾船")
    assert (gone.code, gone.complaints) == (2, ["zhuiwen: there is no work 雾船; list them with zhuiwen work list"])


def test_the_index_says_whether_it_is_what_the_corpus_is(corpus: CommandLine, broker: redis.Redis) -> None:
    stats = corpus("index", "stats", "--json")
    assert stats.code == 0
    assert (stats.json()["texts"], stats.json()["missing"]) == (14, 0)
    for key in broker.scan_iter("zw:[0-9]*"):
        broker.delete(key)
    lost = corpus("index", "stats", "--json")
    assert (lost.code, lost.json()["generation"], lost.json()["missing"]) == (1, 0, 14)
    refused = corpus("check", WORKS / "一杆秤.txt")
    assert (refused.code, refused.complaints) == (1, ["zhuiwen: the index is empty; try: zhuiwen index rebuild"])
    assert corpus("index", "rebuild").code == 0


def test_index_stats_tell_the_state_of_the_snapshot(corpus: CommandLine, tmp_path: Path) -> None:
    with_snapshot = CommandLine(corpus.home, {**corpus.environment, "ZHUIWEN_INDEX_SNAPSHOT": str(tmp_path)})

    def told(command: CommandLine = with_snapshot) -> str:
        return next(line for line in command("index", "stats").out.splitlines() if line.startswith("snapshot: "))

    assert told(corpus) == "snapshot: not enabled (ZHUIWEN_INDEX_SNAPSHOT)"
    assert told() == f"snapshot: none in {tmp_path}; the sweeper writes it, or run: zhuiwen index snapshot"
    assert with_snapshot("index", "snapshot").code == 0
    assert told().endswith(" old, usable")
    stats = with_snapshot("index", "stats", "--json").json()
    (path,) = tmp_path.glob("*.snapshot")
    assert stats["snapshot"]["bytes"] == path.stat().st_size
    assert stats["snapshot"]["corpus_revision"] == stats["corpus_revision"]
    assert stats["snapshot"]["age_s"] < 300
    assert corpus("index", "rebuild").code == 0
    assert "behind the index" in told()


def test_a_text_is_checked_against_the_whole_corpus_without_being_kept(corpus: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "转载.txt"
    path.write_bytes((OTHER + SCALE[300:600].replace("的", "得")).encode("gb18030"))
    record = corpus("check", path, "--json").json()
    (match,) = record["matches"]
    assert [work["title"] for work in match["works"]] == ["一杆秤"]
    assert match["spans"][0]["changes"]
    plain = corpus("check", path)
    assert plain.code == 0
    assert plain.out.splitlines()[1].startswith("一杆秤\t")
    assert "⟦得⟧" in plain.out
    innocent = corpus("check", "-", stdin=OTHER.encode())
    assert (innocent.code, "no text from any work was found" in innocent.out) == (0, True)


def test_a_passage_is_placed_in_the_page_as_it_came_too(corpus: CommandLine, tmp_path: Path) -> None:
    lines = [f"{line[:5]}<span style='display:none'>本站首发</span>{line[5:]}" for line in SCALE.splitlines()]
    path = tmp_path / "page.html"
    path.write_text(page("一杆秤", "".join(f"<p>{line}</p>" for line in lines), "utf-8").body.decode())
    record = corpus("check", path, "--json").json()
    assert {mark["kind"] for mark in record["marks"]} == {"hidden_text"}
    spans = [span for match in record["matches"] for span in match["spans"]]
    for span in spans:
        start, end = span["raw"]
        assert record["raw_text"][start:end].replace("本站首发", "") == span["page_excerpt"]
        assert len(span["raw_changes"]) == len(span["changes"])
    assert spans
    assert corpus("read", path, "--json").json()["marks"] == record["marks"]


def test_a_case_is_listed_and_keeps_its_work(corpus: CommandLine, case: str) -> None:
    (listed,) = corpus("cases", "--work", "一杆秤", "--site", "落霞", "--state", "open", "--json").json()
    assert (str(listed["id"]), listed["page_url"]) == (case, "http://127.0.0.1:8801/a.html")
    missing = corpus("evidence", "export", "999", "--out", corpus.home / "missing.zip")
    assert (missing.code, missing.complaints) == (2, ["zhuiwen: there is no case 999; list them with zhuiwen cases"])
    protected = corpus("work", "remove", "一杆秤")
    assert (protected.code, "cases: 1" in protected.err) == (2, True)


def test_a_report_is_written_to_a_file_and_to_stdout(corpus: CommandLine, case: str, tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    done = corpus("report", "--format", "json", "--out", out, "--site", "落霞", "--language", "en")
    assert (done.code, done.out) == (0, f"{out}\n")
    assert json.loads(out.read_text("utf-8"))["cases"]
    listed = corpus("report", "--format", "csv", "--rights-holder", "澄江日报", "--out", "-")
    assert listed.code == 0
    assert "一杆秤" not in listed.out
    assert listed.out.lstrip("\ufeff").startswith("部分,项目,"), "a report speaks the configured language"
    at_home = corpus("report", "--format", "html")
    assert Path(at_home.out.strip()).parent == corpus.home / "reports"
    nowhere = corpus("report", "--format", "csv", "--out", tmp_path / "none" / "r.csv")
    assert (nowhere.code, "cannot be written" in nowhere.err) == (2, True)


def test_crawls_are_asked_for_once_and_unknown_sites_are_named(corpus: CommandLine, broker: redis.Redis) -> None:
    before = broker.llen(f"{QUEUE_PREFIX}crawl")
    done = corpus("crawl", "落霞", "http://127.0.0.1:9999/", "nobody")
    assert done.code == 2
    assert done.out.startswith("crawling 落霞: run ")
    assert len(done.complaints) == 2
    assert "zhuiwen site add http://127.0.0.1:9999/" in done.err
    assert broker.llen(f"{QUEUE_PREFIX}crawl") == before + 1
    again = corpus("crawl", "http://127.0.0.1:8801/b/7.html")
    assert (again.code, again.out) == (
        0,
        "落霞 is already being crawled (queued); wait until that crawl has ended\n",
    )
    assert broker.llen(f"{QUEUE_PREFIX}crawl") == before + 1
    (run,) = corpus("crawl", "落霞", "--json").json()
    assert (run["site"]["name"], run["state"], run["ended_because"]) == ("落霞", "queued", None)
    due = corpus("crawl", "--due")
    assert (due.code, due.out) == (0, "no crawl is due\n")


def test_a_store_that_is_down_gives_one_sentence_and_a_crawl_waits(corpus: CommandLine) -> None:
    assert corpus("site", "add", "http://127.0.0.1:8802/", "--name", "云笺", "--rights-holder", "青梧文学").code == 0
    down = CommandLine(corpus.home, {**corpus.environment, "ZHUIWEN_REDIS_URL": "redis://127.0.0.1:1/0"})
    done = down("crawl", "云笺")
    assert (done.code, len(done.complaints)) == (0, 1)
    assert "the message broker (Redis) is not responding" in done.err
    (site,) = [each for each in corpus("site", "list", "--json").json() if each["name"] == "云笺"]
    assert site["last_run"]["state"] == "queued"
    down = CommandLine(corpus.home, {**corpus.environment, "ZHUIWEN_MONGO_URL": "mongodb://127.0.0.1:1/x"})
    done = down("work", "add", WORKS / "一杆秤.txt", "--title", "新", "--rights-holder", "临时社")
    assert (done.code, len(done.complaints), "is not responding" in done.err) == (1, 1, True)
    assert "新" not in {work["title"] for work in corpus("work", "list", "--json").json()}


def test_a_work_or_site_that_is_not_there_comes_with_where_to_look(corpus: CommandLine) -> None:
    for verb, kind in ((("cases",), "work"), (("report", "--format", "csv"), "work"), (("cases",), "site")):
        done = corpus(*verb, f"--{kind}", "x")
        said = [f"zhuiwen: there is no {kind} x; list them with zhuiwen {kind} list"]
        assert (done.code, done.complaints) == (2, said)


def test_chapters_that_can_hardly_be_found_are_named_and_added(corpus: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "短章").mkdir()
    (tmp_path / "短章" / "1.txt").write_text(OTHER, "utf-8")
    (tmp_path / "短章" / "2.txt").write_text("渡船停了很久。", "utf-8")
    (tmp_path / "短章" / "3.txt").write_text("哈" * 200_000, "utf-8")
    done = corpus("work", "add", tmp_path / "短章", "--rights-holder", "临时社")
    assert (done.code, done.out.startswith("added ")) == (0, True)
    assert done.complaints == [
        "zhuiwen: warning: chapter 2 of 《短章》 has too few characters with a reading (6); "
        "below 23, no copy can be found",
        "zhuiwen: warning: chapter 3 of 《短章》 has too few distinct readings (1), "
        "so copies of it are unlikely to be found",
    ]
    for number in range(4, 29):
        (tmp_path / "短章" / f"{number}.txt").write_text(f"渡船停了很久{number}", "utf-8")
    done = corpus("work", "add", tmp_path / "短章", "--rights-holder", "临时社")
    assert (done.code, len(done.complaints)) == (0, 21), "doubts do not fill the terminal"
    assert "more chapters of 《短章》 with this problem: 7" in done.complaints[-1]


def test_a_text_file_too_large_to_be_held_is_refused_unread_and_the_others_are_added(
    corpus: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "双篇").mkdir()
    (tmp_path / "双篇" / "1.txt").write_text(OTHER, "utf-8")
    with (tmp_path / "双篇" / "2.txt").open("wb") as file:
        file.truncate(33 * 1024 * 1024)
    alone = corpus("work", "add", tmp_path / "双篇" / "2.txt", "--rights-holder", "临时社")
    assert (alone.code, len(alone.complaints)) == (2, 1)
    assert "has 33 MB, but a text file can have at most 32 MB; split it into one file per chapter" in alone.err
    both = corpus("work", "add", tmp_path / "双篇", "--rights-holder", "临时社")
    assert (both.code, "added" in both.out, "has 33 MB" in both.err) == (2, True, True)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://10.1.2.3/", "10.1.2.3 is a private address"),
        ("", "the URL of the site is empty"),
        ("http://[::1/", "its host or port is invalid"),
        ("example.com", "a URL must begin with http:// or https://"),
    ],
)
def test_a_site_that_no_crawl_would_fetch_is_refused_when_it_is_typed(
    corpus: CommandLine, url: str, sentence: str
) -> None:
    before = corpus("site", "list").out
    done = corpus("site", "add", url, "--rights-holder", "青梧文学")
    assert (done.code, len(done.complaints)) == (2, 1)
    assert sentence in done.err
    assert corpus("site", "list").out == before


def test_a_site_whose_name_is_not_known_just_now_is_added_with_a_warning(corpus: CommandLine) -> None:
    done = corpus("site", "add", "https://nowhere.invalid/", "--rights-holder", "临时社")
    assert (done.code, "watching" in done.out, len(done.complaints)) == (0, True, 1)
    assert "warning: the host nowhere.invalid cannot be found at the moment" in done.err
