"""Counts the broker's messages that are not processed yet."""

from dataclasses import dataclass

import redis

from core.errors import ServiceUnavailable
from core.redis_names import QUEUE_PREFIX, QUEUES
from core.wording import Message


@dataclass(frozen=True, slots=True)
class Pending:
    """The numbers of messages that are not processed yet.

    waiting: in each queue. taken: delivered to workers, but not acknowledged.
    """

    waiting: dict[str, int]
    taken: int

    @property
    def total(self) -> int:
        return sum(self.waiting.values()) + self.taken


def pending(client: "redis.Redis") -> Pending:
    """Count the pending messages. Raises ServiceUnavailable if the broker does not respond."""
    try:
        waiting = {queue: int(client.llen(QUEUE_PREFIX + queue)) for queue in QUEUES}
        return Pending(waiting, int(client.hlen(QUEUE_PREFIX + "unacked")))
    except redis.RedisError as error:
        raise ServiceUnavailable(Message("service.broker"), "ZHUIWEN_REDIS_URL", "zhuiwen status") from error


def forget_taken(client: "redis.Redis") -> int:
    """Delete the broker's record of unacknowledged messages, and return their number.

    Call it only while no worker is running, such as after a power failure. Nothing is lost, because the sweeper sends
    the messages again that are still due.
    """
    count = pending(client).taken
    client.delete(QUEUE_PREFIX + "unacked", QUEUE_PREFIX + "unacked_index")
    return count
