"""An installation in which nobody has entered anything yet."""

import pytest
from django.apps import apps

from tests.support import admin_data
from tests.support.desk import add_url, english, list_url, registered_models
from webadmin.accounts.models import Membership
from webadmin.ui.templatetags.desk import NEXT_STEPS


@pytest.mark.django_db
def test_an_empty_list_offers_to_add_only_what_can_be_added() -> None:
    client = english(admin_data.administrator())
    for model in registered_models():
        response = client.get(list_url(model))
        if response.context["cl"].result_count:  # the administrator stands among the users
            continue
        page = response.content.decode()
        can_be_added = client.get(add_url(model)).status_code == 200
        assert ("Nothing has been entered yet." in page) == can_be_added, model
        assert ("There is nothing here yet." in page) == (not can_be_added), model
        assert "Create a new item" not in page
        assert "Reset filters" not in page


def test_an_empty_list_says_what_to_do_next(db: None) -> None:
    manager = english(admin_data.user("amy", admin_data.holder(), Membership.Role.MANAGER))
    for name, sentence in NEXT_STEPS.items():
        listed = list_url(next(each for each in apps.get_models() if each._meta.model_name == name))
        page = manager.get(listed).content.decode()
        assert str(sentence) in page, name
        assert str(sentence) not in manager.get(listed, {"q": "nothing has this name"}).content.decode(), name
