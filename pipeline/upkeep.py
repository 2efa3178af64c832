"""The sweep over what the admin database says: which texts there are, and which messages failed for good."""

from pipeline.snapshots import refresh_snapshot
from pipeline.steps import Ports
from pipeline.sweep import Corpus, Swept, sweep
from webadmin import failures
from webadmin.catalogue import corpus_texts, unnoted_texts


def sweep_all(ports: Ports, *, with_fingerprints: bool = False) -> Swept:
    """One sweep; whoever calls it has the turn (`pipeline.turns.UPKEEP`)."""
    corpus = Corpus(corpus_texts(), unnoted_texts())
    swept = sweep(ports, corpus, failures.versions_given_up, with_fingerprints=with_fingerprints)
    ports.index.tidy()
    refresh_snapshot(ports)
    return swept
