"""The models of sites."""

from webadmin.accounts.services.access import register_scope
from webadmin.sites.models.discovered import DiscoveredPage, DiscoveryPlan, DiscoveryQuery
from webadmin.sites.models.family import ContactLookUp, ContactRead, SiteIdentifier, SiteTemplate
from webadmin.sites.models.page import PageRecheck, PageRecord
from webadmin.sites.models.site import ArchiveImport, CrawlRun, Site, SiteDomain
from webadmin.sites.models.site_rules import RobotsSwitch, SiteBanRule, SiteProxy, SiteRules
from webadmin.sites.models.visits import Address, OffSiteRedirect, SiteMove

register_scope("rights_holder_id", Site, CrawlRun, Address, ArchiveImport, PageRecord)
register_scope(
    "site__rights_holder_id", SiteDomain, OffSiteRedirect, SiteMove, SiteIdentifier, SiteTemplate, ContactRead
)
register_scope("site__rights_holder_id", ContactLookUp, SiteRules, SiteBanRule, SiteProxy, RobotsSwitch)
register_scope("work__rights_holder_id", DiscoveryPlan, DiscoveryQuery, DiscoveredPage)
register_scope("page__rights_holder_id", PageRecheck)
