"""Matters, which comprise all cases of a work on a site, their figures, and saved views of the inbox."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.sites.models.site import Site
from webadmin.works.models.rights import Work

MAX_NAME_CHARS = 60  # characters in the name of a saved view, which is one line in the navigation


# Each index contains the columns for the filters of the inbox, so that the database skips rows without reading them.
_FILTERED_BY = (
    "site",
    "work",
    "assignee",
    "open_cases",
    "confirmed_cases",
    "changed_cases",
    "returned_cases",
    "awaited",
    "proof_due",
    "newest_at",
    "work_share",
    "early_chapters",
    "lead_s",
    "obfuscation_kinds",
)


def _queue_indexes(name: str, condition: Q | None = None) -> list[models.Index]:
    """Return two indexes for counting and paging a queue of the inbox: for one rights holder, and for all.

    condition: the condition of the queue, or None for all matters.
    """
    fields = ["-harm", "-id", *_FILTERED_BY]
    return [
        models.Index(fields=["rights_holder", *fields], condition=condition, name=f"matters_{name}_of_holder"),
        models.Index(fields=fields, condition=condition, name=f"matters_{name}"),
    ]


class Matter(models.Model):
    """All cases of a work on a site. Users enter the assignee and documents; the program computes the other columns."""

    rights_holder = models.ForeignKey(
        RightsHolder, models.PROTECT, related_name="matters", verbose_name=_("rights holder")
    )
    site = models.ForeignKey(Site, models.CASCADE, related_name="matters", verbose_name=_("site"))
    work = models.ForeignKey(Work, models.CASCADE, related_name="matters", verbose_name=_("work"))
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="matters",
        verbose_name=_("assignee"),
    )
    awaited = models.CharField(_("awaited documents"), max_length=300, blank=True)
    # The earliest due date of a requested capture, written by webadmin.evidence.services.third_party_tasks.
    proof_due = models.DateField(_("capture by a third party until"), null=True, blank=True)

    open_cases = models.PositiveIntegerField(_("open"), default=0)
    confirmed_cases = models.PositiveIntegerField(_("confirmed"), default=0)
    closed_cases = models.PositiveIntegerField(_("dismissed or set aside"), default=0)
    changed_cases = models.PositiveIntegerField(_("page changed since the verdict"), default=0)
    returned_cases = models.PositiveIntegerField(_("page online again"), default=0)
    taken_chars = models.PositiveIntegerField(_("characters taken from the work"), default=0)  # distinct characters
    work_share = models.FloatField(_("share of the work"), default=0.0)
    # The longest time by which a copied chapter was earlier than its official publication; negative if all were later.
    lead_s = models.BigIntegerField(_("head start on the official publication in seconds"), null=True, blank=True)
    early_chapters = models.PositiveIntegerField(_("chapters before their official time"), default=0)
    # The kinds, each between spaces, the most frequent first. Several indexes contain this column.
    obfuscation_kinds = models.CharField(_("alterations"), max_length=400, default="", blank=True)
    harm = models.FloatField(_("impact"), default=0.0)  # 0 to 100: core.harm
    first_seen_at = models.DateTimeField(_("first seen"), null=True, blank=True)
    newest_at = models.DateTimeField(_("newest case opened"), null=True, blank=True)

    class Meta:
        verbose_name = _("matter")
        verbose_name_plural = _("matters")
        ordering = ["-harm", "-pk"]
        constraints = [models.UniqueConstraint(fields=["site", "work"], name="one_matter_a_site_and_work")]
        indexes = [
            *_queue_indexes("all"),
            *_queue_indexes("new", Q(open_cases__gt=0)),
            *_queue_indexes("confirmed", Q(confirmed_cases__gt=0)),
            *_queue_indexes("changed", Q(changed_cases__gt=0)),
            *_queue_indexes("returned", Q(returned_cases__gt=0)),
            *_queue_indexes("awaiting", ~Q(awaited="") | Q(proof_due__isnull=False)),
            *_queue_indexes("closed", Q(open_cases=0, confirmed_cases=0)),
            # For totals over the cases of a site or a work.
            models.Index(fields=["site", "open_cases", "confirmed_cases", "closed_cases"], name="matters_of_site"),
            models.Index(fields=["work", "open_cases", "confirmed_cases", "closed_cases"], name="matters_of_work"),
            models.Index(
                fields=["assignee", "rights_holder", "-harm", "-id", *_FILTERED_BY[3:]],
                condition=Q(assignee__isnull=False),
                name="matters_mine",
            ),
        ]

    @property
    def all_cases(self) -> int:
        return self.open_cases + self.confirmed_cases + self.closed_cases

    def __str__(self) -> str:
        return f"{self.site} × {self.work}"


class MatterText(models.Model):
    """The characters of one text of the work in all cases of a matter together, and when they were first seen."""

    matter = models.ForeignKey(Matter, models.CASCADE, related_name="texts", verbose_name=_("matter"))
    text_id = models.CharField(_("text id"), max_length=40)
    taken_chars = models.PositiveIntegerField(_("characters taken from the work"))
    places = models.BinaryField(_("positions"))  # core.taken.Places.pack
    first_seen_at = models.DateTimeField(_("first seen"))

    class Meta:
        verbose_name = _("text from a matter")
        verbose_name_plural = _("texts of matters")
        constraints = [models.UniqueConstraint(fields=["matter", "text_id"], name="one_text_a_matter")]
        indexes = [models.Index(fields=["text_id", "matter"])]  # finds the sites that copied a chapter

    def __str__(self) -> str:
        return f"{self.matter_id} · {self.text_id}"


class CopiedText(models.Model):
    """The number of characters of one text of a work that were copied in all matters together.

    webadmin.cases.services.matters.figures writes the rows.
    """

    work = models.ForeignKey(Work, models.CASCADE, related_name="copied_texts", verbose_name=_("work"))
    text_id = models.CharField(_("text id"), max_length=40)
    taken_chars = models.PositiveIntegerField(_("characters taken from the work"), default=0)

    class Meta:
        verbose_name = _("text on the site")
        verbose_name_plural = _("texts on the site")
        constraints = [models.UniqueConstraint(fields=["work", "text_id"], name="one_copied_text_a_work")]
        indexes = [models.Index(fields=["work", "taken_chars"])]

    def __str__(self) -> str:
        return f"{self.work_id} · {self.text_id}"


class SavedView(models.Model):
    """A saved view of the inbox. query: the query string with the queue, the filters and the order."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_views", verbose_name=_("user")
    )
    name = models.CharField(_("name"), max_length=MAX_NAME_CHARS)
    query = models.TextField()

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="one_saved_view_a_name")]

    def __str__(self) -> str:
        return self.name
