"""The models of works."""

from webadmin.accounts.services.access import register_scope
from webadmin.works.models.rights import (
    AuthorAlias,
    Chapter,
    Entered,
    Licence,
    LicenceFee,
    LicenceProof,
    OwnAccount,
    OwnDomain,
    PlannedUpload,
    Unprotected,
    Work,
)

register_scope("rights_holder_id", Work, Licence, OwnDomain, OwnAccount, AuthorAlias, PlannedUpload)
register_scope("work__rights_holder_id", Chapter, Unprotected, LicenceFee)
register_scope("licence__rights_holder_id", LicenceProof)
