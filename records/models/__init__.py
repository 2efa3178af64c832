"""The admin database."""

from records.models.addressee import Addressee
from records.models.archive_import import ArchiveImport
from records.models.backup import BackupPlan, BackupRun, Installation, StoreCheck
from records.models.bundle import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from records.models.case import Case, CaseAddress, CaseMatch, RightsRecord, TakenText, VerdictRecord
from records.models.contact import ContactLookUp, ContactRead
from records.models.discovered import DiscoveredPage, DiscoveryPlan, DiscoveryQuery
from records.models.failed_message import FailedMessage
from records.models.family import SiteIdentifier, SiteTemplate
from records.models.left_out import ExcludedPassage, IgnoredText, Overruling
from records.models.licence_fee import LicenceFee
from records.models.matter import CopiedText, Matter, MatterText, SavedView
from records.models.notice import (
    CounterStatement,
    EventPaper,
    HolderIdentity,
    HolderPaper,
    LegalAction,
    Notice,
    NoticeEvent,
    NoticeFile,
    NoticeMail,
    NoticePage,
    PaperTemplate,
)
from records.models.opinion import EnginePanel, OpinionRequest, SecondOpinion
from records.models.page import PageRecheck, PageRecord
from records.models.page_check import Exclusion, PageCheck
from records.models.preference import UserPreference
from records.models.removal import Removal, RemovalLook
from records.models.reworded import RewordedCheck, RewordedLead, RewordedVerdict
from records.models.rights import (
    AuthorAlias,
    Chapter,
    Licence,
    LicenceProof,
    OwnAccount,
    OwnDomain,
    PlannedUpload,
    Unprotected,
    Work,
)
from records.models.rights_holder import Membership, RightsHolder
from records.models.site import CrawlRun, Site, SiteDomain
from records.models.site_rules import RobotsSwitch, SiteBanRule, SiteProxy, SiteRules
from records.models.third_party import ProofCoverage, ThirdPartyProof, ThirdPartyTask
from records.models.visits import Address, OffSiteRedirect, SiteMove

__all__ = [
    "Address",
    "Addressee",
    "ArchiveImport",
    "AuthorAlias",
    "BackupPlan",
    "BackupRun",
    "Case",
    "CaseAddress",
    "CaseMatch",
    "Chapter",
    "ContactLookUp",
    "ContactRead",
    "CopiedText",
    "CounterStatement",
    "CrawlRun",
    "DayTree",
    "DiscoveredPage",
    "DiscoveryPlan",
    "DiscoveryQuery",
    "EnginePanel",
    "EventPaper",
    "EvidenceBundle",
    "EvidenceCheck",
    "ExcludedPassage",
    "Exclusion",
    "FailedMessage",
    "HolderIdentity",
    "HolderPaper",
    "IgnoredText",
    "Installation",
    "LegalAction",
    "Licence",
    "LicenceFee",
    "LicenceProof",
    "Matter",
    "MatterText",
    "Membership",
    "Notice",
    "NoticeEvent",
    "NoticeFile",
    "NoticeMail",
    "NoticePage",
    "OffSiteRedirect",
    "OpinionRequest",
    "Overruling",
    "OwnAccount",
    "OwnDomain",
    "PageCheck",
    "PageRecheck",
    "PageRecord",
    "PaperTemplate",
    "PlannedUpload",
    "ProofCoverage",
    "Removal",
    "RemovalLook",
    "RetentionLog",
    "RewordedCheck",
    "RewordedLead",
    "RewordedVerdict",
    "RightsHolder",
    "RightsRecord",
    "RobotsSwitch",
    "SavedView",
    "SecondOpinion",
    "Site",
    "SiteBanRule",
    "SiteDomain",
    "SiteIdentifier",
    "SiteMove",
    "SiteProxy",
    "SiteRules",
    "SiteTemplate",
    "Stamp",
    "StampAttempt",
    "StoreCheck",
    "TakenText",
    "ThirdPartyProof",
    "ThirdPartyTask",
    "Unprotected",
    "UserPreference",
    "VerdictRecord",
    "Work",
]
