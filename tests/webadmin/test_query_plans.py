"""How SQLite reads long lists: page after page along an index, whatever is filtered by, and nothing sorted as a whole.

Times depend on the machine; the plan is what makes a list of millions open as fast as one of thousands.
"""

import re
from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.admin_data import World
from tests.support.desk import list_url, signed_in
from webadmin.cases.models import Case, Exclusion
from webadmin.evidence.models import EvidenceBundle
from webadmin.rewrites.models import RewordedLead
from webadmin.sites.models import Address, PageRecord

LONG = {
    model: str(model._meta.db_table)
    for model in (PageRecord, Case, Address, Exclusion, EvidenceBundle, RewordedLead)
}  # fmt: skip
DAYS = {"from": "2026-03-01", "to": "2026-03-31"}
PARAMETERS = {
    PageRecord: [
        {},
        {"rejection__exact": "no_match"},
        {"obfuscation": "homophone"},
        {"obfuscation": "none"},
        {"is_encoding_doubtful__exact": "1"},
        {"extraction": "sure"},
        {"gone_since__isempty": "0"},
        *({f"{name}_{end}": day for end, day in DAYS.items()} for name in ("first_seen", "last_seen")),
    ],
    Case: [
        {},
        {"state__exact": "open"},
        {"state__in": "open,confirmed"},
        {"decided_as__exact": "fair_use"},
        {"allowed_as__exact": "licensed"},
        {"match_class__exact": "patchwork"},
        {"obfuscation": "homophone"},
        {"opened_at_within": "7d"},
        *({f"{name}_{end}": day for end, day in DAYS.items()} for name in ("opened_at", "last_seen_at")),
    ],
    Address: [{}, {"condition": "failing"}, {"condition": "new"}, {"kind__exact": "list"}],
    Exclusion: [{}, {"reason__exact": "licensed"}],
    RewordedLead: [
        {},
        {"state__exact": "waiting"},
        {"found_as__exact": "translated"},
        {"band": "low"},
        {"lapsed": "1"},
        {f"found_at_{end}": day for end, day in DAYS.items()},
    ],
    EvidenceBundle: [{}, {"state__exact": "changed"}, {"kind__exact": "drawn"}, {"drawing__exact": "failed"}],
}


@pytest.mark.parametrize("model", list(LONG), ids=lambda model: model.__name__)
def test_lists_are_read_along_an_index_in_each_order_that_is_offered(world: World, model: type[Model]) -> None:
    for person in (world.ours.manager, world.administrator):
        client = signed_in(person)
        changelist = client.get(list_url(model)).context["cl"]
        offered = [number for number, name in enumerate(changelist.list_display) if changelist.get_ordering_field(name)]
        orders = [{"o": f"{sign}{number}"} for number in offered for sign in ("", "-")]
        for given in (*PARAMETERS[model], *orders):
            for plan in plans(client, model, given):
                assert_read_along_an_index(plan, LONG[model])


@pytest.mark.parametrize(
    ("model", "field"),
    [
        *((PageRecord, "site"), (Case, "site"), (Case, "work"), (Exclusion, "site"), (Address, "site")),
        *((RewordedLead, "site"), (RewordedLead, "work")),
    ],
)
def test_the_list_of_a_site_or_work_is_read_along_its_index(world: World, model: type[Model], field: str) -> None:
    key = (world.ours.sites if field == "site" else world.ours.works)[0].pk
    for person in (world.ours.manager, world.administrator):
        for plan in plans(signed_in(person), model, {f"{field}__id__exact": str(key)}):
            assert_read_along_an_index(plan, LONG[model])
            along = [step for step in plan[1:] if LONG[model] in step and "ORDER BY" in plan[0]]
            assert all(f"{field}_id=?" in step for step in along), "it goes along all pages of the rights holder"


def test_a_case_finds_its_neighbours_along_an_index(world: World) -> None:
    case = world.ours.cases[1]
    client = signed_in(world.ours.reviewer)
    for filters in ("state__exact=open", "", "o=3", "o=-3", "match_class__exact=identical"):
        address = f"{list_url(Case)}{case.pk}/change/"
        for plan in plans_of(client, address, {"_changelist_filters": filters}, LONG[Case]):
            assert_read_along_an_index(plan, LONG[Case])


def test_rows_are_read_by_their_keys_alone(world: World) -> None:
    """With the rights holder besides, SQLite goes along all pages of the holder for fifty keys."""
    with CaptureQueriesContext(connection) as queries:
        signed_in(world.ours.manager).get(list_url(PageRecord))
    read = [
        each["sql"].partition(" WHERE ")[2] for each in queries if '"watched_sites_pagerecord"."url"' in each["sql"]
    ]
    assert read
    assert all(condition.startswith('"watched_sites_pagerecord"."page_id" IN (') for condition in read), read


def assert_read_along_an_index(plan: list[str], table: str) -> None:
    """No step goes through the whole table or sorts; the last terms of an order may be sorted among those alike."""
    statement, *steps = plan
    told = "\n".join([statement, *steps])
    assert not re.search(rf"SCAN {table}(?! USING (COVERING )?INDEX)", "\n".join(steps)), told
    assert "USE TEMP B-TREE FOR ORDER BY" not in steps, told


def plans(client: Client, model: type[Model], given: dict[str, str]) -> Iterator[list[str]]:
    """How each query of a list that reads its table is carried out."""
    yield from plans_of(client, list_url(model), given, LONG[model])


def plans_of(client: Client, address: str, given: dict[str, str], table: str) -> Iterator[list[str]]:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address, given).status_code == 200
    asked = [query["sql"] for query in queries if f'FROM "{table}"' in query["sql"]]
    assert asked, "the list was not read"
    with connection.cursor() as cursor:
        for statement in asked:
            cursor.execute(f"EXPLAIN QUERY PLAN {statement}")
            yield [statement, *(str(row[3]) for row in cursor.fetchall())]
