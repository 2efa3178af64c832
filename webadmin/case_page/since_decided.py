"""Whether the page has changed since it was decided on, or compared, and what is different now."""

from dataclasses import dataclass

from core.errors import ZhuiwenError
from core.ids import VersionId
from core.pages import PageVersion
from records import stores
from records.models import Case
from webadmin.page_history.text_diff import TextDiff, text_diff
from webadmin.wording import said


@dataclass(frozen=True, slots=True)
class Difference:
    """Both versions and how their texts differ. fault: why it cannot be told; then the rest is None."""

    before: PageVersion | None = None
    now: PageVersion | None = None
    diff: TextDiff | None = None
    fault: str = ""


def has_changed(case: Case) -> bool:
    """Whether the page shows another version now, as far as it can be seen."""
    return case.page.version_id != case.decided_version


def difference_of(case: Case) -> Difference:
    """What is different, as far as both versions are stored."""
    try:
        store = stores.page_store()
        before, now = (store.version(VersionId(key)) for key in (case.decided_version, case.page.version_id))
    except ZhuiwenError as error:
        return Difference(fault=said(error))
    if before is None or now is None:
        return Difference(before, now)
    return Difference(before, now, text_diff(before.reading.text, now.reading.text))
