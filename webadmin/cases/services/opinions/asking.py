"""Runs the published engines on pages of cases, and stores their answers once for each page version.

The engines get the texts of the frozen matches, verified by digest, and never the current page. The background texts
belong to the same rights holder. docs/decisions/measurement.md explains when this runs.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from core.ids import VersionId, WorkTextId, digest
from core.ports import PageStore, WorkStore
from core.program import code_version
from core.shares import cut_share
from webadmin.cases.models import CaseMatch, EnginePanel, SecondOpinion
from webadmin.cases.services.opinions import requests as opinion_requests
from webadmin.cases.services.opinions.engine_answers import (
    BACKGROUND_PIECES,
    Question,
    ask_all_engines,
    describe_engines,
)
from webadmin.cases.services.opinions.requests import OpinionSubject
from webadmin.database import answering
from webadmin.works.models import Chapter

# The 34 engines of November 2026 take 0.15 s of processor time for a page and a text of 3,000 characters each, 0.75 s
# for 50,000 each, and 5.5 s for a page of 3,000 and a work of 1,000,000. A chapter on the web has 2,000 to 10,000
# characters, a whole novel a million.
MAX_PAGE_CHARS = 50_000
MAX_WORK_CHARS = 1_000_000
MAX_BACKGROUND_TEXT_CHARS = 50_000  # Only the beginning is used, so longer texts are not worth fetching.


def ask_engines(subject: OpinionSubject, pages: PageStore, works: WorkStore, now: datetime) -> None:
    """Run all engines on a page version, store their answers, and close the request. Existing answers are not replaced.

    If a text is too long, missing or changed, this is stored instead. Raises ServiceUnavailable if a store does not
    respond.
    """
    if opinion_requests.has_answer(subject):
        opinion_requests.close_request(subject)
        return
    matches = _version_matches(subject)
    texts = _compared_texts(matches, pages, works)
    if texts is None:
        _store_opinion(subject, matches, now, left_out=SecondOpinion.LeftOut.TEXT_GONE)
    elif len(texts.page) > MAX_PAGE_CHARS or sum(map(len, texts.works)) > MAX_WORK_CHARS:
        _store_opinion(subject, matches, now, left_out=SecondOpinion.LeftOut.TOO_LONG)
    else:
        question, background_ids = _add_background(matches, texts, works)
        _store_opinion(
            subject,
            matches,
            now,
            panel=_current_panel(),
            answers=[asdict(answer) for answer in ask_all_engines(question)],
            piece_chars=question.piece_chars,
            background_ids=background_ids,
        )


def record_failure(subject: OpinionSubject, now: datetime) -> None:
    """Store that the engines could not be run, because the worker died at each attempt, and close the request."""
    _store_opinion(subject, _version_matches(subject), now, left_out=SecondOpinion.LeftOut.GAVE_UP)


def _version_matches(subject: OpinionSubject) -> list[CaseMatch]:
    """Return the frozen matches of a page version, in the order of the work's chapters."""
    rows = CaseMatch.objects.filter(case_id=subject.case_id, version_id=subject.version_id)
    return list(rows.select_related("case").order_by("chapter__number", "pk"))


def _compared_texts(matches: Sequence[CaseMatch], pages: PageStore, works: WorkStore) -> Question | None:
    """Return the compared texts of page and work, without background, or None if one is missing or has changed."""
    version = pages.version(VersionId(matches[0].version_id)) if matches else None
    if version is None:
        return None
    page, found = "", list[str]()
    for match in matches:
        compared = version.reading.text_by_digest(match.page_text_digest)
        work = works.text(WorkTextId(match.text_id))
        if compared is None or work is None or _text_digest(work) != match.work_text_digest:
            return None
        page = max(page, compared, key=len)  # the main text or the whole text, which begins with it
        found.append(work)
    return Question(page, found, ())


def _text_digest(text: str) -> str:
    return digest(text.encode("utf-8", "surrogatepass"))


def _add_background(matches: Sequence[CaseMatch], texts: Question, works: WorkStore) -> tuple[Question, list[str]]:
    holder, own = matches[0].case.rights_holder_id, [match.text_id for match in matches]
    background = _background_texts(holder, own, texts.piece_chars, works)
    return replace(texts, background=[piece for _, piece in background]), [key for key, _ in background]


def _background_texts(holder: int, own: Sequence[str], piece_chars: int, works: WorkStore) -> list[tuple[str, str]]:
    """Return the ids and beginnings of other texts of the rights holder. own: the ids of the texts to exclude.

    Ids are digests, so their order mixes the texts of all works and is always the same.
    """
    held = Chapter.objects.filter(work__rights_holder=holder, chars__lte=MAX_BACKGROUND_TEXT_CHARS)
    others = held.exclude(text_id__in=own)
    keys = others.order_by("text_id").values_list("text_id", flat=True).distinct()[:BACKGROUND_PIECES]
    texts = ((key, works.text(WorkTextId(key))) for key in keys)
    return [(key, text[:piece_chars]) for key, text in texts if text]


def _current_panel() -> EnginePanel:
    engines = describe_engines()
    content = json.dumps(engines, ensure_ascii=False, sort_keys=True)
    panel, _ = EnginePanel.objects.get_or_create(digest=_text_digest(content), defaults={"engines": engines})
    return panel


def _own_answer(matches: Sequence[CaseMatch]) -> dict[str, Any]:
    """Return the result of the product's own matcher for all matches.

    The similarity is the mean, weighted by matched characters.
    """
    taken = sum(match.matched_chars for match in matches)
    return {
        "algorithm_id": matches[0].algorithm_id,
        "similarity": cut_share(sum(match.similarity * match.matched_chars for match in matches) / max(1, taken)),
        "passages": sum(len(match.spans) for match in matches),
        "page_share": cut_share(min(1.0, sum(match.page_containment for match in matches))),
    }


def _store_opinion(subject: OpinionSubject, matches: Sequence[CaseMatch], now: datetime, **fields: Any) -> None:
    with answering(), transaction.atomic():
        if matches:  # There are none if the case was deleted meanwhile.
            SecondOpinion.objects.get_or_create(
                case_id=subject.case_id,
                version_id=subject.version_id,
                defaults={
                    "page_text_digest": matches[0].page_text_digest,
                    "text_ids": [match.text_id for match in matches],
                    "own_answer": _own_answer(matches),
                    "code_version": code_version(),
                    "asked_at": now,
                    **fields,
                },
            )
        opinion_requests.close_request(subject)
