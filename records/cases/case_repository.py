"""Cases in the admin database: rights before cases, evidence kept, a reviewer's verdict never touched."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction

from core.ids import SiteId, VersionId, WorkTextId
from core.pages import Page, VersionOfPage
from core.ports import Outcome, WorkTexts
from records.batches import batches
from records.cases.backlog import DjangoSearchBacklog, valid_checks, with_holders
from records.cases.found import site_key
from records.cases.recording import record_outcomes
from records.cases.rulings import rule_waiting
from records.cases.sightings import note_sightings
from records.database import answering
from records.models import Chapter, PageCheck, RightsHolder


class DjangoCaseRepository(DjangoSearchBacklog):
    """`core.ports.CaseRepository` over Django's ORM."""

    def __init__(self, works: WorkTexts) -> None:
        self._works = works

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        found: dict[WorkTextId, Hashable] = {}
        for batch in batches(list(texts)):
            owned = Chapter.objects.filter(work__rights_holder__sites=site_key(site), text_id__in=batch)
            found |= {WorkTextId(text): work for text, work in owned.values_list("text_id", "work_id")}
        return found

    def open_or_update_cases(self, outcomes: Sequence[Outcome]) -> list[list[int]]:
        try:
            return self._recorded(outcomes)
        except IntegrityError:  # another process wrote the same page or case for the first time: now it is there
            return self._recorded(outcomes)

    def uncompared(self, versions: Collection[VersionOfPage], algorithm_id: int) -> set[VersionId]:
        shown = {each.version.id: each.is_current for each in versions}
        checks = PageCheck.objects.filter(version_id__in=list(shown), algorithm_id=algorithm_id)
        compared = {
            VersionId(version)
            for version, recorded in checks.values_list("version_id", "page__version_id")
            if version == recorded or not shown[VersionId(version)]
        }
        return set(shown) - compared

    def note_seen(self, versions: Collection[VersionOfPage], now: datetime) -> None:
        with answering():
            note_sightings(versions, now)

    def pending(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        known = [page.current_version for page, _ in with_holders(pages)]
        checks = valid_checks(known, algorithm_id)
        return {version for version in known if version not in checks}

    def awaiting_rulings(self) -> list[int]:
        waiting = RightsHolder.objects.filter(unruled_since__isnull=False)
        return list(waiting.order_by("pk").values_list("pk", flat=True))

    def rule_again(self, rights_holder: int) -> None:
        with answering():
            rule_waiting(rights_holder)

    def is_owned(self, text: WorkTextId) -> bool:
        return Chapter.objects.filter(text_id=text).exists()

    def _recorded(self, outcomes: Sequence[Outcome]) -> list[list[int]]:
        with answering(), transaction.atomic():
            return record_outcomes(outcomes, self._works)
