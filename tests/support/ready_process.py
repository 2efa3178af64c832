"""Processes that begin with everything imported: each is forked from one that has done nothing but that, once."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from tests.support.reader_client import use_readers_of
from tests.support.ready_reader import readers_here

# What a crawl imports at its start and with its first page. Nothing that starts a thread or sets up a reactor.
_IMPORTED = (
    "crawler.middlewares.address_guard",
    "crawler.middlewares.conditional",
    "crawler.middlewares.redirects",
    "crawler.run",
    "crawler.spiders.feed",
    "crawler.spiders.generic",
    "crawler.spiders.list",
    "crawler.spiders.novel",
    "crawler.spiders.sitemap",
    "crawler.store_pipeline",
    "protego",
    "scrapy.downloadermiddlewares.cookies",
    "scrapy.downloadermiddlewares.downloadtimeout",
    "scrapy.downloadermiddlewares.redirect",
    "scrapy.downloadermiddlewares.stats",
    "scrapy.dupefilters",
    "scrapy.logformatter",
    "scrapy.pqueues",
    "scrapy.robotstxt",
    "scrapy.squeues",
    "scrapy.statscollectors",
    "tests.crawler.crawl_process",
    "tests.crawler.visited_site",
    "tldextract",
)
# What the verbs of the command line import, but for Django's models: these need an installation.
_COMMANDS = (
    "analytics.formats",
    "celery.app",
    "celery.schedules",
    "cron_descriptor",
    "crontab",
    "deploy.cli.app",
    "webadmin.ui.console.session",
    "webadmin.sites.cli.sites",
    "deploy.home",
    "dj_database_url",
    "django.contrib.admin",
    "django.contrib.auth.checks",
    "django.contrib.auth.management",
    "django.contrib.contenttypes.apps",
    "django.contrib.staticfiles.apps",
    "django.core.management.commands.migrate",
    "django.db.backends.sqlite3.base",
    "django.db.models.sql.compiler",
    "django.http",
    "django.template.defaulttags",
    "django.template.loader_tags",
    "django.templatetags.i18n",
    "django.urls",
    "django.views.debug",
    "bundles.stamps",
    "webadmin.works.services.intake.files",
    "kombu.transport.redis",
    "matcher.matching",
    "pagestore.evidence",
    "pagestore.mongo",
    "pipeline.steps",
)
_LAST = ("tests.support.loaded",)


def _ready() -> ForkServerContext:
    """The context of such processes. What one is given is pickled, as it is for one that starts from nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_IMPORTED, *_COMMANDS, *_LAST])
    return context


def ready_process(
    run: Callable[..., object], *arguments: Any, environment: Mapping[str, str] = os.environ
) -> BaseProcess:
    """A process, not yet started, that calls `run` in that environment, else in that of the test that asks for it."""
    given = (Path.cwd(), dict(environment), readers_here(), run, arguments)
    return _ready().Process(target=_in_environment, args=given, daemon=True)


def _in_environment(
    folder: Path, environment: dict[str, str], readers: str, run: Callable[..., object], arguments: tuple[Any, ...]
) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    use_readers_of(readers)
    run(*arguments)


def run_command(
    main: Callable[[list[str]], object],
    arguments: Sequence[object],
    files: Sequence[Path],
    environment: Mapping[str, str],
    within_s: float,
) -> int:
    """Run a command to its end in such a process; its exit code. files: its standard input, output and errors."""
    process = ready_process(_be_command, main, list(map(str, arguments)), files, environment=environment)
    process.daemon = False  # benchmarks and crawlers start processes of their own
    process.start()
    process.join(within_s)
    if process.exitcode is None:
        process.kill()
        pytest.fail(f"{arguments} takes more than {within_s:g} s")
    return process.exitcode


def _be_command(main: Callable[[list[str]], object], arguments: list[str], files: Sequence[Path]) -> None:
    for number, (path, flags) in enumerate(zip(files, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(path, flags | os.O_APPEND), number)
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 - a process of multiprocessing has given up its own
    sys.argv = ["zhuiwen", *arguments]
    main(arguments)


def run_script(script: list[str]) -> None:
    """Do what `python -c` does with its arguments, the first of which is the code."""
    sys.argv = ["-c", *script[1:]]
    exec(compile(script[0], "-c", "exec"), {"__name__": "__main__"})
