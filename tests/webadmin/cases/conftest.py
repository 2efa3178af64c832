"""A work with one text and a site that copies it, for what the case repository writes of its pages."""

import pytest

from core.ids import work_text_id
from tests.support.memory_pages import MemoryWorkStore
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import Site
from webadmin.works.models import Chapter, Work

COPIED_TEXT = "抄来的字句原本如此"


@pytest.fixture
def works() -> MemoryWorkStore:
    store = MemoryWorkStore()
    store.put_text(COPIED_TEXT)
    return store


@pytest.fixture
def site() -> Site:
    holder = RightsHolder.objects.create(name="甲")
    chars = len(COPIED_TEXT)
    work = Work.objects.create(rights_holder=holder, title="河", counted_chars=chars)
    text_id = work_text_id(COPIED_TEXT)
    Chapter.objects.create(work=work, number=1, title="第一章", text_id=text_id, chars=chars)
    return Site.objects.create(rights_holder=holder, name="盗版站", start_urls="http://pirate.example/")
