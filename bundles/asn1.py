"""Loads the ASN.1 modules of timestamps, such as `asn1.rfc3161`, at their first use, because they take 9 MB."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if not name.startswith("rfc"):
        raise AttributeError(name)
    return import_module(f"pyasn1_modules.{name}")
