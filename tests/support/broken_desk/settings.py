"""The product's settings for a desk with a page that throws and one that never ends."""

from webadmin.settings import *  # noqa: F403

ROOT_URLCONF = "tests.support.broken_desk.urls"
