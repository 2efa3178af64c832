"""The states of a case, the verdicts of a reviewer, and the reasons for which something is left out."""

from enum import StrEnum

# Below it an extraction is shown as doubtful: it is more likely poor (F1 below .9) than good. On sites left out of the
# fit it catches 92 % of the poor readings of labelled pages and 1.5 % of the good ones (2026-11); see
# docs/decisions/main-text.md.
MIN_CONFIDENCE_TO_TRUST = 0.5


class CaseState(StrEnum):
    """Where a case is. Only a reviewer closes a case; a page that changes or goes does not."""

    OPEN = "open"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


class Verdict(StrEnum):
    """What a reviewer decided."""

    CONFIRMED = "confirmed"
    LICENSED = "licensed"
    QUOTATION = "quotation"
    NOT_A_COPY = "not_a_copy"

    @property
    def state(self) -> CaseState:
        """The state that this verdict puts a case into."""
        return CaseState.CONFIRMED if self is Verdict.CONFIRMED else CaseState.DISMISSED


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
    MOJIBAKE = "mojibake"  # no decoding gives text
    NO_MAIN_TEXT = "no_main_text"
    UNREADABLE = "unreadable"  # reading it ended the process that reads, twice
    # while matching
    TOO_FEW_HAN_CHARS = "too_few_han_chars"
    NO_MATCH = "no_match"
    # findings that are no case
    LICENSED = "licensed"
    OWN_SITE = "own_site"
    QUOTATION = "quotation"
