"""The messages that steps send each other, as JSON. A message contains only ids.

PagesStored         crawler, sweeper, search -> compare pages
MatchesFound        pipeline -> bundle the evidence of page versions
WorkAdded           webadmin, command line -> register a work's text (fingerprint, index)
WorkRemoved         webadmin, command line -> remove a work's text from the index
SearchRequested     sweeper, schedule -> search the stored pages for the new texts
CrawlRequested      webadmin, schedule, command line -> crawl a site
RightsChanged       webadmin, sweeper -> apply the current rights to the findings of a rights holder
OpinionsRequested   webadmin -> run the published engines on a page version of a case
LookUpRequested     webadmin -> look up the host and the registrar of a site
MailRequested       webadmin -> send the mail of a notice to the mail server
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

MAX_IDS = 32  # in one message; a worker loads them together, and repeats them all if one fails


@dataclass(frozen=True, slots=True)
class PagesStored:
    """Page versions that were stored or seen again; those not compared yet are compared. At most MAX_IDS."""

    version_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchesFound:
    """Page versions that match works. At most MAX_IDS."""

    version_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkAdded:
    text_id: str


@dataclass(frozen=True, slots=True)
class WorkRemoved:
    text_id: str


@dataclass(frozen=True, slots=True)
class SearchRequested:
    """A request to search the stored pages for new texts. The stores determine the texts and pages."""


@dataclass(frozen=True, slots=True)
class CrawlRequested:
    run_id: int  # a crawl run that is already in the admin database


@dataclass(frozen=True, slots=True)
class RightsChanged:
    rights_holder_id: int


@dataclass(frozen=True, slots=True)
class OpinionsRequested:
    case_id: int
    version_id: str  # a page version that is evidence in the case


@dataclass(frozen=True, slots=True)
class LookUpRequested:
    look_up_id: int  # a look-up that is already in the admin database


@dataclass(frozen=True, slots=True)
class MailRequested:
    mail_id: int  # a mail that is already in the admin database, its bytes in the evidence store


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
    """Return messages that contain these versions, at most MAX_IDS in each."""
    return (PagesStored(tuple(version_ids[start : start + MAX_IDS])) for start in range(0, len(version_ids), MAX_IDS))


def matches_found(version_ids: Sequence[str]) -> Iterator[MatchesFound]:
    """Return messages that contain these versions, at most MAX_IDS in each."""
    return (MatchesFound(tuple(version_ids[start : start + MAX_IDS])) for start in range(0, len(version_ids), MAX_IDS))


def as_dict(message: StepMessage) -> dict[str, str | int | tuple[str, ...]]:
    """Return the fields of a message for JSON."""
    return asdict(message)
