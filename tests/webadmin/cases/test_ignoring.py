"""Texts that never count: who may enter and take them back, what is refused, and which pages are compared again."""

from copy import deepcopy
from datetime import timedelta

import pytest

from core.errors import BadInput
from core.ids import work_text_id
from core.states import Rejection
from tests.support import admin_data, case_texts
from tests.support.admin_data import WORK_TEXT, Estate, World
from tests.support.case_texts import Texts
from tests.support.copied_texts import ADVERT
from webadmin.cases.models import Case, IgnoredText, PageCheck
from webadmin.cases.services import ignoring
from webadmin.cases.services.addresses import OUTDATED
from webadmin.cases.services.ignoring import (
    check_text,
    ignore_everywhere,
    mark_noise,
    may_withdraw_text,
    preview_effect,
    withdraw_ignored_text,
)
from webadmin.sites.models import PageRecord
from webadmin.works.models import Chapter

CASES = 4

pytestmark = pytest.mark.django_db

NOTICE = "版权所有，未经许可不得转载"  # of a site, in no work


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> Texts:
    return case_texts.use(monkeypatch)


@pytest.fixture
def world(kept: World, db: None, texts: Texts) -> World:
    """Cases 0 and 2 are of the first site, 1 and 3 of the second; 1 and 2 are decided on."""
    made = deepcopy(kept)
    for estate in (made.ours, made.theirs):
        case_texts.keep_estate(texts, estate)
        for page in PageRecord.objects.filter(site__rights_holder=estate.holder):
            PageCheck.objects.filter(page=page).update(version_id=page.version_id)
        for work in estate.works:
            for chapter in work.chapters.all():
                text = WORK_TEXT if chapter.number == 1 else f"{work.title} {chapter.number}\n{WORK_TEXT}"
                texts.works.put_text(text)
    return made


@pytest.fixture
def ours(world: World) -> Estate:
    return world.ours


def everywhere(estate: Estate, text: str = NOTICE, reason: str = IgnoredText.Reason.OTHER) -> IgnoredText:
    return ignore_everywhere(estate.holder, text, estate.manager, reason=reason, note="常见声明")[0]


def asked_again() -> set[str]:
    """The pages that are owed a comparison."""
    return set(PageCheck.objects.filter(algorithm_id=OUTDATED).values_list("page_id", flat=True))


def pages_of(*cases: Case) -> set[str]:
    return {case.page_id for case in cases}


def refused(code: str) -> "pytest.RaisesExc[BadInput]":
    return pytest.raises(BadInput, check=lambda error: error.message.code == code)


class TestWhoMay:
    def test_only_who_has_a_role_marks_noise(self, world: World) -> None:
        with refused("case.no-role"):
            mark_noise(world.ours.cases[0], ADVERT, world.theirs.manager)
        assert mark_noise(world.ours.cases[0], ADVERT, world.ours.reviewer).site == world.ours.sites[0]

    def test_only_a_manager_ignores_everywhere(self, world: World) -> None:
        for person in (world.ours.reviewer, world.theirs.manager):
            with refused("ignored.managers-only"):
                ignore_everywhere(world.ours.holder, NOTICE, person, reason=IgnoredText.Reason.OTHER, note="声明")
        assert everywhere(world.ours).site is None

    def test_a_reviewer_takes_back_what_they_entered_and_a_manager_whatever_it_is(self, world: World) -> None:
        ours = world.ours
        noise = mark_noise(ours.cases[0], ADVERT, ours.reviewer)
        assert may_withdraw_text(noise, ours.reviewer)
        assert may_withdraw_text(noise, ours.manager)
        assert not may_withdraw_text(everywhere(ours), ours.reviewer)
        assert not may_withdraw_text(noise, world.theirs.manager)

    def test_what_is_taken_back_is_not_taken_back_again(self, ours: Estate) -> None:
        noise, other = mark_noise(ours.cases[0], ADVERT, ours.reviewer), everywhere(ours)
        withdraw_ignored_text(noise, ours.manager)
        first = noise.withdrawn_at
        other.refresh_from_db()
        assert other.withdrawn_at is None
        assert not may_withdraw_text(noise, ours.manager)
        with refused("exclusion.taken-back-already"):
            withdraw_ignored_text(noise, ours.reviewer)
        noise.refresh_from_db()
        assert (noise.withdrawn_at, noise.withdrawn_by) == (first, ours.manager)


class TestWhatIsRefused:
    @pytest.mark.parametrize("reason", ["", "whatever", IgnoredText.Reason.NOISE])
    def test_a_text_for_all_sites_has_a_reason_that_is_not_that_of_one_site(self, ours: Estate, reason: str) -> None:
        with refused("exclusion.no-reason"):
            everywhere(ours, reason=reason)

    def test_only_another_reason_needs_a_sentence(self, ours: Estate) -> None:
        given = ours.holder, NOTICE, ours.manager
        with refused("exclusion.no-note"):
            ignore_everywhere(*given, reason=IgnoredText.Reason.OTHER)
        assert ignore_everywhere(*given, reason=IgnoredText.Reason.SET_WORDING)[0].note == ""

    def test_the_shortest_and_the_longest_are_taken_and_one_letter_less_or_more_is_not(self, ours: Estate) -> None:
        least, most = ignoring.LEAST_LETTERS_EVERYWHERE, ignoring.MAX_TEXT_CHARS
        assert check_text(ours.holder, "字" * least) == "字" * least
        assert len(check_text(ours.holder, "字" * most)) == most
        with refused("exclusion.too-short"):
            check_text(ours.holder, "字" * (least - 1))
        with refused("exclusion.too-long"):
            check_text(ours.holder, "字" * (most + 1))

    def test_noise_stands_on_the_page_and_the_page_is_kept(self, ours: Estate) -> None:
        case = ours.cases[0]
        with refused("ignored.not-on-page"):
            mark_noise(case, NOTICE, ours.reviewer)
        case.version_id = "0" * 40  # a version that the page store has no more
        with refused("ignored.not-on-page"):
            mark_noise(case, ADVERT, ours.reviewer)

    def test_noise_is_nothing_that_the_work_has_itself(self, ours: Estate, texts: Texts) -> None:
        with refused("ignored.of-work"):
            mark_noise(ours.cases[0], "披衣起来", ours.reviewer)
        other = ours.cases[3]
        texts.keep_case(other, f"{admin_data.page_text(3)}{NOTICE}", f"{WORK_TEXT}{ADVERT}")
        other.taken.update(text_id=work_text_id(f"{WORK_TEXT}{ADVERT}"))
        assert mark_noise(ours.cases[0], ADVERT, ours.reviewer)
        with refused("ignored.of-work"):
            mark_noise(other, ADVERT, ours.reviewer)
        other.taken.update(text_id=work_text_id("不在"))
        assert mark_noise(other, ADVERT, ours.reviewer), "a work text that is not there refuses nothing"

    def test_a_text_is_listed_once_a_site_and_again_when_it_was_taken_back(self, world: World) -> None:
        ours = world.ours
        noise = mark_noise(ours.cases[0], ADVERT, ours.reviewer)
        with refused("ignored.already"):
            mark_noise(ours.cases[2], f" {ADVERT}！", ours.manager)
        assert mark_noise(ours.cases[1], ADVERT, ours.reviewer), "of another site"
        assert everywhere(ours, ADVERT), "of all sites"
        assert everywhere(world.theirs, ADVERT), "of another rights holder"
        assert mark_noise(world.theirs.cases[0], ADVERT, world.theirs.reviewer)
        withdraw_ignored_text(noise, ours.reviewer)
        assert mark_noise(ours.cases[0], ADVERT, ours.reviewer)


class TestMostOfAChapter:
    def chapter(self, estate: Estate, texts: Texts, text: str, *, is_kept: bool = True) -> Chapter:
        if is_kept:
            texts.works.put_text(text)
        number = 90 + Chapter.objects.filter(title="短").count()
        return Chapter.objects.create(
            work=estate.works[0], number=number, text_id=work_text_id(text), chars=len(text), title="短"
        )

    def test_half_of_a_chapter_is_refused_and_less_is_not(self, ours: Estate, texts: Texts) -> None:
        self.chapter(ours, texts, "甲乙丙丁戊己庚辛子丑寅卯辰巳午未")
        with refused("ignored.chapter"):
            check_text(ours.holder, "甲乙丙丁戊己庚辛")
        self.chapter(ours, texts, "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱")
        assert check_text(ours.holder, "赵钱孙李周吴郑王")

    def test_only_own_chapters_with_texts_count(self, world: World, texts: Texts) -> None:
        self.chapter(world.theirs, texts, "甲乙丙丁戊己庚辛")
        self.chapter(world.ours, texts, "赵钱孙李周吴郑王", is_kept=False)
        assert check_text(world.ours.holder, "甲乙丙丁戊己庚辛")
        assert check_text(world.ours.holder, "赵钱孙李周吴郑王")


class TestWhatIsForeseen:
    def test_it_ends_in_time_and_says_that_it_did(self, ours: Estate, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(ignoring, "MAX_SECONDS", -1.0)
        foreseen = preview_effect(ours.holder, "江面起了雾")
        assert (foreseen.losses, foreseen.looked_at, foreseen.is_cut) == ([], 0, True)


class TestWhatIsComparedAgain:
    def test_it_is_pages_that_nobody_decided_on_and_those_left_out(self, world: World) -> None:
        ours, later = world.ours, admin_data.NOW + timedelta(days=1)
        here, there = (admin_data.page(site, 70) for site in ours.sites)
        licensed = admin_data.page(ours.sites[0], 71)
        foreign = admin_data.page(world.theirs.sites[0], 70)
        for page in (here, there):
            admin_data.exclusion(page, ours.works[0], Rejection.NOTHING_LEFT, later)
        admin_data.exclusion(licensed, ours.works[0], Rejection.LICENSED, later)
        admin_data.exclusion(foreign, world.theirs.works[0], Rejection.NOTHING_LEFT, later)
        noise = mark_noise(ours.cases[0], ADVERT, ours.reviewer)
        assert asked_again() == pages_of(ours.cases[0]) | {here.pk}
        PageCheck.objects.update(algorithm_id=admin_data.ALGORITHM_ID)
        withdraw_ignored_text(noise, ours.reviewer)
        assert asked_again() == pages_of(ours.cases[0]) | {here.pk}, "and when it counts again"
        everywhere(ours)
        assert asked_again() == pages_of(ours.cases[0], ours.cases[3]) | {here.pk, there.pk}
