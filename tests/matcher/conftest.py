from tests.support.redis_server import redis_url

__all__ = ["redis_url"]
