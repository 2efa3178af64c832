"""Django's settings for the web server: those of the workers, those of the admin, and values of the operator."""

from pathlib import Path

from django.utils.translation import gettext_lazy as _

from webadmin.theme import UNFOLD  # noqa: F401 - django-unfold reads it here
from webadmin.worker_settings import *  # noqa: F403 - pages use the settings of the workers
from webadmin.worker_settings import INSTALLED_APPS as WORKER_APPS
from webadmin.worker_settings import ZHUIWEN

BASE_DIR = Path(__file__).resolve().parent

ALLOWED_HOSTS = list(ZHUIWEN.web.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(ZHUIWEN.web.trusted_origins)

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",  # The default configuration would set its own admin site.
    "unfold.contrib.filters",
    # Without autodiscovery of admin modules, which takes seconds; webadmin.urls imports them for the web server only.
    "webadmin.apps.ZhuiwenAdminConfig",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "webadmin.apps.LoginGuardConfig",
    *WORKER_APPS,
]

MIDDLEWARE = [
    "webadmin.ui.pages.requests.content_policy.AnswerHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "webadmin.ui.pages.requests.bidi.BidiMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "webadmin.ui.pages.requests.request_values.RequestSizeMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "webadmin.accounts.pages.profile.ZoneMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "webadmin.ui.pages.requests.request_values.RequestValuesMiddleware",
    "axes.middleware.AxesMiddleware",
]

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_USERNAME_CALLABLE = "webadmin.accounts.pages.slow_logins.attempted_name"
AXES_CLIENT_IP_CALLABLE = "webadmin.accounts.pages.slow_logins.visitor_address"
AXES_LOCKOUT_CALLABLE = "webadmin.accounts.pages.slow_logins.lockout_response"
CSRF_FAILURE_VIEW = "webadmin.ui.pages.errors.stale_form"

ROOT_URLCONF = "webadmin.urls"
WSGI_APPLICATION = "webadmin.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]


LANGUAGES = [("zh-hans", _("Simplified Chinese")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["webadmin.formats"]

STATIC_URL = "static/"
STATIC_ROOT = ZHUIWEN.home / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
MEDIA_ROOT = ZHUIWEN.home / "media"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "webadmin.accounts.services.passwords.OwnCharsValidator"},
]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = ZHUIWEN.web.is_https
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_NAME = "zhuiwen_session"
CSRF_COOKIE_NAME = "zhuiwen_csrf"
SECURE_SSL_REDIRECT = ZHUIWEN.web.is_https
SECURE_HSTS_SECONDS = 31_536_000 if ZHUIWEN.web.is_https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = ZHUIWEN.web.is_https
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ZHUIWEN.web.is_https else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
