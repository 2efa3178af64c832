"""The addressees of notices, which users enter for sites."""

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.addressees import (
    COUNTER_TIMES,
    AddresseeRole,
    CounterRule,
    Paper,
    choose_notice_kind,
    counter_days,
    effective_counter_rule,
)
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.sites.models.site import Site
from webadmin.ui.models.phrases import addressee_role_choices, counter_rule_choices
from webadmin.works.models.rights import Entered


class Addressee(Entered):
    """A person or company that can take a copy down. The role determines the kind of notice."""

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="addressees", verbose_name=_("rights holder")
    )
    sites = models.ManyToManyField(Site, related_name="addressees", blank=True, verbose_name=_("sites"))
    name = models.CharField(_("name"), max_length=200)
    role = models.CharField(_("function"), max_length=16, choices=addressee_role_choices)
    legal_name = models.CharField(
        _("registered name"), max_length=300, blank=True, help_text=_("As printed in the letterhead.")
    )
    postal_address = models.CharField(_("postal address"), max_length=300, blank=True)
    postcode = models.CharField(_("postcode"), max_length=20, blank=True)
    email = models.EmailField(_("e-mail address"), blank=True)
    phone = models.CharField(_("telephone"), max_length=60, blank=True)
    fax = models.CharField(_("fax"), max_length=60, blank=True)
    complaint_page = models.CharField(_("complaint page"), max_length=500, blank=True)
    form_page = models.CharField(_("page with the form"), max_length=500, blank=True)
    max_attachments_mb = models.PositiveSmallIntegerField(
        _("attachments at most (MB)"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(1_000)],
        help_text=_("Total per message. Leave empty if unknown."),
    )
    asks_for_seal = models.BooleanField(_("asks for the seal"), default=False)
    answer_days = models.PositiveSmallIntegerField(
        _("days allowed for an answer"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(365)],
        help_text=_("After a notice was sent; empty: 7, the default. The law only says “promptly”."),
    )
    counter_rule = models.CharField(
        _("waiting period"),
        max_length=16,
        choices=counter_rule_choices,
        default=CounterRule.REPLY_2020_9,
        help_text=_("The rights holder must complain or sue within this period, or the removed pages come back."),
    )
    counter_days = models.PositiveSmallIntegerField(
        _("in days"),
        null=True,
        blank=True,
        help_text=_("Leave empty for the legal default, or enter the period that the addressee grants."),
    )
    note = models.TextField(_("note"), max_length=2_000, blank=True)

    class Meta:
        verbose_name = _("addressee")
        verbose_name_plural = _("addressees")
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["rights_holder", "name", "role"],
                name="one_addressee_a_name_and_role",
                violation_error_message=_("An addressee with this name and function already exists."),
            )
        ]

    @property
    def paper(self) -> Paper:
        """The kind of notice that this addressee receives."""
        return choose_notice_kind(AddresseeRole(self.role), self.rule)

    @property
    def rule(self) -> CounterRule:
        """The law that sets the period after a counter-statement in which the rights holder must complain or sue."""
        return effective_counter_rule(AddresseeRole(self.role), CounterRule(self.counter_rule))

    @property
    def days(self) -> int:
        """The length of this period in days, as the rule counts them (core.addressees), or 0 if no law sets one."""
        return 0 if self.rule is CounterRule.NONE else self.counter_days or counter_days(self.rule)

    def clean(self) -> None:
        """Raise ValidationError if the law does not allow the number of days, or if a rule is required but missing."""
        if not self.role:
            return
        if self.role == AddresseeRole.PUBLISHES:
            self.counter_rule, self.counter_days = CounterRule.NONE, None
        elif self.counter_rule == CounterRule.NONE:
            raise ValidationError({"counter_rule": _("A site that publishes by itself has no such period.")})
        time = COUNTER_TIMES.get(self.rule)
        if (
            time is not None
            and self.counter_days is not None
            and not time.min_days <= self.counter_days <= time.max_days
        ):
            words = _("This law allows from %(least)d to %(most)d days.")
            raise ValidationError({"counter_days": words % {"least": time.min_days, "most": time.max_days}})

    def __str__(self) -> str:
        return self.name
