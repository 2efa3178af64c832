"""Compiles the kernels of the published engines and of made texts once, when what development needs is installed.

Run as `python -m laboratory.warm_up`; or each process of the tests would do it at the same time.
"""

from fingerprint.engines.catalogue import ENGINES
from laboratory.markov import ChainText
from matcher.warm_up import CHINESE


def warm_up() -> None:
    """Have each engine find a copy, and a text generated."""
    for entry in ENGINES.values():
        engine = entry.make()
        engine.add_work("work", CHINESE * 4)
        engine.add_work("other", CHINESE[::-1] * 4)
        engine.find(CHINESE * 2)
    ChainText([CHINESE], len(CHINESE)).text(100, seed=1)


if __name__ == "__main__":
    warm_up()
