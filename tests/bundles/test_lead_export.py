"""The export of a lead: it stands alone, says first what it does not prove, and each sentence stands in its place."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from bundles import bundle, container, layout
from bundles.authority import Authority
from bundles.canonical import canonical, sha256
from bundles.comparison import Comparison, MeasuredBand, SentencePair
from bundles.faults import DoesNotHold, Fault
from bundles.opened import open_bundle
from bundles.verification import check, check_file
from bundles.verify import HOLDS, NOT_STAMPED, report_verification
from core.errors import BadInput
from core.ids import Digest
from tests.bundles.test_bundle import rebuilt
from tests.bundles.test_verify import fault_of, files_of, relisted
from tests.support.evidence_samples import MADE, SALT, bare_capture, finding
from tests.support.time_stamp_authority import TO_LOOPBACK, LocalAuthority, serving_stamps
from webadmin.rewrites.services.lead_export import LeadMaterial, write_lead

WORK = "雨停的时候，巷口的灯先亮了。卖豆花的老人把木桶盖好，慢慢推着车往回走。他说今年的桂花开得晚。后记。"
PAGE = "转载。\n雨一停，巷子口便亮起了灯。推车卖<b>豆花</b>的老头盖上桶往家去。点击收藏本站。"
PAIRS = (("雨一停", "了灯。", "雨停", "亮了。", 0.81), ("推车", "家去。", "卖豆花", "回走。", 0.62))
NEVER = ("洗稿", "抄袭", "剽窃", "plagiari", "theft", "stolen", "pirat")


def place(text: str, first: str, last: str) -> tuple[int, int]:
    start = text.index(first)
    return start, text.index(last, start) + len(last)


def comparison(**changes: object) -> Comparison:
    pairs = tuple(SentencePair(place(PAGE, *each[:2]), place(WORK, *each[2:4]), each[4]) for each in PAIRS)
    made = Comparison(
        work_title="桂花开得晚",
        work_author="某人",
        chapter_title="第七章",
        work_text_id="t1",
        work_text=WORK,
        page_version="v1",
        found_as="reworded",
        score=71.4,
        elsewhere=6.2,
        band=MeasuredBand("middle", 11, 10_468),
        pairs=pairs,
        sentence_count=4,
        in_order=2,
        algorithm_version=1,
        model="an encoder of sentences",
        ingredients={"weights": Digest("ab" * 32)},
        code_version="0.1.0",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def material(content: bytes = b"") -> LeadMaterial:
    verdict = {
        "verdict": "confirmed", "by": "li", "at": "2026-11-21T08:00:00Z", "page_version": "v1", "score": 71.4,
        "algorithm_version": 1, "note": "<script>alert(1)</script>逐句改写",
    }  # fmt: skip
    facts = {"rights_holder": "长河文学", "site": "daoban.example", "state": "confirmed", "lapsed_at": None}
    return LeadMaterial(7, {**facts, "verdicts": [verdict]}, content or wacz(), MADE)


@cache
def wacz() -> bytes:
    return bundle.make(bare_capture(text=PAGE), comparison(), made_at=MADE, salt=SALT).content


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("lead") / "lead-7.zip"
    write_lead(path, material(), "0.1.0")
    return path.read_bytes()


def with_comparison(exported: bytes, **changes: object) -> dict[str, bytes]:
    """Return what somebody makes who changes what was found and writes all digests and lists anew."""
    said = json.loads(container.read(memoryview(wacz()), "")[bundle.COMPARISON].tobytes())
    return with_bundle(exported, rebuilt(wacz(), {bundle.COMPARISON: canonical(said | changes)}))


def with_bundle(exported: bytes, content: bytes) -> dict[str, bytes]:
    named = sha256(container.read(memoryview(content), "")[bundle.PACKAGE])
    files = {name: each for name, each in files_of(exported).items() if not name.startswith(("bundles/", "pages/"))}
    facts = json.loads(files[layout.LEAD])
    (item,) = facts["bundles"]
    facts["bundles"] = [item | {"digest": named, "file": layout.bundle_file(named)}]
    files |= {layout.bundle_file(named): content, layout.shown_file(named, "text"): PAGE.encode()}
    return relisted(files | {layout.LEAD: canonical(facts)})


def test_it_holds_without_a_stamp_and_says_what_it_does_not_prove(
    exported: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lead-7.zip"
    path.write_bytes(exported)
    assert report_verification(path) == NOT_STAMPED
    said = capsys.readouterr().out
    assert said.startswith("HOLDS: lead 7, confirmed ")
    assert "It does not prove copying" in said
    assert "不能证明存在复制" in said
    report_verification(path, is_json=True)
    assert json.loads(capsys.readouterr().out)["lead"] == 7


def test_a_stamp_on_the_whole_speaks_for_it(tmp_path: Path, authority: LocalAuthority) -> None:
    path = tmp_path / "lead-7.zip"
    with serving_stamps(authority) as url:
        write_lead(path, material(), "0.1.0", [Authority(url, authority.ca_pem, TO_LOOPBACK)])
    assert report_verification(path) == HOLDS
    assert len(check_file(path).seals) == 1


def test_a_misplaced_sentence_is_found_even_if_all_digests_are_recomputed(exported: bytes) -> None:
    said = json.loads(container.read(memoryview(wacz()), "")[bundle.COMPARISON].tobytes())
    first, second = said["pairs"]
    wrong = [
        {**second, "page": [each + 1 for each in second["page"]]},
        {**second, "work": [each - 1 for each in second["work"]]},
        {**second, "page": [each - len(PAGE) for each in second["page"]]},  # from the end, as slices are
        {**second, "work_sentence": second["work_sentence"][:-1]},
        {**second, "page": second["page"][:1]},
    ]
    check({name: memoryview(each) for name, each in with_comparison(exported, pairs=[first, second]).items()})
    for pair in wrong:
        fault = fault_of(with_comparison(exported, pairs=[first, pair]))
        assert fault.fault in (Fault.CONTRADICTS, Fault.UNREADABLE), pair
    for end in (said["work"]["passage"]["end"] - 1, len(WORK) + 1):
        passage = {**said["work"]["passage"], "end": end}
        assert fault_of(with_comparison(exported, work=said["work"] | {"passage": passage})).fault is Fault.CONTRADICTS


def test_no_bundle_of_a_case_passes_for_that_of_a_lead(exported: bytes) -> None:
    of_a_case = bundle.make(bare_capture(), finding(), made_at=MADE, salt=SALT).content
    assert fault_of(with_bundle(exported, of_a_case)).part.endswith(bundle.COMPARISON)
    with pytest.raises(DoesNotHold):
        open_bundle(wacz(), "")


@pytest.mark.parametrize("place", [(0, len(PAGE) + 1), (3, 3), (-4, -1)])
def test_a_pair_that_is_no_place_in_the_text_makes_no_bundle(place: tuple[int, int]) -> None:
    pairs = (SentencePair(place, (0, 5), 0.5),)
    with pytest.raises(BadInput):
        bundle.make(bare_capture(text=PAGE), comparison(pairs=pairs), made_at=MADE, salt=SALT)


def test_the_explanation_first_says_what_is_not_proven_then_compares_sentences(exported: bytes) -> None:
    page = files_of(exported)[layout.EXPLANATION].decode()
    heads = re.findall(r"<h2>(.*?)</h2>", page)
    assert heads[0].startswith("语义比对不能证明什么")
    assert "What a comparison of meaning does not prove (read this first)" in heads
    for said in ("不能证明存在复制", "It does not prove copying", "10,468", "不是侵权认定", "middle", "ab" * 32):
        assert said in page
    sides = page[page.index('class="sides"') :]
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", sides, re.DOTALL)
    assert [row[1:] for row in rows] == [
        ("雨一停，巷子口便亮起了灯。", "雨停的时候，巷口的灯先亮了。"),
        ("推车卖&lt;b&gt;豆花&lt;/b&gt;的老头盖上桶往家去。", "卖豆花的老人把木桶盖好，慢慢推着车往回走。"),
    ]
    assert rows[0][0] == "1 ●●●●\n4–17\n0–14"
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert not [word for word in NEVER if word in page.lower().replace("daoban.example", "")]
