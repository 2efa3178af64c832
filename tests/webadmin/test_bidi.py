"""Characters that turn the writing stand in every text of the database, and act on no page and in no export."""

import csv
import io
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import openpyxl
import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.urls import reverse
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support import admin_data, case_texts, parsed_reports
from tests.support.admin_data import World
from tests.support.desk import add_url, list_url, record_url, registered_models, signed_in
from webadmin.cases.models import Case
from webadmin.sites.models import Site
from webadmin.ui.pages.requests.bidi import mark_bidi, mark_bidi_in_html
from webadmin.works.models import Licence, OwnAccount

CASES = 2

TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
TAIL = "\u202egnp\u2066"
SHOWN_ATTRIBUTES = {"title", "alt", "placeholder", "label"}
# Their values decide what the program does; no person and no page can set them.
NOT_TEXT = {"password", "codename", "app_label", "model", "session_key", "task", "timezone", "period", "event"}


@pytest.fixture
def world(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    texts = case_texts.use(monkeypatch)
    case_texts.keep_estate(texts, world.ours)
    admin_data.removal(admin_data.evidence_bundle(world.ours.cases[0]))
    for case in Case.objects.all():
        LogEntry.objects.create(
            user=world.ours.manager,
            content_type=ContentType.objects.get_for_model(Case),
            object_id=str(case.pk),
            object_repr=str(case) + TAIL,
            action_flag=CHANGE,
            change_message=TAIL,
        )
    for model in apps.get_models():
        for record in model._default_manager.all():
            _turn(record)
    world.ours.manager.refresh_from_db()
    return world


def _turn(record: models.Model) -> None:
    """Write the characters behind every text of a row that people, pages or files fill."""
    changed = {}
    for field in record._meta.concrete_fields:
        value = getattr(record, field.attname)
        if field.primary_key or field.is_relation or field.choices or field.name in NOT_TEXT:
            continue
        if isinstance(field, (models.CharField, models.TextField)) and not field.name.endswith(("_id", "digest")):
            if isinstance(record, OwnAccount) and not value:
                continue  # an account has an address or a name, and not both
            changed[field.attname] = f"{value[: (field.max_length or 1000) - len(TAIL)]}{TAIL}"
        elif isinstance(field, models.JSONField):
            changed[field.attname] = _turned(value)
    if changed:
        type(record)._default_manager.filter(pk=record.pk).update(**changed)


def _turned(value: Any) -> Any:
    """The texts of a value; names of kinds, which the program chooses, stay."""
    if isinstance(value, dict):
        return {key: text if key in {"kind", "changes"} else _turned(text) for key, text in value.items()}
    if isinstance(value, list):
        return [_turned(each) for each in value]
    return f"{value}{TAIL}" if isinstance(value, str) else value


class _Shown(HTMLParser):
    """Collects what a reader sees of a page: texts and shown attributes; what stands in fields apart."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: list[str] = []
        self.kept: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"textarea", "script", "style"}:
            self._inside.append(tag)
        for name, value in attrs:
            is_shown = name in SHOWN_ATTRIBUTES or name.startswith("aria-")
            (self.seen if is_shown else self.kept).append(value or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"textarea", "script", "style"}:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        (self.kept if self._inside else self.seen).append(data)


def shown(html: str) -> _Shown:
    parser = _Shown()
    parser.feed(html)
    parser.close()
    return parser


def turning_in(text: str) -> str:
    return "".join(sorted(set(text) & set(TURNING)))


def addresses(world: World) -> Iterator[str]:
    """Every page of the desk that shows something stored."""
    yield reverse("admin:index")
    yield reverse("admin:search") + "?s=case"
    report = "?since=2026-03-01&until=2026-03-31&language=en&format=html&do="
    yield from (f"{reverse('webadmin_reports')}{report}{do}" for do in ("show", "preview"))
    for model in registered_models():
        yield from (list_url(model), add_url(model), f"{list_url(model)}?q={TAIL}")
        record = model._default_manager.order_by("pk").first()
        if record is not None:
            yield from (record_url(record, page) for page in ("change", "history", "delete"))
    yield record_url(world.ours.pages[0], "timeline")
    yield record_url(world.ours.sites[0], "try_rules")
    yield f"{record_url(world.ours.sites[0], 'try_rules')}?words={TAIL}&url={TAIL}"
    yield f"{list_url(Case)}?state__exact={TAIL}"
    yield f"/admin/{TAIL}/"


@pytest.mark.usefixtures("processes")
def test_no_page_of_the_desk_shows_a_character_that_turns_the_writing(world: World) -> None:
    client = signed_in(world.administrator)
    seen = 0
    for address in addresses(world):
        response = client.get(address, follow=True)
        html = response.content.decode()
        assert not turning_in(html), (address, [line for line in html.splitlines() if turning_in(line)][:3])
        parsed = shown(html)
        assert not turning_in("".join(parsed.seen)), address
        assert not any(f"\\u{ord(char):04x}" in text.lower() for char in TURNING for text in parsed.seen), address
        seen += "".join(parsed.seen).count("‹RLO›")
    assert seen > 200, "the texts are there, and marked"


def test_what_a_field_holds_goes_back_as_it_was(world: World) -> None:
    licence = Licence.objects.filter(rights_holder=world.ours.holder).get()
    client = signed_in(world.ours.manager)
    html = client.get(record_url(licence)).content.decode()
    assert licence.licensee.endswith(TAIL)
    assert licence.licensee in shown(html).kept
    assert turning_in(html) == ""
    site = Site.objects.filter(rights_holder=world.ours.holder).first()
    html = client.get(record_url(site)).content.decode()
    assert any(site.start_urls in text for text in shown(html).kept), "a field of many lines too"
    asked = {"app_label": "cases", "model_name": "case", "field_name": "work", "term": ""}
    results = client.get(reverse("admin:autocomplete"), asked).json()["results"]
    assert not turning_in(json.dumps(results, ensure_ascii=False))
    assert all("‹RLO›" in each["text"] for each in results), "the choices that a script shows"


def test_no_exported_list_has_one(world: World) -> None:
    client = signed_in(world.ours.manager)
    keys = [case.pk for case in world.ours.cases]

    def exported(kind: str) -> bytes:
        response = client.post(list_url(Case), {"action": f"export_{kind}", "_selected_action": keys})
        return b"".join(response.streaming_content)  # type: ignore[attr-defined,arg-type]

    rows = list(csv.reader(io.StringIO(exported("csv").decode("utf-8-sig"))))
    cells = [cell for row in rows for cell in row]
    sheet = openpyxl.load_workbook(io.BytesIO(exported("xlsx"))).active
    cells += [str(cell) for row in sheet.iter_rows(values_only=True) for cell in row]
    assert not turning_in("".join(cells))
    assert "".join(cells).count("‹RLO›") > 10


def test_no_report_has_one(world: World) -> None:
    asked = {"do": "download", "since": "2026-03-01", "until": "2026-03-31", "language": "en"}
    for kind in ("csv", "html", "json", "pdf", "xlsx"):
        response = signed_in(world.ours.manager).get(reverse("webadmin_reports"), {**asked, "format": kind})
        parsed = getattr(parsed_reports, f"from_{kind}")(response.content)
        read = parsed.text_content() if kind == "html" else str(parsed)
        assert not turning_in(read), kind
        assert "U+202E" in read, "the titles are there, and what they held is named"


def test_markup_that_is_hard_to_cut_keeps_its_parts() -> None:
    page = '<p class="a">甲 &amp; b</p><textarea>\n x</textarea>'
    assert mark_bidi_in_html(page) == page, "without such characters it is sent as it was made"
    made = mark_bidi_in_html(
        "<!-- isn't it --><p x-on=\"a > b\" title='\u202e'>\u202e</p><TEXTAREA>\u202e</b>\u202e</TEXTAREA>"
        '<script>if (a<b) x = "\u202e"</script><a href="/\u202e">&lt;\u202e</a><title>\u202e</title>\u202e'
    )
    assert made == (
        "<!-- isn't it --><p x-on=\"a > b\" title='‹RLO›'>‹RLO›</p><TEXTAREA>&#x202E;</b>&#x202E;</TEXTAREA>"
        '<script>if (a<b) x = "\\u202E"</script><a href="/&#x202E;">&lt;‹RLO›</a><title>‹RLO›</title>‹RLO›'
    )


@example("<b\u061c>")
@given(st.text(st.sampled_from(TURNING + "ab<>&\"'/= \n\u200b第textarea"), max_size=60))
def test_whatever_is_marked_has_none_left_and_all_else(text: str) -> None:
    for made in (mark_bidi(text), mark_bidi_in_html(text)):
        assert not turning_in(made)
    assert mark_bidi(text.translate({ord(char): None for char in TURNING})) == text.translate(
        {ord(char): None for char in TURNING}
    )
