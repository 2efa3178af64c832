import json
import re
from pathlib import Path

import pytest

from core.errors import BadInput, NotFound
from laboratory.cases import build
from laboratory.measures import quality
from laboratory.measures.finders import engine_names
from laboratory.measures.quality import Listener, Plan
from laboratory.measures.results import Results
from laboratory.measures.running import Page, run
from laboratory.measures.web_page import rendered
from laboratory.scores.detection_quality import Condition

TEXTS = Path(__file__).parents[2] / "quality" / "texts"
WORKS = [(path.stem, path.read_text("utf-8")) for path in sorted(TEXTS.glob("story-*.txt"))]
FEW = frozenset({"patchwork", "negative", "grey"})


def silent(_done: int, _total: int) -> None:
    """Nobody looks."""


def plan(**changes: object) -> Plan:
    settings = {"engine": "zhuiwen", "size": "tiny", "seed": 3, "classes": FEW, "corpora": Path("none"), "texts": TEXTS}
    return Plan(**{**settings, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def measured() -> Results:
    return quality.measure(
        plan(engine="zhuiwen,exact-md5", classes=frozenset(build.CLASSES)), Listener(lambda _: None, lambda _: silent)
    )


def test_engines_are_named_one_by_one_or_all_together():
    assert engine_names("zhuiwen") == ["zhuiwen"]
    assert engine_names("exact-md5, zhuiwen,exact-md5") == ["exact-md5", "zhuiwen"]
    assert engine_names("all")[0] == "zhuiwen"
    assert len(engine_names("all")) > 10
    assert [name for name in engine_names("all") if name.startswith("zhuiwen")] == ["zhuiwen"]
    with pytest.raises(NotFound, match="zhuiwen-windows"):
        engine_names("sorcery")


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.usefixtures("processes")
def test_several_processes_report_what_one_does(jobs):
    pages = [Page(str(number), text[at : at + 300]) for number, (_, text) in enumerate(WORKS) for at in (0,)]
    seen: list[tuple[int, int]] = []
    done = run("zhuiwen", WORKS, pages, lambda *counts: seen.append(counts), jobs)
    assert {page: [report.work_id for report in found] for page, found in done.reports.items()} == {
        str(number): [name] for number, (name, _) in enumerate(WORKS)
    }
    assert seen[-1] == (len(pages), len(pages))
    assert done.pages_per_s > 0


def test_a_measurement_of_texts_finds_copies_and_spares_innocents(measured):
    (product, exact) = measured.engines
    assert product.of("overall").recall > 0.95
    assert product.of("negative").accused_negatives == 0
    assert exact.of("overall").recall < 0.2
    assert exact.of("overall").spans is None


def test_the_page_needs_nothing_from_outside_and_tells_both_languages(measured):
    page = rendered(measured).decode("utf-8")
    assert not re.search(r"(?:src|href)=(?!\"data:)|url\(|@import|<script", page)
    assert "同音字替换" in page
    assert "homophone" in page
    assert page.count("<tr>") + page.count('<tr class="class">') > 2 * len(measured.conditions)


def test_cases_and_matches_are_written_and_measured_again_from_there(tmp_path):
    first = quality.measure(plan(out=tmp_path), Listener(lambda _: None, lambda _: silent))
    assert {path.name for path in tmp_path.iterdir()} >= {"works.jsonl", "truth.jsonl", "matches-zhuiwen.jsonl"}
    lines = [json.loads(line) for line in (tmp_path / "matches-zhuiwen.jsonl").read_text("utf-8").splitlines()]
    assert all({"work_id", "class", "spans", "also"} == match.keys() for line in lines for match in line["matches"])
    again = quality.measure(plan(ready=tmp_path), Listener(lambda _: None, lambda _: silent))
    condition = Condition("overall")
    assert again.engines[0].measures[condition].pages == first.engines[0].measures[condition].pages


def test_what_cannot_be_measured_is_refused_in_a_sentence():
    listener = Listener(lambda _: None, lambda _: silent)
    with pytest.raises(BadInput, match="no class poems"):
        quality.measure(plan(classes=frozenset({"poems"})), listener)
    with pytest.raises(BadInput, match="other --classes"):
        quality.measure(plan(classes=frozenset({"natural"})), listener)
    with pytest.raises(NotFound, match="engine"):
        quality.measure(plan(engine="none"), listener)
