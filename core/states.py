"""The states of a case, the verdicts of a reviewer, and the reasons for which something is left out."""

from collections.abc import Collection
from enum import StrEnum

from core.matches import MatchClass

# Below it an extraction is shown as doubtful: it is more likely poor (F1 below .9) than good. On sites left out of the
# fit it catches 92 % of the poor readings of labelled pages and 1.5 % of the good ones (2026-11); see
# docs/decisions/reading-pages.md.
MIN_CONFIDENCE_TO_TRUST = 0.5


class CaseState(StrEnum):
    """Where a case is. A verdict decides; without one, what the rights allow. A page that changes or goes does not."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    SET_ASIDE = "set_aside"  # a right allows the page, or the work is not protected, and nobody has decided

    @classmethod
    def from_verdict(cls, verdict: "Verdict | None", *, is_allowed: bool) -> "CaseState":
        """Return the state of a case with this verdict, on a page that the rights allow or do not.

        >>> CaseState.from_verdict(None, is_allowed=True), CaseState.from_verdict(Verdict.CONFIRMED, is_allowed=True)
        (<CaseState.SET_ASIDE: 'set_aside'>, <CaseState.CONFIRMED: 'confirmed'>)
        """
        if verdict is not None:
            return verdict.state
        return cls.SET_ASIDE if is_allowed else cls.OPEN

    @property
    def is_copy(self) -> bool:
        """Whether figures of what was copied count a case in this state."""
        return self in (CaseState.OPEN, CaseState.CONFIRMED)


COPIES = [state for state in CaseState if state.is_copy]


class Verdict(StrEnum):
    """What a reviewer decided."""

    CONFIRMED = "confirmed"
    LICENSED = "licensed"
    FAIR_USE = "fair_use"  # Copyright Law of China, article 24; quotation included
    NOT_PROTECTED = "not_protected"  # article 5, or the term of protection has expired
    NOT_OURS = "not_ours"  # the texts match, and the right is another's
    FALSE_ALARM = "false_alarm"  # the texts do not match: of all verdicts the only one that speaks against detection

    @property
    def state(self) -> CaseState:
        """The state that this verdict puts a case into."""
        return CaseState.CONFIRMED if self is Verdict.CONFIRMED else CaseState.DISMISSED


class LeftOut(StrEnum):
    """What a reason leaves out, and so what is counted under it."""

    RESPONSE = "response"  # of a crawl
    VERSION = "version"  # of a page
    FINDING = "finding"  # a page and a work


class Rejection(StrEnum):
    """Why a page or a match went no further. Each is counted and shown."""

    # while crawling
    ROBOTS = "robots"  # robots.txt forbids it
    UNSAFE_ADDRESS = "unsafe_address"  # a private, link-local or metadata address
    OFF_SITE = "off_site"
    TOO_LARGE = "too_large"
    NOT_HTML = "not_html"
    HTTP_ERROR = "http_error"
    REDIRECT_LOOP = "redirect_loop"
    NO_ANSWER = "no_answer"
    BANNED = "banned"  # an answer that is a refusal in the guise of a page
    TOO_MANY_FILES = "too_many_files"  # offered for download, beyond what a run fetches
    UNREADABLE_FILE = "unreadable_file"  # offered for download: damaged, protected, archives in archives
    MOJIBAKE = "mojibake"  # no decoding gives text
    NO_MAIN_TEXT = "no_main_text"
    UNREADABLE = "unreadable"  # reading it costs more than a page may, or ended the process that reads
    # while matching
    TOO_FEW_HAN_CHARS = "too_few_han_chars"
    NO_MATCH = "no_match"
    # findings that are no case
    LICENSED = "licensed"
    OWN_SITE = "own_site"
    QUOTATION = "quotation"
    TEASER = "teaser"  # in announcements of other pages, or in the site's frame
    NOTHING_LEFT = "nothing_left"  # but passages that do not count: excluded by people, ignored texts
    # the work is not protected: Copyright Law of China, article 5 (1, 2) and the term of protection
    OFFICIAL_TEXT = "official_text"
    MERE_FACTS = "mere_facts"
    TERM_EXPIRED = "term_expired"
    NOT_PROTECTED = "not_protected"  # as a sentence of the rights holder says

    @property
    def leaves_out(self) -> LeftOut:
        """What is counted under this reason."""
        if self in (Rejection.LICENSED, Rejection.OWN_SITE, Rejection.NOTHING_LEFT, *OF_THE_FINDING, *UNPROTECTED):
            return LeftOut.FINDING
        return LeftOut.VERSION if self in (Rejection.TOO_FEW_HAN_CHARS, Rejection.NO_MATCH) else LeftOut.RESPONSE


class ArchiveReason(StrEnum):
    """Why a record of an archive is no page that is taken in; beside `Rejection`, for what was read."""

    NO_RESPONSE = "no_response"
    NO_PAGE = "no_page"  # of another scheme than http
    NO_DATE = "no-date"  # neither the record nor the answer says when it was fetched
    NOT_WATCHED = "not_watched"
    REVISIT_OF_ANOTHER_FILE = "revisit_of_another_file"


# Why a work is not protected, so that what is found of it is no case.
UNPROTECTED = (Rejection.MERE_FACTS, Rejection.OFFICIAL_TEXT, Rejection.TERM_EXPIRED, Rejection.NOT_PROTECTED)

# What the finding itself is, whatever the rights allow: no case is opened by it.
OF_THE_FINDING = (Rejection.QUOTATION, Rejection.TEASER)


def exclusion_reason(classes: Collection[MatchClass]) -> Rejection | None:
    """Why findings of these classes open no case; None where they do.

    >>> exclusion_reason([MatchClass.TEASER, MatchClass.QUOTATION])
    <Rejection.QUOTATION: 'quotation'>
    >>> exclusion_reason([MatchClass.TEASER, MatchClass.EXCERPT]) is None
    True
    """
    if set(classes) - {MatchClass.QUOTATION, MatchClass.TEASER}:
        return None
    return Rejection.QUOTATION if MatchClass.QUOTATION in classes else Rejection.TEASER
