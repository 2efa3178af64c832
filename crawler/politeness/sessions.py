"""Opens a session on a site by the steps of crawler.politeness.login_steps and their secret values.

Hidden fields of a form, such as tokens against cross-site request forgery, are sent unchanged. Data is sent only to the
site's own hosts, and never in a URL.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

from lxml.html import FormElement, HtmlElement
from scrapy import Request
from scrapy.http import Response

from core.errors import BadInput
from core.politeness import Login
from core.wording import Message
from crawler.characters.decoding import Decoded
from crawler.markup import parse
from crawler.opening import Rejected, decode_page
from crawler.politeness.login_steps import NAME, LoginStep, parse_steps
from crawler.politeness.refusals import Postponed, RequestRefused
from crawler.readers.messages import Call, Task
from crawler.selectors import select
from crawler.urls import CrawlScope

LOGIN_META = "zhuiwen_login"  # key in the meta of the requests of a login
_MIN_ERROR = 400
MAX_FORM_PAGE_BYTES = 1_000_000  # pages with a form have 5 to 300 kB; a longer one is not parsed

Download = Callable[[Request], Awaitable[Response]]
Run = Callable[[Task], Awaitable[Any]]  # the method of crawler.page_reader.PageReader


class LoginFailed(BadInput):
    """Raised if a login fails. The message names the step, but no secret value."""

    @classmethod
    def for_step(cls, step: LoginStep, code: str | Message, /, **params: object) -> "LoginFailed":
        """Create the error for a step. code: that of the reason, with its parameters."""
        return cls("login.step", number=step.number, step=step.verb, reason=Message.from_code(code, **params))


class Session:
    """Carries out the steps of a login. The resulting cookies remain in the downloader and are never stored."""

    def __init__(self, login: Login, scope: CrawlScope, run: Run) -> None:
        self._values = dict(login.values)
        self._steps = parse_steps(login.steps, self._values)
        self._scope, self._run = scope, run

    async def open(self, download: Download) -> list[str]:
        """Carry out the steps. Return the outcome of each without secret values. Raises LoginFailed if a step fails."""
        outcomes: list[str] = []
        page: _OpenedPage | None = None
        filled: dict[str, str] = {}
        for step in self._steps:
            if step.verb == "open":
                page = await self._fetch_page(step, _make_login_request(step.what), download)
            elif step.verb == "fill":
                filled[step.what] = NAME.sub(lambda name: self._values[name[1]], step.value)
            elif step.verb == "submit":
                page = await self._fetch_page(step, await self._form_request(step, page, filled), download)
                filled = {}
            else:
                await self._check_page(step, page)
            where = f" {_remove_query(page.url)} {page.status}" if page and step.verb in ("open", "submit") else ""
            outcomes.append(f"{step.number}. {step.verb} {step.what}{where}")
        return outcomes

    async def _fetch_page(self, step: LoginStep, request: Request, download: Download) -> "_OpenedPage":
        if not self._scope.is_on_site(request.url):
            raise LoginFailed.for_step(step, "login.off-site", host=urlsplit(request.url).netloc)
        try:
            response = await download(request)
        except (RequestRefused, Postponed) as fault:
            raise LoginFailed.for_step(step, fault.message) from fault
        except Exception as fault:
            raise LoginFailed.for_step(
                step, "login.no-answer", url=_remove_query(request.url), kind=type(fault).__name__
            ) from fault
        page = _OpenedPage.from_response(response)
        if page.status >= _MIN_ERROR:
            raise LoginFailed.for_step(step, "fetch.status", url=_remove_query(page.url), status=page.status)
        return page

    async def _check_page(self, step: LoginStep, page: "_OpenedPage | None") -> None:
        if page is None or not await self._element_path(step, page):
            where = _remove_query(page.url) if page else Message("login.the-page")
            raise LoginFailed.for_step(step, "login.not-in", what=step.what, where=where)

    async def _element_path(self, step: LoginStep, page: "_OpenedPage") -> str:
        """Return the XPath of the first element that the step's selector matches, or "". Raises LoginFailed."""
        found = await self._run(Call(page.url, find_xpath, (page.markup, step.what)))
        if isinstance(found, Rejected):
            raise LoginFailed.for_step(step, found.message)
        return str(found)

    async def _form_request(self, step: LoginStep, page: "_OpenedPage | None", filled: Mapping[str, str]) -> Request:
        if page is None or page.tree is None:
            raise LoginFailed.for_step(step, "login.no-page")
        form = _find_form(step, page.tree, filled, await self._element_path(step, page) if step.what else "")
        if (form.method or "GET").upper() != "POST":
            raise LoginFailed.for_step(step, "login.get-form")
        fields = [(name, value) for name, value in form.form_values() if name not in filled]
        body = urlencode([*fields, *filled.items()], encoding=page.encoding, errors="xmlcharrefreplace")
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Referer": page.url} | _csrf_token(page.tree)
        action = urljoin(page.base, form.get("action") or page.url)
        return _make_login_request(action, method="POST", body=body, headers=headers)


def find_xpath(markup: str, selector: str) -> str:
    """Return the XPath of the first element in the markup that a selector matches, or ""."""
    tree = parse(markup) if markup.strip() else None
    found = select(tree, selector) if tree is not None else []
    return str(found[0].getroottree().getpath(found[0])) if found else ""


@dataclass(frozen=True, slots=True)
class _OpenedPage:
    url: str
    base: str
    status: int
    encoding: str
    markup: str
    tree: HtmlElement | None

    @classmethod
    def from_response(cls, response: Response) -> "_OpenedPage":
        if len(response.body) > MAX_FORM_PAGE_BYTES:
            return cls(response.url, response.url, response.status, "utf-8", "", None)
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        decoded = decode_page(response.body, content_type, response.url)
        text = decoded.text if isinstance(decoded, Decoded) else response.body.decode("utf-8", "replace")
        encoding = decoded.encoding if isinstance(decoded, Decoded) else "utf-8"
        tree = parse(text) if text.strip() else None
        bases = tree.xpath("//base/@href") if tree is not None else []
        base = urljoin(response.url, str(bases[0])) if bases else response.url
        return cls(response.url, base, response.status, encoding, text, tree)


def _make_login_request(url: str, **options: Any) -> Request:
    """Make a request that ignores robots.txt: the operator names its URL, and no links on the page are followed."""
    return Request(url, dont_filter=True, meta={LOGIN_META: True, "dont_obey_robotstxt": True}, **options)


def _find_form(step: LoginStep, tree: HtmlElement, filled: Mapping[str, str], path: str) -> FormElement:
    """Return the form to submit. Raises LoginFailed if there is none or it lacks a filled field.

    path: the XPath of the element that the step selects, or ""
    """
    if step.what:
        found = tree.getroottree().xpath(path) if path else []
        if not found:
            raise LoginFailed.for_step(step, "login.not-on-page", what=step.what)
        chain = [found[0], *found[0].iterancestors()]
        forms = [element for element in chain if isinstance(element, FormElement)]
    else:
        forms = [form for form in tree.forms if all(name in form.fields for name in filled)]
    if not forms:
        raise LoginFailed.for_step(step, "login.no-form")
    missing = [name for name in filled if name not in forms[0].fields]
    if missing:
        raise LoginFailed.for_step(step, "login.no-field", name=missing[0])
    return forms[0]


def _csrf_token(tree: HtmlElement) -> dict[str, str]:
    """Return the header with the CSRF token that some frameworks put in a meta tag, or {} if there is none."""
    found = tree.xpath("//meta[@name='csrf-token']/@content")
    return {"X-CSRF-Token": str(found[0])} if found else {}


def _remove_query(url: str) -> str:
    """Return a URL without its query, which may contain a session, and without its fragment."""
    return urlunsplit(urlsplit(url)._replace(query="", fragment=""))
