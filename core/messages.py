"""The messages between steps: ids only, JSON only.

PageStored          crawler  -> fingerprint a page
PageFingerprinted   pipeline -> match a page
MatchFound          pipeline -> bundle the evidence of a page version
WorkAdded           webadmin, command line -> register a work's text (fingerprint, index)
WorkRemoved         webadmin, command line -> take a work's text out of the index
SearchRequested     sweeper, schedule -> search the stored pages for the texts that are new
CrawlRequested      webadmin, schedule, command line -> crawl a site
"""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class PageStored:
    version_id: str


@dataclass(frozen=True, slots=True)
class PageFingerprinted:
    version_id: str


@dataclass(frozen=True, slots=True)
class MatchFound:
    version_id: str


@dataclass(frozen=True, slots=True)
class WorkAdded:
    text_id: str


@dataclass(frozen=True, slots=True)
class WorkRemoved:
    text_id: str


@dataclass(frozen=True, slots=True)
class SearchRequested:
    """Says nothing but that there is something to search for: which texts and pages, the stores know."""


@dataclass(frozen=True, slots=True)
class CrawlRequested:
    run_id: int  # a crawl run that already stands in the admin database


Message = PageStored | PageFingerprinted | MatchFound | WorkAdded | WorkRemoved | SearchRequested | CrawlRequested


def as_dict(message: Message) -> dict[str, str | int]:
    """The message's fields, ready for JSON."""
    return asdict(message)
