"""Sweeps the texts and the failed messages in the admin database."""

from pipeline.rebuild import refresh_snapshot
from pipeline.steps import Ports
from pipeline.sweep import ReferenceTexts, SweepCounts, sweep
from webadmin.accounts.services import failures
from webadmin.works.services.catalogue import corpus_texts, unnoted_texts


def sweep_all(ports: Ports, *, with_fingerprints: bool = False) -> SweepCounts:
    """Sweep once; the caller must hold the lock (`pipeline.redis_lock.MAINTENANCE`)."""
    corpus = ReferenceTexts(corpus_texts(), unnoted_texts())
    swept = sweep(ports, corpus, failures.versions_given_up, with_fingerprints=with_fingerprints)
    ports.index.tidy()
    refresh_snapshot(ports)
    return swept
