"""A home folder of the tests' own, set before anything reads the environment."""

import os
import tempfile

FOREIGN = ("MONGO_URL", "REDIS_URL", "DATABASE_URL", "LANGUAGE", "TIME_ZONE", "SECRET_KEY", "RESOLVED")

os.environ["ZHUIWEN_HOME"] = tempfile.mkdtemp(prefix="zhuiwen-tests-")
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # playwright's synchronous API runs an event loop
# As in the process that compares by meaning: two threads that wait for each other on a busy machine take six times as
# long as one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["LC_ALL"] = "C.UTF-8"  # the command line speaks English
for _name in FOREIGN:
    os.environ.pop(f"ZHUIWEN_{_name}", None)

# The admin database on a real PostgreSQL instead of SQLite: for whoever has one.
if _other := os.environ.get("TEST_DATABASE_URL"):
    os.environ["ZHUIWEN_DATABASE_URL"] = _other
