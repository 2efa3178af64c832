"""The title of a chapter finds the matters of works that have one of that title, and nobody else learns of it."""

import re
from urllib.parse import quote

import pytest
from django.db.models import Model
from django.urls import reverse

from core.taken import Places
from tests.support.admin_data import World
from tests.support.desk import list_url, registered_models, signed_in
from webadmin.accounts.models import User
from webadmin.accounts.services.access import HOLDER_PATHS
from webadmin.cases.models import Matter, TakenText
from webadmin.cases.services.matters.figures import refresh_matters
from webadmin.review.pages.matter_lists import inbox_query
from webadmin.works.models import Chapter

pytestmark = pytest.mark.django_db
INBOX = reverse("admin:index")
OURS = [model for model in registered_models() if model in HOLDER_PATHS]
WORDS, NO_WORDS = "沉江旧约", "无此字句"


@pytest.fixture
def theirs(world: World) -> Matter:
    """Make a case of a text that we have as well: their chapter is called otherwise, both works were copied."""
    ours, other = world.ours.works[0], world.theirs.works[0]
    chapter = other.chapters.get(number=1)
    assert ours.chapters.get(number=1).text_id == chapter.text_id
    Chapter.objects.filter(pk=chapter.pk).update(title=f"尾声 {WORDS}")
    matters = {work.pk: Matter.objects.get(work=work) for work in (ours, other)}
    for matter in matters.values():
        assert matter.texts.filter(text_id=chapter.text_id).exists()
    return matters[other.pk]


def page_of(person: User, address: str, asked: str, typed: str) -> str:
    """Return what somebody is shown, without the words that they typed themselves. asked: what stands before them."""
    response = signed_in(person).get(f"{address}?{asked}{quote(typed)}")
    page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"|nonce="[^"]+"', "", response.content.decode())
    for written in (typed, quote(typed), quote(quote(typed))):
        page = page.replace(written, "")
    return f"{response.status_code} {page}"


def found(person: User, typed: str) -> list[Matter]:
    response = signed_in(person).get(INBOX, {"q": typed, "queue": "all"})
    return [line.matter for line in response.context["lines"]]


def test_it_finds_the_matter_for_its_own_holder_and_for_an_administrator(world: World, theirs: Matter) -> None:
    assert found(world.theirs.reviewer, WORDS) == found(world.administrator, WORDS) == [theirs]
    assert found(world.ours.reviewer, WORDS) == []


def test_an_inbox_says_nothing_of_a_title_that_another_holder_has(world: World, theirs: Matter) -> None:
    reviewer, case = world.ours.reviewer, world.ours.cases[0]
    surroundings = reverse("admin:cases_case_change", args=[case.pk])
    for address, asked in ((INBOX, "queue=all&q="), (surroundings, f"inbox={quote('queue=all&q=')}")):
        assert page_of(reviewer, address, asked, WORDS) == page_of(reviewer, address, asked, NO_WORDS)


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.model_name)
def test_a_list_tells_no_title_of_another_holder(world: World, theirs: Matter, model: type[Model]) -> None:
    for person in (world.ours.reviewer, world.ours.manager):
        assert page_of(person, list_url(model), "q=", WORDS) == page_of(person, list_url(model), "q=", NO_WORDS)


def test_a_word_of_many_titles_names_no_chapter(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    case = world.ours.cases[0]
    Chapter.objects.filter(work=case.work).update(title=WORDS)
    chapters = Chapter.objects.filter(work=case.work).count()
    for chapter in case.work.chapters.exclude(text_id=case.matches.get().text_id):
        TakenText.objects.create(case=case, text_id=chapter.text_id, places=Places.from_starts(range(5)).pack())
    refresh_matters([case.matter_id])
    for most, matters in ((chapters, [case.matter]), (chapters - 1, [])):
        monkeypatch.setattr(inbox_query, "MAX_CHAPTERS", most)
        assert found(world.ours.reviewer, WORDS) == matters
