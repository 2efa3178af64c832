"""The URLs of sites, their redirects to other hosts, and moves of sites."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.visits import AddressKind
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import CopiedKey, MessageField, user_key


def _partial_indexes(name: str, condition: Q) -> list[models.Index]:
    """Return the partial indexes for listing the few URLs that meet a condition, for one rights holder and for all."""
    fields = ["-failures", "due_at", "id"]
    return [
        models.Index(fields=["rights_holder", *fields], condition=condition, name=f"address_{name}_of_holder"),
        models.Index(fields=fields, condition=condition, name=f"address_{name}"),
    ]


class Address(models.Model):
    """A URL of a site with the results of its visits, as in core.visits.Visit."""

    SEARCH_PATHS = ("page_id", "site")

    class Kind(models.TextChoices):
        UNKNOWN = AddressKind.UNKNOWN.value, _("not fetched yet")
        LIST = AddressKind.LIST.value, _("list of pages")
        DETAIL = AddressKind.DETAIL.value, _("page with a text")

    id = models.CharField(max_length=40, primary_key=True)
    site = models.ForeignKey(Site, models.CASCADE, related_name="addresses", verbose_name=_("site"), db_index=False)
    rights_holder = CopiedKey(RightsHolder, models.CASCADE, "site.rights_holder", verbose_name=_("rights holder"))
    url = models.TextField(_("URL"))
    depth = models.PositiveSmallIntegerField(_("links from the start"), default=0)
    kind = models.CharField(
        pgettext_lazy("of an address or of evidence", "kind"), max_length=16, choices=Kind, default=Kind.UNKNOWN
    )
    rules = models.CharField(max_length=16, blank=True)
    found_at = models.DateTimeField(_("found"))
    seen_at = models.DateTimeField(_("last seen"), null=True, blank=True)
    due_at = models.DateTimeField(_("due"))
    page_id = models.CharField(_("page id"), max_length=40, blank=True)
    page_url = models.TextField(_("URL of the page"), blank=True)
    version_id = models.CharField(_("version"), max_length=40, blank=True)
    text_digest = models.CharField(_("digest of the page's text"), max_length=64, blank=True)
    etag = models.CharField(max_length=200, blank=True)
    last_modified = models.CharField(max_length=60, blank=True)
    unmodified = models.PositiveIntegerField(_("consecutive “not modified” responses"), default=0)
    has_unreliable_validator = models.BooleanField(_("returned “not modified” although it had changed"), default=False)
    looks = models.FloatField(default=0)
    unchanged_looks = models.FloatField(default=0)
    observed_s = models.FloatField(default=0)
    failures = models.PositiveIntegerField(_("consecutive failures"), default=0)
    failed_at = models.DateTimeField(_("last failure"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=32, blank=True)  # core.states.Rejection
    sentence = MessageField(_("what was wrong"), null=True, blank=True)
    absent_since = models.DateTimeField(_("not found since"), null=True, blank=True)
    gone_since = models.DateTimeField(_("gone since"), null=True, blank=True)
    is_moved = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("URL")
        verbose_name_plural = _("URLs")
        ordering = ["-failures", "due_at", "pk"]
        indexes = [
            models.Index(fields=["site", "due_at"], name="address_due"),
            models.Index(fields=["site", "text_digest"], name="address_text"),
            models.Index(fields=["page_id"], name="address_page"),
            models.Index(fields=["site", "-failures", "due_at", "id"], name="address_of_site"),
            models.Index(
                fields=["rights_holder", "site", "-failures", "due_at", "id"], name="address_of_site_of_holder"
            ),
            models.Index(fields=["rights_holder", "-failures", "due_at", "id"], name="address_of_holder"),
            models.Index(fields=["-failures", "due_at", "id"], name="address_all"),
            models.Index(fields=["rights_holder", "kind", "-failures", "due_at", "id"], name="address_kind_of_holder"),
            models.Index(fields=["kind", "-failures", "due_at", "id"], name="address_kind"),
            *_partial_indexes("absent", Q(absent_since__isnull=False)),
            *_partial_indexes("new", Q(seen_at__isnull=True)),
            *_partial_indexes("unreliable", Q(has_unreliable_validator=True)),
        ]

    def __str__(self) -> str:
        return self.url


class OffSiteRedirect(models.Model):
    """A redirect from a page or start page to another host, which is evidence of a move."""

    id = models.CharField(max_length=40, primary_key=True)  # a digest of the site, the URL and the new host
    site = models.ForeignKey(Site, models.CASCADE, related_name="off_site_redirects", verbose_name=_("site"))
    from_url = models.TextField(_("from"))
    to_url = models.TextField(_("to"))
    from_host = models.CharField(_("old host"), max_length=260)
    to_host = models.CharField(_("new host"), max_length=260)
    status = models.PositiveSmallIntegerField(_("HTTP status"))
    is_start = models.BooleanField(_("start page"), default=False)
    first_at = models.DateTimeField(_("first seen"))
    last_at = models.DateTimeField(_("last seen"))

    class Meta:
        verbose_name = _("redirect off the site")
        verbose_name_plural = _("redirects off the site")
        indexes = [models.Index(fields=["site", "to_host"], name="redirect_host")]

    def __str__(self) -> str:
        return f"{self.from_url} → {self.to_url}"


class SiteMove(models.Model):
    """A possible move of a site to another host, with the evidence. A user accepts or refuses it."""

    class State(models.TextChoices):
        PROPOSED = "proposed", _("proposed")
        ACCEPTED = "accepted", _("accepted")
        REFUSED = "refused", _("refused")

    site = models.ForeignKey(Site, models.CASCADE, related_name="moves", verbose_name=_("site"))
    from_host = models.CharField(_("old host"), max_length=260)
    to_host = models.CharField(_("new host"), max_length=260)
    # the watched site with the new host, if there is one
    other = models.ForeignKey(
        Site, models.SET_NULL, null=True, blank=True, related_name="moves_to", verbose_name=_("watched as")
    )
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.PROPOSED)
    evidence = models.JSONField(_("evidence"), default=dict)  # webadmin.sites.services.domain_changes.MoveEvidence
    proposed_at = models.DateTimeField(_("proposed"))
    decided_by = user_key(_("decided by"), models.SET_NULL, null=True, blank=True)
    decided_at = models.DateTimeField(_("decided"), null=True, blank=True)

    class Meta:
        verbose_name = _("site move")
        verbose_name_plural = _("site moves")
        ordering = ["-proposed_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["site", "from_host", "to_host"], name="one_move_a_host")]

    def __str__(self) -> str:
        return f"{self.from_host} → {self.to_host}"
