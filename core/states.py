"""The states of a case, the verdicts of a reviewer, and the reasons for excluding something."""

from enum import StrEnum

# An extraction with less is shown as doubtful: it is more likely poor (F1 below .9) than good. On held-out sites it
# flags 92 % of the poor readings of labelled pages and 1.5 % of the good ones (2026-11); see
# docs/decisions/reading-pages.md.
MIN_CONFIDENCE_TO_TRUST = 0.5


class CaseState(StrEnum):
    """The state of a case. The verdict or the rights decide it, not a page that changes or disappears."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    SET_ASIDE = "set_aside"  # without a verdict; a right allows the page, or the work is not protected

    @classmethod
    def from_verdict(cls, verdict: "Verdict | None", *, is_allowed: bool) -> "CaseState":
        """Return the state of a case with this verdict. is_allowed: whether the rights allow the page.

        >>> CaseState.from_verdict(None, is_allowed=True), CaseState.from_verdict(Verdict.CONFIRMED, is_allowed=True)
        (<CaseState.SET_ASIDE: 'set_aside'>, <CaseState.CONFIRMED: 'confirmed'>)
        """
        if verdict is not None:
            return verdict.state
        return cls.SET_ASIDE if is_allowed else cls.OPEN

    @property
    def is_copy(self) -> bool:
        """True if figures of copying include cases in this state."""
        return self in (CaseState.OPEN, CaseState.CONFIRMED)


COPIES = [state for state in CaseState if state.is_copy]


class Verdict(StrEnum):
    """The decision of a reviewer."""

    CONFIRMED = "confirmed"
    LICENSED = "licensed"
    FAIR_USE = "fair_use"  # Copyright Law of China, article 24; quotation included
    NOT_PROTECTED = "not_protected"  # article 5, or the term of protection has expired
    NOT_OURS = "not_ours"  # the texts match, but another person is the rights holder
    FALSE_ALARM = "false_alarm"  # the texts do not match: the only verdict that counts against detection

    @property
    def state(self) -> CaseState:
        """The state of a case with this verdict."""
        return CaseState.CONFIRMED if self is Verdict.CONFIRMED else CaseState.DISMISSED


class LeftOut(StrEnum):
    """The unit in which the exclusions for a reason are counted."""

    RESPONSE = "response"  # of a crawl
    VERSION = "version"  # of a page
    FINDING = "finding"  # a page and a work


class Rejection(StrEnum):
    """The reason for excluding a page or a match. Each reason is counted and displayed."""

    # while crawling
    ROBOTS = "robots"  # robots.txt forbids it
    UNSAFE_ADDRESS = "unsafe_address"  # a private, link-local or metadata address
    OFF_SITE = "off_site"
    TOO_LARGE = "too_large"
    NOT_HTML = "not_html"
    HTTP_ERROR = "http_error"
    REDIRECT_LOOP = "redirect_loop"
    NO_ANSWER = "no_answer"
    BANNED = "banned"  # a page by which the site refuses access
    TOO_MANY_FILES = "too_many_files"  # a file for download beyond the limit of a run
    UNREADABLE_FILE = "unreadable_file"  # a file for download that is damaged, protected or a nested archive
    MOJIBAKE = "mojibake"  # no encoding gives text
    NO_MAIN_TEXT = "no_main_text"
    UNREADABLE = "unreadable"  # reading it exceeds the limits of a page, or crashed the reading process
    # while matching
    TOO_FEW_HAN_CHARS = "too_few_han_chars"
    NO_MATCH = "no_match"
    # findings that open no case
    LICENSED = "licensed"
    OWN_SITE = "own_site"
    QUOTATION = "quotation"
    TEASER = "teaser"  # in announcements of other pages, or in the site's frame
    NOTHING_LEFT = "nothing_left"  # all matched passages are excluded by users or are in ignored texts
    # the work is not protected: Copyright Law of China, article 5 (1, 2) and the term of protection
    OFFICIAL_TEXT = "official_text"
    MERE_FACTS = "mere_facts"
    TERM_EXPIRED = "term_expired"
    NOT_PROTECTED = "not_protected"  # for a reason that the rights holder stated

    @property
    def leaves_out(self) -> LeftOut:
        """The unit in which this reason is counted."""
        if self in (Rejection.LICENSED, Rejection.OWN_SITE, Rejection.NOTHING_LEFT, *OF_THE_FINDING, *UNPROTECTED):
            return LeftOut.FINDING
        return LeftOut.VERSION if self in (Rejection.TOO_FEW_HAN_CHARS, Rejection.NO_MATCH) else LeftOut.RESPONSE


class ArchiveReason(StrEnum):
    """The reason for not importing an archive record, in addition to `Rejection`."""

    NO_RESPONSE = "no_response"
    NO_PAGE = "no_page"  # a scheme other than http
    NO_DATE = "no-date"  # neither the record nor the response states a time
    NOT_WATCHED = "not_watched"
    REVISIT_OF_ANOTHER_FILE = "revisit_of_another_file"


# The reasons why a work is not protected, so that findings of the work open no case.
UNPROTECTED = (Rejection.MERE_FACTS, Rejection.OFFICIAL_TEXT, Rejection.TERM_EXPIRED, Rejection.NOT_PROTECTED)

# Findings that open no case, whatever the rights allow.
OF_THE_FINDING = (Rejection.QUOTATION, Rejection.TEASER)
