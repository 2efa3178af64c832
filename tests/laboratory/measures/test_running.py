import re
from pathlib import Path

import pytest

from core.errors import BadInput, NotFound
from laboratory.cases import build
from laboratory.measures import quality
from laboratory.measures.quality import Listener, Plan
from laboratory.measures.results import Results
from laboratory.measures.web_page import rendered

TEXTS = Path(__file__).parents[2] / "quality" / "texts"
FEW = frozenset({"patchwork", "negative", "grey"})


def silent(_done: int, _total: int) -> None:
    """Nobody looks."""


def plan(**changes: object) -> Plan:
    settings = {"engine": "zhuiwen", "size": "tiny", "seed": 3, "classes": FEW, "corpora": Path("none"), "texts": TEXTS}
    return Plan(**{**settings, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def results() -> Results:
    return quality.measure(
        plan(engine="zhuiwen,exact-md5", classes=frozenset(build.CLASSES)), Listener(lambda _: None, lambda _: silent)
    )


def test_a_measurement_of_texts_finds_copies_and_spares_innocents(results):
    (product, exact) = results.engines
    assert product.of("overall").recall > 0.95
    assert product.of("negative").accused_negatives == 0
    assert exact.of("overall").recall < 0.2
    assert exact.of("overall").spans is None


def test_the_page_needs_nothing_from_outside_and_tells_both_languages(results):
    page = rendered(results).decode("utf-8")
    assert not re.search(r"(?:src|href)=(?!\"data:)|url\(|@import|<script", page)
    assert "同音字替换" in page
    assert "homophone" in page
    assert page.count("<tr>") + page.count('<tr class="class">') > 2 * len(results.conditions)


def test_what_cannot_be_measured_is_refused_in_a_sentence():
    listener = Listener(lambda _: None, lambda _: silent)
    with pytest.raises(BadInput, match="no class poems"):
        quality.measure(plan(classes=frozenset({"poems"})), listener)
    with pytest.raises(BadInput, match="other --classes"):
        quality.measure(plan(classes=frozenset({"natural"})), listener)
    with pytest.raises(NotFound, match="engine"):
        quality.measure(plan(engine="none"), listener)
