"""No rights holder sees anything of another: every list, form, search, filter, action and export that is registered.

The tests walk the admin's registry, so a list that is added later fails here until it is isolated.
"""

import pytest
from django.contrib import admin
from django.contrib.messages import get_messages
from django.db.models import Model
from django.urls import reverse

from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import add_url, list_url, record_url, registered_models, signed_in
from webadmin.accounts.models import Membership, User
from webadmin.accounts.services.access import HOLDER_PATHS
from webadmin.cases.models import Case
from webadmin.sites.models import CrawlRun, Site

THEIR_TAG = "beidou"  # stands in every name, title and URL of the other estate
OURS = [model for model in registered_models() if model in HOLDER_PATHS]
SYSTEM = [model for model in registered_models() if model not in HOLDER_PATHS]
ROLES = ("reviewer", "manager")


def fill() -> World:
    world = admin_data.fill_world()
    for estate in (world.ours, world.theirs):
        admin_data.evidence_bundle(estate.cases[0])
        admin_data.removal(admin_data.evidence_bundle(estate.cases[1]))
    return world


def theirs(world: World, model: type[Model]) -> Model:
    """One record of the other rights holder, of any registered model of ours."""
    record = model._default_manager.filter(**{HOLDER_PATHS[model]: world.theirs.holder.pk}).first()
    assert record is not None, f"{model.__name__} is new in the admin: let `fill_estate` make one"
    return record


def person(world: World, role: str) -> User:
    return getattr(world.ours, role)


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_no_list_or_form_names_anything_of_another_holder(world: World, model: type[Model]) -> None:
    estate, listed = world.theirs, list_url(model)
    others = {"rights_holder": estate.holder, "work": estate.works[0], "site": estate.sites[0]}
    for role in ROLES:
        client = signed_in(person(world, role))
        if model is Membership and role == "reviewer":
            assert client.get(listed).status_code == 403
            continue
        assert "changhe" in client.get(listed).content.decode()
        assert client.get(listed, {"q": THEIR_TAG}).context["cl"].result_count == 0
        filters = ({f"{name}__id__exact": record.pk} for name, record in others.items())
        answers = [client.get(listed), client.get(add_url(model))]
        answers += [client.get(listed, asked, follow=True) for asked in filters]
        for answer in answers:
            assert answer.status_code in {200, 400, 403}
            assert THEIR_TAG not in answer.content.decode(), answer.request["QUERY_STRING"]
        for name in ("decided_by", "user", "requested_by"):
            assert client.get(listed, {f"{name}__password__startswith": "pbkdf2"}).status_code in {302, 400}, name


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_no_record_of_another_holder_is_shown_or_changed(world: World, model: type[Model]) -> None:
    """Its form, history, deletion, timelines, trials, buttons, decisions: whatever its admin has for records."""
    record, client, model_admin = theirs(world, model), signed_in(world.ours.manager), admin.site._registry[model]
    before, runs = type(record).objects.filter(pk=record.pk).values().get(), CrawlRun.objects.count()
    urls = [url for url in model_admin.get_urls() if url.name and "object_id" in str(url.pattern)]
    for url in urls:
        below = [1] * (str(url.pattern).count("<") - 1)  # a chapter, a site: the first
        address = reverse(f"admin:{url.name}", args=[record.pk, *below])
        sent = {"_form_submitted": "True", "verdict": "confirmed", "post": "yes"}
        for response in (client.get(address), client.post(address, sent)):
            assert response.status_code in {302, 403, 404}, address
            assert THEIR_TAG not in response.content.decode(), address
            if response.status_code == 302:  # away from the record, with a word that it is not there
                assert response.url == reverse("admin:index")
                assert not [told for told in get_messages(response.wsgi_request) if str(record) in str(told)]
    for name in {"delete_selected", *model_admin.actions}:
        data = {"action": str(name), "_selected_action": [record.pk], "post": "yes", "note": "x"}
        response = client.post(list_url(model), data)
        assert response.status_code in {200, 302, 403}
        body = b"".join(response) if response.streaming else response.content
        assert THEIR_TAG not in body.decode("utf-8", "replace"), name
    assert type(record).objects.filter(pk=record.pk).values().get() == before
    assert CrawlRun.objects.count() == runs


def test_autocomplete_offers_nothing_of_another_rights_holder(world: World) -> None:
    for model in ("case", "exclusion"):
        asked = {"app_label": "cases", "model_name": model, "field_name": "work", "term": ""}
        response = signed_in(world.ours.manager).get(reverse("admin:autocomplete"), asked)
        names = [entry["text"] for entry in response.json()["results"]]
        assert names
        assert not [name for name in names if THEIR_TAG in name]


def test_what_belongs_to_nobody_is_for_administrators_alone(world: World) -> None:
    for model in SYSTEM:
        for role in ROLES:
            client = signed_in(person(world, role))
            assert client.get(list_url(model)).status_code == 403, model
            assert client.get(add_url(model)).status_code == 403, model
        assert signed_in(world.administrator).get(list_url(model)).status_code == 200, model


def test_django_permissions_on_single_models_open_nothing(world: World) -> None:
    from django.contrib.auth.models import Permission

    outsider = admin_data.user("outsider")
    outsider.user_permissions.set(Permission.objects.all())
    client = signed_in(outsider)
    for model in registered_models():
        assert client.get(list_url(model)).status_code == 403, model


def test_an_administrator_sees_both_rights_holders(world: World) -> None:
    client = signed_in(world.administrator)
    for model in OURS:
        shown = client.get(list_url(model)).content.decode()
        assert THEIR_TAG in shown, model
        assert "changhe" in shown, model


def test_an_inactive_member_and_a_person_without_role_see_nothing(world: World) -> None:
    inactive = world.ours.manager
    inactive.is_active = False
    inactive.save()
    assert signed_in(inactive).get(list_url(Case)).status_code == 302
    assert signed_in(admin_data.user("stranger")).get(list_url(Case)).status_code == 403


def test_a_member_of_two_rights_holders_changes_only_what_they_manage(world: World) -> None:
    both = admin_data.user("both", world.ours.holder, Membership.Role.MANAGER)
    Membership.objects.create(user=both, rights_holder=world.theirs.holder, role=Membership.Role.REVIEWER)
    client = signed_in(both)
    assert THEIR_TAG in client.get(list_url(Site)).content.decode()
    form = client.get(add_url(Site)).context["adminform"].form
    assert [holder.pk for holder in form.fields["rights_holder"].queryset] == [world.ours.holder.pk]
    site = world.theirs.sites[0]
    assert client.post(record_url(site), {"name": "mine now"}).status_code == 403
    client.post(list_url(Site), {"action": "delete_selected", "_selected_action": [site.pk], "post": "yes"})
    assert Site.objects.filter(pk=site.pk, name=site.name).exists()
    keys = list(Case.objects.values_list("pk", flat=True))
    response = client.post(list_url(Case), {"action": "export_csv", "_selected_action": keys})
    body = b"".join(response).decode()
    assert "changhe" in body
    assert THEIR_TAG not in body, "what is only reviewed is in no export"


def test_a_report_cannot_be_asked_for_another_rights_holder(world: World) -> None:
    both = admin_data.user("second", world.ours.holder, Membership.Role.MANAGER)
    Membership.objects.create(user=both, rights_holder=admin_data.holder("第三家"), role=Membership.Role.REVIEWER)
    asked = {"do": "preview", "since": "2026-03-01", "until": "2026-03-31", "language": "en", "format": "html"}
    theirs = {"work": world.theirs.works[0], "site": world.theirs.sites[0], "holder": world.theirs.holder}
    for field, record in theirs.items():
        response = signed_in(both).get(reverse("webadmin_reports"), {**asked, field: record.pk})
        assert response.status_code == 400, field
        assert THEIR_TAG not in response.content.decode(), field
