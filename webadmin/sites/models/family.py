"""What tells who operates a site: identifiers that its pages carry, and their template."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler import site_identifiers
from webadmin.sites.models.site import Site


class SiteIdentifier(models.Model):
    """An identifier that the pages of a site carry, with where and when it was read."""

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
        verbose_name = _("identifier of a site")
        verbose_name_plural = _("identifiers of sites")
        constraints = [models.UniqueConstraint(fields=["site", "kind", "value"], name="one_identifier_a_site")]
        indexes = [models.Index(fields=["kind", "value"], name="identifier_value")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.value}"


class SiteTemplate(models.Model):
    """The structure that the pages of a site share, as a sketch, and when the site's pages were read for it."""

    site = models.OneToOneField(Site, models.CASCADE, related_name="template", verbose_name=_("site"))
    sketch = models.JSONField(
        default=list
    )  # the smallest hashes of the template's entries: webadmin.sites.services.families
    read_at = models.DateTimeField(_("last read"))

    class Meta:
        verbose_name = _("template of a site")
        verbose_name_plural = _("templates of sites")

    def __str__(self) -> str:
        return str(self.site)
