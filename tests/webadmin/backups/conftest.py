"""Fixtures of more than one module here."""

from tests.support.backed_up import stored

__all__ = ["stored"]
