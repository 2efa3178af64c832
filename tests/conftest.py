"""What every test may use. A test never sees the home folder of an installation."""

import os

from hypothesis import settings

import tests.support.environment  # noqa: F401 - before anything reads it

# In CI the same examples each time: a new one that fails belongs to whoever searches, not to an unrelated change.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("here", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# Real services on free ports, for whoever asks for `mongo_url` or `redis_url`.
pytest_plugins = ["tests.support.embedded", "tests.support.redis_server"]
