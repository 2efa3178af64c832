"""What every test may use. A test never sees the home folder of an installation."""

import os
import tempfile

os.environ["ZHUIWEN_HOME"] = tempfile.mkdtemp(prefix="zhuiwen-tests-")
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # playwright's synchronous API runs an event loop

for _name in ("ZHUIWEN_MONGO_URL", "ZHUIWEN_REDIS_URL", "ZHUIWEN_DATABASE_URL", "ZHUIWEN_LANGUAGE", "ZHUIWEN_TIME_ZONE"):
    os.environ.pop(_name, None)

pytest_plugins: list[str] = []
