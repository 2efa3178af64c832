"""Reads the stored answers of the published engines for the page of a case, without loading the engines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import get_language

from webadmin.cases.models import Case, SecondOpinion
from webadmin.cases.services.opinions.requests import OpinionSubject, is_request_open

# The same as in engine_answers.EngineVerdict, which cannot be imported without loading all engines.
COPY, NO_COPY, NEEDS_CORPUS = "copy", "no_copy", "needs_corpus"


@dataclass(frozen=True, slots=True)
class AnswerEntry:
    """The answer and the description of an engine. similarity: None if it found no copy or gave no verdict."""

    name: str
    summary: str
    source: str
    marks_passages: bool
    verdict: str
    similarity: float | None
    passages: int
    page_share: float


@dataclass(frozen=True, slots=True)
class OpinionsSection:
    """The answers about a page version of a case. opinion: None if none are stored.

    not_asked: the engines that gave no verdict.
    """

    version_id: str
    opinion: SecondOpinion | None
    is_being_asked: bool = False
    agreeing: Sequence[AnswerEntry] = ()
    disagreeing: Sequence[AnswerEntry] = ()
    not_asked: Sequence[AnswerEntry] = ()

    @property
    def state(self) -> str:
        """The state for the script of the page: "answered", "asking" or "unasked"."""
        if self.opinion is not None:
            return "answered"
        return "asking" if self.is_being_asked else "unasked"

    @property
    def asked_count(self) -> int:
        return len(self.agreeing) + len(self.disagreeing)

    @property
    def lacks_corpus(self) -> bool:
        """True if the rights holder had too few texts for at least one engine."""
        return any(answer.verdict == NEEDS_CORPUS for answer in self.not_asked)


def read_opinions(case: Case, version_id: str, now: datetime) -> OpinionsSection:
    """Return the answers about a page version of a case, in the order of the catalogue, in the user's language."""
    opinion = SecondOpinion.objects.select_related("panel").filter(case=case, version_id=version_id).first()
    if opinion is None:
        return OpinionsSection(version_id, None, is_request_open(OpinionSubject(case.pk, version_id), now))
    if opinion.panel is None:
        return OpinionsSection(version_id, opinion)
    descriptions = {each["name"]: each for each in opinion.panel.engines}
    shown = [_show_answer(answer, descriptions.get(answer["engine"], {})) for answer in opinion.answers]
    return OpinionsSection(
        version_id,
        opinion,
        agreeing=[each for each in shown if each.verdict == COPY],
        disagreeing=[each for each in shown if each.verdict == NO_COPY],
        not_asked=[each for each in shown if each.verdict not in {COPY, NO_COPY}],
    )


def _show_answer(answer: Mapping[str, Any], description: Mapping[str, Any]) -> AnswerEntry:
    language = "zh" if (get_language() or "").startswith("zh") else "en"
    return AnswerEntry(
        name=answer["engine"],
        summary=description.get(f"summary_{language}", ""),
        source=description.get("source", ""),
        marks_passages=bool(description.get("gives_spans")),
        verdict=answer["verdict"],
        similarity=answer["similarity"],
        passages=answer["passages"],
        page_share=answer["page_share"],
    )
