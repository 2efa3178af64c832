"""The sentence encoder, loaded once a process, for tests that compare meanings."""

from functools import cache

import pytest

from matcher.reworded.encoding import UseEncoder
from matcher.reworded.record import is_installed

needs_encoder = pytest.mark.skipif(not is_installed(), reason="the extra reworded is not installed")


@cache
def encoder() -> UseEncoder:
    return UseEncoder()
