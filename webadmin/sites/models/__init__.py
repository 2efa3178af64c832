"""The tables of sites."""

from webadmin.sites.models.archive_import import ArchiveImport
from webadmin.sites.models.contact import ContactLookUp, ContactRead
from webadmin.sites.models.discovered import DiscoveredPage, DiscoveryPlan, DiscoveryQuery
from webadmin.sites.models.family import SiteIdentifier, SiteTemplate
from webadmin.sites.models.page import PageRecheck, PageRecord
from webadmin.sites.models.site import CrawlRun, Site, SiteDomain
from webadmin.sites.models.site_rules import RobotsSwitch, SiteBanRule, SiteProxy, SiteRules
from webadmin.sites.models.visits import Address, OffSiteRedirect, SiteMove

__all__ = [
    "Address",
    "ArchiveImport",
    "ContactLookUp",
    "ContactRead",
    "CrawlRun",
    "DiscoveredPage",
    "DiscoveryPlan",
    "DiscoveryQuery",
    "OffSiteRedirect",
    "PageRecheck",
    "PageRecord",
    "RobotsSwitch",
    "Site",
    "SiteBanRule",
    "SiteDomain",
    "SiteIdentifier",
    "SiteMove",
    "SiteProxy",
    "SiteRules",
    "SiteTemplate",
]
