"""Test what every page store promises of a page's history: seen, gone with the proof, back again."""

import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.ids import CanonicalUrl, PageId, VersionId, digest, page_id
from core.pages import Sighted
from core.visits import AbsenceReason
from pagestore.mongo import MongoPageStore, connect
from tests.pagestore.contracts import NOON, fetched, reading
from tests.support.memory_pages import MemoryPageStore

MISSING = b"<p>\xe9\xa1\xb5\xe9\x9d\xa2\xe4\xb8\x8d\xe5\xad\x98\xe5\x9c\xa8</p>"


def at(seconds: float) -> Any:
    return NOON + timedelta(seconds=seconds)


def absent(after_s: float, **more: Any) -> Any:
    return fetched(body=MISSING, after_s=after_s, **({"status": 404} | more))


class HistoryContract:
    """Subclasses give `store`."""

    def test_each_change_is_a_state_and_the_way_back_to_an_old_text_too(self, store: Any) -> None:
        first = store.put(fetched(), reading())
        store.put(fetched(after_s=1), reading())
        second = store.put(fetched(after_s=2), reading(text="改了。"))
        store.put(fetched(after_s=3), reading())
        shown = [(each.at, each.version_id) for each in store.states(first.page_id)]
        assert shown == [(NOON, first.version_id), (at(2), second.version_id), (at(3), first.version_id)]

    def test_seen_unchanged_moves_last_seen_and_makes_no_version_and_no_state(self, store: Any) -> None:
        stored = store.put(fetched(), reading())
        assert store.record_sighting(stored.page_id, at(60)) == stored.version_id
        assert store.page(stored.page_id).last_seen == at(60)
        assert len(store.versions(stored.page_id)) == len(store.states(stored.page_id)) == 1

    def test_a_page_that_is_not_there_cannot_be_seen(self, store: Any) -> None:
        assert store.record_sighting(PageId("0" * 40), NOON) is None
        assert store.states(PageId("0" * 40)) == []
        assert store.absences(PageId("0" * 40)) == []

    def test_an_absence_is_kept_whole_with_the_body_and_says_nothing_of_the_page_yet(self, store: Any) -> None:
        stored = store.put(fetched(), reading())
        response = absent(60)
        kept = store.put_absence(response, AbsenceReason.NOT_FOUND, is_gone=False)
        assert store.absences(stored.page_id) == [kept]
        assert (kept.status, kept.reason, kept.headers) == (404, AbsenceReason.NOT_FOUND, response.headers)
        assert kept.fetched_at == at(60)
        assert (kept.requested_url, kept.final_url) == (response.requested_url, response.final_url)
        assert kept.raw_digest == digest(MISSING)
        assert store.raw(kept.raw_digest) == MISSING
        assert len(store.states(stored.page_id)) == 1

    def test_a_confirmed_absence_is_a_state_and_the_page_keeps_its_version(self, store: Any) -> None:
        stored = store.put(fetched(), reading())
        store.put_absence(absent(60), AbsenceReason.NOT_FOUND, is_gone=False)
        confirming = store.put_absence(absent(120, status=410), AbsenceReason.GONE, is_gone=True)
        assert [(each.version_id, each.absence_id) for each in store.states(stored.page_id)] == [
            (stored.version_id, ""),
            ("", confirming.id),
        ]
        page = store.page(stored.page_id)
        assert (page.current_version, page.last_seen) == (stored.version_id, NOON)

    def test_gone_is_said_once_and_each_later_proof_is_kept_once(self, store: Any) -> None:
        stored = store.put(fetched(), reading())
        for seconds in (60, 60, 120, 180):
            store.put_absence(absent(seconds), AbsenceReason.NOT_FOUND, is_gone=True)
        assert len(store.absences(stored.page_id)) == 3
        assert [each.at for each in store.states(stored.page_id)] == [NOON, at(60)]

    @pytest.mark.parametrize("text", ["山雨欲来风满楼。", "换了。"])
    def test_a_text_after_that_brings_the_page_back(self, store: Any, text: str) -> None:
        stored = store.put(fetched(), reading())
        store.put_absence(absent(60), AbsenceReason.NOT_FOUND, is_gone=True)
        back = store.put(fetched(after_s=120), reading(text=text))
        assert [(each.at, each.version_id) for each in store.states(stored.page_id)] == [
            (NOON, stored.version_id),
            (at(60), ""),
            (at(120), back.version_id),
        ]

    def test_seen_unchanged_brings_the_page_back_as_well(self, store: Any) -> None:
        stored = store.put(fetched(), reading())
        store.put_absence(absent(60), AbsenceReason.NOT_FOUND, is_gone=True)
        store.record_sighting(stored.page_id, at(120))
        store.put_absence(absent(180), AbsenceReason.NOT_FOUND, is_gone=True)
        assert [bool(each.absence_id) for each in store.states(stored.page_id)] == [False, True, False, True]

    def test_an_absence_from_before_the_page_was_last_seen_does_not_make_it_gone(self, store: Any) -> None:
        stored = store.put(fetched(after_s=120), reading())
        store.put_absence(absent(60), AbsenceReason.NOT_FOUND, is_gone=True)
        assert len(store.absences(stored.page_id)) == 1
        assert len(store.states(stored.page_id)) == 1

    def test_an_absence_of_a_page_that_never_was_makes_no_page(self, store: Any) -> None:
        response = absent(0, url="https://example.com/never")
        kept = store.put_absence(response, AbsenceReason.NOT_FOUND, is_gone=True)
        assert kept.page_id == page_id(response.site_id, response.canonical_url)
        assert store.page(kept.page_id) is None
        assert store.states(kept.page_id) == []

    def test_a_version_stored_late_takes_its_place_in_time(self, store: Any) -> None:
        newer = store.put(fetched(after_s=10), reading(text="新。"))
        late = store.put(fetched(), reading(text="旧。"))
        assert not store.put(fetched(), reading(text="旧。")).is_new_version
        assert [each.version_id for each in store.states(newer.page_id)] == [late.version_id, newer.version_id]
        assert [each.id for each in store.versions(newer.page_id)] == [late.version_id, newer.version_id]
        assert store.page(newer.page_id).current_version == newer.version_id

    def test_a_version_has_been_seen_from_its_first_sighting_to_its_last(self, store: Any) -> None:
        old = store.put(fetched(after_s=5), reading(text="旧。"))
        store.record_sighting(old.page_id, at(8))
        new = store.put(fetched(after_s=10), reading(text="新。"))
        store.put(fetched(after_s=2), reading(text="旧。"))
        found = store.on_pages([old.version_id, new.version_id, VersionId("0" * 40), old.version_id])
        assert {each.version.id: (each.is_current, each.sighted) for each in found} == {
            old.version_id: (False, Sighted(at(2), at(8))),
            new.version_id: (True, Sighted(at(10), at(10))),
        }
        assert len(found) == 2
        assert {each.version.reading.text for each in found} == {"旧。", "新。"}

    def test_a_text_met_late_does_not_hide_that_the_page_went_back(self, store: Any) -> None:
        kept = store.put(fetched(), reading(text="原。"))
        store.put(fetched(after_s=5), reading(text="原。"))
        other = store.put(fetched(after_s=3), reading(text="换。"))
        store.put(fetched(after_s=9), reading(text="原。"))
        shown = [(each.at, each.version_id) for each in store.states(kept.page_id)]
        assert shown == [(NOON, kept.version_id), (at(3), other.version_id), (at(5), kept.version_id)]

    def test_seen_early_widens_when_the_page_was_first_seen(self, store: Any) -> None:
        stored = store.put(fetched(after_s=60), reading())
        store.record_sighting(stored.page_id, NOON)
        page = store.page(stored.page_id)
        assert (page.first_seen, page.last_seen) == (NOON, at(60))

    @pytest.mark.parametrize("seed", range(4))
    def test_in_whatever_order_responses_come_first_and_last_seen_are_those_of_all(self, store: Any, seed: int) -> None:
        """Crawls and archives bring the same few texts again and again, at any time."""
        chance = random.Random(seed)
        moments = chance.sample(range(100), 14)
        responses = [(seconds, chance.choice("甲乙丙") + "的全文。") for seconds in moments]
        stored: dict[str, Any] = {}
        for number, (seconds, text) in enumerate(responses, 1):
            stored[text] = store.put(fetched(after_s=seconds), reading(text=text))
            so_far = [each for each, _ in responses[:number]]
            page = store.page(stored[text].page_id)
            assert (page.first_seen, page.last_seen) == (at(min(so_far)), at(max(so_far)))
        assert page.current_version == stored[dict(responses)[max(moments)]].version_id
        for text, each in stored.items():
            at_times = [seconds for seconds, read in responses if read == text]
            assert store.on_pages([each.version_id])[0].sighted == Sighted(at(min(at_times)), at(max(at_times)))
        states = store.states(page.id)
        assert (states[0].at, states[-1].version_id) == (page.first_seen, page.current_version)

    def test_hostile_characters_of_an_absence_come_back_as_they_were(self, store: Any) -> None:
        hostile = replace(
            absent(60), headers=(("a\0b", "前\ud800后"),), canonical_url=CanonicalUrl("https://example.com/\ud800")
        )
        store.put(replace(hostile, fetched_at=NOON), reading())
        kept = store.put_absence(hostile, AbsenceReason.NOT_FOUND_PAGE, is_gone=False)
        assert store.absences(kept.page_id) == [kept]
        assert kept.headers == hostile.headers


class TestMemoryHistory(HistoryContract):
    @pytest.fixture
    def store(self) -> MemoryPageStore:
        return MemoryPageStore()


class TestMongoHistory(HistoryContract):
    @pytest.fixture
    def store(self, mongo_url: str) -> MongoPageStore:
        return MongoPageStore(connect(mongo_url))
