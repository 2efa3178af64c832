"""The admin database."""

from records.models.archive_import import ArchiveImport
from records.models.bundle import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from records.models.case import Case, CaseMatch, RightsRecord, TakenText, VerdictRecord
from records.models.discovered import DiscoveredPage, DiscoveryPlan, DiscoveryQuery
from records.models.failed_message import FailedMessage
from records.models.left_out import ExcludedPassage, IgnoredText, Overruling
from records.models.opinion import EnginePanel, OpinionRequest, SecondOpinion
from records.models.page import Exclusion, PageCheck, PageRecord
from records.models.rights import Chapter, Licence, Membership, OwnDomain, RightsHolder, Unprotected, Work
from records.models.site import CrawlRun, Site, SiteDomain
from records.models.site_rules import RobotsSwitch, SiteBanRule, SiteProxy, SiteRules
from records.models.visits import Address, OffSiteRedirect, SiteMove

__all__ = [
    "Address",
    "ArchiveImport",
    "Case",
    "CaseMatch",
    "Chapter",
    "CrawlRun",
    "DayTree",
    "DiscoveredPage",
    "DiscoveryPlan",
    "DiscoveryQuery",
    "EnginePanel",
    "EvidenceBundle",
    "EvidenceCheck",
    "ExcludedPassage",
    "Exclusion",
    "FailedMessage",
    "IgnoredText",
    "Licence",
    "Membership",
    "OffSiteRedirect",
    "OpinionRequest",
    "Overruling",
    "OwnDomain",
    "PageCheck",
    "PageRecord",
    "RetentionLog",
    "RightsHolder",
    "RightsRecord",
    "RobotsSwitch",
    "SecondOpinion",
    "Site",
    "SiteBanRule",
    "SiteDomain",
    "SiteMove",
    "SiteProxy",
    "SiteRules",
    "Stamp",
    "StampAttempt",
    "TakenText",
    "Unprotected",
    "VerdictRecord",
    "Work",
]
