"""Outcomes of comparisons, each with what of it concerns the rights holder who watches the site."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from core.errors import NotFound
from core.matches import Match
from core.ports import Outcome
from core.states import Rejection
from records.cases.attribution import Sources, with_sources
from records.cases.totals import Findings, by_work
from records.models import Chapter, Site
from records.models.site import site_key


@dataclass(frozen=True, slots=True)
class Found:
    """One outcome, with what of it concerns the holder who watches its site."""

    outcome: Outcome
    site: Site
    findings: list[Findings]
    is_whole: bool  # no text that was found has been withdrawn meanwhile

    @property
    def holder(self) -> int:
        return self.site.rights_holder_id

    @property
    def opens_teasers(self) -> bool:
        return self.site.rights_holder.opens_teasers

    @property
    def rejection(self) -> str:
        if self.outcome.rejection is not None:
            return str(self.outcome.rejection)
        return "" if self.findings else str(Rejection.NO_MATCH)


def found_in(outcomes: Sequence[Outcome]) -> list[Found]:
    """What the outcomes have, in their order. Raises NotFound for an unknown site."""
    keys = {outcome.version.site_id: site_key(outcome.version.site_id) for outcome in outcomes}
    sites = Site.objects.select_related("rights_holder").in_bulk(list(set(keys.values())))
    for name, key in keys.items():
        if key not in sites:
            raise NotFound("site", name)
    chapters = _chapters(outcomes, {site.rights_holder_id for site in sites.values()})
    found, sources = [], Sources()
    for outcome in outcomes:
        site = sites[keys[outcome.version.site_id]]
        owned = _owned(outcome.matches, chapters, site.rights_holder_id)
        is_whole = {match.text_id for match in outcome.matches} <= {chapter.text_id for chapter in owned}
        reading = outcome.version.reading
        findings = [with_sources(each, reading, sources) for each in by_work(owned, outcome.matches)]
        found.append(Found(outcome, site, findings, is_whole))
    return found


def _chapters(outcomes: Iterable[Outcome], holders: Collection[int]) -> dict[str, list[Chapter]]:
    texts = {match.text_id for outcome in outcomes for match in outcome.matches}
    chapters: dict[str, list[Chapter]] = defaultdict(list)
    if texts:
        rows = Chapter.objects.filter(text_id__in=texts, work__rights_holder__in=holders).select_related("work")
        for chapter in rows:
            chapters[chapter.text_id].append(chapter)
    return chapters


def _owned(matches: Iterable[Match], chapters: dict[str, list[Chapter]], holder: int) -> list[Chapter]:
    of_matches = (chapter for match in matches for chapter in chapters.get(match.text_id, ()))
    owned = (chapter for chapter in of_matches if chapter.work.rights_holder_id == holder)
    return sorted(owned, key=lambda chapter: (chapter.work_id, chapter.number))
