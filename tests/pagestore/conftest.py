from tests.support.embedded import mongo_server, mongo_url  # noqa: F401
