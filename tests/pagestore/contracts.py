"""Test what every page store, work store and fingerprint store promises, whatever is below it."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from core.captures import (
    ArchivedRecord,
    Capture,
    CapturedResource,
    CaptureSource,
    NameAnswer,
    TlsSession,
    WireExchange,
)
from core.circumstances import BrowserProfile, ClockFault, ClockReading, Machine, NetworkRoute, Program
from core.errors import BrokenInvariant
from core.ids import CanonicalUrl, FinalUrl, PageId, RequestedUrl, SiteId, VersionId, WorkTextId, digest, work_text_id
from core.marks import Mark
from core.obfuscations import Obfuscation, ObfuscationFound
from core.pages import ChapterStart, Fetched, FollowingPart, NetDiskLink, Page, Poster, Reading
from core.ports import FingerprintStore, PageStore, WorkStore
from core.text import TextOffset, TextRange
from core.works import StoredFingerprint, WorkText
from core.zones import SurroundingLine, Zone

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
HOSTILE_TEXTS = ("a\0b", "前\ud800后", "\udfff", "", '{"$set": 1}', "𠀀\u200b\u2028", "$where", "null")


def fetched(body: bytes = b"<p>x</p>", after_s: float = 0, url: str = "https://example.com/1", **more: Any) -> Fetched:
    fields: dict[str, Any] = {
        "site_id": SiteId("site-1"),
        "requested_url": RequestedUrl(url + "?utm=1"),
        "final_url": FinalUrl(url + "#top"),
        "canonical_url": CanonicalUrl(url),
        "status": 200,
        "headers": (("Content-Type", "text/html"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")),
        "body": body,
        "fetched_at": NOON + timedelta(seconds=after_s),
    }
    return Fetched(**(fields | more))


_TLS = TlsSession("TLSv1.3", "TLS_AES_256_GCM_SHA384", 256, "example.com", (b"\x30\x00own", b"\x30\xffmiddle"))
_HOP = WireExchange(
    url="https://example.com/",
    status=302,
    request_head=b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
    response_head="HTTP/1.1 302 移\r\n".encode() + b"X: \xff\x00\r\n\r\n",
    connected_at=NOON,
    sent_at=NOON,
    answered_at=NOON,
    ended_at=NOON,
    server_address="2400:3200::1",
    server_port=443,
    body_digest=digest(b"moved"),
    body_bytes=5,
    body=b"mo\x00ved\xff",
    name_answer=NameAnswer("example.com", ("2400:3200::1", "8.8.8.8"), NOON, "192.0.2.53:53"),
    tls=_TLS,
    way=NetworkRoute("192.0.2.2", "eth0", "192.0.2.1", ("192.0.2.7 example.com",), "http://proxy.example:8080"),
)
_MACHINE = Machine(
    noted_at=NOON, host="爬虫", system="Debian", kernel="Linux 6.1 x86_64",
    program=Program("0.1.0", digest(b"files"), 1_225, (("Python", "3.11.7"),)),
    resolver_lines=("nameserver 192.0.2.53",), hosts_digest=digest(b"hosts"), hosts_bytes=49, has_response_cache=False,
    clock=(ClockReading("a.example", NOON, "192.0.2.1", 0.5, 0.01, 2),
           ClockReading("b.example", NOON, fault=ClockFault.UNKNOWN_NAME)),
)  # fmt: skip
_PROXIED = replace(_HOP, status=200, connected_at=None, is_through_proxy=True, tls=None, name_answer=None)
CAPTURE = Capture((_HOP, _PROXIED), machine=_MACHINE)
LONG = "很长的一页。".encode() * 20_000
BROWSED = Capture(
    (replace(_HOP, body_digest="", body_bytes=0, body=LONG),),
    source=CaptureSource.BROWSER,
    made_with="Chromium 150.0",
    resources=(CapturedResource("https://example.com/a.css", "text/css", NOON, b"p {color: red}"),),
    machine=replace(_MACHINE, resolver_lines=None, hosts_digest=None, hosts_bytes=None, clock=()),
    profile=BrowserProfile(NOON, 3, is_from_cache=False),
)
ARCHIVED = Capture(
    (replace(_HOP, connected_at=None),),
    source=CaptureSource.ARCHIVE,
    records=(ArchivedRecord("old.wacz", "archive/a.warc.gz", 17, b"WARC/1.0\r\n\xff\r\n\r\n", LONG),),
)


def reading(text: str = "山雨欲来风满楼。", **more: Any) -> Reading:
    return Reading(**({"title": "第一章", "text": text} | more))


class RawBodiesContract:
    """Tests that also depend on where raw responses and captures are kept. Subclasses give `store` and `damage_raw`."""

    def damage_raw(self, store: Any, body: bytes) -> None:
        raise AssertionError("the subclass says how")

    def test_pages_put_together_are_stored_as_one_by_one(self, store: PageStore) -> None:
        known = store.put(fetched(url="https://example.com/known"), reading())
        part = FollowingPart(FinalUrl("https://example.com/2_2"), 200, (), b"<p>part</p>", NOON, CAPTURE)
        given = [
            (fetched(), reading()),
            (fetched(url="https://example.com/2", parts=(part,)), reading(text="第二。", raw_text="第二(dì èr)。")),
            (fetched(url="https://example.com/known", after_s=1, capture=BROWSED), reading(text="改了。")),
            (fetched(after_s=2, capture=CAPTURE), reading(text="又一版。")),
            (fetched(after_s=3), reading()),
            (fetched(body=b"", url="https://example.com/empty"), reading(text="")),
        ]
        stored = store.put_many(given)
        pages = [each.page_id for each in stored]
        assert [each.is_new_version for each in stored] == [True, True, True, True, False, True]
        assert (pages[2], pages[3], pages[4]) == (known.page_id, pages[0], pages[0])
        assert stored[4].version_id == stored[0].version_id
        for (response, read), each in zip(given, stored, strict=True):
            version = store.version(each.version_id)
            assert version.reading == read
            assert store.raw(version.raw_digest) == response.body
            assert version.capture_digest is None or store.capture(version.capture_digest) == response.capture
        assert [each.id for each in store.versions(pages[0])] == [stored[0].version_id, stored[3].version_id]
        page = store.page(pages[0])
        assert (page.current_version, page.last_seen) == (stored[0].version_id, NOON + timedelta(seconds=3))
        [kept] = store.version(stored[1].version_id).parts  # type: ignore[union-attr]
        assert store.capture(kept.capture_digest) == CAPTURE  # type: ignore[arg-type]
        assert [each.is_new_version for each in store.put_many(given)] == [False] * 6
        assert store.put_many([]) == []

    longest = 300_000  # bytes; more where one document does not hold them

    def test_raw_bodies_of_any_length_and_long_texts_come_back(self, store: PageStore) -> None:
        bodies = [random.Random(length).randbytes(length) for length in (0, 1, self.longest)]
        text = "".join(chr(0x4E00 + code) for code in bodies[-1][: self.longest // 6])
        for body in bodies:
            stored = store.put(fetched(body=body), reading(text=text[: len(body)]))
            assert store.raw(digest(body)) == body
            assert store.version(stored.version_id).reading.text == text[: len(body)]

    def test_a_damaged_raw_body_is_noticed(self, store: PageStore) -> None:
        store.put(fetched(body=b"as it was"), reading())
        self.damage_raw(store, b"as it was")
        with pytest.raises(BrokenInvariant, match=digest(b"as it was")):
            store.raw(digest(b"as it was"))

    @pytest.mark.parametrize("capture", [CAPTURE, BROWSED, ARCHIVED], ids=["wire", "browser", "archive"])
    def test_how_a_page_was_fetched_comes_back_to_the_byte(self, store: PageStore, capture: Capture) -> None:
        stored = store.put(fetched(capture=capture), reading())
        version = store.version(stored.version_id)
        assert version.capture_digest is not None
        assert store.capture(version.capture_digest) == capture


class PageStoreContract(RawBodiesContract):
    """Subclasses give `store` and `damage_raw`."""

    def test_a_first_page_is_new_and_comes_back_whole(self, store: PageStore) -> None:
        full = reading(
            author="无名氏",
            published=datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
            encoding="gb18030",
            is_encoding_doubtful=True,
            extractor="trafilatura",
            confidence=0.1 + 0.2,
            obfuscations=(
                ObfuscationFound(Obfuscation.RUBY, 3, "山(shān)"),
                ObfuscationFound(Obfuscation.HIDDEN_TEXT, 1),
            ),
            raw_text="山雨(shān yǔ)欲来本站首发风满楼。\ud800",
            chapter_number=3,
            surroundings=(SurroundingLine(Zone.FRAME, "首页\t书库", 0), SurroundingLine(Zone.TEASER, "孤\ud800字", 12)),
            marks=(
                Mark("pinyin_inserted", TextRange(2, 10), TextRange(2, 2)),
                Mark("site_advertisement", TextRange(12, 16), TextRange(4, 4)),
            ),
        )
        later = NOON + timedelta(seconds=1)
        part = FollowingPart(FinalUrl("https://example.com/1_2"), 200, (("Set-Cookie", "a=1"),), b"<p>y</p>", later)
        response = fetched(parts=(part,), origin="old.warc.gz, record 17")
        stored = store.put(response, full)
        assert stored.is_new_version
        page, version = store.page(stored.page_id), store.version(stored.version_id)
        assert (page.id, page.site_id, page.canonical_url) == (stored.page_id, "site-1", response.canonical_url)
        assert (page.first_seen, page.last_seen, page.current_version) == (NOON, NOON, stored.version_id)
        assert (version.id, version.page_id, version.site_id) == (stored.version_id, stored.page_id, "site-1")
        assert (version.requested_url, version.final_url) == (response.requested_url, response.final_url)
        assert (version.status, version.headers, version.fetched_at) == (200, response.headers, NOON)
        assert version.raw_digest == digest(response.body)
        assert version.text_digest == digest(full.text.encode())
        assert version.reading == full
        assert version.origin == response.origin
        [kept] = version.parts
        assert (kept.url, kept.status, kept.headers, kept.fetched_at) == (part.url, 200, part.headers, later)
        assert store.raw(kept.raw_digest) == b"<p>y</p>"
        assert store.raw(version.raw_digest) == b"<p>x</p>"

    def test_moments_come_back_in_utc_whatever_zone_they_had(self, store: PageStore) -> None:
        shanghai = NOON.astimezone(timezone(timedelta(hours=8)))
        stored = store.put(fetched(fetched_at=shanghai), reading(published=shanghai))
        version = store.version(stored.version_id)
        assert version.fetched_at.utcoffset() == timedelta(0)
        assert version.fetched_at == NOON
        assert version.reading.published == NOON
        assert version.reading.published.utcoffset() == timedelta(0)

    def test_what_was_never_stored_is_none_and_empty(self, store: PageStore) -> None:
        assert store.page(PageId("0" * 40)) is None
        assert store.version(VersionId("0" * 40)) is None
        assert store.versions(PageId("0" * 40)) == []
        assert store.raw(digest(b"nothing")) is None
        assert store.capture(digest(b"nothing")) is None
        assert store.pages(None, 10) == []

    def test_the_same_page_fetched_again_only_moves_last_seen(self, store: PageStore) -> None:
        first = store.put(fetched(), reading())
        again = store.put(fetched(body=b"<p>x</p><!-- other bytes -->", after_s=60), reading())
        assert (again.version_id, again.is_new_version) == (first.version_id, False)
        page, version = store.page(first.page_id), store.version(first.version_id)
        assert (page.first_seen, page.last_seen) == (NOON, NOON + timedelta(seconds=60))
        assert version.fetched_at == NOON
        assert version.raw_digest == digest(b"<p>x</p>")
        assert len(store.versions(first.page_id)) == 1

    def test_a_changed_text_or_title_makes_a_version_and_keeps_the_old_one(self, store: PageStore) -> None:
        first = store.put(fetched(), reading())
        second = store.put(fetched(after_s=1), reading(text="改了。"))
        third = store.put(fetched(after_s=2), reading(text="改了。", title="第二章"))
        assert second.page_id == first.page_id
        assert second.is_new_version
        assert third.is_new_version
        history = store.versions(first.page_id)
        assert [each.id for each in history] == [first.version_id, second.version_id, third.version_id]
        assert history[0].reading.text == "山雨欲来风满楼。"
        assert store.page(first.page_id).current_version == third.version_id
        back = store.put(fetched(after_s=3), reading())
        assert (back.version_id, back.is_new_version) == (first.version_id, False)
        assert store.page(first.page_id).current_version == first.version_id
        assert len(store.versions(first.page_id)) == 3

    def test_a_paragraph_below_the_text_makes_a_version_and_a_name_with_a_time_none(self, store: PageStore) -> None:
        first = store.put(fetched(), reading())
        short = SurroundingLine(Zone.COMMENT, "三小时前", 1)
        title = SurroundingLine(Zone.TEASER, "夜航船上的灯，一盏一盏地灭了下去，只有船头的那一盏还亮着，照着水。", 1)
        same = store.put(fetched(after_s=1), reading(surroundings=(short, title)))
        assert (same.version_id, same.is_new_version) == (first.version_id, False)
        pasted = SurroundingLine(Zone.COMMENT, title.text, 1)
        changed = store.put(fetched(after_s=2), reading(surroundings=(short, pasted)))
        assert changed.is_new_version
        version = store.version(changed.version_id)
        assert version.reading.surroundings == (short, pasted)

    def test_writers_of_many_pages_that_meet_lose_nothing(self, store: PageStore) -> None:
        given = [
            (fetched(body=text.encode(), url=f"https://example.com/{number % 20}", after_s=number), reading(text=text))
            for number, text in enumerate(f"第{number}段。" for number in range(60))
        ]
        batches = [random.Random(seed).sample(given, len(given)) for seed in range(4)]
        with ThreadPoolExecutor(4) as pool:
            stored = [each for batch in pool.map(store.put_many, batches) for each in batch]
        # Each is told of at least once, so that it is compared; a server may tell two writers that meet.
        assert len({each.page_id for each in stored}) == 20
        assert len({each.version_id for each in stored if each.is_new_version}) == 60
        assert {text for _, read in given for text in [read.text]} == {
            version.reading.text for page in {each.page_id for each in stored} for version in store.versions(page)
        }
        for page in store.pages(None, 99):
            first, *_, last = store.versions(page.id)
            assert (page.first_seen, page.last_seen) == (first.fetched_at, last.fetched_at)
            assert page.current_version == last.id

    def test_the_texts_of_many_versions_come_at_once(self, store: PageStore) -> None:
        versions = {}
        for number in range(103):
            text = f"第{number}页\ud800"
            versions[store.put(fetched(url=f"https://example.com/{number}"), reading(text=text)).version_id] = text
        assert store.texts([*versions, VersionId("0" * 40)]) == versions
        assert store.texts([]) == {}

    def test_two_sites_on_one_url_own_two_pages(self, store: PageStore) -> None:
        one = store.put(fetched(), reading())
        other = store.put(fetched(site_id=SiteId("site-2")), reading())
        assert other.page_id != one.page_id
        assert other.version_id != one.version_id

    @pytest.mark.parametrize("text", HOSTILE_TEXTS)
    def test_hostile_characters_come_back_as_they_were(self, store: PageStore, text: str) -> None:
        url = CanonicalUrl("https://example.com/" + text)
        hostile = reading(
            **dict.fromkeys(("text", "title", "author", "encoding", "extractor", "site_name", "raw_text"), text),
            obfuscations=(ObfuscationFound(Obfuscation.SPACES, 1, text),),
            left_out=(text, text),
            chapters=(ChapterStart(text, TextOffset(0)), ChapterStart(text, TextOffset(0))),
            net_disks=(NetDiskLink(text, text, text),),
            posters=(Poster(text, 0), Poster("", 2)),
        )
        part = FollowingPart(FinalUrl(text), 200, ((text, text),), b"<p>y</p>", NOON)
        response = fetched(
            canonical_url=url,
            requested_url=RequestedUrl(text),
            final_url=FinalUrl(text),
            headers=((text, text), (text, text)),
            site_id=SiteId(text),
            parts=(part,),
            origin=text,
        )
        stored = store.put(response, hostile)
        version, page = store.version(stored.version_id), store.page(stored.page_id)
        assert version.reading == hostile
        assert version.headers == ((text, text), (text, text))
        assert (version.requested_url, version.final_url, version.origin) == (text, text, text)
        assert [(each.url, each.headers) for each in version.parts] == [(text, ((text, text),))]
        assert (page.canonical_url, page.site_id) == (url, text)

    def test_the_capture_is_that_of_the_first_fetch_of_a_version(self, store: PageStore) -> None:
        first = store.put(fetched(capture=CAPTURE), reading())
        again = Capture((replace(CAPTURE.exchanges[1], sent_at=NOON + timedelta(hours=1)),))
        store.put(fetched(capture=again, after_s=3600), reading())
        version = store.version(first.version_id)
        assert version.capture_digest is not None
        assert store.capture(version.capture_digest) == CAPTURE

    def test_every_page_is_walked_once_in_order_of_id(self, store: PageStore) -> None:
        expected = {}
        for number in range(11):
            stored = store.put(fetched(url=f"https://example.com/{number}"), reading(text=f"文{number}"))
            expected[stored.page_id] = stored.version_id
        walked: list[Page] = []
        while batch := store.pages(walked[-1].id if walked else None, 4):
            assert len(batch) <= 4
            walked.extend(batch)
        assert [(page.id, page.current_version) for page in walked] == sorted(expected.items())
        assert walked == [store.page(page.id) for page in walked]
        assert store.pages(None, 0) == []


class WorkStoreContract:
    """Subclasses give `store`."""

    def test_a_text_comes_back_under_the_digest_of_its_content(self, store: WorkStore) -> None:
        key = store.put_text("春眠不觉晓。")
        assert key == work_text_id("春眠不觉晓。")
        assert store.text(key) == "春眠不觉晓。"
        assert store.put_text("春眠不觉晓。") == key
        assert list(store.texts()) == [WorkText(key, "春眠不觉晓。")]

    def test_texts_come_in_order_of_id(self, store: WorkStore) -> None:
        texts = {store.put_text(f"第{number}回"): f"第{number}回" for number in range(230)}
        assert [(each.id, each.text) for each in store.texts()] == sorted(texts.items())

    def test_a_removed_text_is_gone_and_can_come_again(self, store: WorkStore) -> None:
        key, other = store.put_text("一"), store.put_text("二")
        store.remove_text(key)
        store.remove_text(key)
        assert store.text(key) is None
        assert [each.id for each in store.texts()] == [other]
        assert store.put_text("一") == key
        assert store.text(key) == "一"

    def test_a_text_removed_while_all_are_walked_does_no_harm(self, store: WorkStore) -> None:
        keys = sorted(store.put_text(f"第{number}回") for number in range(3))
        walk = store.texts()
        assert next(walk).id == keys[0]
        store.remove_text(keys[1])
        assert keys[2] in [each.id for each in walk]

    def test_an_unknown_text_is_none(self, store: WorkStore) -> None:
        assert store.text(WorkTextId("f" * 40)) is None
        assert list(store.texts()) == []

    def test_hostile_characters_come_back_as_they_were(self, store: WorkStore) -> None:
        for text in HOSTILE_TEXTS:
            assert store.text(store.put_text(text)) == text


class FingerprintStoreContract:
    """Subclasses give `store`."""

    def test_a_fingerprint_comes_back_for_its_algorithm_only(self, store: FingerprintStore) -> None:
        fingerprint = StoredFingerprint("a" * 40, 1, b"\x01\x00\xff")
        store.put_many([fingerprint])
        store.put_many([fingerprint])
        assert store.get("a" * 40, 1) == fingerprint
        assert store.get("a" * 40, 2) is None
        assert store.get("b" * 40, 1) is None

    def test_a_fingerprint_put_again_takes_the_place_of_the_old_one(self, store: FingerprintStore) -> None:
        store.put_many([StoredFingerprint("s", 1, b"\x01old and much longer")])
        store.put_many([StoredFingerprint("s", 1, b"\x01new")])
        assert store.get("s", 1) == StoredFingerprint("s", 1, b"\x01new")

    def test_many_are_those_that_are_there(self, store: FingerprintStore) -> None:
        store.put_many([StoredFingerprint(f"{number:040x}", 1, b"\x01" + bytes([number])) for number in range(210)])
        asked = [f"{number:040x}" for number in (3, 209, 999, 3)]
        found = store.get_many(asked, 1)
        assert set(found) == {asked[0], asked[1]}
        assert found[asked[1]].payload == b"\x01" + bytes([209])
        assert len(store.get_many([f"{number:040x}" for number in range(210)], 1)) == 210
        assert store.get_many([], 1) == {}

    def test_known_are_those_that_have_a_fingerprint_of_the_algorithm(self, store: FingerprintStore) -> None:
        store.put_many([StoredFingerprint(f"{number:040x}", 1, b"\x01") for number in range(205)])
        store.put_many([StoredFingerprint("f" * 40, 2, b"\x02")])
        asked = [f"{number:040x}" for number in range(206)] + ["f" * 40]
        assert store.find_existing(asked, 1) == set(asked[:205])
        assert store.find_existing(asked, 2) == {"f" * 40}
        assert store.find_existing([], 1) == set()

    def test_removing_takes_a_subject_or_what_one_algorithm_made_and_no_neighbour(
        self, store: FingerprintStore
    ) -> None:
        subjects, algorithms = ("a", "ab", "a0", "b"), (1, 20, 201)
        store.put_many([StoredFingerprint(each, number, bytes([number])) for each in subjects for number in algorithms])
        for _ in range(2):
            store.remove("a")
            store.remove("b", 20)
        kept = {each: [number for number in algorithms if store.get(each, number)] for each in subjects}
        assert kept == {"a": [], "ab": [1, 20, 201], "a0": [1, 20, 201], "b": [1, 201]}

    def test_a_payload_beyond_what_one_document_holds_comes_back(self, store: FingerprintStore) -> None:
        payload = random.Random(2).randbytes(9 * 1024 * 1024)
        store.put_many([StoredFingerprint("big", 1, payload)])
        found = store.get("big", 1)
        assert found.payload == payload
