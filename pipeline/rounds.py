"""What the last rounds did, kept in Redis for whoever asks: sweeps, searches of the pages, daily comparisons."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import redis

from core.errors import ServiceUnavailable

KEY = "zw:rounds"
SWEEP, SEARCH, DAILY = "sweep", "search of stored pages", "daily comparison"
EVIDENCE = "check of the evidence"
NAMES = (SWEEP, SEARCH, DAILY)


@dataclass(frozen=True, slots=True)
class Round:
    """When a round ended, and its counts by their names."""

    ended_at: datetime
    counts: Mapping[str, int]

    def __str__(self) -> str:
        done = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in self.counts.items() if count)
        return done or "nothing was owed"


def note_round(client: "redis.Redis", name: str, ended_at: datetime, counts: Mapping[str, int]) -> Round:
    """Keep what a round did in place of the one before. Raises ServiceUnavailable when Redis does not answer."""
    done = Round(ended_at, dict(counts))
    try:
        client.hset(KEY, name, json.dumps({"ended_at": ended_at.isoformat(), "counts": done.counts}))
    except redis.RedisError as error:
        raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
    return done


def last_rounds(client: "redis.Redis") -> dict[str, Round]:
    """The last round of each name; none of a name that never ended one. Raises ServiceUnavailable."""
    try:
        kept = client.hgetall(KEY)
    except redis.RedisError as error:
        raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
    rounds = {name.decode() if isinstance(name, bytes) else name: json.loads(value) for name, value in kept.items()}
    return {name: Round(datetime.fromisoformat(value["ended_at"]), value["counts"]) for name, value in rounds.items()}
