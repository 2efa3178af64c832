"""Names in Redis that packages share. The code that writes them imports Django; the code that reads them does not."""

QUEUES = ("crawl", "works", "pages", "evidence", "reworded")  # in the order in which a worker polls them
QUEUE_PREFIX = "zw:queue:"

# Notes for `zhuiwen status`, which must respond immediately and therefore queries no database.
EVIDENCE_NOTE, REWORDED_NOTE, DAMAGE_NOTE = "zw:evidence:status", "zw:reworded:status", "zw:stores:damage"
