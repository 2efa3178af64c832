"""A case with a typical text, for timing its page: a chapter with every tenth character replaced."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace
from unittest.mock import patch

from django.utils import timezone

from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId, digest, work_text_id
from core.pages import Fetched, Reading
from core.states import CaseState
from laboratory import draws
from laboratory.desk.maker import CHAPTER_CHARS, Estate
from pagestore.documents import new_version
from webadmin import stores
from webadmin.cases.models import Case
from webadmin.sites.models import PageRecord

CHANGED_ONE_IN = 10
HAN = "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年"
OTHERS = "赵钱孙李周吴郑王冯陈沈韩杨朱秦许"


@contextmanager
def shown_case(estate: Estate, rng: Random) -> Iterator[Case]:
    """Yield the newest open case of a rights holder, with its texts in a page store in memory."""
    case = Case.objects.filter(rights_holder=estate.holder, state=CaseState.OPEN).latest("opened_at", "pk")
    work_text = "".join(draws.one_of(rng, "，。\n" if at % 17 == 16 else HAN) for at in range(CHAPTER_CHARS))
    page_text, changes = _edited(work_text, rng)
    url, body = case.page_url, f"<html><body>{page_text}</body></html>".encode()
    site = SiteId(str(case.page.site_id))
    fetched = Fetched(site, RequestedUrl(url), FinalUrl(url), CanonicalUrl(url), 200, (), body, timezone.now())
    version = new_version(fetched, Reading(title=case.page_title, text=page_text))
    PageRecord.objects.filter(pk=case.page_id).update(version_id=version.id)
    Case.objects.filter(pk=case.pk).update(version_id=version.id)
    span = {
        "page": [0, CHAPTER_CHARS],
        "raw": [0, CHAPTER_CHARS],
        "work": [0, CHAPTER_CHARS],
        "zone": "main",
        "similarity": 1 - 1 / CHANGED_ONE_IN,
        "page_excerpt": page_text,
        "work_excerpt": work_text,
        "changes": [["homophone", at, at + 1, at, at + 1] for at in changes],
        "raw_changes": [[at, at + 1] for at in changes],
    }
    case.matches.update(
        version_id=version.id,
        text_id=work_text_id(work_text),
        page_text_digest=digest(page_text.encode()),
        work_text_digest=digest(work_text.encode()),
        spans=[span],
    )
    with (
        patch.object(
            stores, "page_store", lambda: SimpleNamespace(version=lambda _: version, versions=lambda _: [version])
        ),
        patch.object(stores, "work_store", lambda: SimpleNamespace(text=lambda _: work_text)),
    ):
        yield case


def _edited(text: str, rng: Random) -> tuple[str, list[int]]:
    """Return the text with some characters replaced, and their positions."""
    chars, places = list(text), [at for at in range(0, len(text), CHANGED_ONE_IN) if text[at] in HAN]
    for at in places:
        chars[at] = draws.one_of(rng, OTHERS)
    return "".join(chars), places
