"""Measures the speed of fingerprinting and of its peers, alternately and on the same texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from laboratory.measures.running import Progress
from laboratory.speed.clock import Taken, best, taken_by
from laboratory.speed.peers import Contender, contenders

# Maximum for a contender in a round: a slow one gets only the first texts, so that a run does not take minutes. The
# resolution of processor time is far below a thousandth of it.
ROUND_S = 0.25


@dataclass(frozen=True, slots=True)
class FingerprintSpeed:
    """One contender on one kind of text. chars: length of its texts in each round. taken: its best round."""

    contender: str
    package: str
    version: str
    texts: str
    chars: int
    rounds: int
    taken: Taken

    @property
    def processor_chars_per_s(self) -> float:
        return self.chars / max(self.taken.processor_s, 1e-9)

    @property
    def wall_chars_per_s(self) -> float:
        return self.chars / max(self.taken.wall_s, 1e-9)


Measured = tuple[list[FingerprintSpeed], dict[str, str]]


def measured(kinds: Mapping[str, Sequence[str]], rounds: int, progress: Progress) -> Measured:
    """Time the contenders alternately, so that disturbances affect all, and return why others are absent.

    kinds: texts by name of their kind, at least one of each.
    """
    present, absent = contenders()
    total, done = len(kinds) * len(present) * rounds, 0
    speeds: list[FingerprintSpeed] = []
    for texts, given in kinds.items():
        shares = [given[: _affordable(each, given)] for each in present]
        times: list[list[Taken]] = [[] for _ in present]
        for _ in range(rounds):
            for contender, share, own in zip(present, shares, times, strict=True):
                own.append(taken_by(_made(contender, share)))
                done += 1
                progress(done, total)
        speeds += [
            FingerprintSpeed(each.name, each.package, each.version, texts, sum(map(len, share)), len(own), best(own))
            for each, share, own in zip(present, shares, times, strict=True)
        ]
    return speeds, absent


def _affordable(contender: Contender, texts: Sequence[str]) -> int:
    """Return the number of texts that fit into a round, at least one."""
    contender.make(texts[0])  # compiles and loads at first use
    once = taken_by(_made(contender, texts[:1])).processor_s
    return max(1, min(len(texts), int(ROUND_S / max(once, 1e-9))))


def _made(contender: Contender, texts: Sequence[str]) -> Callable[[], None]:
    make = contender.make

    def all_of_them() -> None:
        for text in texts:
            make(text)

    return all_of_them
