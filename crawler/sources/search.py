"""The client of a search endpoint with SearXNG's JSON format: sends a quoted sentence and returns URLs.

Source: https://docs.searxng.org/dev/search_api.html. Other endpoints that respond with {"results": [{"url", "title"}]}
to ?q=...&format=json can be used as well.
"""

import json
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import urlencode, urlsplit, urlunsplit

from core.errors import BadConfiguration, BadInput, RetryLater
from core.settings import CrawlSettings
from crawler.fetching.exchange import NoPage, fetch

MAX_RESULTS = 50  # per response; a page of SearXNG has 10 to 30
MAX_ANSWER_BYTES = 2 * 1024 * 1024
_ACCEPT = "application/json"


@dataclass(frozen=True, slots=True)
class Result:
    """A search result: its URL, its title, and the excerpt that the search engine provides."""

    url: str
    title: str = ""
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The results of a search.

    silent_engines: the engines that did not respond according to SearXNG, with the reasons.
    """

    results: tuple[Result, ...]
    silent_engines: tuple[str, ...] = ()


def search(endpoint: str, sentence: str, settings: CrawlSettings) -> SearchAnswer:
    """Search for a sentence in quotation marks.

    Raises RetryLater if the endpoint does not respond or limits the rate, BadConfiguration if it does not return JSON
    in this format, or UnsafeUrl if its address is private and the settings do not allow it.
    """
    limits = replace(settings, max_body_bytes=min(settings.max_body_bytes, MAX_ANSWER_BYTES))
    try:
        page = fetch(query_url(endpoint, sentence), limits, _ACCEPT)
    except NoPage as error:
        if error.status == HTTPStatus.FORBIDDEN:
            raise BadConfiguration("search.no-json", endpoint=_without_login(endpoint)) from error
        raise
    try:
        return read_answer(page.body)
    except (ValueError, BadInput) as error:
        raise BadConfiguration("search.other-answer", endpoint=_without_login(endpoint), error=error) from error


def query_url(endpoint: str, sentence: str) -> str:
    """Return the URL of a search for a sentence. The endpoint's own parameters are preserved.

    >>> query_url("https://searx.example/search?language=zh", "雨停了")
    'https://searx.example/search?language=zh&q=%22%E9%9B%A8%E5%81%9C%E4%BA%86%22&format=json'
    """
    parts = urlsplit(endpoint)
    asked = urlencode({"q": f'"{sentence}"', "format": "json"})
    query = f"{parts.query}&{asked}" if parts.query else asked
    return urlunsplit((parts.scheme, parts.netloc, parts.path or "/search", query, ""))


def read_answer(body: bytes) -> SearchAnswer:
    """Parse a response. Results without a URL are dropped. Raises BadInput or ValueError if the response is invalid."""
    try:
        answer = json.loads(body.decode("utf-8"))
    except RecursionError as error:
        raise BadInput("search.nested") from error
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        raise BadInput("search.no-results")
    found = [entry for entry in answer["results"][:MAX_RESULTS] if isinstance(entry, dict)]
    results = [
        Result(str(entry["url"]), str(entry.get("title") or ""), str(entry.get("content") or ""))
        for entry in found
        if isinstance(entry.get("url"), str) and entry["url"].startswith(("http://", "https://"))
    ]
    silent = [entry for entry in answer.get("unresponsive_engines") or [] if isinstance(entry, list) and entry]
    return SearchAnswer(tuple(results), tuple(": ".join(str(word) for word in entry[:2]) for entry in silent[:20]))


def require_answer(answer: SearchAnswer) -> None:
    """Raise RetryLater if nothing was found because no engine responded.

    This does not mean that there are no results.
    """
    if not answer.results and answer.silent_engines:
        raise RetryLater("search.silent", engines=answer.silent_engines[:3])


def _without_login(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
