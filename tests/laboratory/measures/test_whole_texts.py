from collections import Counter

from laboratory.cases import news
from laboratory.cases.bulletins import bulletins, pages
from laboratory.measures import whole_texts
from tests.support.corpus_texts import formulaic_texts, story


def items() -> list[news.NewsItem]:
    """Eight bulletins of 120 characters of set phrases, and eight longer items that have nothing in common."""
    short = [(f"short-{number}", text) for number, text in enumerate(formulaic_texts(8))]
    long = [(f"long-{seed}", story(seed)) for seed in range(40, 48)]
    return news.labelled([*short, *long])


def test_each_item_gives_one_bulletin_as_long_as_its_band_says():
    of = bulletins(items())
    assert [each.item_id for each in of] == [item.item_id for item in items()]
    assert Counter(each.band for each in of)[100, 150] == 8
    texts = {item.item_id: item.text for item in items()}
    cut = [each for each in of if each.band is not None and each.band[0] < 100]
    assert cut
    assert all(each.text in texts[each.item_id] and len(each.text) < len(texts[each.item_id]) / 2 for each in cut)


def test_four_of_one_band_stand_on_a_page_and_none_on_two():
    made = list(pages(bulletins(items())))
    assert [len(page.bulletins) for page in made] == [4, 4]
    assert len({each.item_id for page in made for each in page.bulletins}) == 8


def test_bulletins_are_copies_with_the_rule_and_set_wording_without_it():
    with_rule, without = (whole_texts.measured(items(), least) for least in (50, whole_texts.NEVER))
    band = 100, 150
    assert (with_rule.standing[band], with_rule.copies[band]) == (8, 8)
    assert without.copies[band] < 8
    assert not with_rule.accused


def test_the_command_says_what_is_missing(tmp_path, capsys):
    assert whole_texts.main(["--corpora", str(tmp_path)]) == 2
    assert "news_xwlb_dev" in capsys.readouterr().err
