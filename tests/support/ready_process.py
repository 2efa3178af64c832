"""Processes that begin with everything imported: each is forked from one that has done nothing but that, once."""

import multiprocessing
import os
from collections.abc import Callable, Mapping
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from typing import Any

# What a crawl imports at its start and with its first page. Nothing that starts a thread or sets up a reactor.
_IMPORTED = (
    "crawler.run",
    "crawler.store_pipeline",
    "protego",
    "scrapy.downloadermiddlewares",
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
    "deploy.cli.app",
    "deploy.cli.session",
    "deploy.home",
    "django.db.models",
    "django.http",
    "django.urls",
    "evidence.stamps",
    "intake.files",
    "kombu.transport.redis",
    "matcher.matching",
    "pagestore.evidence",
)


def _ready() -> ForkServerContext:
    """The context of such processes. What one is given is pickled, as it is for one that starts from nothing."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_IMPORTED, *_COMMANDS])
    return context


def ready_process(
    run: Callable[..., object], *arguments: Any, environment: Mapping[str, str] = os.environ
) -> BaseProcess:
    """A process, not yet started, that calls `run` in that environment, else in that of the test that asks for it."""
    given = (dict(environment), run, arguments)
    return _ready().Process(target=_in_environment, args=given, daemon=True)  # type: ignore[attr-defined,no-any-return]


def _in_environment(environment: dict[str, str], run: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    run(*arguments)
