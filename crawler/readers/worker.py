"""The reading process, `python -m crawler.readers.worker FD`.

It reads tasks until the other end of socket FD is closed.
"""

import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from multiprocessing.connection import Connection
from pathlib import Path

from core.errors import ZhuiwenError
from core.garbage import freeze_loaded_objects
from core.pages import CrawlPlan
from crawler.fetching.resources import ResourceKind, Resources, decode_data_url
from crawler.main_text.templates import SiteTemplates
from crawler.obfuscation.deobfuscation import MARKUP_ALONE, open_render_context
from crawler.readers.messages import MOST_MEMORY_BYTES, OUT_OF_MEMORY, Init, Job, Ready, ResourceRequest, TaskResult

ResourcesFactory = Callable[[str], Resources]


class ReadingSession:
    """The plan, the site templates and the readers that all tasks share.

    templates: the folder that stores the site's templates. get_resources: returns the resources of a page's URL. cache:
    the machine's folder of results that are costly to compute.
    """

    def __init__(
        self,
        plan: CrawlPlan | None,
        templates: Path | None = None,
        get_resources: ResourcesFactory | None = None,
        cache: Path | None = None,
    ) -> None:
        self.plan = plan
        self.templates = SiteTemplates(templates)
        self.render_context = open_render_context(get_resources or MARKUP_ALONE.resources, kept_in=cache)

    def close(self) -> None:
        """Store the templates, and end the readers."""
        self.templates.close()
        self.render_context.close()


class _RemoteResources:
    """The resources of a page, which the caller fetches. Implements crawler.fetching.resources.Resources."""

    def __init__(self, connection: "Connection[object, object]") -> None:
        self._connection = connection

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if url.startswith("data:"):
            return decode_data_url(url, kind)
        self._connection.send(ResourceRequest(url, kind))
        data = self._connection.recv()
        return data if isinstance(data, bytes) else None


def main() -> None:
    """Read the tasks of one caller."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    freeze_loaded_objects()
    # Sent to the whole process group; the crawl decides when this process ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):  # the caller has ended
        _serve(Connection(int(sys.argv[1])))


def _serve(connection: "Connection[object, object]") -> None:
    init = connection.recv()
    assert isinstance(init, Init)
    resource.setrlimit(resource.RLIMIT_DATA, (init.max_memory_bytes, MOST_MEMORY_BYTES))
    session = ReadingSession(init.plan, init.templates, lambda _url: _RemoteResources(connection), init.cache)
    try:
        connection.send(Ready())
        while True:
            job = connection.recv()
            assert isinstance(job, Job)
            connection.send(_run_job(job, session))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        session.close()


def _run_job(job: Job, session: ReadingSession) -> TaskResult:
    """Read a task and return the result. Raises MemoryError, or OSError or EOFError if the caller has ended."""
    # SIGPROF ends the process at the limit.
    signal.setitimer(signal.ITIMER_PROF, job.max_cpu_s if isfinite(job.max_cpu_s) else 0)
    try:
        return TaskResult(job.task.run(session))
    except ZhuiwenError as fault:
        return TaskResult(None, fault)
    except MemoryError:
        raise
    except Exception as fault:  # a bug must not hide a page, so the caller lets it be read in a simpler way
        return TaskResult(None, f"{type(fault).__name__}: {fault}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main()
