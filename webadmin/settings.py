"""Django's settings, made from `core.settings`: this file chooses applications, the operator sets the rest."""

import os
from pathlib import Path
from typing import Any

import dj_database_url
from django.utils.translation import gettext_lazy as _

from core.settings import load
from webadmin.theme import UNFOLD  # noqa: F401 - django-unfold reads it here

ZHUIWEN = load(os.environ)
ZHUIWEN_OUTBOX = "pipeline.outbox.CeleryOutbox"  # webadmin sends messages, and knows nothing of who carries them

BASE_DIR = Path(__file__).resolve().parent

# Without a key (a management command on a machine that was never set up) sessions last as long as the process.
SECRET_KEY = ZHUIWEN.web.secret_key or os.urandom(32).hex()
DEBUG = False
ALLOWED_HOSTS = list(ZHUIWEN.web.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(ZHUIWEN.web.trusted_origins)

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_celery_beat",
    "axes",
    "webadmin",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "webadmin.request_size.RequestSizeMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]

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


def _database() -> dict[str, Any]:
    if ZHUIWEN.services.database_url:
        return dict(dj_database_url.parse(ZHUIWEN.services.database_url, conn_max_age=60, conn_health_checks=True))
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": ZHUIWEN.sqlite_path,
        "OPTIONS": {
            "timeout": 30,  # s; writers wait for each other, a write takes milliseconds
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = ZHUIWEN.web.language
LANGUAGES = [("zh-hans", _("Simplified Chinese")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["webadmin.formats"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = ZHUIWEN.web.time_zone

STATIC_URL = "static/"
STATIC_ROOT = ZHUIWEN.home / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
MEDIA_ROOT = ZHUIWEN.home / "media"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ZHUIWEN.web.is_https
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_NAME = "zhuiwen_session"
CSRF_COOKIE_NAME = "zhuiwen_csrf"
SECURE_SSL_REDIRECT = ZHUIWEN.web.is_https
SECURE_HSTS_SECONDS = 31_536_000 if ZHUIWEN.web.is_https else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ZHUIWEN.web.is_https else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

CELERY_BEAT_TZ_AWARE = True
DJANGO_CELERY_BEAT_TZ_AWARE = True
