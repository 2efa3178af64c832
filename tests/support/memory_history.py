"""The history of pages in memory: the twin of pagestore.mongo_history, and one contract suite with it."""

import threading
from collections import defaultdict
from dataclasses import replace
from datetime import datetime

from core.ids import Digest, PageId, VersionId
from core.pages import Fetched, Page
from core.visits import Absence, AbsenceReason, PageState
from pagestore.documents import Document, required_portable
from pagestore.states import (
    absence_document,
    absence_state,
    new_absence,
    read_absence,
    read_states,
    version_state,
)


class MemoryPageHistory:
    """core.ports.PageHistory in memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._raw: dict[Digest, bytes] = {}
        self._pages: dict[PageId, Page] = {}
        self._states: defaultdict[PageId, list[Document]] = defaultdict(list)
        self._absences: defaultdict[PageId, dict[str, Absence]] = defaultdict(dict)
        self._gone: set[PageId] = set()

    def record_sighting(self, page_id: PageId, at: datetime) -> VersionId | None:
        with self._lock:
            page = self._pages.get(page_id)
            if page is None:
                return None
            if at >= page.last_seen:
                self._pages[page_id] = replace(page, last_seen=at)
                self._note_shown(page_id, page, page.current_version, at)
            else:
                self._pages[page_id] = replace(page, first_seen=min(page.first_seen, at))
        return page.current_version

    def put_absence(self, fetched: Fetched, reason: AbsenceReason, *, is_gone: bool) -> Absence:
        absence = read_absence(required_portable(absence_document(new_absence(fetched, reason))))
        with self._lock:
            self._raw[absence.raw_digest] = fetched.body
            page = self._pages.get(absence.page_id)
            if page is not None:
                self._absences[page.id].setdefault(absence.id, absence)
                if is_gone and page.id not in self._gone and page.last_seen < absence.fetched_at:
                    self._gone.add(page.id)
                    self._add_states(page.id, absence_state(absence))
        return absence

    def absences(self, page_id: PageId) -> list[Absence]:
        found = self._absences.get(page_id, {}).values()
        return sorted(found, key=lambda absence: (absence.fetched_at, absence.id))

    def states(self, page_id: PageId) -> list[PageState]:
        with self._lock:
            page = self._pages.get(page_id)
            return [] if page is None else read_states(self._sightings(page))

    def _sightings(self, page: Page) -> list[Document]:
        return [*self._states.get(page.id, []), version_state(page.last_seen, page.current_version)]

    def _note_shown(self, page_id: PageId, before: Page | None, version: VersionId, at: datetime) -> None:
        """Write a state where the page showed something else before, or was gone."""
        if before is None or before.current_version != version or page_id in self._gone:
            ended = [] if before is None else [version_state(before.last_seen, before.current_version)]
            self._add_states(page_id, *ended, version_state(at, version))
            self._gone.discard(page_id)

    def _note_earlier(self, page: Page, version: VersionId, at: datetime) -> None:
        """Write what a page showed before it was last seen, and that it showed its current version after that."""
        seen_later = version_state(page.last_seen, page.current_version)
        self._add_states(page.id, version_state(at, version), seen_later)

    def _add_states(self, page_id: PageId, *states: Document) -> None:
        self._states[page_id] += required_portable({"states": list(states)})["states"]
