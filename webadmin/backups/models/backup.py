"""Models of backups: the identity of the installation, the schedule, the backups and the checks of the stores."""

from uuid import uuid4

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from webadmin.ui.models.fields import MessageField

ONLY = 1  # the key of the row in a table with only one row


def new_key() -> str:
    return uuid4().hex


class Installation(models.Model):
    """The identity of this installation. Its backups contain it, and a restored installation keeps it."""

    key = models.CharField(max_length=32, default=new_key, editable=False)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("installation")
        verbose_name_plural = _("installations")

    def __str__(self) -> str:
        return self.key


class BackupPlan(models.Model):
    """The schedule and destination of automatic backups."""

    is_on = models.BooleanField(_("enabled"), default=False)
    destination = models.CharField(
        _("destination"),
        max_length=500,
        blank=True,
        help_text=_(
            "A folder, such as /mnt/backup/zhuiwen or file:///…, or s3://BUCKET/PREFIX. Preferably on another machine."
        ),
    )
    at = models.TimeField(_("time of day"), default="04:00")
    keep = models.PositiveSmallIntegerField(
        _("backups kept"),
        default=14,
        validators=[MinValueValidator(1), MaxValueValidator(1_000)],
        help_text=_("Older ones are removed after each backup."),
    )
    warn_days = models.PositiveSmallIntegerField(
        _("warn after days"),
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(365)],
        help_text=_("The admin, status and doctor warn when the last backup is older."),
    )
    # Encrypted (webadmin.sites.services.encrypted_secrets), or "" for none.
    passphrase = models.TextField(blank=True, editable=False)

    class Meta:
        verbose_name = _("backup schedule")
        verbose_name_plural = _("backup schedule")

    def __str__(self) -> str:
        return self.destination


class BackupRun(models.Model):
    """A running, finished or failed backup. Its row is created at the start, as unfinished."""

    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"))  # for a running backup, the time of its last sign of life
    is_scheduled = models.BooleanField(_("by schedule"), default=False)
    destination = models.CharField(_("destination"), max_length=500)
    backup_id = models.CharField(_("backup"), max_length=40, blank=True)
    records = models.PositiveBigIntegerField(_("records"), default=0)
    size_bytes = models.PositiveBigIntegerField(_("size"), default=0)
    new_bytes = models.PositiveBigIntegerField(_("newly written"), default=0)
    has_secrets = models.BooleanField(_("with secrets"), default=False)
    lacking = models.PositiveIntegerField(_("could not be read"), default=0)
    fault = MessageField(_("fault"), null=True, blank=True)  # the reason why the backup failed or is unfinished
    warning = MessageField(_("warning"), null=True, blank=True)  # problems of a backup that is nevertheless complete

    NOT_AHEAD = dict.fromkeys(("started_at", "ended_at"), CLOCKS_DIFFER)

    class Meta:
        verbose_name = _("backup")
        verbose_name_plural = _("backups")
        ordering = ["-started_at", "-pk"]
        indexes = [models.Index(fields=["-started_at"])]

    def __str__(self) -> str:
        return self.backup_id or str(self.started_at)


class StoreCheck(models.Model):
    """A check of all or a part of the stores against their digests and each other."""

    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"))
    part = models.PositiveSmallIntegerField(_("part"), null=True, blank=True)  # from 0; None for everything
    items = models.PositiveBigIntegerField(_("items read"))
    # [{"store", "place", "key", "kind", "remedy", "cases", "pages", "detail"}]:
    # webadmin.backups.services.checking.damage.Damage
    damages = models.JSONField(_("damages"), default=list, blank=True)

    class Meta:
        verbose_name = _("store check")
        verbose_name_plural = _("store checks")
        ordering = ["-started_at", "-pk"]

    def __str__(self) -> str:
        return f"{localtime(self.started_at):%Y-%m-%d %H:%M}"


def installation_key() -> str:
    """Return the key of this installation, and create it on the first call."""
    return Installation.objects.get_or_create(pk=ONLY)[0].key
