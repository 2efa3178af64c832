"""Test what a comparison table says of a page beside its text."""

import pytest

from tests.support import admin_data
from webadmin.cases.models import Case
from webadmin.notices.services.compared_cases import compared_cases


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({"page_poster": "搬运工"}, {"发布者": "搬运工"}),
        ({"page_author": "林栖"}, {"网页署名": "林栖"}),
        ({"page_poster": "搬运工", "page_author": "林栖"}, {"发布者": "搬运工", "网页署名": "林栖"}),
        ({}, {"发布者与署名": "网页上未标明"}),
    ],
)
def test_poster_stated_author_and_unsigned_are_told_apart(named: dict[str, str], expected: dict[str, str]) -> None:
    case = admin_data.fill_estate("长河文学", "changhe", cases=1).cases[0]
    Case.objects.filter(pk=case.pk).update(longest_equal_run_chars=21, **named)
    case.refresh_from_db()
    (compared,) = compared_cases([case])
    said = {name: value for name, value in compared.page_facts if value}
    assert {name: said[name] for name in ("发布者", "网页署名", "发布者与署名") if name in said} == expected
    assert said["最长连续相同"].startswith("21 字")
