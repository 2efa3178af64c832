"""What every test may use. A test never sees the home folder of an installation."""

import tests.support.environment  # noqa: F401 - before anything reads it

# Real services on free ports, for whoever asks for `mongo_url` or `redis_url`.
pytest_plugins = ["tests.support.embedded", "tests.support.redis_server"]
