"""The authority of time stamps that the tests of bundles have too."""

from tests.bundles.conftest import authority

__all__ = ["authority"]
