"""Work that is pending: messages that wait with the broker."""

from dataclasses import dataclass

import redis

from core.errors import ServiceUnavailable
from core.redis_names import QUEUE_PREFIX, QUEUES
from core.wording import Message


@dataclass(frozen=True, slots=True)
class Pending:
    """Messages by queue, and those that a worker has taken and not finished."""

    waiting: dict[str, int]
    taken: int

    @property
    def total(self) -> int:
        return sum(self.waiting.values()) + self.taken


def pending(client: "redis.Redis") -> Pending:
    """Raises ServiceUnavailable when the broker does not answer."""
    try:
        waiting = {queue: int(client.llen(QUEUE_PREFIX + queue)) for queue in QUEUES}
        return Pending(waiting, int(client.hlen(QUEUE_PREFIX + "unacked")))
    except redis.RedisError as error:
        raise ServiceUnavailable(Message("service.broker"), "ZHUIWEN_REDIS_URL", "zhuiwen status") from error


def forget_taken(client: "redis.Redis") -> int:
    """Drop the broker's record of messages whose workers are known to be dead, as after a power cut; return how many.

    Nothing is lost by it: the sweeper sends what the stores still owe. Only for a machine whose workers are all down.
    """
    count = pending(client).taken
    client.delete(QUEUE_PREFIX + "unacked", QUEUE_PREFIX + "unacked_index")
    return count
