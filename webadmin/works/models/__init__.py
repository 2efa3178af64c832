"""The tables of works."""

from webadmin.works.models.licence_fee import LicenceFee
from webadmin.works.models.rights import (
    AuthorAlias,
    Chapter,
    Entered,
    Licence,
    LicenceProof,
    OwnAccount,
    OwnDomain,
    PlannedUpload,
    Unprotected,
    Work,
)

__all__ = [
    "AuthorAlias",
    "Chapter",
    "Entered",
    "Licence",
    "LicenceFee",
    "LicenceProof",
    "OwnAccount",
    "OwnDomain",
    "PlannedUpload",
    "Unprotected",
    "Work",
]
