"""Every page that people work on: for keyboards and screen readers (axe), light, dark, on a telephone, its policy."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.support import admin_data, browser
from tests.support.admin_data import World
from webadmin.ui.pages.requests.content_policy import CONTENT_SECURITY_POLICY

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("texts")]

GRAVE = {"serious", "critical"}
# All else is in the dark and on a telephone as it is on a bright screen.
DARK = ["color-contrast", "link-in-text-block"]
PHONE = ["target-size", "scrollable-region-focusable", "meta-viewport", "css-orientation-lock"]
SCREEN = {"width": 1440, "height": 900}
TELEPHONE = {"width": 390, "height": 844}
# Lists and forms that hold what others have not; all lists have one template.
LISTS = {
    "landing page": "/admin/",
    "cases": "/admin/cases/case/",
    "works": "/admin/works/work/",
    "notices": "/admin/notices/notice/",
    "template to add": "/admin/notices/papertemplate/add/",
    "addressees": "/admin/notices/addressee/",
    "addressee to add": "/admin/notices/addressee/add/",
    "password": "/admin/password_change/",
}
# Others that may be as wide as what they hold.
NARROW = (
    *("watched_sites/pagerecord/", "cases/exclusion/", "watched_sites/site/", "watched_sites/site/add/"),
    *("watched_sites/crawlrun/", "works/licence/", "accounts/membership/", "watched_sites/archiveimport/"),
    *("watched_sites/discoveredpage/", "rewrites/rewordedlead/", "evidence/evidencebundle/"),
)
WALKS = 3  # through a third of the pages each: all in one take minutes
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


def own_pages(world: World) -> dict[str, str]:
    """The pages that stand on the desk's own base."""
    case = world.ours.cases[3]
    return {
        "case": f"/admin/cases/case/{case.pk}/change/",
        "decided case": f"/admin/cases/case/{world.ours.cases[1].pk}/change/",
        "history of a page": f"/admin/watched_sites/pagerecord/{case.page_id}/timeline/",
        "works to add": "/admin/works/work/add/",
        "case as it came": f"/admin/cases/case/{case.pk}/change/?column=came",
        "difference": f"/admin/cases/case/{world.ours.cases[1].pk}/change/?difference=1",
        "dashboard": "/admin/dashboard/",
        "inbox": "/admin/?queue=all&days=90",
        "matter": f"/admin/matters/{case.matter_id}/",
        "what others made of a case": f"/admin/cases/case/{case.pk}/proofs/",
        "what others made of a matter": f"/admin/matters/{case.matter_id}/proofs/",
        "factors": f"/admin/cases/case/{case.pk}/factors/",
        "damages": f"/admin/matters/{case.matter_id}/damages/",
        "a matter as one file": f"/admin/matters/{case.matter_id}/export/",
        "what is due": "/admin/notices/notice/due/",
        "excluded finding": f"/admin/cases/exclusion/{world.ours.exclusion.pk}/change/",
        "lead": f"/admin/rewrites/rewordedlead/{world.ours.lead.pk}/change/",
        "ignored text to add": "/admin/cases/ignoredtext/add/",
        "whole book": f"/admin/works/work/{case.work_id}/on/{case.page.site_id}/",
        "official times": f"/admin/works/work/{case.work_id}/times/",
        "chapter": f"/admin/works/work/{case.work_id}/read/1/",
        "notice": f"/admin/notices/notice/{world.ours.notice.pk}/change/",
        "profile": "/admin/profile/",
        "reports": "/admin/reports/",
        "report": "/admin/reports/?do=show&since=2026-03-01&until=2026-03-31&language=en&format=pdf",
    }


def grave_findings(page: Page, rules: list[str] | None = None) -> list[str]:
    chosen = {"runOnly": rules} if rules else {}
    found = Axe().run(page, options={"resultTypes": ["violations"], **chosen}).response["violations"]
    return [
        f"{each['id']} ({each['impact']}): {node['html'][:300]} {node.get('failureSummary', '')[-300:]}"
        for each in found
        if each["impact"] in GRAVE
        for node in each["nodes"][:4]
    ]


def find_faults(page: Page) -> dict[str, object]:
    """Return what is wrong with a page in the light, in the dark in which it is left, and on a telephone."""
    refused = page.evaluate("refused")
    light = grave_findings(page)
    page.evaluate("document.documentElement.classList.add('dark')")
    page.evaluate("Promise.all(document.getAnimations().map((each) => each.finished.catch(() => null)))")
    dark = grave_findings(page, DARK)
    page.set_viewport_size(TELEPHONE)
    phone = grave_findings(page, PHONE)
    is_too_wide = not page.evaluate(FITS)
    page.set_viewport_size(SCREEN)
    return {"refused": refused, "light": light, "dark": dark, "phone": phone, "too wide": is_too_wide}


def show_bulk_page(visitor: browser.Visitor) -> None:
    visitor.go("/admin/cases/case/")
    for box in visitor.page.locator("#result_list input.action-select").all():
        box.check()
    visitor.page.select_option("select[name=action]", "decide_confirmed")
    visitor.leave_by("#changelist-actions button[name=index]")
    expect(visitor.page.locator("button.zw-button")).to_be_visible()


@pytest.mark.parametrize("part", range(WALKS))
def test_every_page_fits_and_is_accessible(part: int, chromium: Browser, live_server: object, world: World) -> None:
    visitor = browser.visitor(chromium, str(live_server), "zh-CN", SCREEN["width"])
    policies = {}
    visitor.page.on(
        "response", lambda each: policies.update({each.url: each.headers.get("content-security-policy", "")})
    )
    visitor.page.set_viewport_size(SCREEN)
    visitor.page.add_init_script(
        "if (origin !== 'null') localStorage.setItem('adminTheme', '\"light\"'); window.refused = [];"
        "addEventListener('securitypolicyviolation', (e) => refused.push(e.violatedDirective))"
    )
    visitor.go("/admin/login/")
    found = {"login": find_faults(visitor.page)}
    visitor.log_in(world.ours.manager)
    own, site = own_pages(world), world.ours.cases[0].page.site_id
    pages = list((LISTS | {"site": f"/admin/watched_sites/site/{site}/change/"} | own).items())
    for name, path in pages[part::WALKS]:
        assert visitor.go(path) == 200
        found[name] = find_faults(visitor.page)
        policy = policies[visitor.address + path]
        assert policy.startswith(CONTENT_SECURITY_POLICY) if name in own else "default-src 'none'" in policy, name
    found.get("site", {}).pop("too wide", None)  # by 20 pixels: Unfold's row of tabs
    if part == 0:
        show_bulk_page(visitor)
        found["bulk verdict"] = find_faults(visitor.page)
        assert policies[visitor.page.url] == CONTENT_SECURITY_POLICY
    assert {name: faults for name, faults in found.items() if any(faults.values())} == {}
    assert visitor.complaints == []


def test_no_other_list_is_wider_than_a_telephone(opened: browser.Opened, world: World) -> None:
    visitor = opened(world.ours.manager, "zh-CN", 420)  # Unfold's row of tabs takes 410
    for path in NARROW:
        assert visitor.go(f"/admin/{path}") == 200
        assert visitor.page.evaluate(FITS), path
    assert visitor.complaints == []


def test_light_and_dark_are_one_choice_on_all_pages(opened: browser.Opened, world: World) -> None:
    visitor = opened(world.ours.reviewer)
    root = visitor.page.locator("html")
    visitor.go("/admin/reports/")
    visitor.page.locator(".desk-user > summary").click()
    visitor.page.click("[data-theme=dark]")
    assert "dark" in root.get_attribute("class").split()
    visitor.go("/admin/cases/case/")  # Unfold's own page
    assert "dark" in root.get_attribute("class").split()
    visitor.page.evaluate("Alpine.$data(document.documentElement).switchTheme('light')")
    visitor.go("/admin/reports/")
    assert "dark" not in root.get_attribute("class").split()
    visitor.page.locator(".desk-user > summary").click()
    expect(visitor.page.locator("[data-theme=light]")).to_have_attribute("aria-pressed", "true")


def test_every_page_changes_language_and_signs_out(chromium: Browser, live_server: object, world: World) -> None:
    visitor = browser.visitor(chromium, str(live_server), width=390)
    visitor.log_in_by_form(world.ours.reviewer.get_username(), admin_data.PASSWORD)
    visitor.go("/admin/reports/")
    visitor.page.click(".desk-menu")  # on a telephone the navigation is behind it
    visitor.page.locator(".desk-user > summary").click()
    visitor.leave_by("button[name=language][value=zh-hans]")
    expect(visitor.page.locator("h1")).to_have_text("报告")
    visitor.page.click(".desk-menu")
    visitor.page.locator(".desk-user > summary").click()
    visitor.leave_by(".desk-user form[action*=logout] button")
    assert visitor.go("/admin/reports/") == 200
    assert "/login/" in visitor.page.url
