"""The models of cases."""

from webadmin.accounts.services.access import register_scope
from webadmin.cases.models.case import Case, CaseAddress, CaseMatch, RightsRecord, TakenText, VerdictRecord
from webadmin.cases.models.left_out import ExcludedPassage, IgnoredText, Overruling
from webadmin.cases.models.matter import CopiedText, Matter, MatterText, SavedView
from webadmin.cases.models.opinion import EnginePanel, OpinionRequest, SecondOpinion
from webadmin.cases.models.page_check import Exclusion, PageCheck

register_scope("rights_holder_id", Matter, IgnoredText, Exclusion, Case)
register_scope("matter__rights_holder_id", MatterText)
register_scope("work__rights_holder_id", CopiedText)
register_scope("page__rights_holder_id", Overruling, PageCheck)
register_scope("case__rights_holder_id", CaseAddress, CaseMatch, ExcludedPassage, VerdictRecord, RightsRecord)
register_scope("case__rights_holder_id", TakenText, SecondOpinion, OpinionRequest)
