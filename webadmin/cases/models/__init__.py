"""The models of cases."""

from webadmin.accounts.services.access import register_scope
from webadmin.cases.models.case import Case, CaseAddress, CaseMatch, RightsRecord, TakenText, VerdictRecord
from webadmin.cases.models.left_out import ExcludedPassage, IgnoredText, Overruling
from webadmin.cases.models.matter import CopiedText, Matter, MatterText, SavedView
from webadmin.cases.models.opinion import EnginePanel, OpinionRequest, SecondOpinion
from webadmin.cases.models.page_check import Exclusion, PageCheck

register_scope(Matter, "rights_holder_id")
register_scope(MatterText, "matter__rights_holder_id")
register_scope(CopiedText, "work__rights_holder_id")
register_scope(Overruling, "page__rights_holder_id")
register_scope(IgnoredText, "rights_holder_id")
register_scope(PageCheck, "page__rights_holder_id")
register_scope(Exclusion, "rights_holder_id")
register_scope(Case, "rights_holder_id")
register_scope(CaseAddress, "case__rights_holder_id")
register_scope(CaseMatch, "case__rights_holder_id")
register_scope(ExcludedPassage, "case__rights_holder_id")
register_scope(VerdictRecord, "case__rights_holder_id")
register_scope(RightsRecord, "case__rights_holder_id")
register_scope(TakenText, "case__rights_holder_id")
register_scope(SecondOpinion, "case__rights_holder_id")
register_scope(OpinionRequest, "case__rights_holder_id")
