"""Compiles the kernels of the published engines and of generated texts once, after the installation for development.

Run as `python -m laboratory.warm_up`. Otherwise each test process would compile them at the same time.
"""

from fingerprint.engines.catalogue import ENGINES
from laboratory.markov import ChainText
from matcher.warm_up import CHINESE


def warm_up() -> None:
    """Find a copy with each engine, and generate a text."""
    for entry in ENGINES.values():
        engine = entry.make()
        engine.add_work("work", CHINESE * 4)
        engine.add_work("other", CHINESE[::-1] * 4)
        engine.find(CHINESE * 2)
    ChainText([CHINESE], len(CHINESE)).text(100, seed=1)


if __name__ == "__main__":
    warm_up()
