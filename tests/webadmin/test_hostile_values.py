"""No value in an address or a form ends in a page 500: a sentence and status 400, or an ordinary answer."""

import re
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model
from django.forms import DateField, MultiWidget
from django.test import Client
from django.urls import reverse

from core.batches import batches
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.desk import add_url, english, list_url, record_url, registered_models, signed_in
from webadmin.accounts.models import User
from webadmin.cases.models import Case
from webadmin.sites.models import PageRecord
from webadmin.ui.pages.requests.request_values import MAX_LINES, MAX_SEARCH_CHARS, MAX_SEARCH_WORDS

CASES = 2

pytestmark = pytest.mark.usefixtures("loopback")

DIGITS, HUGE, LONG = "9" * 5_000, "9" * 20, "a" * 20_000
# Each is read by code of its own: days, numbers, searches. The others are all refused as what they are not.
KINDS = ("0001-01-01", "9999-12-31", DIGITS, HUGE, "-1", "1e400", "²", LONG)
OTHERS = ("a\0b", "[[[]]]", "\u202e", '{"a": 1}', "abc", "%00")
HOSTILE = KINDS + OTHERS
TURN = cycle(HOSTILE)
ANSWERS = {200, 302, 400, 403, 404}
LIST_PARAMETERS = ("q", "o", "p", "all", "_to_field")
FLAGS = ("e", "_popup", "_facets", "_changelist_filters")  # said by being there


@pytest.fixture
def world(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    admin_data.removal(admin_data.evidence_bundle(world.ours.cases[0]))
    case_texts.keep_estate(case_texts.use(monkeypatch), world.ours)
    return world


class Quiet(Client):
    """A client that keeps no copy of what each template was given: a fifth of a page's time."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self.cookies = client.cookies

    def request(self, **request: Any) -> Any:
        return self.handler(self._base_environ(**request))


def visitor(person: User) -> Client:
    """A client that gets the page 500 where another would be thrown the exception."""
    client = english(person)
    client.raise_request_exception = False
    return client


def declared(model: type[Model], person: User) -> list[str]:
    """The parameters of all filters of a list."""
    response = signed_in(person).get(list_url(model))
    return [str(name) for spec in response.context["cl"].filter_specs for name in spec.expected_parameters()]


def failing(client: Client, path: str, given: Iterator[dict[str, Any]], method: str = "get") -> list[object]:
    """Return what was given where the answer is none of those that may be."""
    found: list[object] = []
    asking = Quiet(client)
    for values in given:
        status = getattr(asking, method)(path, values).status_code
        if status not in ANSWERS:
            found.append((path, {name: str(value)[:20] for name, value in values.items()}, status))
    return found


def each(names: Sequence[str], **sound: str) -> Iterator[dict[str, Any]]:
    """Every name with a value of each kind and, in turn, with one of the others; the rest stays sound."""
    others = cycle(OTHERS)
    return ({**sound, name: value} for name in names for value in (*KINDS, next(others)))


def in_turn(names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Every name with one of the values in turn: many names of lists are read by the same code."""
    return ({name: next(TURN)} for name in names)


@pytest.mark.parametrize("model", registered_models(), ids=lambda model: model._meta.label)
def test_a_list_looks_up_only_what_it_declares_and_no_value_of_that_breaks_it(world: World, model: type[Model]) -> None:
    client, path, names = visitor(world.administrator), list_url(model), declared(model, world.administrator)
    assert failing(client, path, each(LIST_PARAMETERS) if model is Case else in_turn(LIST_PARAMETERS)) == []
    assert failing(client, path, in_turn(names)) == []
    assert failing(client, path, ({name: "abc"} for name in FLAGS)) == []
    lookups = cycle(("", "__regex", "__gte", "__isnull"))
    for field in model._meta.get_fields():
        name = f"{field.name}{next(lookups)}"
        if name not in names:
            response = client.get(path, {name: "^([a-z0-9:/._-]+)+!$"})
            assert response.status_code == 400, name
            assert f"“{name}” cannot be" in response.content.decode()
            assert "this list has no such filter" in response.content.decode()


@pytest.mark.parametrize("model", registered_models(), ids=lambda model: model._meta.label)
def test_no_name_of_a_record_breaks_its_pages(world: World, model: type[Model]) -> None:
    client = Quiet(visitor(world.administrator))
    urls = [url for url in admin.site._registry[model].get_urls() if url.name and "object_id" in str(url.pattern)]
    assert urls
    record = model._default_manager.order_by("pk").first()
    for url in urls:
        has_more = str(url.pattern).count("<") > 1  # a chapter, a site; a record's own name is read by the same code
        for value in HOSTILE if has_more else (next(TURN),):
            for path in _paths(url, value.replace("%", "%25"), record.pk if record else 1):
                assert client.get(path).status_code in ANSWERS, (url.name, value[:20])
                assert client.post(path, {"post": "yes"}).status_code in ANSWERS, (url.name, value[:20])


def _paths(url: Any, value: str, key: Any) -> Iterator[str]:
    """The addresses below a record that have this value for the record, and for what else they name."""
    others = str(url.pattern).count("<") - 1
    yield reverse(f"admin:{url.name}", args=[value, *[1] * others])
    if others and "/" not in value:
        yield reverse(f"admin:{url.name}", args=[key, *[value] * others])


@pytest.mark.parametrize("model", registered_models(), ids=lambda model: model._meta.label)
def test_no_value_of_a_form_breaks_it(world: World, model: type[Model]) -> None:
    client, tried = visitor(world.administrator), set[str]()
    record = model._default_manager.order_by("pk").first()
    for path in [*([record_url(record)] if record else []), add_url(model)]:
        sent, days = _sent(client, path)
        fields = [name for name in sent if not name.endswith("_FORMS")]  # how many lines there are stays true
        whole = [{**sent, **dict.fromkeys(fields, value)} for value in (KINDS if not tried else [next(TURN)])]
        names = _ends(name for name in sent if name not in tried)
        some = [{**sent, **dict.fromkeys(few, DIGITS)} for few in batches(names, 5)]  # the others stay sound
        some += [{**sent, name: "9999-12-31"} for name in days if name in names]
        assert failing(client, path, iter(whole + some), "post") == []
        tried |= set(sent)


def _ends(names: Iterator[str]) -> list[str]:
    """Return the first of the lines of one kind in a form, which there is, and the last, which would be new."""
    lines: dict[str, list[str]] = {}
    for name in names:
        lines.setdefault(re.sub(r"-\d+-", "-0-", name), []).append(name)
    return [name for same in lines.values() for name in dict.fromkeys((same[0], same[-1]))]


def _sent(client: Client, path: str) -> tuple[dict[str, Any], list[str]]:
    """Return what a browser would send of the form there, its files left out, and which of it are days."""
    response = client.get(path)
    if response.context is None or "adminform" not in response.context:
        return {"x": "y"}, []
    context = response.context
    forms = [context["adminform"].form]
    for inline in context.get("inline_admin_formsets") or ():
        forms += [inline.formset.management_form, *inline.formset.forms]
    given: dict[str, Any] = {}
    days = []
    for form, name, field in [(each, name, field) for each in forms for name, field in each.fields.items()]:
        value, sent = form.get_initial_for_field(field, name), form.add_prefix(name)
        if isinstance(field.widget, MultiWidget):  # a day and a time, each in a field of its own
            given |= {f"{sent}_{number}": part for number, part in enumerate(field.widget.decompress(value))}
            days.append(f"{sent}_0")
        else:
            given[sent] = value
        if isinstance(field, DateField):
            days.append(sent)
    return {sent: "" if value is None else str(value) for sent, value in given.items()}, days


@pytest.mark.parametrize("model", registered_models(), ids=lambda model: model._meta.label)
def test_no_choice_of_records_for_an_action_breaks_it(world: World, model: type[Model]) -> None:
    client = visitor(world.administrator)
    actions = [*(str(name) for name in admin.site._registry[model].actions), "delete_selected", "none"]
    given = (
        {"action": action, "_selected_action": value, "index": value, "select_across": value, "note": value}
        for action in actions
        for value in (DIGITS, HUGE, "abc", "a\0b", "-1")
    )
    assert failing(client, list_url(model), given, "post") == []


def test_no_value_of_a_report_breaks_its_page(world: World) -> None:
    sound = {"since": "2026-03-01", "until": "2026-03-31", "language": "en", "format": "html"}
    for do in ("show", "preview", "download"):
        given = each([*sound, "work", "site", "holder"], **sound, do=do)
        assert failing(visitor(world.administrator), reverse("webadmin_reports"), given) == []
    assert failing(visitor(world.administrator), reverse("webadmin_reports"), each(["do"])) == []


def test_a_report_names_the_field_that_cannot_be(world: World) -> None:
    sound = {"do": "show", "since": "2026-03-01", "until": "2026-03-31", "language": "en", "format": "html"}
    for name, value, sentence in (
        ("until", "9999-12-31", "Choose a day from 1990-01-01 to 2199-12-31."),
        ("since", "yesterday", "Enter a valid date."),
        ("work", HUGE, "Select a valid choice."),
    ):
        response = visitor(world.ours.manager).get(reverse("webadmin_reports"), {**sound, name: value})
        assert response.status_code == 400
        assert response.context["form"].errors[name][0].startswith(sentence)
        assert sentence in response.content.decode()


def test_no_rule_that_is_tried_breaks_its_page(world: World) -> None:
    path = record_url(world.ours.sites[0], "try_rules")
    client = visitor(world.ours.manager)
    assert failing(client, path, each(["statuses", "selector", "words", "redirect", "url"])) == []
    response = client.get(path, {"statuses": DIGITS})
    assert response.status_code == 400
    assert "is not an HTTP status; write one such as 403" in response.content.decode()


def test_no_value_in_the_address_of_a_case_or_a_page_breaks_it(world: World) -> None:
    client = visitor(world.ours.manager)
    case, page = world.ours.cases[0], world.ours.pages[0]
    assert failing(client, record_url(case), each(["match", "raw", "bundle", "shown", "export"])) == []
    bundle = case.bundles.get().pk
    assert failing(client, record_url(case), each(["shown"], bundle=str(bundle))) == []
    assert failing(client, record_url(case), each(["verdict", "basis", "note"]), "post") == []
    assert failing(client, record_url(page, "timeline"), each(["proof"])) == []
    assert failing(client, record_url(world.ours.works[0]), each(["chapters-page"])) == []
    assert failing(client, record_url(page), each(["checks-page"])) == []


def test_autocomplete_answers_for_the_fields_that_are_chosen_so_and_for_no_other(world: World) -> None:
    client = visitor(world.ours.manager)
    path = reverse("admin:autocomplete")
    sound = {"app_label": "cases", "model_name": "case", "field_name": "work", "term": ""}
    assert client.get(path, sound).json()["results"]
    chosen = {("case", "work"), ("exclusion", "work"), ("addressee", "sites")}
    chosen |= {("discoveryquery", "work"), ("discoveredpage", "work"), ("rewordedlead", "work")}
    for model in registered_models():
        for field in (each for each in model._meta.get_fields() if each.is_relation):
            asked = {"app_label": model._meta.app_label, "model_name": model._meta.model_name, "field_name": field.name}
            expected = 200 if (model._meta.model_name, field.name) in chosen else 400
            assert client.get(path, asked).status_code == expected, asked
    assert failing(client, path, each([*sound, "page"], **sound)) == []


def test_no_value_breaks_the_pages_that_are_no_list(world: World) -> None:
    client = visitor(world.ours.manager)
    assert failing(client, reverse("admin:search"), each(["s", "page", "extended"])) == []
    assert failing(client, reverse("admin:search"), each(["page"], s="case")) == []
    assert failing(client, reverse("admin:index"), each(["q", "p"])) == []
    assert failing(client, reverse("set_language"), each(["language", "next"]), "post") == []
    assert failing(client, reverse("admin:jsi18n"), each(["packages", "language"])) == []
    assert failing(client, reverse("admin:password_change"), each(["old_password", "new_password1"]), "post") == []
    stranger = Client(raise_request_exception=False)
    assert failing(stranger, reverse("admin:login"), each(["username", "password", "next"]), "post") == []
    for value in HOSTILE:
        assert stranger.get(f"/admin/{value.replace('%', '%25')}/").status_code in ANSWERS


def test_a_search_has_a_length(world: World) -> None:
    client = visitor(world.ours.reviewer)
    assert client.get(list_url(PageRecord), {"q": "a" * MAX_SEARCH_CHARS}).status_code == 200
    too_long = client.get(list_url(PageRecord), {"q": "a" * (MAX_SEARCH_CHARS + 1)})
    assert too_long.status_code == 400
    assert f"search for at most {MAX_SEARCH_CHARS} characters." in too_long.content.decode()
    too_many = client.get(list_url(PageRecord), {"q": "a " * (MAX_SEARCH_WORDS + 1)})
    assert f"search for at most {MAX_SEARCH_WORDS} words." in too_many.content.decode()
    term = {"app_label": "cases", "model_name": "case", "field_name": "work", "term": "a " * (MAX_SEARCH_WORDS + 1)}
    assert client.get(reverse("admin:autocomplete"), term).status_code == 400


def test_a_record_of_another_rights_holder_is_refused_like_one_that_never_was(world: World) -> None:
    client = visitor(world.ours.reviewer)
    for name, record in (("work__id__exact", world.theirs.works[0]), ("site__id__exact", world.theirs.sites[0])):
        theirs = client.get(list_url(Case), {name: record.pk})
        never = client.get(list_url(Case), {name: 10**6})
        assert (theirs.status_code, never.status_code) == (400, 400)
        assert theirs.content.decode().replace(f"“{record.pk}”", "N") == never.content.decode().replace(
            f"“{10**6}”", "N"
        )


def test_a_form_is_given_no_more_lines_than_a_browser_can_send(world: World) -> None:
    client, site = visitor(world.ours.manager), world.ours.sites[0]
    for many in (MAX_LINES + 1, HUGE):
        response = client.post(record_url(site), {"domains-TOTAL_FORMS": many})
        assert response.status_code == 400
        assert f"a form has {MAX_LINES} lines at most." in response.content.decode()
