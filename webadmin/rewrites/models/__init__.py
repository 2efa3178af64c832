"""The models of suspected rewrites."""

from webadmin.accounts.services.access import register_scope
from webadmin.rewrites.models.reworded import RewordedCheck, RewordedLead, RewordedVerdict

register_scope("rights_holder_id", RewordedLead)
register_scope("lead__rights_holder_id", RewordedVerdict)
register_scope("page__rights_holder_id", RewordedCheck)
