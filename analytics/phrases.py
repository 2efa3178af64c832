"""The words of reports: phrases by key, and terms for members of enumerations, in one language."""

from enum import StrEnum

from analytics.report import ReportNotice
from core.terms import term
from core.wording import find_words


class Phrases:
    """The phrases of reports in one language, by key."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._code = "zh" if language.startswith("zh") else "en"

    def __getitem__(self, key: str) -> str:
        return find_words(f"phrase.{key}", self._code)

    def term(self, member: StrEnum) -> str:
        """Return the term for a member of one of core's enumerations or of ReportNotice."""
        return self[f"notice.{member}"] if isinstance(member, ReportNotice) else term(member).in_language(self.language)

    def terms(self, members: tuple[StrEnum, ...]) -> str:
        return ("、" if self._code == "zh" else ", ").join(map(self.term, members))
