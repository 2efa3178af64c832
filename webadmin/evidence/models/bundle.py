"""Models of evidence: bundles, day trees, timestamps, checks and removals. Rows are never deleted.

The evidence store contains the bundles themselves. Of a bundle's row, only the state, the rendering status and the time
of the last check change.
"""

from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.clock import CLOCKS_DIFFER
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.cases.models.case import Case, CaseMatch
from webadmin.ui.models.fields import AppendOnly, CopiedKey, MessageField

LONGEST_PAUSE = timedelta(hours=12)  # An authority that is down for a week gets two requests a day.


class EvidenceBundle(AppendOnly):
    """A bundle that contains a page version and the passages that it copied from one text of the work.

    A bundle of kind REMOVAL contains a response without the matched passages instead, from one check of the page
    (RemovalLook).
    """

    SEARCH_PATHS = ("case__page", "case__site")

    CHANGING = frozenset({"state", "checked_at", "drawing"})

    class Kind(models.TextChoices):
        RECORD = "record", _("response and finding")
        DRAWN = "drawn", _("with screenshot and PDF")
        REMOVAL = "removal", _("response that proves a removal")

    class State(models.TextChoices):
        HELD = "held", _("intact")
        CHANGED = "changed", _("changed")
        MISSING = "missing", _("missing")
        REMOVED = "removed", _("removed by retention")

    class Drawing(models.TextChoices):
        """The outcome of rendering the page of a record.

        It stays WAITING without a browser or if rendering is disabled.
        """

        WAITING = "waiting", _("not rendered yet")
        DRAWN = "drawn", _("rendered")
        FAILED = "failed", _("could not be rendered")

    case = models.ForeignKey(Case, models.PROTECT, related_name="bundles", verbose_name=_("case"))
    rights_holder = CopiedKey(RightsHolder, models.PROTECT, "case.rights_holder", verbose_name=_("rights holder"))
    match = models.ForeignKey(CaseMatch, models.PROTECT, related_name="bundles", verbose_name=_("match"))
    version_id = models.CharField(_("page version"), max_length=40)
    kind = models.CharField(
        pgettext_lazy("of an address or of evidence", "kind"), max_length=8, choices=Kind, default=Kind.RECORD
    )
    digest = models.CharField(_("digest"), max_length=64, unique=True)  # SHA-256 of the bundle's file list
    sha256 = models.CharField(_("SHA-256 of the file"), max_length=64)
    size_bytes = models.PositiveBigIntegerField(_("size"))
    fetched_at = models.DateTimeField(_("fetched"))
    day = models.DateField(_("day"), db_index=True)  # the day of fetching, in UTC; selects the day tree
    made_at = models.DateTimeField(_("generated at"))
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.HELD)
    checked_at = models.DateTimeField(_("checked"), null=True, blank=True)
    drawing = models.CharField(_("screenshot"), max_length=8, choices=Drawing, default=Drawing.WAITING)
    # For a bundle with renderings, one item for each page of the text: {"page", "screenshot", "pdf"}, or {"why",
    # "limit"} as in bundles.records.Undrawn if the page was not rendered. Empty if only the first page was rendered.
    drawn_pages = models.JSONField(_("pages rendered"), default=list, blank=True)

    class Meta:
        verbose_name = _("evidence bundle")
        verbose_name_plural = _("evidence bundles")
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["match", "kind"], condition=~Q(kind="removal"), name="one_bundle_a_match_and_kind"
            )
        ]
        indexes = [
            models.Index(fields=["rights_holder", "-made_at"]),
            models.Index(fields=["-made_at"]),
            models.Index(fields=["rights_holder", "state", "-made_at"]),
            models.Index(fields=["state", "-made_at"]),
            models.Index(fields=["rights_holder", "kind", "-made_at"]),
            models.Index(fields=["kind", "-made_at"]),
            models.Index(fields=["rights_holder", "drawing", "-made_at"]),
            models.Index(fields=["drawing", "-made_at"]),
            models.Index(fields=["sha256"]),
        ]

    def __str__(self) -> str:
        return f"{self.digest[:16]}… ({self.case_id})"


class DayTree(AppendOnly):
    """The Merkle tree over the bundles of one day. A bundle that is added later leads to another tree."""

    day = models.DateField(_("day"))
    root = models.CharField(_("root"), max_length=64)
    leaves = models.JSONField(_("digests"))  # digests of all bundles, including removed ones
    made_at = models.DateTimeField(_("generated at"))

    class Meta:
        verbose_name = _("daily tree")
        verbose_name_plural = _("daily trees")
        ordering = ["-day", "-pk"]
        constraints = [models.UniqueConstraint(fields=["day", "root"], name="one_tree_a_day_and_root")]

    def __str__(self) -> str:
        return f"{self.day} {self.root[:16]}…"


class Stamp(AppendOnly):
    """A timestamp (RFC 3161) that an authority issued for the root of a tree."""

    tree = models.ForeignKey(DayTree, models.PROTECT, related_name="stamps", verbose_name=_("tree"))
    authority = models.CharField(_("authority"), max_length=300)
    query = models.BinaryField(_("query"))
    response = models.BinaryField(_("response"))
    ca_pem = models.BinaryField(_("root certificates"))
    stamped_at = models.DateTimeField(_("stamped"))  # the time stated by the authority
    signer = models.CharField(_("signed by"), max_length=500, blank=True)
    received_at = models.DateTimeField(_("received"))

    class Meta:
        verbose_name = _("time stamp")
        verbose_name_plural = _("time stamps")
        ordering = ["-received_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["tree", "authority"], name="one_stamp_a_tree_and_authority")]

    def __str__(self) -> str:
        return f"{self.authority} {self.stamped_at:%Y-%m-%d %H:%M}"


class StampAttempt(models.Model):
    """A pending request for a timestamp.

    It contains the number of attempts, the last error and the time of the next attempt.
    """

    tree = models.ForeignKey(DayTree, models.PROTECT, related_name="attempts", verbose_name=_("tree"))
    authority = models.CharField(_("authority"), max_length=300)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    error = MessageField(_("error"), null=True, blank=True)
    next_at = models.DateTimeField(_("next request"))

    NOT_AHEAD = {"next_at": CLOCKS_DIFFER + LONGEST_PAUSE}

    class Meta:
        verbose_name = _("failed time stamp request")
        verbose_name_plural = _("failed time stamp requests")
        ordering = ["next_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["tree", "authority"], name="one_attempt_a_tree_and_authority")]

    def __str__(self) -> str:
        return f"{self.authority} {self.tree}"


class EvidenceCheck(AppendOnly):
    """A check that read all stored bundles and files, byte by byte."""

    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"))
    bundles = models.PositiveIntegerField(_("bundles"))
    files = models.PositiveIntegerField(_("kept files"), default=0)
    read_bytes = models.PositiveBigIntegerField(_("bytes read"))
    # [{"digest", "state"}]. A stored file also has {"file", "kind"}: its name and the model that refers to it.
    faults = models.JSONField(_("faults"), default=list)

    class Meta:
        verbose_name = _("evidence check")
        verbose_name_plural = _("evidence checks")
        ordering = ["-started_at", "-pk"]

    def __str__(self) -> str:
        return f"{localtime(self.started_at):%Y-%m-%d %H:%M}"


class RetentionLog(AppendOnly):
    """The removal of a bundle by the retention policy. The bundle's digest stays in its tree."""

    bundle = models.OneToOneField(EvidenceBundle, models.PROTECT, related_name="removal", verbose_name=_("bundle"))
    rights_holder = CopiedKey(RightsHolder, models.PROTECT, "bundle.rights_holder", verbose_name=_("rights holder"))
    removed_at = models.DateTimeField(_("removed"))
    reason = models.CharField(_("reason"), max_length=300)

    class Meta:
        verbose_name = _("removal by retention")
        verbose_name_plural = _("removals by retention")
        ordering = ["-removed_at", "-pk"]
        indexes = [models.Index(fields=["rights_holder", "-removed_at"])]

    def __str__(self) -> str:
        return str(self.bundle)
