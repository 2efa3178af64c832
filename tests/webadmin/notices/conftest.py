"""The rights holder whose notices are written, sent and followed."""

from copy import deepcopy

import pytest

from tests.support.admin_data import Estate


@pytest.fixture
def ours(kept: Estate, db: None) -> Estate:
    """Return what the module's `fill` writes."""
    return deepcopy(kept)
