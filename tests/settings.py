"""Django's settings for tests: those of the product, in a home folder of the tests' own."""

import tests.support.environment  # noqa: F401 - before the settings read it
from webadmin.settings import *  # noqa: F403
from webadmin.settings import STATIC_ROOT

STATIC_ROOT.mkdir(exist_ok=True)

# Passwords of tests are nobody's: hashing them as the product does takes .3 s each.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
