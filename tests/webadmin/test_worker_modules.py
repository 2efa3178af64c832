"""Test what processes load: a worker all tables and rules and no page; all others nothing heavy."""

import os
import subprocess
import sys

from pipeline.app import app
from pipeline.outbox import TASKS

_LOADED = """
from webadmin.celery import app
app.loader.import_default_modules()
import sys
print(*sorted(name for name in app.tasks if not name.startswith("celery.")))
print(*(name for name in sys.modules if name.startswith(("webadmin.", "django.contrib.admin", "unfold"))))
"""


def test_a_worker_knows_the_tasks_of_all_applications_and_loads_no_page() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run([sys.executable, "-c", _LOADED], env=environment, capture_output=True, text=True, check=True)
    tasks, modules = (line.split() for line in done.stdout.splitlines()[-2:])
    owners = {"backups", "cases", "evidence", "notices", "rewrites", "sites", "works"}
    assert {name.partition(".")[0] for name in tasks} == owners
    assert {*TASKS.values(), "cases.compare_daily", "cases.sweep"} <= set(tasks)
    assert set(tasks) <= {*app.conf.task_routes, "cases.compare_pages"}, "the queue of all others is that of pages"
    shown = {"pages", "urls", "admin", "theme", "settings", "templatetags"}
    assert [name for name in modules if shown & set(name.split("."))] == []


def test_setting_django_up_loads_no_kernel_and_no_reader_of_files() -> None:
    code = "import django, sys; django.setup(); print({'numba', 'numpy', 'pypdf', 'docx', 'scrapy'} & {*sys.modules})"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "webadmin.settings"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_pages_of_the_admin_load_no_kernel_no_crawler_and_no_typesetter() -> None:
    heavy = "{'numba', 'pypdf', 'scrapy', 'twisted', 'typst'}"
    code = f"import webadmin.wsgi, webadmin.urls, sys; print({heavy} & {{*sys.modules}})"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "webadmin.settings"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
