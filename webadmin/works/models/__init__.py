"""The tables of works."""

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

register_scope(Work, "rights_holder_id")
register_scope(Chapter, "work__rights_holder_id")
register_scope(Licence, "rights_holder_id")
register_scope(LicenceProof, "licence__rights_holder_id")
register_scope(OwnDomain, "rights_holder_id")
register_scope(OwnAccount, "rights_holder_id")
register_scope(AuthorAlias, "rights_holder_id")
register_scope(Unprotected, "work__rights_holder_id")
register_scope(PlannedUpload, "rights_holder_id")
register_scope(LicenceFee, "work__rights_holder_id")
