"""A text of formulas with a foreign sentence after each of its own: it is found in pieces, and shown as one passage."""

import random

import pytest

from fingerprint.fingerprinting import fingerprint_text
from tests.support.corpus_texts import story
from tests.support.matchers import matcher_of

SIGNS = [
    f"{head}{tail}" for head in ("首仰", "首俯", "内高", "外下", "横吉") for tail in ("足开", "足肣", "身折", "内自桥")
]
QUESTIONS = [
    "以占病",
    "系囚",
    "求财物买臣妾马牛",
    "击盗",
    "闻盗来",
    "徙官",
    "居家",
    "岁稼穑",
    "民疾疫",
    "见贵人",
    "行遇盗",
]
ANSWERS = ["不死", "死", "出", "不出", "得", "不得", "吉", "不吉", "行", "不行", "来", "不来", "熟", "不熟", "有", "无"]


def formulas(seed: int, own_seed: int = 1, sections: int = 14) -> list[str]:
    """Sentences that nearly all come back, in ever another order; one of each section does not."""
    rng = random.Random(seed)
    made = []
    own = story(own_seed).split("。")
    for section in range(sections):
        made.append(f"命曰{rng.choice(SIGNS)}{rng.choice(SIGNS)}。")
        made.append(f"{own[section]}。")
        asked = sorted(rng.sample(range(len(QUESTIONS)), 9))
        made += [f"{QUESTIONS[number]}{rng.choice(ANSWERS)}。" for number in asked]
    return made


def with_foreign(sentences: list[str], seed: int) -> str:
    others = [sentence.split("，")[1] for sentence in story(40 + seed, len(sentences)).split("。")[:-1]]
    return "".join(f"{own}{other}。" for own, other in zip(sentences, others, strict=False))


@pytest.mark.parametrize("seed", range(4))
def test_formulas_among_foreign_sentences_are_one_passage_another_texts_are_not(seed: int) -> None:
    """Another text has the same kind of words between the shared passages, but they are not the work's."""
    work = "".join(formulas(seed))
    matcher = matcher_of({"work": work})
    copy, other = (with_foreign(formulas(number), seed) for number in (seed, seed + 100))
    (match,) = matcher.match(copy, fingerprint_text(copy))
    (span,) = match.spans
    assert len(span.work) >= 0.95 * len(work)
    (match,) = matcher.match(other, fingerprint_text(other))
    assert len(match.spans) > 10
    assert match.matched_chars < len(work) / 2
