import hashlib
from pathlib import Path

import pytest

from core.errors import UnreadableFile
from fingerprint.engines.key_value_stores import DiskStore, KeyValueStore, MemoryStore
from fingerprint.engines.nshash import NsHash, SimilarIds, longest_sentences, sentence_digests
from fingerprint.engines.sentences import sentences_of

LONG = [character * length for character, length in zip("甲乙丙丁戊己", (60, 55, 50, 45, 40, 35), strict=True)]


@pytest.fixture(params=["memory", "disk"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> KeyValueStore:
    return MemoryStore() if request.param == "memory" else DiskStore(tmp_path / "digests.db")


def test_sentences_end_at_full_stops_exclamation_and_question_marks_and_lines() -> None:
    text = "他来了。你呢？走！\n天黑了，雨停了\r\n……。「嗯」"
    sentences = list(sentences_of(text))
    assert [each.text for each in sentences] == ["他来了", "你呢", "走", "天黑了，雨停了", "「嗯」"]
    assert [text[each.place.start : each.place.end] for each in sentences] == [each.text for each in sentences]


def test_the_five_longest_sentences_are_taken_the_longest_first() -> None:
    assert longest_sentences("。".join([*reversed(LONG), "短句"]), 5) == LONG[:5]


def test_sentences_of_thirty_characters_or_fewer_count_only_without_longer_ones() -> None:
    assert longest_sentences("一" * 30 + "。" + "二" * 31 + "。", 5) == ["二" * 31]
    assert longest_sentences("一" * 30 + "。" + "二" * 12 + "。", 5) == ["一" * 30, "二" * 12]


def test_the_digest_of_a_sentence_is_its_md5() -> None:
    assert sentence_digests("走吧。") == [hashlib.md5("走吧".encode()).digest()]


def test_one_sentence_in_common_gives_one_similar_id_and_none_the_next(store: KeyValueStore) -> None:
    ids = SimilarIds(store)
    assert ids.similar_id("。".join(LONG[:3])) == 1
    assert ids.similar_id(LONG[3]) == 2
    assert ids.similar_id(LONG[2] + "。" + LONG[4]) == 1
    assert ids.similar_id(LONG[4]) == 1  # known from the text before
    assert ids.similar_id(LONG[5]) == 3


def test_a_text_that_joins_two_groups_gets_the_lower_id_and_takes_its_digests_along(store: KeyValueStore) -> None:
    ids = SimilarIds(store)
    assert [ids.similar_id(LONG[0]), ids.similar_id(LONG[1])] == [1, 2]
    assert ids.similar_id(LONG[1] + "。" + LONG[0]) == 1
    assert ids.similar_id(LONG[1]) == 1


def test_a_text_without_a_sentence_has_no_similar_id_and_is_not_counted(store: KeyValueStore) -> None:
    ids = SimilarIds(store)
    assert [ids.similar_id(""), ids.similar_id("……。！"), ids.similar_id(LONG[0])] == [0, 0, 1]


def test_similar_ids_go_on_counting_after_a_restart(tmp_path: Path) -> None:
    first = DiskStore(tmp_path / "digests.db")
    assert [SimilarIds(first).similar_id(text) for text in LONG[:2]] == [1, 2]
    first.close()
    again = SimilarIds(DiskStore(tmp_path / "digests.db"))
    assert [again.similar_id(text) for text in (LONG[1], LONG[2])] == [2, 3]


def test_works_added_before_a_restart_are_found_after_it(tmp_path: Path) -> None:
    path = tmp_path / "works.db"
    NsHash(path=path).add("w", "。".join(LONG))
    again = NsHash(path=path)
    again.add("v", LONG[1])
    assert [found.work_id for found in again.find(LONG[1] + "。" + LONG[2])] == ["w", "v"]


def test_a_file_that_is_no_store_is_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_text("从前有座山" * 1000, encoding="utf-8")
    with pytest.raises(UnreadableFile, match="no key-value store"):
        DiskStore(path)


def test_values_of_many_keys_come_back_at_once(store: KeyValueStore) -> None:
    values = {b"%d" % number: b"v%d" % number for number in range(2500)}
    store.put(values)
    store.put({b"7": b"new"})
    assert store.get([*values, b"absent"]) == values | {b"7": b"new"}


@pytest.mark.parametrize("hash_name", ["md5", "xxh3"])
def test_a_changed_longest_sentence_is_lost_to_one_digest_and_found_by_five(hash_name: str) -> None:
    one, five = NsHash(1, hash_name), NsHash(hash_name=hash_name)
    for engine in (one, five):
        engine.add("w", "。".join(LONG))
    page = "。".join(["改" + LONG[0][1:], *LONG[1:]])
    assert one.find(page) == []
    assert [(found.work_id, found.similarity) for found in five.find(page)] == [("w", 0.8)]
