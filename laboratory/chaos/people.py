"""The acts of people in a run: they enter works and sites, request crawls, decide cases in the admin, send notices.

Imported after Django is set up. Each act first checks if it is already done, because a person who got no answer cannot
know.
"""

import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from http.cookiejar import CookieJar

from django.conf import settings

from core.addressees import Paper
from core.clock import SystemClock
from core.messages import CrawlRequested
from core.states import Verdict
from core.works import ChapterText, WorkFile
from laboratory.chaos.plan import Act, Options, site_count, works
from webadmin.accounts.models import User
from webadmin.accounts.services.holders import holder
from webadmin.cases.models import Case, VerdictRecord
from webadmin.notices.models import HolderIdentity, Notice
from webadmin.notices.services import drafting
from webadmin.notices.services.sending import EventDetails, mark_sent
from webadmin.sites.models import Site
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.watchlist import add_site
from webadmin.wiring import live_ports
from webadmin.works.models import Work
from webadmin.works.services.catalogue import add_work

USER, PASSWORD, HOLDER = "chaos", "of-the-laboratory-alone", "laboratory"
TIMEOUT_S = 20.0  # for an answer of the desk
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class NotYet(Exception):
    """A prerequisite of an act is missing, or the admin rejected it."""


class Person:
    """One person, an administrator."""

    def __init__(self, options: Options, origins: Sequence[str], desk: str, delay_s: float) -> None:
        self._options, self._origins, self._delay_s = options, origins, delay_s
        self._desk = Desk(desk)

    def begin(self) -> None:
        """Create the person, the rights holder and the sites."""
        user, is_new = User.objects.get_or_create(
            username=USER, defaults={"is_staff": True, "is_superuser": True, "password": "!"}
        )
        if is_new or not user.has_usable_password():
            user.set_password(PASSWORD)
            user.save()
        owner = holder(HOLDER)
        HolderIdentity.objects.get_or_create(
            rights_holder=owner, defaults={"legal_name": "示例", "identity": "示例", "entered_by": user}
        )
        for number in range(site_count(self._options)):
            options = {"max_pages": 10_000, "max_depth": 8, "delay_s": self._delay_s, "concurrency": 2}
            options |= {"use_sitemap": False, "is_active": False}
            add_site(owner, f"{self._origins[number]}/", f"site {number}", **options)

    def do(self, act: Act) -> None:
        """Perform an act unless it is already done. Raises NotYet, RetryLater, OSError and database errors."""
        match act.kind:
            case "work":
                self._enter_work(int(act.subject[0]))
            case "crawl":
                self._ask_for_crawl(int(act.subject[0]))
            case "verdict":
                site, number, verdict = act.subject
                self._decide(self._case(int(site), int(number)), Verdict(str(verdict)))
            case "notice":
                self._send_notice(int(act.subject[0]), [int(each) for each in act.subject[1:]])

    def _enter_work(self, number: int) -> None:
        work, ports = works()[number], live_ports(settings.ZHUIWEN)
        chapters = tuple(ChapterText(at, title, text) for at, (title, text) in enumerate(work.chapters, 1))
        file = WorkFile(work.title, "某人", chapters)
        add_work(holder(HOLDER), file, Work.Kind.NOVEL, ports.works, ports.outbox)

    def _ask_for_crawl(self, number: int) -> None:
        """Request a crawl of a site, unless one is running."""
        site = Site.objects.get(name=f"site {number}")
        try:
            run = crawls.request_run(site)
        except crawls.AlreadyRunning:
            return
        live_ports(settings.ZHUIWEN).outbox.send(CrawlRequested(run.pk))

    def _case(self, site: int, number: int) -> Case:
        url = f"{self._origins[site]}/p/{number}"
        case = Case.objects.filter(page__url=url).order_by("-taken_chars").first()
        if case is None:
            raise NotYet(f"no case of {url}")
        return case

    def _decide(self, case: Case, verdict: Verdict) -> None:
        if VerdictRecord.objects.filter(case=case).exists():
            return
        self._desk.decide(case.pk, verdict)
        if not VerdictRecord.objects.filter(case=case).exists():
            raise NotYet(f"the desk took no verdict on case {case.pk}")

    def _send_notice(self, site: int, numbers: Sequence[int]) -> None:
        """Draft and confirm one notice about the confirmed pages of a site, and mark it as sent."""
        user = User.objects.get(username=USER)
        row = Site.objects.get(name=f"site {site}")
        notice = Notice.objects.filter(site=row).first()
        if notice is None:
            cases = [self._case(site, number) for number in numbers]
            notice = drafting.draft_notice(cases, Paper.LETTER, user).notice
        if notice.state == Notice.State.DRAFTED:
            missing = {field.code: "示例" for field in drafting.draft_status(notice).fields}
            drafting.write_fields(notice, missing, user)
            drafting.confirm_notice(notice, user)
        if notice.state == Notice.State.CONFIRMED:
            proof = EventDetails(note="示例", files=[("回执.txt", b"sent")])
            mark_sent(notice, "post", proof, user, SystemClock().now())


class Desk:
    """A client that uses the desk like a browser."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._is_signed_in = False

    def decide(self, case: int, verdict: Verdict) -> None:
        """Open a case and submit a verdict. Raises NotYet, OSError."""
        if not self._is_signed_in:
            self._post("admin/login/", {"username": USER, "password": PASSWORD, "next": "/admin/"})
            self._is_signed_in = True
        try:
            self._post(f"admin/cases/case/{case}/change/", {"verdict": str(verdict), "note": "示例", "basis": "0"})
        except NotYet:
            self._is_signed_in = False
            raise

    def _post(self, path: str, fields: dict[str, str]) -> None:
        url = self._address + path
        shown = self._opener.open(url, timeout=TIMEOUT_S).read().decode()
        token = _TOKEN.search(shown)
        if token is None:
            raise NotYet(f"no form at {path}")
        data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token[1]}).encode()
        request = urllib.request.Request(url, data, {"Referer": url})  # noqa: S310 - our own address
        try:
            self._opener.open(request, timeout=TIMEOUT_S).read()
        except urllib.error.HTTPError as error:
            raise NotYet(f"{path}: {error}") from error
