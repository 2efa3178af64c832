"""Names of one author: what a search brings in, and what a quotation may call its source."""

import pytest

from tests.support import admin_data
from webadmin.works.models import AuthorAlias, Work
from webadmin.works.services.aliases import names_like, names_of_author

pytestmark = pytest.mark.django_db


@pytest.fixture
def work() -> Work:
    made = admin_data.work(admin_data.holder())
    admin_data.author_alias(made.rights_holder, "林栖", "栖木先生")
    admin_data.author_alias(made.rights_holder, "别人", "另一人")
    return made


def like(*typed: str) -> set[str]:
    return names_like(typed, AuthorAlias.objects.all())


def test_a_name_is_found_by_a_part_of_either_and_brings_both(work: Work) -> None:
    for typed in ("林栖", "栖木", "先生"):
        assert like(typed) == {"林栖", "栖木先生"}


def test_an_author_is_known_in_either_column_however_the_name_is_written(work: Work) -> None:
    assert names_of_author(work) == ["林栖", "栖木先生"]
    work.author = "栖木 先生"
    assert names_of_author(work)[0] == "栖木 先生"
    assert "林栖" in names_of_author(work)


def test_names_of_another_rights_holder_are_no_names(work: Work) -> None:
    admin_data.author_alias(admin_data.holder("北斗日报"), "林栖", "别家笔名")
    assert "别家笔名" not in names_of_author(work)
