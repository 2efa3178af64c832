"""The words of reports in both languages: headings, names of figures and columns, members of core's enumerations."""

from collections.abc import Mapping
from enum import StrEnum

from analytics.phrases_en import ENGLISH
from analytics.phrases_zh import CHINESE
from analytics.report import Notice
from core.errors import BadInput
from core.matches import MatchClass
from core.pages import Disguise
from core.states import CaseState, Rejection, Verdict

BY_LANGUAGE: Mapping[str, Mapping[str, str]] = {"zh-hans": CHINESE, "en": ENGLISH}

# Members of different enumerations share values ("licensed"), so a phrase is found by the kind as well.
TERM_GROUPS: Mapping[type[StrEnum], str] = {
    MatchClass: "class",
    Disguise: "disguise",
    CaseState: "state",
    Verdict: "verdict",
    Rejection: "rejection",
    Notice: "notice",
}


class Phrases:
    """The phrases of one language. Raises BadInput for a language that there is none of."""

    def __init__(self, language: str) -> None:
        if language not in BY_LANGUAGE:
            raise BadInput(f"there are no reports in {language!r}; choose {' or '.join(BY_LANGUAGE)}")
        self.language = language
        self._phrases = BY_LANGUAGE[language]

    def __getitem__(self, key: str) -> str:
        return self._phrases[key]

    def term(self, member: StrEnum) -> str:
        """Say a member of one of core's enumerations."""
        return self._phrases[f"{TERM_GROUPS[type(member)]}.{member.value}"]

    def terms(self, members: tuple[StrEnum, ...]) -> str:
        return self["list_separator"].join(self.term(member) for member in members)
