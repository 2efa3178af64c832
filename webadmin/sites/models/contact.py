"""Where a site can be reached, as its pages and the registries say."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from core.contacts import MAX_LABEL_CHARS, MAX_VALUE_CHARS
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import MessageField
from webadmin.ui.models.phrases import contact_kind_choices, contact_source_choices


class ContactRead(models.Model):
    """One contact of a site, with where and when it was read. What is no longer said stays, with when it last was."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="contacts", verbose_name=_("site"))
    kind = models.CharField(_("what it is"), max_length=16, choices=contact_kind_choices)
    value = models.CharField(max_length=MAX_VALUE_CHARS)
    label = models.CharField(max_length=MAX_LABEL_CHARS, blank=True)  # the words beside it
    source = models.CharField(_("from"), max_length=8, choices=contact_source_choices)
    where = models.TextField(_("read on"))  # an address, or a whois server and what it was asked
    first_read_at = models.DateTimeField(_("first read"))
    read_at = models.DateTimeField(_("last read"))

    class Meta:
        verbose_name = _("contact of a site")
        verbose_name_plural = _("contacts of sites")
        ordering = ["kind", "-read_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["site", "kind", "value", "source"], name="one_contact_a_site")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.value}"


class ContactLookUp(models.Model):
    """That the registries are to be asked about a site, who wants it, and what came of it."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="look_ups", verbose_name=_("site"))
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("requested by")
    )
    asked_at = models.DateTimeField(_("requested"))
    ended_at = models.DateTimeField(_("finished"), null=True, blank=True)
    found = models.PositiveSmallIntegerField(_("found"), default=0)
    faults = MessageField(_("faults"), default=list, blank=True)

    NOT_AHEAD = {"asked_at": CLOCKS_DIFFER}

    class Meta:
        verbose_name = _("look-up of a site")
        verbose_name_plural = _("look-ups of sites")
        ordering = ["-asked_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["site"], condition=Q(ended_at=None), name="one_live_look_up_a_site")
        ]

    def __str__(self) -> str:
        return f"{self.site} · {self.asked_at:%Y-%m-%d %H:%M}"
