"""Adds the demo's rights holders, works, sites, licences and accounts to an installation. Safe to repeat."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.utils import timezone

from core.ports import Outbox, WorkStore
from core.works import WorkFile
from deploy.demo.library import DemoWork
from deploy.demo.plan import SitePlan
from webadmin.accounts.models import Membership, RightsHolder, User
from webadmin.accounts.services.holders import holder
from webadmin.sites.models import Site, SiteDomain
from webadmin.works.models import Licence, OwnDomain, Work
from webadmin.works.services.catalogue import add_work
from webadmin.works.services.official_times import series_times, set_times

LICENCE_NUMBER = "QW-2026-017"
LICENSED_SINCE = date(2026, 1, 1)
MAX_PAGES, MAX_DEPTH = 200, 8


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """A user of the demo and its rights holder; an administrator has none."""

    username: str
    rights_holder: str
    role: str


ACCOUNTS = (
    DemoAccount("admin", "", "administrator"),
    DemoAccount("qingwu", "青梧文学", Membership.Role.MANAGER),
    DemoAccount("chengjiang", "澄江日报", Membership.Role.MANAGER),
)


def add_works(works: dict[str, DemoWork], store: WorkStore, outbox: Outbox) -> dict[str, Work]:
    """Add the demo's works to the corpus and return their rows by the demo's keys."""
    rows = {
        key: add_work(
            holder(work.rights_holder), WorkFile(work.title, work.author, work.chapters), work.kind, store, outbox
        ).work
        for key, work in works.items()
    }
    for row in rows.values():
        if row.kind == Work.Kind.NOVEL:
            _publish_daily(row)
    return rows


def _publish_daily(novel: Work) -> None:
    """Schedule one chapter a day, the last one for tomorrow, unless chapters have publication times.

    A site that has the last chapter today has it before its official publication.
    """
    chapters = novel.chapters.order_by("number")
    if not chapters.filter(published_at__isnull=False).exists():
        first_at = timezone.now() - timedelta(days=chapters.count() - 2)
        set_times(novel, series_times(novel, chapters[0].number, first_at, timedelta(days=1)))


def add_sites(sites: tuple[SitePlan, ...], origins: dict[str, str], works: dict[str, Work]) -> dict[str, Site]:
    """Add the demo's sites and their licences to the watchlists, and return the rows by the plan's keys."""
    return {site.key: _add_site(site, origins[site.key], works) for site in sites}


def add_accounts(passwords: dict[str, str]) -> None:
    """Create the demo's missing users. The password of an existing user is not changed."""
    for account in ACCOUNTS:
        is_administrator = not account.rights_holder
        user, is_new = User.objects.get_or_create(
            username=account.username, defaults={"is_staff": True, "is_superuser": is_administrator}
        )
        if is_new:
            user.set_password(passwords[account.username])
            user.save()
        if account.rights_holder:
            Membership.objects.get_or_create(
                user=user, rights_holder=holder(account.rights_holder), defaults={"role": account.role}
            )


def has_password(username: str, password: str) -> bool:
    """Return whether the user still has the password that the demo set."""
    return User.objects.get(username=username).check_password(password)


def _add_site(plan: SitePlan, origin: str, works: dict[str, Work]) -> Site:
    rights_holder = holder(plan.rights_holder)
    site, _ = Site.objects.update_or_create(
        rights_holder=rights_holder,
        name=plan.name_zh,
        defaults={
            "start_urls": origin + plan.start_path,
            "delay_s": 0.0,  # the demo's own servers on loopback
            "concurrency": 4,
            "max_pages": MAX_PAGES,
            "max_depth": MAX_DEPTH,
        },
    )
    host = origin.removeprefix("http://")
    SiteDomain.objects.get_or_create(site=site, host=host)
    if plan.role == "own":
        OwnDomain.objects.get_or_create(rights_holder=rights_holder, domain=host)
    for key in plan.licensed_works:
        _ensure_licence(rights_holder, works[key], plan.name_zh, host)
    return site


def _ensure_licence(rights_holder: RightsHolder, work: Work, licensee: str, host: str) -> None:
    Licence.objects.get_or_create(
        rights_holder=rights_holder,
        work=work,
        domain=host,
        defaults={"licensee": licensee, "number": LICENCE_NUMBER, "valid_from": LICENSED_SINCE},
    )
