"""The models of sites."""

from webadmin.accounts.services.access import register_scope
from webadmin.sites.models.discovered import DiscoveredPage, DiscoveryPlan, DiscoveryQuery
from webadmin.sites.models.family import ContactLookUp, ContactRead, SiteIdentifier, SiteTemplate
from webadmin.sites.models.page import PageRecheck, PageRecord
from webadmin.sites.models.site import ArchiveImport, CrawlRun, Site, SiteDomain
from webadmin.sites.models.site_rules import RobotsSwitch, SiteBanRule, SiteProxy, SiteRules
from webadmin.sites.models.visits import Address, OffSiteRedirect, SiteMove

register_scope(Site, "rights_holder_id")
register_scope(SiteDomain, "site__rights_holder_id")
register_scope(CrawlRun, "rights_holder_id")
register_scope(Address, "rights_holder_id")
register_scope(OffSiteRedirect, "site__rights_holder_id")
register_scope(SiteMove, "site__rights_holder_id")
register_scope(SiteIdentifier, "site__rights_holder_id")
register_scope(SiteTemplate, "site__rights_holder_id")
register_scope(ContactRead, "site__rights_holder_id")
register_scope(ContactLookUp, "site__rights_holder_id")
register_scope(ArchiveImport, "rights_holder_id")
register_scope(DiscoveryPlan, "work__rights_holder_id")
register_scope(DiscoveryQuery, "work__rights_holder_id")
register_scope(DiscoveredPage, "work__rights_holder_id")
register_scope(PageRecord, "rights_holder_id")
register_scope(SiteRules, "site__rights_holder_id")
register_scope(SiteBanRule, "site__rights_holder_id")
register_scope(SiteProxy, "site__rights_holder_id")
register_scope(RobotsSwitch, "site__rights_holder_id")
register_scope(PageRecheck, "page__rights_holder_id")
