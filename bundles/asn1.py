"""The ASN.1 types of time stamps by RFC, as in `asn1.rfc3161.TSTInfo`: 9 MB, so each is loaded at its first use."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return import_module(f"pyasn1_modules.{name}")
