"""Rules for crawling a site: hours and budgets, signs of refusals, proxies and logins, and the log of robots.txt.

Columns named `sealed_…` contain secrets that only the installation's key can decrypt
(webadmin.sites.services.encrypted_secrets).
"""

from datetime import timedelta

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from crawler.fetching.proxies import LONGEST_PAUSE_S
from webadmin.sites.models.site import Site


class SiteRules(models.Model):
    """The hours, budgets, browser and login for crawling a site. A site without a row has the defaults."""

    class Browser(models.TextChoices):
        NEVER = "never", _("never")
        AUTO = "auto", _("script-rendered pages")
        ALWAYS = "always", _("all pages")

    site = models.OneToOneField(Site, models.CASCADE, related_name="rules", verbose_name=_("site"))
    windows = models.CharField(
        _("crawl only during"),
        max_length=300,
        blank=True,
        help_text=_(
            "Hours in the site's time zone, such as 01:00-06:00, separated by commas. Leave empty for any time."
        ),
    )
    zone = models.CharField(
        _("site time zone"),
        max_length=60,
        blank=True,
        help_text=_("For example, Asia/Shanghai. Leave empty to use your own."),
    )
    megabytes_a_run = models.PositiveIntegerField(_("MB per crawl"), default=0, help_text=_("0: no limit."))
    pages_a_day = models.PositiveIntegerField(_("pages per day"), default=0, help_text=_("0: no limit."))
    megabytes_a_day = models.PositiveIntegerField(_("MB per day"), default=0, help_text=_("0: no limit."))
    browser = models.CharField(_("load in a browser"), max_length=8, choices=Browser, default=Browser.AUTO)
    user_agents = models.TextField(
        _("user agents"), blank=True, help_text=_("One per line. Leave empty to use the installation's setting.")
    )
    login_steps = models.TextField(_("login"), blank=True)
    sealed_values = models.TextField(editable=False, blank=True)
    sealed_cookies = models.TextField(editable=False, blank=True)

    class Meta:
        verbose_name = _("treatment")
        verbose_name_plural = _("treatment")

    def __str__(self) -> str:
        return str(self.site)


class SiteBanRule(models.Model):
    """A rule by which a crawl recognizes a refusal in a response, and the reaction to it."""

    class Action(models.TextChoices):
        SLOW = "slow", _("wait and continue more slowly")
        ROTATE = "rotate", _("change proxy and user agent")
        LOGIN = "login", _("log in again")
        STOP = "stop", _("end the crawl")

    site = models.ForeignKey(Site, models.CASCADE, related_name="ban_rules", verbose_name=_("site"))
    name = models.CharField(_("name"), max_length=60)
    statuses = models.CharField(
        _("HTTP status"),
        max_length=60,
        blank=True,
        help_text=_("For example, 403. Separate multiple values with commas."),
    )
    words = models.TextField(_("one of these words"), blank=True, help_text=_("One per line."))
    selector = models.CharField(_("element (CSS or XPath)"), max_length=200, blank=True)
    redirect = models.CharField(
        _("redirects to"), max_length=300, blank=True, help_text=_("A regular expression that the URL must match.")
    )
    max_chars = models.PositiveIntegerField(
        _("at most (characters)"), default=0, help_text=_("0: any."), validators=[MaxValueValidator(100_000)]
    )
    action = models.CharField(_("then"), max_length=8, choices=Action, default=Action.SLOW)

    class Meta:
        verbose_name = _("refusal rule")
        verbose_name_plural = _("refusal rules")
        ordering = ["site", "pk"]

    def __str__(self) -> str:
        return self.name


class SiteProxy(models.Model):
    """A proxy through which a site is crawled, with the numbers of its successes and failures."""

    class Scheme(models.TextChoices):
        HTTP = "http", "http"
        HTTPS = "https", "https"

    site = models.ForeignKey(Site, models.CASCADE, related_name="proxies", verbose_name=_("site"))
    scheme = models.CharField(_("protocol"), max_length=8, choices=Scheme, default=Scheme.HTTP)
    place = models.CharField(_("host:port"), max_length=260)
    user = models.CharField(_("user"), max_length=200, blank=True)
    sealed_password = models.TextField(editable=False, blank=True)
    is_enabled = models.BooleanField(_("used"), default=True)
    is_second_route = models.BooleanField(
        _("only for rechecks"),
        default=False,
        help_text=_("Used to check a page once more before it is reported as removed; never for other crawls."),
    )
    successes = models.PositiveBigIntegerField(_("successes"), default=0, editable=False)
    failures = models.PositiveBigIntegerField(_("failures"), default=0, editable=False)
    cools_until = models.DateTimeField(_("paused until"), null=True, editable=False)

    NOT_AHEAD = {"cools_until": CLOCKS_DIFFER + timedelta(seconds=LONGEST_PAUSE_S)}

    class Meta:
        verbose_name = _("proxy")
        verbose_name_plural = _("proxies")
        ordering = ["site", "pk"]
        constraints = [models.UniqueConstraint(fields=["site", "place"], name="one_proxy_a_place")]

    def __str__(self) -> str:
        return self.place


class RobotsSwitch(models.Model):
    """A record that a user disabled or enabled robots.txt for a site, with the time and the reason."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="robots_switches", verbose_name=_("site"))
    obeys = models.BooleanField(_("obey robots.txt"))
    reason = models.CharField(_("reason"), max_length=500)
    switched_at = models.DateTimeField(_("when"), auto_now_add=True)
    switched_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, verbose_name=_("by")
    )

    class Meta:
        verbose_name = _("robots.txt setting")
        verbose_name_plural = _("robots.txt settings")
        ordering = ["-switched_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.site} · {localtime(self.switched_at):%Y-%m-%d %H:%M}"
