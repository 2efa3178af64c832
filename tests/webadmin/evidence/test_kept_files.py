"""Which files the nightly check reads besides the bundles."""

from django.apps import apps

from webadmin.evidence.services.kept_files import KEPT
from webadmin.notices.models import NoticeFile, NoticeMail
from webadmin.notices.models.notice import StoredFile


def test_every_table_of_files_that_people_sent_or_notices_were_made_into_is_read() -> None:
    sent = {model for model in apps.get_models() if issubclass(model, StoredFile)}
    assert sent | {NoticeFile, NoticeMail} <= set(KEPT)


def test_each_is_named_by_a_field_of_its_own() -> None:
    for model, named in KEPT.items():
        assert {named, "digest"} <= {field.name for field in model._meta.get_fields()}
