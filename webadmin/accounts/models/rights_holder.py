"""Rights holders and their members."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _

from webadmin.accounts.models.time_zones import require_zone
from webadmin.ui.models.fields import user_key


class RightsHolder(models.Model):
    """A novel platform, publisher or newspaper that holds rights. Works, sites and cases belong to a rights holder."""

    name = models.CharField(_("name"), max_length=200, unique=True)
    contact = models.CharField(_("contact"), max_length=300, blank=True)
    opens_teasers = models.BooleanField(
        _("teasers open cases"),
        default=False,
        help_text=_(
            "Whether text that appears only in teasers of other pages or in the site's frame opens a "
            "case. Takes effect from the next comparison of a page."
        ),
    )
    # The kinds of works (Work.Kind) whose rewrites and Chinese or English translations are searched for.
    reworded_kinds = models.JSONField(
        _("searched for rewrites"),
        default=list,
        blank=True,
        help_text=_(
            "The kinds of works for which the product searches for pages that express the same content in other "
            "words or another language. Results are suspected rewrites, never cases."
        ),
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    # The time of the first change of licences or own domains by which the stored findings have not been ruled on yet.
    unruled_since = models.DateTimeField(
        _("findings awaiting a new ruling since"), null=True, blank=True, editable=False
    )
    unruled_by = user_key(None, models.SET_NULL, null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("rights holder")
        verbose_name_plural = _("rights holders")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """The role of a user for a rights holder. Administrators (superusers) need no membership."""

    class Role(models.TextChoices):
        REVIEWER = "reviewer", _("reviewer")
        MANAGER = "manager", _("manager")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships", verbose_name=_("user")
    )
    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="memberships", verbose_name=_("rights holder")
    )
    role = models.CharField(_("role"), max_length=16, choices=Role, default=Role.REVIEWER)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [models.UniqueConstraint(fields=["user", "rights_holder"], name="one_role_a_holder")]

    def __str__(self) -> str:
        return f"{self.user} · {self.rights_holder} · {self.get_role_display()}"


class WorkKind(models.TextChoices):
    NOVEL = "novel", _("novel")
    NEWS = "news", _("news")
    ESSAY = "essay", _("essay")
    STORY = "story", _("short story")
    OTHER = "other", _("other")


class User(AbstractUser):
    """A person who signs in. Memberships determine what the person may do.

    zone: the time zone in which times are shown, or "" for that of the installation; times are stored in UTC.
    """

    zone = models.CharField(_("time zone"), max_length=64, blank=True, editable=False, validators=[require_zone])
