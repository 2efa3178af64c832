"""Counts the pending messages at the broker."""

from dataclasses import dataclass

import redis

from core.errors import ServiceUnavailable
from core.redis_names import QUEUE_PREFIX, QUEUES
from core.wording import Message


@dataclass(frozen=True, slots=True)
class Pending:
    """The pending messages.

    waiting: their number by queue; taken: the messages that workers have taken but not finished.
    """

    waiting: dict[str, int]
    taken: int

    @property
    def total(self) -> int:
        return sum(self.waiting.values()) + self.taken


def pending(client: "redis.Redis") -> Pending:
    """Return the numbers of pending messages. Raises ServiceUnavailable if the broker does not respond."""
    try:
        waiting = {queue: int(client.llen(QUEUE_PREFIX + queue)) for queue in QUEUES}
        return Pending(waiting, int(client.hlen(QUEUE_PREFIX + "unacked")))
    except redis.RedisError as error:
        raise ServiceUnavailable(Message("service.broker"), "ZHUIWEN_REDIS_URL", "zhuiwen status") from error


def forget_taken(client: "redis.Redis") -> int:
    """Delete the broker's record of messages that dead workers had taken, as after a power failure.

    Return their number.

    Nothing is lost, because the sweeper sends what is still due again. To be called only while no worker is running.
    """
    count = pending(client).taken
    client.delete(QUEUE_PREFIX + "unacked", QUEUE_PREFIX + "unacked_index")
    return count
