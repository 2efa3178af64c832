"""Drafts the demo's notice: a demo user decides the cases and drafts a letter, which is neither confirmed nor sent.

All data, including domains and numbers, are invented. Safe to repeat: if the site has a notice, no case is decided and
no other notice is drafted.
"""

from dataclasses import dataclass

from core.addressees import AddresseeRole
from core.errors import BadInput
from core.states import CaseState, Verdict
from webadmin.accounts.models import RightsHolder, User
from webadmin.cases.models import Case, Matter
from webadmin.cases.services.verdicts import decide
from webadmin.notices.models import Addressee, HolderIdentity, Notice
from webadmin.notices.services.drafting import confirmed_cases, draft_notice
from webadmin.sites.models import Site
from webadmin.works.models import Work

USERNAME = "qingwu"
NOTE = "演示数据：逐字比对后认定"
IDENTITY = {
    "legal_name": "青梧文学有限公司（演示）",
    "identity": "营业执照，统一社会信用代码 00000000DEMO000000",
    "representative": "示例",
    "address": "示例市示例路 1 号",
    "postcode": "000000",
    "contact_person": "版权部",
    "phone": "000-0000 0000",
    "email": "copyright@qingwu.example",
}
ADDRESSEE = "墨香阁小说网运营者（演示）"


@dataclass(frozen=True, slots=True)
class DraftedNotice:
    """The data of the drafted notice that the demo's summary prints."""

    number: int
    paper: str
    site: str
    pages: int


def drafted_notice(site: Site, work: Work) -> DraftedNotice | None:
    """Return the notice about a site that copied a work, and draft it if there is none.

    Returns None if no case can be confirmed.
    """
    notice = Notice.objects.filter(rights_holder=site.rights_holder_id, site=site).order_by("pk").first()
    if notice is None:
        notice = _draft_notice(site, work)
    if notice is None:
        return None
    return DraftedNotice(notice.pk, str(notice.get_kind_display()), site.name, notice.pages.count())


def _draft_notice(site: Site, work: Work) -> Notice | None:
    person = User.objects.get(username=USERNAME)
    matter = Matter.objects.filter(site=site, work=work).first()
    if matter is None:
        return None
    for case in Case.objects.filter(matter=matter, state=CaseState.OPEN, verdicts=None):
        decide(case, Verdict.CONFIRMED, person, NOTE)
    addressee = _ensure_addressee(site.rights_holder, site, person)
    try:
        return draft_notice(confirmed_cases(matter), addressee.paper, person, addressee).notice
    except BadInput:  # a case was decided otherwise before, or a page has changed
        return None


def _ensure_addressee(holder: RightsHolder, site: Site, person: User) -> Addressee:
    """Return the addressee, the operator of the site as its publisher; also store the rights holder's identity."""
    HolderIdentity.objects.get_or_create(rights_holder=holder, defaults={**IDENTITY, "entered_by": person})
    entered = {"email": "tousu@moxiangge.example", "entered_by": person}
    addressee, _ = Addressee.objects.get_or_create(
        rights_holder=holder, name=ADDRESSEE, role=AddresseeRole.PUBLISHES, defaults=entered
    )
    addressee.sites.add(site)
    return addressee
