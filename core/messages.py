"""The messages between steps: ids only, JSON only.

PagesStored         crawler, sweeper, search -> compare pages
MatchesFound        pipeline -> bundle the evidence of page versions
WorkAdded           webadmin, command line -> register a work's text (fingerprint, index)
WorkRemoved         webadmin, command line -> take a work's text out of the index
SearchRequested     sweeper, schedule -> search the stored pages for the texts that are new
CrawlRequested      webadmin, schedule, command line -> crawl a site
RightsChanged       webadmin, sweeper -> rule a rights holder's findings by the rights that there are now
OpinionsRequested   webadmin, command line -> ask the published engines about a page version behind a case
LookUpRequested     webadmin -> ask the registries who hosts a site and who registered its name
MailRequested       webadmin -> hand the mail of a notice to the mail server
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

MAX_IDS = 32  # of one message; what a worker holds at once, and does again where one of them is at fault


@dataclass(frozen=True, slots=True)
class PagesStored:
    """Versions that pages were seen in, new or not: those that owe a comparison get one. At most MAX_IDS."""

    version_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchesFound:
    """Page versions that took from works. At most MAX_IDS."""

    version_ids: tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class RightsChanged:
    rights_holder_id: int


@dataclass(frozen=True, slots=True)
class OpinionsRequested:
    case_id: int
    version_id: str  # a page version on which the case rests


@dataclass(frozen=True, slots=True)
class LookUpRequested:
    look_up_id: int  # a look-up that already stands in the admin database


@dataclass(frozen=True, slots=True)
class MailRequested:
    mail_id: int  # a mail that already stands in the admin database, its bytes in the evidence store


StepMessage = (
    PagesStored
    | MatchesFound
    | WorkAdded
    | WorkRemoved
    | SearchRequested
    | CrawlRequested
    | RightsChanged
    | OpinionsRequested
    | LookUpRequested
    | MailRequested
)


def pages_stored(version_ids: Sequence[str]) -> Iterator[PagesStored]:
    """As many messages as these versions need."""
    return (PagesStored(tuple(version_ids[start : start + MAX_IDS])) for start in range(0, len(version_ids), MAX_IDS))


def matches_found(version_ids: Sequence[str]) -> Iterator[MatchesFound]:
    """As many messages as these versions need."""
    return (MatchesFound(tuple(version_ids[start : start + MAX_IDS])) for start in range(0, len(version_ids), MAX_IDS))


def as_dict(message: StepMessage) -> dict[str, str | int | tuple[str, ...]]:
    """Return the message's fields, ready for JSON."""
    return asdict(message)
