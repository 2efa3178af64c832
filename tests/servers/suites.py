"""Which tests run on the servers, and which not: docs/testing.md says why."""

SUITES = (
    "tests/pagestore",
    "tests/matcher/index",
    "tests/pipeline",
    "tests/records",
    "tests/evidence",
    "tests/webadmin",
)
# What touches a store, and needs neither a browser nor seconds of computing.
SELECTION = "(service or django_db) and not (browser or slow or end_to_end)"
