from dataclasses import replace

import pytest

from core.ids import WorkTextId
from core.matches import RewordedClass
from laboratory.cases.rewrites import rewrites
from laboratory.measures.reworded_cases import demo_works
from matcher.reworded.background import load_background
from matcher.reworded.calibration import DEFAULT, RewordedCalibration
from matcher.reworded.chunks import ChunkIndex, TextCells
from matcher.reworded.found import RewordedMatch
from matcher.reworded.meanings import MeaningIndex, TextMeanings
from matcher.reworded.searching import Indexes, RewordedSearch
from matcher.reworded.stretches import MemoryTexts
from tests.support.encoders import encoder, needs_encoder
from tests.support.rewritten import AGAIN, ENGLISH, INNOCENT, REWORDED, WORK

TEXT = WorkTextId("text")
BEFORE = "这一章先说别的事情。" * 30
WHOLE = BEFORE + WORK + "后来的事情下一章再说。" * 10

pytestmark = needs_encoder


@pytest.fixture(scope="module")
def works() -> MemoryTexts:
    return MemoryTexts({**demo_works(), TEXT: WHOLE})


@pytest.fixture(scope="module")
def indexes(works: MemoryTexts) -> Indexes:
    chunks, han = ChunkIndex(), MeaningIndex(load_background().axes)
    for text_id, text in works.items():
        chunks.add_cells(text_id, TextCells.from_text(text))
        encoded = encoder().encode([text])[0]
        han.add_meanings(
            text_id,
            TextMeanings.from_windows(encoded.units, load_background().windows(encoded), load_background().axes),
        )
    return Indexes(chunks, han)


def search(
    page: str, indexes: Indexes, works: MemoryTexts, calibration: RewordedCalibration = DEFAULT
) -> tuple[RewordedMatch, ...]:
    return RewordedSearch(indexes, works, encoder(), load_background(), calibration).search(page)


def assert_corresponds(match: RewordedMatch, page: str, start: int, end: int) -> None:
    """Pairs lie in the passage, most of it is covered, and the names stand on both sides of a pair."""
    inside = [pair for pair in match.pairs if len(BEFORE) - 40 <= pair.work.start < len(BEFORE) + len(WORK)]
    assert len(inside) >= 0.9 * len(match.pairs)
    assert sum(len(pair.page) for pair in match.pairs if start <= pair.page.start < end) > 0.7 * (end - start)
    assert all(0 < pair.strength <= 1 for pair in match.pairs)
    name = "白鹿寺" if "白鹿寺" in page else "White Deer"
    temple = [pair for pair in match.pairs if pair.page.start <= page.index(name) < pair.page.end]
    assert temple
    assert all("白鹿寺" in WHOLE[pair.work.start - 40 : pair.work.end + 40] for pair in temple)


def test_a_rewritten_passage_is_named_with_its_sentences(indexes: Indexes, works: MemoryTexts) -> None:
    (match,) = search(REWORDED, indexes, works)
    assert (match.found, match.text_id) == (RewordedClass.REWORDED, TEXT)
    assert_corresponds(match, REWORDED, 0, len(REWORDED))
    strict = replace(DEFAULT, min_scores=((RewordedClass.REWORDED, match.score + 1),))
    assert search(REWORDED, indexes, works, strict) == ()


def test_among_other_texts_its_offsets_are_those_of_the_page(indexes: Indexes, works: MemoryTexts) -> None:
    page = INNOCENT * 3 + "\n" + REWORDED + "\n" + INNOCENT * 2
    (match,) = search(page, indexes, works)
    assert match.text_id == TEXT
    start = len(INNOCENT) * 3 + 1
    assert_corresponds(match, page, start, start + len(REWORDED))


def test_of_a_text_that_is_retold_in_several_places_of_a_page_all_are_told(works: MemoryTexts) -> None:
    spoken, official = (each for each in rewrites() if each.rewrite_id in ("spoken-01", "official-05"))
    texts = MemoryTexts({TEXT: spoken.source + WHOLE + official.source, WorkTextId("other"): works[TEXT][::-1]})
    page = "\n".join([spoken.text, INNOCENT * 3, official.text])
    (match,) = search(page, *among(texts))
    places = [pair.page.start for pair in match.pairs]
    assert sum(place < len(spoken.text) for place in places) >= 5
    assert sum(place >= len(page) - len(official.text) for place in places) >= 5


def test_a_translation_is_named_as_one(indexes: Indexes, works: MemoryTexts) -> None:
    (match,) = search(ENGLISH, indexes, works)
    assert (match.found, match.text_id) == (RewordedClass.TRANSLATED, TEXT)
    assert_corresponds(match, ENGLISH, 0, len(ENGLISH))


def test_a_chinese_page_is_found_in_an_english_work(works: MemoryTexts) -> None:
    latin = MeaningIndex(load_background().axes)
    encoded = encoder().encode([ENGLISH])[0]
    latin.add_meanings(
        TEXT, TextMeanings.from_windows(encoded.units, load_background().windows(encoded), load_background().axes)
    )
    indexes = Indexes(ChunkIndex(), latin=latin)
    (match,) = search(WORK, indexes, MemoryTexts({TEXT: ENGLISH}))
    assert (match.found, match.text_id) == (RewordedClass.TRANSLATED, TEXT)
    assert search(INNOCENT, indexes, MemoryTexts({TEXT: ENGLISH})) == ()


def test_an_innocent_page_names_nothing(indexes: Indexes, works: MemoryTexts) -> None:
    one = RewordedSearch(indexes, works, encoder(), load_background())
    first = one.search(REWORDED)
    assert [one.search(page) for page in (INNOCENT, "", REWORDED)] == [(), (), first], "nothing is kept in between"


def among(works: MemoryTexts, **more: str) -> tuple[Indexes, MemoryTexts]:
    """The works and others, looked up by characters."""
    texts = MemoryTexts({**works, **{WorkTextId(name): text for name, text in more.items()}})
    chunks = ChunkIndex()
    for text_id, text in texts.items():
        chunks.add_cells(text_id, TextCells.from_text(text))
    return Indexes(chunks), texts


def test_what_another_work_says_alike_counts_against_the_one_that_says_it_best(works: MemoryTexts) -> None:
    (alone,) = search(REWORDED, *among(works))
    assert search(REWORDED, *among(works, again=BEFORE + AGAIN)) == ()
    assert search(REWORDED, *among(works, elsewhere=INNOCENT)) == (alone,)


def test_the_same_words_are_no_lead_though_a_sentence_of_them_stands_in_other_words(works: MemoryTexts) -> None:
    assert search(WORK, *among(works)) == ()
    assert search("老人讲了一段往事。" + WORK[: WORK.index("姑娘喝完")] + "后来大家都散了。", *among(works)) == ()
    assert search(INNOCENT * 4 + WORK, *among(works)) == ()
    half = WORK[: WORK.index("有一天傍晚")] + REWORDED[REWORDED.index("某日黄昏") :]
    (match,) = search(half, *among(works))
    (whole,) = search(REWORDED, *among(works))
    assert DEFAULT.min_score(RewordedClass.REWORDED) <= match.score < 0.8 * whole.score
    assert len(match.pairs) >= 6, "those in the same words are shown with the others"


def test_what_another_work_says_of_sentences_in_the_same_words_takes_nothing_off(works: MemoryTexts) -> None:
    half = WORK[: WORK.index("有一天傍晚")] + REWORDED[REWORDED.index("某日黄昏") :]
    (alone,) = search(half, *among(works))
    (match,) = search(half, *among(works, again=BEFORE + AGAIN[: AGAIN.index("一天天快黑")]))
    assert match.score > 0.8 * alone.score


def test_a_score_adds_one_and_a_half_times_what_is_stated_elsewhere(works: MemoryTexts) -> None:
    told = AGAIN[: AGAIN.index("一天天快黑")]  # by another work, of the first half
    among_them = among(works, again=BEFORE + told)
    (match,) = search(REWORDED, *among_them)
    all_of_it = search(REWORDED, *among_them, replace(DEFAULT, rival_weight=0.0))
    (alone,) = (each for each in all_of_it if each.text_id == TEXT)
    assert match.elsewhere > 5
    assert match.score + 1.5 * match.elsewhere == pytest.approx(alone.score)


def test_another_edition_of_the_text_does_not_count_and_is_named_too(works: MemoryTexts) -> None:
    (alone,) = search(REWORDED, *among(works))
    changed = BEFORE + WORK.replace("老周", "老趙").replace("半匣子", "小半匣") + "全書完。"
    several = search(REWORDED, *among(works, edition=changed))
    assert {match.text_id for match in several} == {TEXT, "edition"}
    assert min(match.score for match in several) > 0.8 * alone.score


def test_a_passage_that_goes_on_in_the_next_chapter_is_found_in_both(works: MemoryTexts) -> None:
    cut = WORK.index("有一天傍晚")
    several = search(REWORDED, *among(works, first=BEFORE + WORK[:cut], second=WORK[cut:] + BEFORE, text=INNOCENT))
    assert {match.text_id for match in several} == {"first", "second"}


def test_what_a_page_has_of_another_work_beside_does_not_count(works: MemoryTexts) -> None:
    given = next(each for each in rewrites() if each.rewrite_id == "spoken-03")
    page = given.text[: given.text.index("。", 200) + 1] + REWORDED[: REWORDED.index("豆浆下肚")]
    named = {match.text_id: match.score for match in search(page, *among(works))}
    assert named[WorkTextId(f"demo/{given.work}")] > 50


def test_a_text_that_is_left_alone_is_neither_named_nor_said_elsewhere(works: MemoryTexts) -> None:
    indexes, texts = among(works, again=REWORDED)
    searching = RewordedSearch(indexes, texts, encoder(), load_background())
    assert TEXT not in {match.text_id for match in searching.search(REWORDED)}
    (match,) = searching.search(REWORDED, {WorkTextId("again")})
    assert match.text_id == TEXT


def test_a_text_that_is_gone_meanwhile_is_left_out(indexes: Indexes, works: MemoryTexts) -> None:
    left = MemoryTexts({text_id: text for text_id, text in works.items() if text_id != TEXT})
    assert search(REWORDED, indexes, left) == ()
