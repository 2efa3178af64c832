"""The words of reports in one language: the phrase book, and the terms for members of enumerations."""

from enum import StrEnum

from analytics.phrasebook import NOTICES, PHRASES
from analytics.records import LANGUAGES
from analytics.report import Notice
from core.errors import BadInput
from core.terms import TERMS


class Phrases:
    """The phrases of one language. Raises BadInput for a language that there is none of."""

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise BadInput("report.language", language=language, languages=tuple(LANGUAGES))
        self.language = language

    def __getitem__(self, key: str) -> str:
        return PHRASES[key].in_language(self.language)

    def all(self) -> dict[str, str]:
        """Give every phrase by its key."""
        return {key: words.in_language(self.language) for key, words in PHRASES.items()}

    def term(self, member: StrEnum) -> str:
        """Say a member of one of core's enumerations, or a notice."""
        words = NOTICES[member] if isinstance(member, Notice) else TERMS[type(member)][member]
        return words.in_language(self.language)

    def terms(self, members: tuple[StrEnum, ...]) -> str:
        return self["list_separator"].join(map(self.term, members))
