"""Contacts and addressees about a site: entered, shared by sites of one operator, read; which paper each gets."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError

from core.addressees import AddresseeRole, CounterRule, Paper, choose_notice_kind
from core.contacts import ContactKind
from tests.support.admin_data import NOW, addressee, contact, holder, site
from webadmin.accounts.models import RightsHolder
from webadmin.notices.models import Addressee
from webadmin.notices.services.addressees import (
    ContactOwner,
    Origin,
    SiteAddressee,
    list_addressees,
    propose_addressees,
)
from webadmin.sites.models import Site, SiteIdentifier

pytestmark = pytest.mark.django_db
Role = AddresseeRole


@pytest.fixture
def owner() -> RightsHolder:
    return holder()


@pytest.fixture
def watched(owner: RightsHolder) -> Site:
    return site(owner, "落霞小说网", "luoxia.example")


def carry_one_number(*sites: Site) -> None:
    """As pages of one operator do."""
    for each in sites:
        SiteIdentifier.objects.create(
            site=each, kind="icp", value="京ICP备1号", page_url="https://x/", first_read_at=NOW, read_at=NOW
        )


def listed(of: Site) -> list[tuple[str, str, AddresseeRole | None]]:
    return [(str(each.origin), each.name, each.role) for each in list_addressees(of)]


@pytest.mark.parametrize(
    ("role", "rule", "paper"),
    [
        (Role.PUBLISHES, CounterRule.NONE, Paper.LETTER),
        (Role.PUBLISHES, CounterRule.DMCA, Paper.LETTER),
        (Role.STORES, CounterRule.REPLY_2020_9, Paper.ARTICLE_14),
        (Role.SEARCHES, CounterRule.REPLY_2020_9, Paper.ARTICLE_14),
        (Role.STORES, CounterRule.E_COMMERCE, Paper.ARTICLE_14),
        (Role.STORES, CounterRule.DMCA, Paper.DMCA),
        (Role.HOSTS, CounterRule.REPLY_2020_9, Paper.ARTICLE_14),
        (Role.HOSTS, CounterRule.DMCA, Paper.DMCA),
        (Role.REGISTERS, CounterRule.REPLY_2020_9, Paper.ARTICLE_14),
        (Role.PLATFORM, CounterRule.DMCA, Paper.FORM_KIT),
    ],
)
def test_what_the_addressee_is_decides_the_paper(role: AddresseeRole, rule: CounterRule, paper: Paper) -> None:
    assert choose_notice_kind(role, rule) is paper


def test_an_addressee_says_its_paper_and_its_days(owner: RightsHolder) -> None:
    given = addressee(owner, counter_rule=CounterRule.REPLY_2020_9)
    assert (given.paper, given.days) == (Paper.ARTICLE_14, 20)
    given.counter_days = 7
    assert given.days == 7
    given.role, given.counter_rule = Role.PUBLISHES, CounterRule.REPLY_2020_9
    given.full_clean()
    assert (given.paper, given.days, given.counter_rule, given.counter_days) == (
        Paper.LETTER,
        0,
        CounterRule.NONE,
        None,
    )


@pytest.mark.parametrize(
    ("rule", "days", "is_right"),
    [
        (CounterRule.REPLY_2020_9, 20, True),
        (CounterRule.REPLY_2020_9, 21, False),
        (CounterRule.REPLY_2020_9, 0, False),
        (CounterRule.E_COMMERCE, 14, False),
        (CounterRule.DMCA, 14, True),
        (CounterRule.DMCA, 9, False),
        (CounterRule.NONE, None, False),
    ],
)
def test_only_lawful_times_go(owner: RightsHolder, rule: CounterRule, days: int | None, *, is_right: bool) -> None:
    given = Addressee(rights_holder=owner, name="甲", role=Role.STORES, counter_rule=rule, counter_days=days)
    if is_right:
        given.full_clean()
        return
    with pytest.raises(ValidationError):
        given.full_clean()


def test_entered_ones_stand_first_in_the_order_in_which_one_writes(owner: RightsHolder, watched: Site) -> None:
    addressee(owner, "注册商", watched, role=Role.REGISTERS)
    addressee(owner, "某云", watched, role=Role.HOSTS)
    addressee(owner, "某平台", watched, role=Role.STORES)
    addressee(owner, "别家的", site(owner, "另一站", "other.example"), role=Role.STORES)
    contact(watched)
    assert listed(watched) == [
        ("entered", "某平台", Role.STORES),
        ("entered", "某云", Role.HOSTS),
        ("entered", "注册商", Role.REGISTERS),
    ], "what was read of the site is not named while somebody is entered for it"


def test_what_was_read_is_proposed_for_whom_nobody_is_entered(owner: RightsHolder, watched: Site) -> None:
    addressee(owner, "某平台", watched, role=Role.STORES)
    contact(watched, ContactKind.HOST, "某云计算", source="rdap")
    contact(watched, ContactKind.HOST_ABUSE, "abuse@cloud.example", source="rdap", label="某云计算")
    contact(watched, ContactKind.REGISTRAR_ABUSE, "abuse@registrar.example", source="whois")
    found = list_addressees(watched)
    assert [(each.origin, each.name, each.role, each.email, each.paper) for each in found] == [
        (Origin.ENTERED, "某平台", Role.STORES, "tousu@luoxia.example.net", Paper.ARTICLE_14),
        (Origin.READ, "某云计算", Role.HOSTS, "abuse@cloud.example", Paper.ARTICLE_14),
        (Origin.READ, "abuse@registrar.example", Role.REGISTERS, "abuse@registrar.example", Paper.ARTICLE_14),
    ]


def test_of_a_site_the_address_for_complaints_comes_before_newer_ones(watched: Site) -> None:
    contact(watched, ContactKind.ICP, "京ICP备12345678号")
    assert list_addressees(watched) == [], "a number alone is nobody to write to"
    contact(watched, value="bd@luoxia.example", read_at=NOW + timedelta(days=1))
    contact(watched, value="x@luoxia.example", label="侵权投诉")
    contact(watched, ContactKind.CONTACT_PAGE, "https://luoxia.example/about")
    (read,) = propose_addressees(watched)
    assert read == SiteAddressee(
        Origin.READ,
        watched.name,
        email="x@luoxia.example",
        complaint_page="https://luoxia.example/about",
        owner=ContactOwner.SITE,
    )
    assert (read.role, read.paper) == (None, None), "whether it publishes or stores, no page says"


def test_sites_of_one_operator_share_its_addressees_and_not_their_hosts(owner: RightsHolder, watched: Site) -> None:
    other = site(owner, "云笺阁", "yunjian.test")
    stranger = site(owner, "无关站", "stranger.invalid")
    carry_one_number(watched, other)
    shared = addressee(owner, "某平台", other, role=Role.STORES)
    addressee(owner, "某云", other, role=Role.HOSTS)
    contact(watched)
    (found,) = list_addressees(watched)
    assert (found.origin, found.addressee, found.from_site) == (Origin.FAMILY, shared, other)
    assert list_addressees(stranger) == []
    shared.sites.add(watched)
    assert listed(watched) == [("entered", "某平台", Role.STORES)], "its own once it is entered for it"


def test_nothing_of_another_rights_holder_is_shared(watched: Site) -> None:
    theirs = holder("乙")
    other = site(theirs, "云笺阁", "yunjian.test")
    carry_one_number(watched, other)
    addressee(theirs, "某平台", other)
    addressee(theirs, "硬塞的", watched)
    assert list_addressees(watched) == []
