"""Proofs of third parties for a case or matter (notarial deeds, timestamps, registrations), and requested captures.

Proofs are never deleted. A mistaken proof is withdrawn with a reason and stays visible.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.cases.models.case import Case
from webadmin.cases.models.matter import Matter
from webadmin.evidence.models.bundle import EvidenceBundle
from webadmin.ui.models.fields import AppendOnly, CopiedKey, MessageField, user_key

_ONE_OF_BOTH = Q(case__isnull=False, matter__isnull=True) | Q(case__isnull=True, matter__isnull=False)


class OfCaseOrMatter(AppendOnly):
    """A row that belongs to one case or to a whole matter."""

    rights_holder = models.ForeignKey(RightsHolder, models.PROTECT, related_name="+", verbose_name=_("rights holder"))
    case = models.ForeignKey(
        Case, models.PROTECT, null=True, blank=True, related_name="%(class)ss", verbose_name=_("case")
    )
    matter = models.ForeignKey(
        Matter, models.PROTECT, null=True, blank=True, related_name="%(class)ss", verbose_name=_("matter")
    )
    entered_by = user_key(_("entered by"), models.PROTECT)
    entered_at = models.DateTimeField(_("entered"))

    class Meta:
        abstract = True


class ThirdPartyProof(OfCaseOrMatter):
    """A file issued by a third party. The evidence store contains its bytes, and the row the data read from it."""

    CHANGING = frozenset({"withdrawn_by", "withdrawn_at", "withdrawn_because"})

    class Kind(models.TextChoices):
        NOTARIAL = "notarial", _("notarial deed")
        TIME_STAMP = "time-stamp", _("trusted time stamp certificate")
        CHAIN = "chain", _("registration on a blockchain")

    kind = models.CharField(pgettext_lazy("of an address or of evidence", "kind"), max_length=12, choices=Kind)
    issuer = models.CharField(_("issued by"), max_length=200)
    platform = models.CharField(_("platform"), max_length=200, blank=True)  # the platform of a blockchain registration
    number = models.CharField(_("number"), max_length=200)
    made_on = models.DateField(_("date of issue"))  # as stated in the file
    name = models.CharField(_("file"), max_length=200)  # the uploaded name, with the extension for the content
    ending = models.CharField(max_length=8)
    digest = models.CharField(_("SHA-256"), max_length=64)
    size_bytes = models.PositiveIntegerField(_("size"))
    note = models.TextField(_("note"), blank=True)
    # RFC 3161 tokens in the file: [{"hash", "imprint", "at", "signer", "is_signed"}] from
    # bundles.stamps.StampStatement.
    tokens = models.JSONField(default=list, blank=True)
    unread = MessageField(_("reason not read"), null=True, blank=True)
    withdrawn_by = user_key(_("withdrawn by"), models.PROTECT, null=True, blank=True)
    withdrawn_at = models.DateTimeField(_("withdrawn"), null=True, blank=True)
    withdrawn_because = models.CharField(_("reason for withdrawal"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("third-party proof")
        verbose_name_plural = _("third-party proofs")
        ordering = ["-entered_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=_ONE_OF_BOTH, name="proof_of_a_case_or_a_matter"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.number}"


class ProofCoverage(AppendOnly):
    """A bundle that a proof covers.

    It is determined when the file is added, because a file cannot cover a later bundle.
    """

    class How(models.TextChoices):
        STAMPED = "stamped", _("a signed time stamp on it")
        UNSIGNED = "unsigned", _("a time stamp on it whose signature could not be checked")
        NAMED = "named", _("its digest is written in it")

    class What(models.TextChoices):
        BUNDLE = "bundle", _("the bundle's digest")
        FILE = "file", _("the digest of the bundle's file")
        ROOT = "root", _("the root of the bundle's day")

    proof = models.ForeignKey(ThirdPartyProof, models.PROTECT, related_name="covered", verbose_name=_("proof"))
    bundle = models.ForeignKey(EvidenceBundle, models.PROTECT, related_name="covered_by", verbose_name=_("bundle"))
    rights_holder = CopiedKey(RightsHolder, models.PROTECT, "proof.rights_holder", verbose_name=_("rights holder"))
    how = models.CharField(max_length=8, choices=How)
    what = models.CharField(max_length=8, choices=What)

    class Meta:
        verbose_name = _("bundle covered by a proof")
        verbose_name_plural = _("bundles covered by proofs")
        constraints = [models.UniqueConstraint(fields=["proof", "bundle"], name="one_coverage_a_proof_and_bundle")]

    def __str__(self) -> str:
        return f"{self.proof_id} · {self.bundle_id}"


class ThirdPartyTask(OfCaseOrMatter):
    """A request for a third party to capture the page by a certain day. A proof completes it, or a user abandons it."""

    CHANGING = frozenset({"done_by", "ended_by", "ended_at", "given_up_because"})

    asked = models.CharField(_("institution"), max_length=200)
    until = models.DateField(_("until"))
    note = models.CharField(_("note"), max_length=500, blank=True)
    done_by = models.ForeignKey(
        ThirdPartyProof, models.PROTECT, null=True, blank=True, related_name="tasks", verbose_name=_("done by")
    )
    ended_by = user_key(_("ended by"), models.PROTECT, null=True, blank=True)
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    given_up_because = models.CharField(_("reason for abandoning"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("capture by a third party")
        verbose_name_plural = _("captures by third parties")
        ordering = ["until", "pk"]
        constraints = [models.CheckConstraint(condition=_ONE_OF_BOTH, name="task_of_a_case_or_a_matter")]

    def __str__(self) -> str:
        return f"{self.asked} {self.until}"
