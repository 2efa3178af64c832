"""The admin database."""

from webadmin.models.cases import Case, CaseMatch, VerdictRecord
from webadmin.models.discovery import DiscoveredPage, DiscoveryPlan, DiscoveryQuery
from webadmin.models.evidence import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.models.failures import FailedMessage
from webadmin.models.imports import ArchiveImport
from webadmin.models.opinions import EnginePanel, SecondOpinion
from webadmin.models.pages import Exclusion, PageCheck, PageRecord
from webadmin.models.rights import Chapter, Licence, Membership, OwnDomain, RightsHolder, Work
from webadmin.models.site_rules import RobotsSwitch, SiteBanRule, SiteProxy, SiteRules
from webadmin.models.sites import CrawlRun, Site, SiteDomain
from webadmin.models.visits import Address, OffSiteRedirect, SiteMove

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
    "Exclusion",
    "FailedMessage",
    "Licence",
    "Membership",
    "OffSiteRedirect",
    "OwnDomain",
    "PageCheck",
    "PageRecord",
    "RetentionLog",
    "RightsHolder",
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
    "VerdictRecord",
    "Work",
]
