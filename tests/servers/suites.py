"""Which tests run on the servers, and which not: docs/testing.md says why."""

SUITES = (
    "tests/pagestore",
    "tests/matcher/index",
    "tests/pipeline",
    "tests/records",
    "tests/evidence",
    "tests/webadmin",
)
# What CI takes of them: the contract suites, locks, which only PostgreSQL has, and of the pipeline what does not spend
# its time on reading, drawing or packing.
COSTLY = ("reworded", "test_discovery", "test_downloads", "test_evidence.", "test_imports", "test_matter_export")
SAMPLE = (
    "tests/pagestore/test_mongo.py",
    "tests/pagestore/test_history.py",
    "tests/pagestore/test_evidence.py",
    "tests/matcher/index/test_index_contract.py",
    "tests/pipeline",
    *(f"--ignore-glob=tests/pipeline/{name}*" for name in COSTLY),
    "tests/records/test_locks.py",
)
# What touches a store, and needs neither a browser nor seconds of computing.
SELECTION = "(service or django_db) and not (browser or slow)"
