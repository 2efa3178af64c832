"""Names in Redis that two packages share: who writes them imports Django, and who reads them does without."""

QUEUES = ("crawl", "works", "pages", "evidence", "reworded")  # in the order in which a worker asks for messages
QUEUE_PREFIX = "zw:queue:"

# Notes for `zhuiwen status`, which is to answer at once and asks no database.
EVIDENCE_NOTE, REWORDED_NOTE, DAMAGE_NOTE = "zw:evidence:status", "zw:reworded:status", "zw:stores:damage"
