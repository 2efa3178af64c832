"""Django's settings for workers and crawlers. `webadmin.settings` adds those of the admin."""

import os
from typing import Any

import dj_database_url

from core.settings_loading import load

ZHUIWEN = load(os.environ)
ZHUIWEN_OUTBOX = "pipeline.outbox.CeleryOutbox"  # the class of the outbox, by name
ZHUIWEN_PORTS = "webadmin.wiring.live_ports"  # the function that returns the ports of the pipeline for the settings

# Without a configured key, as on a new machine, sessions last as long as the process.
SECRET_KEY = ZHUIWEN.web.secret_key or os.urandom(32).hex()
DEBUG = False

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django_celery_beat",
    "webadmin.ui",
    "webadmin.accounts",
    "webadmin.works",
    "webadmin.sites",
    "webadmin.cases",
    "webadmin.evidence",
    "webadmin.notices",
    "webadmin.rewrites",
    "webadmin.review",
    "webadmin.reports",
    "webadmin.backups",
]
AUTH_USER_MODEL = "accounts.User"


def _database_settings() -> dict[str, Any]:
    if ZHUIWEN.services.database_url:
        return dict(dj_database_url.parse(ZHUIWEN.services.database_url, conn_max_age=60, conn_health_checks=True))
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": ZHUIWEN.sqlite_path,
        "OPTIONS": {
            "timeout": 30,  # in seconds; writers wait for each other, and a write takes milliseconds
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
    }


DATABASES = {"default": _database_settings()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = ZHUIWEN.web.language
USE_I18N = True
USE_TZ = True
TIME_ZONE = ZHUIWEN.web.time_zone

CELERY_BEAT_TZ_AWARE = True
DJANGO_CELERY_BEAT_TZ_AWARE = True
