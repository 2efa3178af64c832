"""Texts that were put in another order are read as they were; texts that nobody put in one keep their tokens."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import fingerprint_text
from laboratory.cases.build import SHARED_CORPORA
from laboratory.edits.edited import Edited
from laboratory.tables.build_followers import read_records
from tests.support.fingerprint_definition import fingerprint_by_definition
from tests.support.moves import (
    CLAUSES,
    COMMON,
    LINES,
    RARE,
    Layout,
    backwards,
    backwards_but_the_end,
    by_groups,
    by_units,
    in_columns,
    in_lines,
    in_part,
    strewn,
)

DEMO = Path(__file__).parents[3] / "deploy" / "demo" / "works"
STORY = (DEMO / "云溪石桥.txt").read_text("utf-8")[:1500]
INNOCENT = {
    "verse": "空山新雨后，天气晚来秋。明月松间照，清泉石上流。竹喧归浣女，莲动下渔舟。随意春芳歇，王孙自可留。\n"
    * 2
    + "国破山河在，城春草木深。感时花溅泪，恨别鸟惊心。烽火连三月，家书抵万金。白头搔更短，浑欲不胜簪。\n"
    "独在异乡为异客，每逢佳节倍思亲。遥知兄弟登高处，遍插茱萸少一人。\n",
    "couplets": "海内存知己\n天涯若比邻\n书山有路勤为径\n学海无涯苦作舟\n春风化雨\n桃李芬芳\n一帆风顺年年好\n万事如意步步高\n"  # noqa: E501
    * 2,
    "a palindrome": "莺啼岸柳弄春晴夜月明，明月夜晴春弄柳岸啼莺。香莲碧水动风凉夏日长，长日夏凉风动水碧莲香。",
    "names": (
        "王建国\n李秀英\n张伟\n刘洋\n陈静\n杨帆\n赵敏\n黄磊\n周杰\n吴昊\n徐丽\n孙涛\n胡军\n朱琳\n高峰\n林娜\n何勇\n郭强\n马超\n"
    )
    * 3,
    "names with one word in each": "啟紂大夫貌端星賈氏黃飛虎妻金府星蕭諱臻木府星鄧諱華水府星余諱元火府星火靈聖母土府"
    "星土諱行孫六合星鄧氏嬋玉博士星杜諱元銑力士星鄔諱文化奏書星膠諱鬲河魁星黃諱飛彪月"
    "魁星徹地夫人帝車星姜諱桓楚天嗣星黃諱飛豹帝輅星丁諱策天馬星鄂諱崇禹皇恩星李諱錦天"
    "醫星錢諱保地后星黃氏紂妃宅龍星姬諱叔德伏龍星黃諱明驛馬星雷諱開黃旛星魏諱賁豹尾星"
    "吳諱謙喪門星張諱桂芳弔客星風諱林勾絞星費諱仲卷舌星尤諱渾羅睺星彭諱遵計都星王諱豹"
    "飛廉星姬諱叔坤大耗星崇諱侯虎小耗星殷諱破敗貫索星丘諱引欄杆星龍諱安吉披頭星太諱鸞"
    "五鬼星鄧諱秀羊刃星趙諱升血光星孫諱焰紅官符星方諱義真孤辰星余諱化天狗星季諱康病符"
    "星王諱佐鑽骨星張諱鳳死符星卞諱金龍天敗星柏諱顯忠浮沉星鄭諱樁天殺星卞諱吉歲殺星陳"
    "諱庚歲刑星徐諱芳穿雲總兵歲破星晁諱田燭火星姬諱叔義血光星馬諱忠亡神星歐陽諱淳臨潼"
    "總兵月破星王諱虎月遊星石磯娘娘死氣星陳諱季貞咸池星徐諱忠月厭星姚諱忠月刑星陳諱梧"
    "黑殺星高諱繼能七殺星張諱奎五谷星殷諱洪除殺星余諱忠天刑星歐陽諱天祿天羅星陳諱桐地"
    "網星姬諱叔吉天空星梅諱武華蓋星敖諱丙十惡星周諱信蠶畜星黃諱元濟桃花星高氏蘭英掃帚"
    "星馬氏子牙妻大禍星李諱良狼籍星韓諱榮汜水",
    "a table": "姓名\t年龄\t籍贯\t电话\n"
    + "".join(f"赵{one}\t{20 + n}\t江苏\t1380013{n:04}\n" for n, one in enumerate("甲乙丙丁戊己庚辛壬癸")),
    "classical": "子曰：学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？有子曰：其为人也孝弟，"
    "而好犯上者，鲜矣；不好犯上，而好作乱者，未之有也。君子务本，本立而道生。孝弟也者，其为仁之本与！",
    "Cantonese": "佢哋琴日去咗睇戏，返到屋企已经好夜，冇人肯煮饭，唯有叫外卖食。我话你哋咁样搞法，迟早会饿亲，佢哋就笑到碌地。"  # noqa: E501
    * 2,
    "English": "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness. "  # noqa: E501
    * 3,
    "Malay": "Saya pergi ke pasar bersama ibu dan adik saya pada pagi hari untuk membeli sayur dan buah yang segar. "
    * 3,
    "Japanese in Latin letters": "Watashi wa mainichi gakkou e ikimasu. Tomodachi to issho ni benkyou shite, ie ni kaerimasu. "  # noqa: E501
    * 3,
    "Italian": "Nel mezzo del cammin di nostra vita mi ritrovai per una selva oscura, che la diritta via era smarrita. "
    * 3,
    "Japanese": "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた事だけは記憶している。"  # noqa: E501
    * 2,
    "a refrain": "哈哈呵" * 150,
    "characters in order of their numbers": "".join(map(chr, range(0x4E00, 0x5200))),
}
NEW, BEFORE = ALGORITHMS[7], ALGORITHMS[5]


@pytest.mark.parametrize("text", INNOCENT.values(), ids=INNOCENT.keys())
def test_an_innocent_text_keeps_its_stream(text: str) -> None:
    found, before = fingerprint_text(text, NEW), fingerprint_text(text, BEFORE)
    assert found.tokens.tolist() == before.tokens.tolist()
    assert found.offsets.tolist() == before.offsets.tolist()
    assert (found.noise.starts.tolist(), found.noise.kinds.tolist()) == (
        before.noise.starts.tolist(),
        before.noise.kinds.tolist(),
    )


LAYOUTS = {
    "every other line reversed": in_lines(by_units(LINES, backwards_but_the_end, every=2)),
    "each clause reversed": by_units(CLAUSES, backwards),
    "the whole reversed": by_units(None, backwards),
    "the last half reversed": in_part(by_units(None, backwards), 0.5),
    "columns in the last half": in_part(in_columns(12), 0.5),
    "columns from the left": in_columns(17, from_right=False),
    "all neighbours swapped": by_groups((1, 0)),
    "neighbours swapped at every fourth": by_groups((0, 2, 1, 3)),
    "a common character after every third": strewn(3, COMMON),
    "two rare characters after every third": strewn(3, RARE, 2),
    "a digit after every second": strewn(2, "0123456789"),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_a_text_in_another_order_is_read_as_it_was(layout: Layout) -> None:
    read, story = (fingerprint_text(text, NEW).tokens for text in (layout(Edited.of(STORY), Random(1)).text, STORY))
    assert len(fives(read) & fives(story)) >= 0.85 * len(fives(story))  # what is not certain stays as it is


def fives(tokens: np.ndarray) -> set[tuple[int, ...]]:
    """All five tokens in a row."""
    return {tuple(five) for five in np.lib.stride_tricks.sliding_window_view(tokens, 5).tolist()}


def test_definition_and_compiled_stage_read_a_disordered_text_alike() -> None:
    text = "".join(reversed(INNOCENT["classical"])) * 2
    one, other = fingerprint_text(text, NEW), fingerprint_by_definition(text, NEW)
    assert np.array_equal(one.tokens, other.tokens)
    assert np.array_equal(one.offsets, other.offsets)


@pytest.mark.skipif(not SHARED_CORPORA.is_dir(), reason="the shared corpora are not there")
def test_works_that_the_table_has_not_seen_keep_their_streams() -> None:
    texts = [record["text"][:2_000] for record, is_out in read_records(SHARED_CORPORA, "single") if is_out]
    changed = [
        text[:40]
        for text in texts
        if len(fingerprint_text(text, NEW).noise) > len(fingerprint_text(text, BEFORE).noise)
    ]
    assert texts
    assert changed == []
