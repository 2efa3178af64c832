"""Evidence of the operator of a site: contacts, identifiers on its pages, and the template of its pages."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from core.contacts import MAX_LABEL_CHARS, MAX_VALUE_CHARS
from crawler import site_identifiers
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import MessageField, user_key
from webadmin.ui.models.phrases import contact_kind_choices, contact_source_choices


class SiteIdentifier(models.Model):
    """An identifier on the pages of a site, with the URL of a page that has it and the times at which it was read."""

    class Kind(models.TextChoices):
        BAIDU = site_identifiers.BAIDU, _("Baidu Tongji id")
        GOOGLE = site_identifiers.GOOGLE, _("Google Analytics or tag id")
        CNZZ = site_identifiers.CNZZ, _("CNZZ id")
        LA51 = site_identifiers.LA51, _("51.la id")
        ADSENSE = site_identifiers.ADSENSE, _("Google AdSense account")
        BAIDU_UNION = site_identifiers.BAIDU_UNION, _("Baidu Union id")
        ICP = site_identifiers.ICP, _("ICP number")
        EMAIL = site_identifiers.EMAIL, _("e-mail address")

    site = models.ForeignKey(Site, models.CASCADE, related_name="identifiers", verbose_name=_("site"))
    kind = models.CharField(max_length=16, choices=Kind)
    value = models.CharField(max_length=120)
    page_url = models.TextField(_("read on"))
    first_read_at = models.DateTimeField(_("first read"))
    read_at = models.DateTimeField(_("last read"))

    class Meta:
        verbose_name = _("site identifier")
        verbose_name_plural = _("site identifiers")
        constraints = [models.UniqueConstraint(fields=["site", "kind", "value"], name="one_identifier_a_site")]
        indexes = [models.Index(fields=["kind", "value"], name="identifier_value")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.value}"


class SiteTemplate(models.Model):
    """A sketch of the HTML structure that the pages of a site share, with the time at which it was read."""

    site = models.OneToOneField(Site, models.CASCADE, related_name="template", verbose_name=_("site"))
    # The smallest hashes of the template's entries: webadmin.sites.services.families.
    sketch = models.JSONField(default=list)
    read_at = models.DateTimeField(_("last read"))

    class Meta:
        verbose_name = _("site template")
        verbose_name_plural = _("site templates")

    def __str__(self) -> str:
        return str(self.site)


class ContactRead(models.Model):
    """A contact of a site, with its source and the times at which it was read. Outdated contacts are not deleted."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="contacts", verbose_name=_("site"))
    kind = models.CharField(_("what it is"), max_length=16, choices=contact_kind_choices)
    value = models.CharField(max_length=MAX_VALUE_CHARS)
    label = models.CharField(max_length=MAX_LABEL_CHARS, blank=True)  # the text next to the contact
    source = models.CharField(_("from"), max_length=8, choices=contact_source_choices)
    where = models.TextField(_("read on"))  # a URL, or a whois server and the query
    first_read_at = models.DateTimeField(_("first read"))
    read_at = models.DateTimeField(_("last read"))

    class Meta:
        verbose_name = _("site contact")
        verbose_name_plural = _("site contacts")
        ordering = ["kind", "-read_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["site", "kind", "value", "source"], name="one_contact_a_site")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.value}"


class ContactLookUp(models.Model):
    """A request to look up a site in the registries, with its requester and its result."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="look_ups", verbose_name=_("site"))
    asked_by = user_key(_("requested by"), models.SET_NULL, null=True)
    asked_at = models.DateTimeField(_("requested"))
    ended_at = models.DateTimeField(_("finished"), null=True, blank=True)
    found = models.PositiveSmallIntegerField(_("found"), default=0)
    faults = MessageField(_("faults"), default=list, blank=True)

    NOT_AHEAD = {"asked_at": CLOCKS_DIFFER}

    class Meta:
        verbose_name = _("site look-up")
        verbose_name_plural = _("site look-ups")
        ordering = ["-asked_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["site"], condition=Q(ended_at=None), name="one_live_look_up_a_site")
        ]

    def __str__(self) -> str:
        return f"{self.site} · {self.asked_at:%Y-%m-%d %H:%M}"
