import re
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opencc import OpenCC

from core.counting import TextLetters
from core.equal_runs import longest_equal_run
from core.ids import WorkTextId
from core.matches import Change, ChangeKind, Match, MatchClass
from core.obfuscations import Obfuscation
from core.taken import NO_PLACES, Places
from core.text import TextRange
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.readings import code_points, syllable_ids
from matcher.calibration import DEFAULT
from matcher.corpus import CorpusCache, MemoryCorpus, WorkEntry
from matcher.matching import Matcher
from tests.support.corpus_texts import (
    shuffled_sentences,
    story,
    with_homophones,
    with_pinyin,
    with_random_characters,
)
from tests.support.examples import examples
from tests.support.fingerprint_definition import are_variants
from tests.support.matchers import matcher_of

WORKS = {WorkTextId(f"work-{seed}"): story(seed) for seed in range(8)}
WORK = WorkTextId("work-1")
TEXT = WORKS[WORK]
OTHER = story(99)
PUT_ELSEWHERE = (ChangeKind.INSERTED, ChangeKind.MOVED)
ADVERTISEMENT = "亲爱的读者请记住本站的网址收藏起来以后每天来看最新的章节更新哦"


MATCHER = matcher_of(WORKS)
SIZE = fingerprint_text(TEXT).tokens.size


def matches(page: str, matcher: Matcher = MATCHER) -> tuple[Match, ...]:
    return matcher.match(page, fingerprint_text(page))


def the_match(page: str, matcher: Matcher = MATCHER) -> Match:
    found = matches(page, matcher)
    assert [match.text_id for match in found] == [WORK]
    return found[0]


def obfuscations(match: Match) -> set[Obfuscation]:
    return {found.kind for found in match.obfuscations}


def test_a_copy_is_identical_and_spans_all() -> None:
    match = the_match(TEXT)
    assert match.match_class is MatchClass.IDENTICAL
    assert (match.similarity, match.page_containment, match.work_containment) == (1.0, 1.0, 1.0)
    (span,) = match.spans
    assert TEXT[span.page.start : span.page.end] == TEXT[span.work.start : span.work.end] == TEXT[:-1]
    assert (span.changes, match.obfuscations) == ((), ())
    assert match.longest_equal_run_chars == match.matched_chars == SIZE


def in_traditional(text: str) -> str:
    return OpenCC("s2t").convert(text)


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: with_homophones(text, 0.1),
        lambda text: with_random_characters(text, 0.05),
        lambda text: shuffled_sentences(text, 3),
        lambda text: in_traditional(with_homophones(text, 0.02)),
        lambda text: text[:300] + ADVERTISEMENT + text[340:900] + text[910:],
        lambda text: "，".join(with_homophones(text, 0.1)),
    ],
    ids=["homophones", "other characters", "shuffled", "traditional", "put in and left out", "strewn"],
)
def test_the_longest_equal_run_stands_in_both_texts_and_is_the_longest(edit: Callable[[str], str]) -> None:
    page = edit(TEXT)
    match = the_match(page)
    on_page, in_work = TextLetters.from_text(page), TextLetters.from_text(TEXT)
    folded = [OpenCC("t2s").convert(letters.text) for letters in (on_page, in_work)]
    most = SequenceMatcher(None, *folded, autojunk=False).find_longest_match().size
    assert match.longest_equal_run_chars == most
    told = [longest_equal_run(span, on_page.places, in_work.places, NO_PLACES, NO_PLACES) for span in match.spans]
    assert max(told) == most, "the changes tell the same"


def share_of_equal_characters(page: str, work: str) -> float:
    """For a page that differs from the work by single characters only."""
    is_read = syllable_ids(work) > 0
    return float(are_variants(code_points(page), code_points(work))[is_read].mean())


@pytest.mark.parametrize("share", [0.005, 0.1, 0.14, 0.17, 0.4])
@pytest.mark.parametrize(
    ("edit", "obfuscation"),
    [(with_homophones, Obfuscation.HOMOPHONE), (with_random_characters, Obfuscation.REPLACED)],
    ids=["homophones", "other characters"],
)
def test_similarity_is_the_share_of_equal_characters_and_the_class_agrees_with_it(
    edit: Callable[[str, float], str], obfuscation: Obfuscation, share: float
) -> None:
    page = edit(TEXT, share)
    match = the_match(page)
    assert match.similarity == pytest.approx(share_of_equal_characters(page, TEXT), abs=0.004)
    assert [span.similarity for span in match.spans] == [match.similarity]
    bounds = {0.99: MatchClass.IDENTICAL, 0.85: MatchClass.LIGHTLY_EDITED, 0.0: MatchClass.HEAVILY_EDITED}
    assert match.match_class is next(name for least, name in bounds.items() if match.similarity >= least)
    assert match.page_containment > 0.95
    assert share < 0.1 or obfuscation in obfuscations(match)
    if obfuscation is Obfuscation.HOMOPHONE:
        assert obfuscations(match) <= {obfuscation, Obfuscation.SCRIPT_CONVERTED}
        assert match.matched_chars == SIZE


def test_the_places_taken_are_those_of_the_characters_that_match() -> None:
    offsets = fingerprint_text(TEXT).offsets.tolist()
    assert the_match(TEXT).taken == Places.from_starts(offsets)
    assert the_match(with_homophones(TEXT, 0.4)).taken == Places.from_starts(offsets)
    replaced = the_match(with_random_characters(TEXT, 0.1))
    assert len(replaced.taken) == replaced.matched_chars < len(offsets)
    assert replaced.work_containment == len(replaced.taken) / len(offsets)


def test_a_passage_that_a_page_has_twice_is_taken_once() -> None:
    twice = the_match(TEXT + ADVERTISEMENT + TEXT)
    assert twice.taken == the_match(TEXT).taken
    assert twice.matched_chars == pytest.approx(2 * len(twice.taken), rel=0.02)
    assert twice.work_containment == 1.0


def test_a_converted_script_changes_no_wording() -> None:
    match = the_match(OpenCC("s2t").convert(TEXT))
    assert match.match_class is MatchClass.IDENTICAL
    assert obfuscations(match) <= {Obfuscation.SCRIPT_CONVERTED}
    assert {change.kind for span in match.spans for change in span.changes} == {ChangeKind.SCRIPT}


def test_pinyin_in_place_of_characters_is_found_where_it_stands() -> None:
    page = with_pinyin(TEXT, 0.1)
    match = the_match(page)
    assert Obfuscation.PINYIN_REPLACED in obfuscations(match)
    assert match.similarity == pytest.approx(len(_han(page)) / SIZE, abs=0.003)
    pinyin = [change for span in match.spans for change in span.changes if change.kind is ChangeKind.PINYIN]
    assert pinyin
    assert all(not _han(page[change.page.start : change.page.end]) for change in pinyin)


@pytest.mark.parametrize(
    ("page", "obfuscation", "size_in_work"),
    [
        ("\u200b".join(TEXT), Obfuscation.ZERO_WIDTH, 0),
        (" ".join(TEXT), Obfuscation.SPACES, 0),
        (with_pinyin(TEXT, 0.1, in_brackets=True), Obfuscation.PINYIN_INSERTED, 0),
        (TEXT.translate({ord(one): "\ue010" for one in TEXT[40:60] if one not in "，。"}), Obfuscation.PRIVATE_USE, 1),
    ],
    ids=["zero width", "spaces", "pinyin in brackets", "characters that nobody can read"],
)
def test_what_only_hides_the_text_is_noise(page: str, obfuscation: Obfuscation, size_in_work: int) -> None:
    match = the_match(page)
    assert obfuscations(match) == {obfuscation}
    assert (match.similarity, match.match_class) == (1.0, MatchClass.IDENTICAL)
    noise = [change for span in match.spans for change in span.changes if change.kind is ChangeKind.NOISE]
    assert len(noise) >= 3
    assert all(bool(change.work) == bool(size_in_work) for change in noise)


def test_advertisements_inside_a_copied_passage_are_inserted_text() -> None:
    page = ADVERTISEMENT.join(TEXT[start : start + 500] for start in range(0, len(TEXT), 500))
    match = the_match(page)
    assert Obfuscation.TEXT_INSERTED in obfuscations(match)
    assert len(match.spans) == 1
    put_in = page.count(ADVERTISEMENT) * fingerprint_text(ADVERTISEMENT).tokens.size
    assert match.similarity == pytest.approx(SIZE / (SIZE + put_in), abs=0.002)
    inserted = [change.page for change in match.spans[0].changes if change.kind is ChangeKind.INSERTED]
    assert sum("记住本站" in page[place.start : place.end] for place in inserted) == page.count(ADVERTISEMENT)


def test_what_was_left_out_is_deleted_text() -> None:
    match = the_match(TEXT[:900] + TEXT[1100:])
    assert obfuscations(match) == {Obfuscation.TEXT_DELETED}
    deleted = [change for change in match.spans[0].changes if change.kind is ChangeKind.DELETED]
    assert len(deleted) == 1
    assert abs(len(deleted[0].work) - 200) <= 3
    left_out = Places.from_starts(range(900, 1100))
    assert match.taken | left_out == Places.from_starts(fingerprint_text(TEXT).offsets.tolist()) | left_out
    assert match.similarity == pytest.approx(1 - fingerprint_text(TEXT[900:1100]).tokens.size / SIZE, abs=0.002)


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (lambda sentence: sentence[0] + sentence[2:], [(ChangeKind.DELETED, 0, 1)]),
        (lambda sentence: sentence[:-3] + sentence[-2:], [(ChangeKind.DELETED, 0, 1)]),
        (lambda sentence: "〇" + sentence[1:], [(ChangeKind.REPLACED, 1, 1)]),
        (lambda sentence: sentence[:-2] + "〇。", [(ChangeKind.REPLACED, 1, 1)]),
    ],
)
def test_a_change_at_the_edge_of_a_sentence_that_moved_is_one_character(
    edited: Callable[[str], str], expected: list[tuple[ChangeKind, int, int]]
) -> None:
    sentences = re.findall(r"[^。]+。", TEXT)[:40]
    number = next(at for at in range(10, 30) if len(sentences[at]) > 20 and len(set(sentences[at][:3])) == 3)
    matcher = matcher_of({WORK: "".join(sentences)})
    moved = edited(sentences.pop(number))
    page = "".join([*sentences[:3], OTHER[:40], "。", moved, OTHER[40:80], "。", *sentences[3:]])
    match = the_match(page, matcher)
    changes = [change for span in match.spans for change in span.changes if change.kind not in PUT_ELSEWHERE]
    assert [(each.kind, len(each.page), len(each.work)) for each in changes] == expected


def test_what_stands_in_another_passage_of_the_page_was_not_deleted() -> None:
    first, second, third, fourth = (TEXT[start : start + 200] for start in range(0, 800, 200))
    between = story(99)[:700]

    def find_deleted(page: str) -> set[str]:
        spans = the_match(page).spans
        assert len(spans) == 2
        changes = [change for span in spans for change in span.changes if change.kind is ChangeKind.DELETED]
        return {TEXT[change.work.start : change.work.end].strip("，。") for change in changes}

    assert find_deleted(first + third + between + second + fourth) == set()
    assert find_deleted(first + third + between + second[:120] + fourth) == {second[120:].strip("，。")}
    assert find_deleted(first + third + between + fourth) == {second.strip("，。")}


def test_shuffled_sentences_are_one_span_and_named() -> None:
    match = the_match(shuffled_sentences(TEXT))
    assert obfuscations(match) == {Obfuscation.SHUFFLED}
    assert match.page_containment > 0.9
    (span,) = match.spans
    assert match.obfuscations[0].count == [change.kind for change in span.changes].count(ChangeKind.MOVED)


def test_an_excerpt_in_another_text_is_found_at_its_place() -> None:
    length = 150
    page = OTHER[:700] + TEXT[300 : 300 + length] + OTHER[700:1500]
    match = the_match(page)
    assert match.match_class is MatchClass.EXCERPT
    (span,) = match.spans
    assert abs(span.page.start - 700) <= 3
    assert abs(span.page.end - 700 - length) <= 3
    assert abs(span.work.start - 300) <= 3


def add_comments(source: str, piece: int, comment: int, own: str = "", limit: int = 10_000) -> str:
    """Pieces of a source in quotation marks, each with a comment behind it, between two texts of the writer's own."""
    comments = "".join(story(seed) for seed in range(300, 310))
    written = [own]
    for number, start in enumerate(range(0, len(source), piece)):
        if number < limit:
            remark = comments[number * comment : (number + 1) * comment]
            written.append(f"“{source[start : start + piece]}”{remark}")
    return "".join([*written, own[::-1]])


QUOTED = TEXT[300:380]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (TEXT[200:245], MatchClass.EXCERPT),
        (OTHER[:900] + TEXT[300:335] + OTHER[900:], MatchClass.QUOTATION),
        (OTHER[:900] + "正如他所写的：“" + QUOTED + "”" + OTHER[900:], MatchClass.QUOTATION),
        (OTHER[:900] + "，" + QUOTED + OTHER[900:], MatchClass.EXCERPT),
        (add_comments(TEXT[300:800], 50, 90, own=OTHER[:400], limit=3), MatchClass.QUOTATION),
        (add_comments(TEXT[300:800], 50, 12, own=OTHER[:400], limit=2), MatchClass.QUOTATION),
        (
            add_comments(TEXT[300:800], 36, 80, own=OTHER[:400], limit=5).translate(dict.fromkeys(map(ord, "“”"))),
            MatchClass.EXCERPT,
        ),
    ],
    ids=["alone", "short", "long, marked", "long", "marked pieces", "taken up again", "pieces"],
)
def test_short_or_marked_in_another_text_it_is_a_quotation_else_an_excerpt(page: str, expected: MatchClass) -> None:
    assert the_match(page).match_class is expected


@pytest.mark.parametrize(("piece", "comment"), [(60, 10), (60, 100), (20, 60)])
def test_a_work_taken_in_many_marked_pieces_is_a_copy(piece: int, comment: int) -> None:
    match = the_match(add_comments(TEXT, piece, comment))
    assert match.match_class is not MatchClass.QUOTATION
    assert match.work_containment > 0.9


def test_own_words_between_two_excerpts_belong_to_no_span() -> None:
    between = 150
    page = OTHER[:300] + TEXT[200:300] + OTHER[300 : 300 + between] + TEXT[500:600] + OTHER[600:900]
    first, second = the_match(page).spans
    assert abs(first.page.end - 400) <= 3
    assert abs(second.page.start - 400 - between) <= 3


def test_pieces_of_two_works_are_a_patchwork_and_two_chapters_of_one_are_none() -> None:
    page = WORKS[WorkTextId("work-2")][:700] + WORKS[WorkTextId("work-3")][400:1100]
    fingerprint = fingerprint_text(page)
    for volume_of_third, expected in (("one", MatchClass.EXCERPT), ("another", MatchClass.PATCHWORK)):
        volumes = {"work-2": "one", "work-3": volume_of_third}
        found = MATCHER.match(page, fingerprint, lambda texts, of=volumes: {each: of.get(each, each) for each in texts})
        assert {match.text_id: match.match_class for match in found} == dict.fromkeys(volumes, expected)
        is_patchwork = expected is MatchClass.PATCHWORK
        assert [Obfuscation.PATCHWORK in obfuscations(match) for match in found] == [is_patchwork] * 2


def test_two_whole_chapters_after_each_other_are_no_patchwork() -> None:
    found = matches(WORKS[WorkTextId("work-2")] + WORKS[WorkTextId("work-3")])
    assert [match.match_class for match in found] == [MatchClass.IDENTICAL, MatchClass.IDENTICAL]


def test_a_disallowed_text_is_neither_compared_nor_named() -> None:
    copies = matcher_of({WORK: TEXT, WorkTextId("twin"): TEXT})
    fingerprint = fingerprint_text(TEXT)
    (match,) = copies.match(
        TEXT, fingerprint, lambda texts: {text_id: text_id for text_id in texts if text_id == "twin"}
    )
    assert (match.text_id, match.also) == ("twin", ())
    assert copies.match(TEXT, fingerprint, lambda texts: {}) == ()


def test_the_better_of_two_editions_is_named_and_the_other_goes_beside_it() -> None:
    edition = WorkTextId("edition")
    match = the_match(TEXT, matcher_of({WORK: TEXT, edition: with_random_characters(TEXT, 0.05)}))
    assert match.also == (edition,)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_of_equal_claims_the_first_name_wins_in_whatever_order_texts_came(is_reversed: bool) -> None:
    names = sorted(["one", "other", "third"], reverse=is_reversed)
    editions = {WorkTextId(name): story(5) + story(index) for index, name in enumerate(names, start=40)}
    (match,) = matches(story(5), matcher_of(editions))
    assert match.text_id == "one"
    assert set(match.also) == {"other", "third"}


def test_what_a_chapter_repeats_of_an_earlier_one_is_no_second_source() -> None:
    earlier, rest = story(50), story(51)
    later = earlier[-150:] + rest  # "in the last chapter ..."
    names = WorkTextId("earlier"), WorkTextId("later")
    book = matcher_of(dict(zip(names, (earlier, later), strict=True)))
    for page in (later, with_homophones(later, 0.2, 3)):
        assert [match.text_id for match in matches(page, book)] == ["later"]
    assert [match.text_id for match in matches(earlier, book)] == ["earlier"]


@examples(25)
@given(st.integers(0, 2000), st.integers(150, 900), st.floats(0, 0.25), st.integers(0, 1000))
def test_spans_and_changes_lie_inside_both_texts_and_in_order(start: int, length: int, share: float, seed: int) -> None:
    page = OTHER[:200] + with_homophones(with_random_characters(TEXT[start : start + length], share, seed), share, seed)
    for match in matches(page):
        work = WORKS[match.text_id]
        assert 0 <= match.similarity <= 1
        assert 0 < match.page_containment <= 1
        assert 0 < match.work_containment <= 1
        assert 0 < len(match.taken) <= match.matched_chars
        assert match.taken.bits.bit_length() <= len(work)
        for span in match.spans:
            assert span.page.end <= len(page)
            assert span.work.end <= len(work)
            places = [change.page for change in span.changes]
            assert places == sorted(places)
            if any(change.kind is ChangeKind.MOVED for change in span.changes):
                continue
            assert _han(_rebuilt(page, work, span.page, span.changes)) == _han(work[span.work.start : span.work.end])


def _rebuilt(page: str, work: str, place: TextRange, changes: tuple[Change, ...]) -> str:
    """The work's passage: the page's with every change undone."""
    written, at = [], place.start
    for change in changes:
        written += [page[at : change.page.start], work[change.work.start : change.work.end]]
        at = change.page.end
    return "".join([*written, page[at : place.end]])


def _han(text: str) -> str:
    """Return what is compared of a text without digits and letters."""
    return "".join(one for one, sound in zip(text, syllable_ids(text).tolist(), strict=True) if sound)


def test_a_cache_keeps_the_texts_asked_for_last_within_its_bytes() -> None:
    class Counting(MemoryCorpus):
        asked = 0

        def entry(self, text_id: WorkTextId) -> WorkEntry | None:
            self.asked += 1
            return super().entry(text_id)

    source = Counting({text_id: WorkEntry(text, fingerprint_text(text)) for text_id, text in WORKS.items()})
    cache = CorpusCache(source, max_bytes=2 * max(entry.nbytes for entry in source.values()))
    first, second, third = list(WORKS)[:3]
    for text_id in (first, second, first, third, first):
        cache.entry(text_id)
    assert source.asked == 3
    assert cache.nbytes <= 2 * max(entry.nbytes for entry in source.values())
    cache.entry(second)
    assert source.asked == 4
    assert cache.entry(WorkTextId("nobody")) is None


@pytest.mark.parametrize("repeated", ["啊", "哈哈呵", "一二三四", "甲乙丙丁戊己庚"])
def test_a_few_characters_over_and_over_are_nobodys_work(repeated: str) -> None:
    refrain = repeated * (400 // len(repeated))
    matcher = matcher_of({WORK: TEXT[:800] + refrain + TEXT[800:]})
    for page in (OTHER[:300] + refrain, refrain * 2_500):
        assert matches(page, matcher) == ()


def test_a_copy_is_found_where_more_texts_have_hits_than_can_be_fetched() -> None:
    texts = {WorkTextId(f"work-{seed}"): story(seed) for seed in range(300, 330)}
    matcher = matcher_of(texts, thresholds=replace(DEFAULT, max_fetched_texts=2))
    page = OTHER[:600] + texts[WorkTextId("work-311")][400:520] + OTHER[600:]
    assert [match.text_id for match in matcher.match(page, fingerprint_text(page))] == ["work-311"]
