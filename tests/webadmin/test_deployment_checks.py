"""Behind a proxy that ends TLS the desk passes Django's own list for production, and answers as the list wants."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.home import Home, prepare

pytestmark = pytest.mark.usefixtures("processes")

ASK = """
import django
django.setup()
from django.test import Client
for scheme in ("http", "https"):
    answer = Client().get("/admin/login/", HTTP_X_FORWARDED_PROTO=scheme, HTTP_HOST="desk.example")
    print(answer.status_code, answer.headers.get("Location", "-"), answer.headers.get("Strict-Transport-Security", "-"))
print(*(f"{name} {'secure' if each['secure'] else 'open'}" for name, each in sorted(answer.cookies.items())))
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """As an operator would set it up, with the secrets that an installation makes for itself."""
    given = {"ZHUIWEN_HTTPS": "1", "ZHUIWEN_ALLOWED_HOSTS": "desk.example"}
    return prepare({"ZHUIWEN_HOME": str(tmp_path), **given})


def run(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **home.environment}
    environment.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # of the browser tests
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)


def test_the_list_for_production_finds_nothing(home: Home) -> None:
    done = run(home, "-m", "django", "check", "--deploy", "--fail-level", "DEBUG")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "System check identified no issues (0 silenced).\n"


def test_what_comes_without_tls_is_sent_to_it_and_cookies_never_go_without(home: Home) -> None:
    done = run(home, "-c", ASK)
    assert done.returncode == 0, done.stderr
    plain, encrypted, cookies = done.stdout.splitlines()
    assert plain == "301 https://desk.example/admin/login/ -"
    assert encrypted == "200 - max-age=31536000; includeSubDomains; preload"
    assert cookies == "zhuiwen_csrf secure"
