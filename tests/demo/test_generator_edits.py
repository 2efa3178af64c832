"""The demo's edits do what they say, as strongly as they are told, and the same each time."""

from collections import Counter
from random import Random

import pytest

from deploy.demo import hiding, insertion, sentences, substitution
from deploy.demo.edits import CLASSES, OBFUSCATION_OF, TEXT_EDITS, Edit, Step, classes, edited, marked_up, obfuscations
from deploy.demo.library import Library
from fingerprint.readings import syllable_ids
from tests.support.demo_sites import han, visible_text


@pytest.fixture
def chapter(library: Library) -> str:
    return library.works["river-town"].chapter(1).text


@pytest.mark.parametrize("edit", TEXT_EDITS)
def test_an_edit_gives_the_same_for_the_same_seed_and_never_leaves_the_text_as_it_was(edit: Edit, chapter: str) -> None:
    first, again, other = (edited(chapter, [Step(edit, 0.3)], Random(seed)) for seed in (7, 7, 8))

    assert first == again
    assert first != chapter
    assert first != other or edit in (Edit.TRADITIONAL, Edit.TRADITIONAL_TAIWAN)


@pytest.mark.parametrize("strength", [0.10, 0.25])
def test_homophones_replace_the_share_asked_for_by_common_characters_of_the_same_sound(
    chapter: str, strength: float
) -> None:
    result = substitution.homophones(chapter, Random(1), strength)
    changed = [(was, now) for was, now in zip(chapter, result, strict=True) if was != now]

    assert len(changed) == pytest.approx(strength * len(han(chapter)), rel=0.1)
    for was, now in changed:
        assert 0xB0A1 <= int.from_bytes(now.encode("gb2312")) <= 0xD7F9
        assert syllable_ids(was)[0] == syllable_ids(now)[0]


def test_pinyin_in_place_of_a_character_is_that_characters_syllable(chapter: str) -> None:
    result = substitution.pinyin_in_place("石牛闸其实没有牛", Random(3), 1.0)

    assert result == "shiniuzhaqishimeiyouniu"
    assert len(han(substitution.pinyin_in_place(chapter, Random(3), 0.05))) == pytest.approx(
        0.95 * len(han(chapter)), rel=0.01
    )


@pytest.mark.parametrize("edit", [Edit.PINYIN_IN_BRACKETS, Edit.ZERO_WIDTH, Edit.SPACES])
def test_what_is_put_between_characters_takes_none_of_them_away(edit: Edit, chapter: str) -> None:
    result = edited(chapter, [Step(edit, 0.1)], Random(5))

    assert han(result) == han(chapter)
    assert len(result) > len(chapter) + 0.09 * len(han(chapter))


def test_bracketed_pinyin_carries_tones_where_they_are_known() -> None:
    result = insertion.pinyin_in_brackets("水闸", Random(0), 1.0)

    assert "shuǐ" in result
    assert "zha" in result


def test_advertisements_stand_between_whole_sentences(chapter: str) -> None:
    result = insertion.advertisements(chapter, Random(5), 0.2)
    for advertisement in insertion.ADVERTISEMENTS:
        result = result.replace(advertisement, "")

    assert result == chapter


def test_shuffling_keeps_every_sentence_and_moves_many(chapter: str) -> None:
    before = [sentence for line in chapter.split("\n") for sentence in sentences.sentences(line)]
    after = [
        sentence
        for line in sentences.shuffle(chapter, Random(2), 0.6).split("\n")
        for sentence in sentences.sentences(line)
    ]

    assert Counter(before) == Counter(after)
    assert sum(one != other for one, other in zip(before, after, strict=True)) > 0.3 * len(before)


def test_dropping_removes_the_share_of_sentences_asked_for_and_adds_nothing(chapter: str) -> None:
    def parts(text: str) -> list[str]:
        return [sentence for line in text.split("\n") for sentence in sentences.sentences(line)]

    kept = parts(sentences.drop(chapter, Random(2), 0.2))
    rest = iter(parts(chapter))

    assert len(kept) == round(0.8 * len(parts(chapter)))
    assert all(sentence in rest for sentence in kept)


def test_an_excerpt_is_one_run_of_the_text_of_about_the_size_asked_for(chapter: str) -> None:
    for seed in range(20):
        result = sentences.excerpt(chapter, Random(seed), 0.3)
        assert result in chapter
        assert 0.29 * len(chapter) <= len(result) <= 0.6 * len(chapter)


def test_a_patchwork_takes_passages_of_both_works_by_turns(library: Library) -> None:
    first, second = (library.works["river-town"].chapter(number).text for number in (2, 3))
    passages = sentences.patchwork(first, second, Random(4), 0.5).split("\n")
    owners = [han(passage) in han(first) for passage in passages]

    assert all(han(passage) in han(first) or han(passage) in han(second) for passage in passages)
    assert all(200 <= len(passage) <= 560 for passage in passages)
    assert owners[:4] == [True, False, True, False]


def test_decoys_are_in_the_source_and_not_on_the_screen(chapter: str) -> None:
    paragraphs = chapter.split("\n")
    html = hiding.with_decoys(paragraphs, Random(6), 0.05)

    assert [visible_text(line) for line in html] == paragraphs
    assert all(any(wrapper.split("%s")[0] in "".join(html) for wrapper in (kind,)) for kind in hiding.WRAPPERS)


def test_markup_in_a_text_is_escaped_with_and_without_decoys() -> None:
    for steps in ([], [Step(Edit.HIDDEN, 0.0)]):
        assert marked_up("一<b>&二", steps, Random(0)) == ["一&lt;b&gt;&amp;二"]


def test_every_edit_but_excerpts_and_patchworks_is_a_obfuscation_with_a_name() -> None:
    assert set(Edit) - set(OBFUSCATION_OF) == {Edit.EXCERPT, Edit.PATCHWORK}
    assert obfuscations([Step(Edit.TRADITIONAL), Step(Edit.TRADITIONAL_TAIWAN), Step(Edit.SPACES)]) == (
        OBFUSCATION_OF[Edit.TRADITIONAL],
        OBFUSCATION_OF[Edit.SPACES],
    )


def test_a_part_stays_a_part_whatever_else_is_done_to_it() -> None:
    assert classes([Step(Edit.EXCERPT, 0.3), Step(Edit.HOMOPHONES, 0.2)]) == CLASSES[Edit.EXCERPT]
    assert classes([Step(Edit.ZERO_WIDTH, 0.2)]) == classes([])
