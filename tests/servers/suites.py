"""List which tests run on the servers, and which not: docs/testing.md says why."""

SUITES = (
    "tests/pagestore",
    "tests/matcher/index",
    "tests/pipeline",
    "tests/bundles",
    "tests/webadmin",
)
# What CI takes of them: the contract suites, locks, which only PostgreSQL has, and of the steps what does not spend its
# time on reading, drawing or packing.
SAMPLE = (
    "tests/pagestore/test_mongo.py",
    "tests/pagestore/test_history.py",
    "tests/pagestore/test_evidence.py",
    "tests/matcher/index/test_index_contract.py",
    "tests/pipeline",
    "tests/webadmin/test_wired_stores.py",
    *(
        f"tests/webadmin/{name}.py"
        for name in (
            "cases/test_attributed_quotations", "cases/test_casebook", "cases/test_casebook_contract",
            "cases/test_live_search", "cases/test_locks", "cases/test_page_messages", "cases/test_seen_again",
            "cases/test_sightings", "cases/test_surroundings", "evidence/test_evidence_tasks",
            "notices/test_mail_task", "sites/test_clock_ahead", "sites/test_crawl_runs", "sites/test_look_ups",
            "sites/test_rechecks",
        )
    ),
)  # fmt: skip
# What touches a store, and needs neither a browser nor seconds of computing.
SELECTION = "(service or django_db) and not (browser or slow)"
