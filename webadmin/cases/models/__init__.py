"""The tables of cases."""

from webadmin.cases.models.case import Case, CaseAddress, CaseMatch, RightsRecord, TakenText, VerdictRecord
from webadmin.cases.models.left_out import ExcludedPassage, IgnoredText, Overruling
from webadmin.cases.models.matter import CopiedText, Matter, MatterText, SavedView
from webadmin.cases.models.opinion import EnginePanel, OpinionRequest, SecondOpinion
from webadmin.cases.models.page_check import Exclusion, PageCheck

__all__ = [
    "Case",
    "CaseAddress",
    "CaseMatch",
    "CopiedText",
    "EnginePanel",
    "ExcludedPassage",
    "Exclusion",
    "IgnoredText",
    "Matter",
    "MatterText",
    "OpinionRequest",
    "Overruling",
    "PageCheck",
    "RightsRecord",
    "SavedView",
    "SecondOpinion",
    "TakenText",
    "VerdictRecord",
]
