"""The damages of a matter: characters and days once each, the fee as entered, and their product to the cent."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from core.errors import BrokenInvariant
from core.taken import Places
from tests.support import admin_data
from tests.support.refusals import refused
from webadmin.accounts.models import Membership
from webadmin.cases.models import Case, Matter, TakenText
from webadmin.cases.services.matters.damages import compute_damages, count_days, describe_damages
from webadmin.works.services.licence_fees import current_fee, enter_fee

NOW = admin_data.NOW


def noon(day: int) -> datetime:
    return datetime(2026, 3, day, 4, 0, tzinfo=UTC)  # in Shanghai


@pytest.mark.parametrize(
    ("seen", "days"),
    [
        ([], 0),
        ([(1, 1)], 1),
        ([(1, 3), (2, 5)], 5),
        ([(1, 10), (3, 4)], 10),
        ([(5, 6), (1, 2)], 4),
        ([(1, 2), (3, 3)], 3),
    ],
)
def test_a_day_on_which_several_pages_were_online_counts_once(seen: list[tuple[int, int]], days: int) -> None:
    assert count_days([(noon(first), noon(last)) for first, last in seen]) == days


def test_days_are_those_of_the_installation() -> None:
    late = datetime(2026, 3, 1, 17, 0, tzinfo=UTC)  # the 2nd in Shanghai
    assert count_days([(late, noon(2))]) == 1


@pytest.mark.django_db
class TestOfAMatter:
    @pytest.fixture(autouse=True)
    def estate(self) -> None:
        self.holder = admin_data.holder()
        self.manager = admin_data.user("manager", self.holder, Membership.Role.MANAGER)
        self.reviewer = admin_data.user("reviewer", self.holder)
        self.site, self.work = admin_data.site(self.holder), admin_data.work(self.holder)
        for number in (1, 2):
            self.confirmed(number)

    def confirmed(self, number: int) -> Case:
        page = admin_data.page(self.site, number, seen=noon(number))
        return admin_data.decided(admin_data.case(page, self.work), self.reviewer)

    @property
    def matter(self) -> Matter:
        return Matter.objects.get(site=self.site, work=self.work)

    def fee(self, amount: str = "150.00", source: str = "许可合同 HT-1") -> None:
        enter_fee(self.work, amount, source, self.manager, NOW)

    def test_one_passage_on_two_pages_counts_once(self) -> None:
        assert compute_damages(self.matter).taken_chars == admin_data.TAKEN_CHARS
        taken = TakenText.objects.order_by("pk").last()
        places = Places.from_starts(range(100, 250)).pack()
        TakenText.objects.filter(pk=taken.pk).update(places=places)
        assert compute_damages(self.matter).taken_chars == 250

    def test_what_nobody_confirmed_does_not_count_and_is_said(self) -> None:
        open_case = admin_data.case(admin_data.page(self.site, 3, seen=noon(20)), self.work)
        TakenText.objects.filter(case=open_case).update(places=Places.from_starts(range(1000)).pack())
        found = compute_damages(self.matter)
        assert (found.cases, found.undecided, found.taken_chars, found.days_online) == (2, 1, 190, 2)
        assert "damages.undecided" in [each.code for each in describe_damages(found, str)]

    def test_the_product_is_exact_and_names_its_sources(self) -> None:
        assert compute_damages(self.matter).amount is None
        assert describe_damages(compute_damages(self.matter), str)[-1].code == "damages.no-fee"
        self.fee("33.33")
        found = compute_damages(self.matter)
        assert found.amount == Decimal("6.33")  # .190 × 33.33 = 6.3327
        *_, fee, amount = describe_damages(found, lambda at: f"{at:%Y-%m-%d}")
        assert "许可合同 HT-1" in fee.in_language("zh")
        assert "manager" in fee.in_language("zh")
        assert amount.in_language("zh").startswith("0.19 千字 × 33.33 元 = 6.33 元")
        assert found.as_dict()["amount"] == "6.33"
        assert found.as_dict()["is_own_arithmetic"] is True

    def test_the_newest_fee_stands_and_the_earlier_one_stays(self) -> None:
        for amount in ("100", "100.00"):
            self.fee(amount, "旧")
        enter_fee(self.work, "200", "新", self.manager, NOW + timedelta(days=1))
        fee = current_fee(self.work)
        assert (fee.per_thousand, self.work.fees.count()) == (Decimal(200), 2), "one that stands is not entered again"
        fee.per_thousand = Decimal(1)
        with pytest.raises(BrokenInvariant):
            fee.save()

    @pytest.mark.parametrize("amount", ["", "abc", "0", "-1", "NaN", "Infinity", "1.234", "1000000.01", "1e30"])
    def test_what_is_no_fee_is_refused(self, amount: str) -> None:
        refused("CNY", self.fee, amount)

    def test_a_fee_has_a_source_and_comes_from_a_manager(self) -> None:
        refused("contract", self.fee, source=" ")
        refused("manager", enter_fee, self.work, "1", "合同", self.reviewer, NOW)

    def test_a_matter_without_a_confirmed_case_has_nothing_to_reckon(self) -> None:
        other = admin_data.case(admin_data.page(admin_data.site(self.holder, "别处", "b.example"), 1), self.work)
        found = compute_damages(Matter.objects.get(pk=other.matter_id))
        assert (found.taken_chars, found.days_online) == (0, 0)
        assert [each.code for each in describe_damages(found, str)] == ["damages.none-seen"]
