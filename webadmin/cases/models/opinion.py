"""Second opinions of published engines on pages of cases. Each is requested once and never overwritten."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from webadmin.cases.models.case import Case


class EnginePanel(models.Model):
    """The engines that gave opinions, with their descriptions at that time. Any change leads to a new row."""

    digest = models.CharField(_("digest"), max_length=64, unique=True)
    engines = models.JSONField(_("engines"))  # [{"name", "summary_en", "summary_zh", "source", "gives_spans"}]

    class Meta:
        verbose_name = _("engine panel")
        verbose_name_plural = _("engine panels")

    def __str__(self) -> str:
        return str(self.digest)[:12]


class OpinionRequest(models.Model):
    """A request for the opinions of the engines on a page version. It is deleted when they are stored."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="opinion_requests", verbose_name=_("case"))
    version_id = models.CharField(_("page version"), max_length=40)
    requested_at = models.DateTimeField(_("requested"))

    NOT_AHEAD = {"requested_at": CLOCKS_DIFFER}

    class Meta:
        verbose_name = _("second opinion request")
        verbose_name_plural = _("second opinion requests")
        constraints = [models.UniqueConstraint(fields=["case", "version_id"], name="one_opinion_request_a_version")]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.version_id}"


class SecondOpinion(models.Model):
    """The answers of the engines in `panel` about a page version and the texts of the work that it copied."""

    class LeftOut(models.TextChoices):
        TOO_LONG = "too_long", _("too long")
        TEXT_GONE = "text_gone", _("text no longer stored")
        GAVE_UP = "gave_up", _("abandoned")

    case = models.ForeignKey(Case, models.CASCADE, related_name="second_opinions", verbose_name=_("case"))
    version_id = models.CharField(_("page version"), max_length=40)
    page_text_digest = models.CharField(_("digest of the page's text"), max_length=64)
    text_ids = models.JSONField(_("texts of the work"), default=list)
    panel = models.ForeignKey(EnginePanel, models.PROTECT, null=True, related_name="+", verbose_name=_("engines"))
    left_out = models.CharField(_("reason left out"), max_length=16, choices=LeftOut, blank=True)
    # [{"engine", "verdict", "similarity", "passages", "page_share"}] in the order of the panel
    answers = models.JSONField(_("answers"), default=list)
    own_answer = models.JSONField(_("result of the product's own matcher"), default=dict)
    piece_chars = models.PositiveIntegerField(_("characters per piece"), default=0)
    background_ids = models.JSONField(_("other texts used as corpus"), default=list)
    code_version = models.CharField(_("code version"), max_length=40)
    asked_at = models.DateTimeField(_("asked"))

    class Meta:
        verbose_name = _("second opinion")
        verbose_name_plural = _("second opinions")
        constraints = [models.UniqueConstraint(fields=["case", "version_id"], name="one_second_opinion_a_version")]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.version_id}"
