"""Stores the counts of each job's last run in Redis. Jobs: sweep, search of stored pages, daily comparison."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import redis

from core.errors import ServiceUnavailable

KEY = "zw:jobs"
SWEEP, SEARCH, DAILY = "sweep", "search of stored pages", "daily comparison"
NAMES = (SWEEP, SEARCH, DAILY)


@dataclass(frozen=True, slots=True)
class JobStats:
    """The time at which a job ended, and its counts by name."""

    ended_at: datetime
    counts: Mapping[str, int]

    def __str__(self) -> str:
        counts_text = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in self.counts.items() if count)
        return counts_text or "nothing was pending"


def note_job_stats(client: "redis.Redis", name: str, ended_at: datetime, counts: Mapping[str, int]) -> JobStats:
    """Store the counts of a job's last run, replacing the previous ones, and return them.

    name: one of NAMES. Raises ServiceUnavailable if Redis does not respond.
    """
    stats = JobStats(ended_at, dict(counts))
    try:
        client.hset(KEY, name, json.dumps({"ended_at": ended_at.isoformat(), "counts": stats.counts}))
    except redis.RedisError as error:
        raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
    return stats


def last_job_stats(client: "redis.Redis") -> dict[str, JobStats]:
    """Return the counts of the last run by job, without jobs that have never ended.

    Raises ServiceUnavailable if Redis does not respond.
    """
    try:
        stored = client.hgetall(KEY)
    except redis.RedisError as error:
        raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
    jobs: dict[str, JobStats] = {}
    for name, value in stored.items():
        with suppress(ValueError, KeyError, TypeError):  # ignore a garbled note
            note = json.loads(value)
            ended = datetime.fromisoformat(note["ended_at"])
            jobs[name.decode() if isinstance(name, bytes) else name] = JobStats(ended, note["counts"])
    return jobs
