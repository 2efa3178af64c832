"""Django's settings for tests: those of the product, in a home folder of the tests' own."""

import tests.support.environment  # noqa: F401 - before the settings read it
from webadmin.settings import *  # noqa: F403
