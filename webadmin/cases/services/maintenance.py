"""Runs the sweep, which resends lost work, with the texts and failed messages in the admin database."""

from pipeline.rebuild import refresh_snapshot
from pipeline.steps import Ports
from pipeline.sweep import ReferenceTexts, SweepCounts, sweep
from webadmin.accounts.services import failures
from webadmin.works.services.catalogue import corpus_texts, unnoted_texts


def sweep_all(ports: Ports, *, with_fingerprints: bool = False) -> SweepCounts:
    """Sweep once, tidy the index, and return the counts. The caller must hold the lock MAINTENANCE of `redis_lock`.

    with_fingerprints: as in `pipeline.sweep.sweep`.
    """
    corpus = ReferenceTexts(corpus_texts(), unnoted_texts())
    swept = sweep(ports, corpus, failures.versions_given_up, with_fingerprints=with_fingerprints)
    ports.index.tidy()
    refresh_snapshot(ports)
    return swept
