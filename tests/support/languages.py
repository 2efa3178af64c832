"""No test leaves its language to the next one: a request speaks its user's, and Django lets that stand."""

from collections.abc import Iterator

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def _language_of_the_settings() -> Iterator[None]:
    yield
    translation.deactivate()
