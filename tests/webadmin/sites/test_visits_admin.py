"""Addresses and moves as people see them: who may see, who may decide, what stands on the page."""

from datetime import timedelta

import pytest
from django.urls import reverse

from core.ids import SiteId
from core.visits import Visit
from tests.support import admin_data
from tests.support.desk import english
from webadmin.sites.models import Site, SiteMove
from webadmin.sites.services.visit_repository import DjangoVisitRepository

CASES = 2

NOW = admin_data.NOW
NEW = "xin.changhe.example"
SENT = {"_form_submitted": "True"}
pytestmark = pytest.mark.django_db


def move_of(site: Site) -> SiteMove:
    evidence = {"start_pages_led": 1, "pages_led": 4, "same_place": 3, "known_pages": 9, "compared": 3, "alike": 2}
    examples = [["javascript:alert(1)", f"https://{NEW}/"]]
    return SiteMove.objects.create(
        site=site,
        from_host="luoxia.changhe.example",
        to_host=NEW,
        evidence={**evidence, "template": 0.91, "examples": examples},
        proposed_at=NOW,
    )


def failing(site: Site, path: str = "/<b>1</b>.html") -> None:
    host = site.domains.get().host
    visit = Visit(
        id=f"{site.pk:040}",
        url=f"https://{host}{path}",
        depth=1,
        found_at=NOW,
        due_at=NOW + timedelta(hours=1),
        failures=3,
        failed_at=NOW,
        reason="no_answer",
        sentence=f"https://{host}{path} did not respond within 30 seconds",
    )
    DjangoVisitRepository().save(SiteId(str(site.pk)), [visit])


def test_failing_addresses_are_listed_with_the_reason_and_only_to_their_people(world: admin_data.World) -> None:
    failing(world.ours.sites[0])
    failing(world.theirs.sites[0])
    person = english(world.ours.reviewer)
    shown = person.get(reverse("admin:watched_sites_address_changelist") + "?condition=failing").content.decode()
    assert "luoxia.changhe.example/&lt;b&gt;1&lt;/b&gt;.html" in shown
    assert "beidou" not in shown
    assert "no response" in shown
    for condition in ("absent", "due", "new"):
        asked = {"condition": condition}
        assert person.get(reverse("admin:watched_sites_address_changelist"), asked).status_code == 200
    entry = person.get(reverse("admin:watched_sites_address_change", args=[f"{world.ours.sites[0].pk:040}"]))
    assert "did not respond within 30 seconds" in entry.content.decode()


def test_a_move_shows_what_speaks_for_it(world: admin_data.World) -> None:
    move = move_of(world.ours.sites[0])
    person = english(world.ours.manager)
    shown = person.get(reverse("admin:watched_sites_sitemove_change", args=[move.pk])).content.decode()
    for sentence in ("start pages lead to the new host: 1", "4 pages redirect there, 3 to the same path", "91"):
        assert sentence in shown
    assert 'href="javascript:' not in shown
    listed = person.get(reverse("admin:watched_sites_sitemove_changelist")).content.decode()
    assert NEW in listed


def test_a_manager_accepts_and_a_reviewer_may_not(world: admin_data.World) -> None:
    move = move_of(world.ours.sites[0])
    address = reverse("admin:watched_sites_sitemove_accept_move", args=[move.pk])
    assert english(world.ours.reviewer).post(address, SENT).status_code in {302, 403}
    move.refresh_from_db()
    assert move.state == SiteMove.State.PROPOSED
    english(world.ours.manager).post(address, SENT)
    move.refresh_from_db()
    assert (move.state, move.decided_by) == (SiteMove.State.ACCEPTED, world.ours.manager)
    assert NEW in {domain.host for domain in world.ours.sites[0].domains.all()}


def test_what_was_refused_cannot_be_accepted_and_says_so(world: admin_data.World) -> None:
    move = move_of(world.ours.sites[0])
    person = english(world.ours.manager)
    person.post(reverse("admin:watched_sites_sitemove_refuse_move", args=[move.pk]), SENT)
    move.refresh_from_db()
    assert move.state == SiteMove.State.REFUSED
    answer = person.post(reverse("admin:watched_sites_sitemove_accept_move", args=[move.pk]), SENT, follow=True)
    assert "has already been" in answer.content.decode()
