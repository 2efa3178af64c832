"""The models of suspected rewrites."""

from webadmin.accounts.services.access import register_scope
from webadmin.rewrites.models.reworded import RewordedCheck, RewordedLead, RewordedVerdict

register_scope(RewordedLead, "rights_holder_id")
register_scope(RewordedVerdict, "lead__rights_holder_id")
register_scope(RewordedCheck, "page__rights_holder_id")
