"""An installation in which nobody has entered anything yet."""

import pytest
from django.urls import reverse

from tests.support import admin_data
from tests.support.desk import list_url, registered_models, signed_in


@pytest.mark.django_db
def test_the_dashboard_and_every_list_open() -> None:
    client = signed_in(admin_data.administrator())
    for address in (reverse("admin:index"), *map(list_url, registered_models())):
        assert client.get(address).status_code == 200, address
