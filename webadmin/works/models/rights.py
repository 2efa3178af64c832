"""Works and chapters, licences to publish them, own domains and accounts, and licence fees."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.states import Rejection
from webadmin.accounts.models.rights_holder import RightsHolder, WorkKind
from webadmin.ui.models.fields import AppendOnly, user_key
from webadmin.ui.models.phrases import unprotected_choices

MAX_ADDRESS_CHARS = 2_000  # the longest page URL that a crawler follows


class Work(models.Model):
    """A novel, report, essay or other work of a rights holder, identified by its title and author."""

    IS_SEARCHED_FIRST = True

    Kind = WorkKind

    rights_holder = models.ForeignKey(
        RightsHolder, models.PROTECT, related_name="works", verbose_name=_("rights holder")
    )
    title = models.CharField(_("title"), max_length=300)
    author = models.CharField(_("author"), max_length=200, blank=True)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind, default=Kind.NOVEL)
    added_at = models.DateTimeField(_("added"), auto_now_add=True)
    # The characters of its different texts; shares are computed from it. Set by webadmin.works.services.work_length.
    counted_chars = models.PositiveIntegerField(_("counted characters"), default=0, editable=False)

    class Meta:
        verbose_name = _("work")
        verbose_name_plural = _("works")
        ordering = ["title", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["rights_holder", "title", "author"], name="one_work_a_title_and_author")
        ]

    def __str__(self) -> str:
        return self.title


class Chapter(models.Model):
    """A chapter of a work. Its text is in the work store under `text_id`."""

    work = models.ForeignKey(Work, models.CASCADE, related_name="chapters", verbose_name=_("work"))
    number = models.PositiveIntegerField(_("number"))
    title = models.CharField(_("title"), max_length=300, blank=True)
    text_id = models.CharField(_("text id"), max_length=40, db_index=True)
    # As counted by core.counting, and by the fingerprint once the text is indexed.
    chars = models.PositiveIntegerField(_("characters"))
    added_at = models.DateTimeField(_("added"), auto_now_add=True)
    indexed_at = models.DateTimeField(_("indexed"), null=True, blank=True, db_index=True)
    # The time since which pages are searched for rewrites of it. Set by webadmin.rewrites.services.due_searches.
    reworded_at = models.DateTimeField(null=True, blank=True, editable=False)
    # The time of the official publication, with which the times of copies are compared, or None if unknown.
    published_at = models.DateTimeField(_("officially published"), null=True, blank=True)

    class Meta:
        verbose_name = _("chapter")
        verbose_name_plural = _("chapters")
        ordering = ["work", "number"]
        constraints = [models.UniqueConstraint(fields=["work", "number"], name="one_chapter_a_number")]
        indexes = [models.Index(fields=["work", "reworded_at"])]

    def __str__(self) -> str:
        return self.title or str(_("Chapter %(number)d") % {"number": self.number})


class Entered(models.Model):
    """A base class for rights that users enter, which records who last changed them and when."""

    entered_by = user_key(_("entered by"), models.SET_NULL, null=True, blank=True, editable=False)
    entered_at = models.DateTimeField(_("entered"), auto_now=True)

    class Meta:
        abstract = True


class Licence(Entered):
    """A permission to publish one or all works of a rights holder on a domain or below a URL during a period."""

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="licences", verbose_name=_("rights holder")
    )
    work = models.ForeignKey(
        Work,
        models.CASCADE,
        related_name="licences",
        null=True,
        blank=True,
        verbose_name=_("work"),
        help_text=_("Leave empty for all works of the rights holder."),
    )
    chapters = models.CharField(
        _("chapters"),
        max_length=500,
        blank=True,
        help_text=_("Chapter numbers, such as 1-20, 25. Leave empty for all chapters."),
    )
    licensee = models.CharField(_("licensee"), max_length=200)
    domain = models.CharField(
        _("domain"),
        max_length=253,
        help_text=_("Host of the licensed site, with its port if any; includes subdomains."),
    )
    address = models.CharField(
        _("URL of the page"),
        max_length=MAX_ADDRESS_CHARS,
        blank=True,
        help_text=_("Only this page and everything below it. Leave empty for the whole domain."),
    )
    number = models.CharField(_("contract number"), max_length=100, blank=True)
    valid_from = models.DateField(_("valid from"))
    valid_until = models.DateField(
        _("valid until"), null=True, blank=True, help_text=_("Last day (inclusive). Leave empty for no end date.")
    )

    class Meta:
        verbose_name = _("licence")
        verbose_name_plural = _("licences")
        ordering = ["licensee", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gte=models.F("valid_from")),
                name="licence_ends_after_it_begins",
                violation_error_message=_("The licence ends before it begins."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.licensee} · {self.address or self.domain}"[:300]


class LicenceProof(models.Model):
    """A file that proves a licence, such as the contract. It is never changed; its content is in the evidence store."""

    licence = models.ForeignKey(Licence, models.CASCADE, related_name="proofs", verbose_name=_("licence"))
    name = models.CharField(_("file"), max_length=200)  # the uploader's file name
    digest = models.CharField(_("SHA-256"), max_length=64)
    size = models.PositiveIntegerField(_("bytes"))
    kind = models.CharField(max_length=8)  # the file extension for the content: webadmin.works.services.proofs
    added_by = user_key(_("entered by"), models.SET_NULL, null=True)
    added_at = models.DateTimeField(_("entered"), auto_now_add=True)

    class Meta:
        verbose_name = _("licence proof")
        verbose_name_plural = _("licence proofs")
        ordering = ["-added_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["licence", "digest"], name="one_proof_a_file")]

    def __str__(self) -> str:
        return self.name


class OwnDomain(Entered):
    """A domain of the rights holder, whose pages are never cases."""

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="own_domains", verbose_name=_("rights holder")
    )
    domain = models.CharField(_("domain"), max_length=253)

    class Meta:
        verbose_name = _("own domain")
        verbose_name_plural = _("own domains")
        constraints = [models.UniqueConstraint(fields=["rights_holder", "domain"], name="one_own_domain")]

    def __str__(self) -> str:
        return self.domain


class OwnAccount(Entered):
    """An account of the author or rights holder on a platform, whose pages are never cases.

    It is identified either by the URL of its page or by its domain and name.
    """

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="own_accounts", verbose_name=_("rights holder")
    )
    platform = models.CharField(_("platform"), max_length=100, help_text=_("The common name, such as 知乎."))
    address = models.CharField(
        _("URL of the account"),
        max_length=500,
        blank=True,
        help_text=_("Pages at this URL and below it belong to the account."),
    )
    domain = models.CharField(_("domain"), max_length=253, blank=True)
    name = models.CharField(
        _("name of the account"),
        max_length=100,
        blank=True,
        help_text=_(
            "Pages of the domain that name it as their author. Only for platforms whose pages name "
            "the poster and where account names are unique."
        ),
    )

    class Meta:
        verbose_name = _("own account")
        verbose_name_plural = _("own accounts")
        ordering = ["platform", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["rights_holder", "address", "domain", "name"],
                name="one_own_account",
                violation_error_message=_("This account has already been entered."),
            ),
            models.CheckConstraint(
                condition=(Q(domain="", name="") & ~Q(address="")) | (Q(address="") & ~Q(domain="") & ~Q(name="")),
                name="account_by_address_or_name",
                violation_error_message=_("Enter the URL of the account, or its domain and its name."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.platform} {f'@{self.name}' if self.name else self.address}"[:300]


class AuthorAlias(models.Model):
    """Another name of an author: a pen name, a former name, or the name in another script."""

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="author_aliases", verbose_name=_("rights holder")
    )
    author = models.CharField(_("author"), max_length=200, help_text=_("As given on the works."))
    alias = models.CharField(_("pen name"), max_length=200)

    class Meta:
        verbose_name = _("pen name")
        verbose_name_plural = _("pen names")
        ordering = ["author", "alias"]
        constraints = [models.UniqueConstraint(fields=["rights_holder", "author", "alias"], name="one_alias")]

    def __str__(self) -> str:
        return f"{self.author} = {self.alias}"


class Unprotected(Entered):
    """A mark that a work is not protected, with the reason. Copies of the work are then not cases."""

    work = models.OneToOneField(Work, models.CASCADE, related_name="unprotected", verbose_name=_("work"))
    reason = models.CharField(
        _("reason"),
        max_length=32,
        choices=unprotected_choices,
        help_text=_(
            "Copyright Law of China: official texts and mere facts, article 5; term of protection, article 23: the"
            " author's life and 50 years, until 31 December of the 50th."
        ),
    )
    note = models.CharField(
        _("in a sentence"), max_length=300, blank=True, help_text=_("Required if no other reason applies.")
    )

    class Meta:
        verbose_name = _("work not protected")
        verbose_name_plural = _("works not protected")

    @property
    def rights_holder_id(self) -> int:
        """The primary key of the rights holder of the work."""
        return self.work.rights_holder_id

    def clean(self) -> None:
        if self.reason == Rejection.NOT_PROTECTED and not self.note.strip():
            raise ValidationError({"note": _("Explain in a sentence why the work is not protected.")})

    def __str__(self) -> str:
        return f"{self.work} · {self.get_reason_display()}"


class PlannedUpload(models.Model):
    """The works read from an upload, stored until the user confirms or discards them. A user has at most one."""

    rights_holder = models.ForeignKey(  # null until the user names the owner
        RightsHolder, models.CASCADE, null=True, related_name="planned_uploads", verbose_name=_("rights holder")
    )
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="planned_uploads", verbose_name=_("sent by")
    )
    sent_at = models.DateTimeField(_("sent"))
    works = models.BinaryField(_("works"))  # webadmin.works.services.planned_uploads

    class Meta:
        verbose_name = _("planned upload")
        verbose_name_plural = _("planned uploads")

    def __str__(self) -> str:
        return f"{self.rights_holder or '-'} · {self.sent_by}"


class LicenceFee(AppendOnly):
    """The fee for a thousand characters of a work. The newest row applies; earlier rows are history."""

    work = models.ForeignKey(Work, models.CASCADE, related_name="fees", verbose_name=_("work"))
    per_thousand = models.DecimalField(_("CNY per thousand characters"), max_digits=10, decimal_places=2)
    source = models.CharField(_("source of the fee"), max_length=500)  # for example, the number of a contract
    entered_by = user_key(_("entered by"), models.PROTECT)
    entered_at = models.DateTimeField(_("entered"))

    class Meta:
        verbose_name = _("licence fee")
        verbose_name_plural = _("licence fees")
        ordering = ["-entered_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(per_thousand__gt=0), name="licence_fee_is_above_nothing")
        ]

    def __str__(self) -> str:
        return f"{self.work_id} · {self.per_thousand}"
