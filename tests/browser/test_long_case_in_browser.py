"""A case with long texts in a real browser: what is seen is drawn, and search, print and screen readers have it all."""

import io
import random
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.support import browser, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.desk import record_url
from webadmin.cases.models import Case, CaseMatch

pytestmark = pytest.mark.django_db(transaction=True)
CASES = 2

END_OF_PAGE, END_OF_WORK = "抄袭结束标记", "创作结束标记"  # no radicals, for which PDF has other code points
# Blocks that are not laid out as long as a test wants it so.
NEVER_IDLE = "window.requestIdleCallback = (call) => { (window.postponed ||= []).push(call); };"
ALL_LAID_OUT = "() => !document.querySelector('.zw-block:not(.is-laid-out)')"
NOT_SEEN = """(blocks) => blocks.filter((block) =>
    !block.firstElementChild.checkVisibility({ contentVisibilityAuto: true })).length"""
# The pair that a reader of each column has before the eyes.
READ = """() => [...document.querySelectorAll('.zw-text')].map((text) => {
    const eye = text.getBoundingClientRect().top + text.clientHeight / 4;
    const pairs = [...text.querySelectorAll('[data-pair]')];
    return Number(pairs.findLast((pair) => pair.getBoundingClientRect().top <= eye).dataset.pair);
})"""


@dataclass(frozen=True)
class Long:
    """A page that copied a long text with many changes."""

    page: str
    work: str
    spans: list[dict[str, Any]]


def long_case(chars: int, changes: int) -> Long:
    """Lines of some eighty characters; the page lost some characters and won an advertisement now and then."""
    rng = random.Random(1)
    han = [chr(0x4E00 + number) for number in range(3_000)]
    lines = ["".join(rng.choices(han, k=rng.randint(20, 140))) + "。\n" for _ in range(chars // 82)]
    work, page, found, last = "".join(lines), "", [], 0
    for number in range(changes):
        at = number * (len(work) // changes) + 7
        page += work[last:at]
        kind, put, taken = (("homophone", "变", 1), ("inserted", "【广告】", 0), ("deleted", "", 2))[number % 3]
        found.append([kind, len(page), len(page) + len(put), at, at + taken])
        page, last = page + put, at + taken
    page, work = page + work[last:] + END_OF_PAGE, work + END_OF_WORK
    span = {
        "page": [0, len(page)],
        "work": [0, len(work)],
        "similarity": 0.9,
        "page_excerpt": page,
        "work_excerpt": work,
    }
    return Long(page, work, [{**span, "changes": found}])


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> Texts:
    return case_texts.use(monkeypatch)


def shown_to(opened: browser.Opened, world: World, *, width: int = 1440, before: str = "") -> browser.Visitor:
    reviewer = opened(world.ours.reviewer, width=width)
    reviewer.page.add_init_script(before)
    reviewer.go(record_url(world.ours.cases[0]))
    return reviewer


def keep(texts: Texts, case: Case, long: Long) -> None:
    CaseMatch.objects.filter(case=case).update(spans=long.spans)
    texts.keep_case(case, long.page, long.work)


def test_what_is_seen_is_drawn_first_all_is_readable(opened: browser.Opened, world: World, texts: Texts) -> None:
    keep(texts, world.ours.cases[0], long_case(20_000, 400))
    reviewer = shown_to(opened, world, before=NEVER_IDLE)
    page = reviewer.page
    blocks = page.locator(".zw-text > .zw-block")
    assert blocks.evaluate_all(NOT_SEEN) > 0.7 * blocks.count() > 30
    assert page.evaluate(f"window.find('{END_OF_PAGE}') && window.find('{END_OF_WORK}', false, true, true)")

    printed = "".join(each.extract_text() for each in PdfReader(io.BytesIO(page.pdf())).pages)
    whole = "".join(printed.split())
    assert END_OF_PAGE in whole
    assert END_OF_WORK in whole

    page.evaluate("() => { while (window.postponed.length) window.postponed.shift()(); }")
    page.wait_for_function(ALL_LAID_OUT)
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    read_aloud = "".join(str(node.get("name", {}).get("value", "")) for node in nodes)
    assert END_OF_PAGE in read_aloud
    assert END_OF_WORK in read_aloud
    column = page.get_by_role("group", name="Text of the page")
    expect(column.get_by_role("group", name="inserted: on the page only: “【广告】”").first).to_be_attached()
    expect(column.get_by_role("img", name="left out: in the work only").first).to_be_attached()
    assert reviewer.complaints == []


def test_columns_scroll_together_and_apart_if_wished(opened: browser.Opened, world: World, texts: Texts) -> None:
    keep(texts, world.ours.cases[0], long_case(30_000, 600))
    page = shown_to(opened, world).page
    copy, work = page.locator('[data-side="page"] .zw-text'), page.locator('[data-side="work"] .zw-text')
    copy.hover()
    for share in (0.3, 0.7, 0.98):
        copy.evaluate("(text, share) => { text.scrollTop = share * text.scrollHeight; }", share)
        page.wait_for_function(
            f"() => {{ const [work, page] = ({READ})(); return work > 9 && Math.abs(work - page) < 2; }}"
        )
    page.get_by_label("Scroll together").uncheck()
    before = work.evaluate("(text) => text.scrollTop")
    copy.evaluate(
        "(text) => new Promise((done) => { text.onscrollend = () => requestAnimationFrame(done); text.scrollTop = 0; })"
    )
    assert work.evaluate("(text) => text.scrollTop") == before


def test_map_and_arrows_lead_to_passages(opened: browser.Opened, world: World, texts: Texts) -> None:
    long = long_case(8_000, 100)
    half = len(long.page) // 2
    ranges = ([0, half - 100], [0, half - 200]), ([half, len(long.page)], [half, len(long.work)])
    parts = [{**long.spans[0], "page": of_page, "work": of_work, "changes": []} for of_page, of_work in ranges]
    keep(texts, world.ours.cases[0], Long(long.page, long.work, parts))
    page = shown_to(opened, world).page
    slider = page.get_by_role("slider", name="Where each part of the page comes from in the work")
    slider.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(slider).to_have_attribute("aria-valuenow", "2")
    expect(slider).to_have_attribute("aria-valuetext", "Passage 2 of 2")
    second = page.locator('[data-side="page"] [data-passages="2"]').first
    expect(second).to_be_in_viewport()
    expect(page.get_by_role("group", name="Passage 2", exact=True)).to_have_count(2)
    page.locator('.zw-strip-part[data-go="1"]').first.dispatch_event("click")
    expect(page.locator('[data-side="page"] [data-passages="1"]').first).to_be_in_viewport()
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] - 3)
    page.wait_for_function("() => document.querySelector('[data-side=page] .zw-text').scrollTop > 1000")
