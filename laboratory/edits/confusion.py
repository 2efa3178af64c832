"""Confusion sets: for each character those that may be written in its place, with weights."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import CODE_POINTS, READINGS_2026
from laboratory import draws

NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Confusions:
    """Groups of candidates for characters. Characters may share a group, for example those of the same sound.

    group_of: int32[code point], -1 none; own: int32[code point], the character's own number among the members of its
    group, -1 none; members: uint32[m], group by group; starts: int64[groups + 1] in members; ends: int64[m], the sum
    of the weights up to and with each member.
    """

    group_of: NDArray[np.int32]
    own: NDArray[np.int32]
    members: NDArray[np.uint32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of_groups(cls, group_of: NDArray[np.int32], groups: Iterable[Mapping[int, int]]) -> "Confusions":
        """Make confusions from int32[code point] group numbers, and the weights (>= 1) of each group's code points."""
        listed = [sorted(group.items()) for group in groups]
        sizes = [len(group) for group in listed]
        members = np.array([code for group in listed for code, _ in group], np.uint32)
        weights = np.array([weight for group in listed for _, weight in group], np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        own = np.full(CODE_POINTS, NONE, np.int32)
        home = np.flatnonzero(group_of[members] == np.repeat(np.arange(len(sizes)), sizes))
        own[members[home]] = home
        return cls(group_of, own, members, starts, np.cumsum(weights))

    @classmethod
    def of_sets(cls, sets: Mapping[str, Mapping[str, int]]) -> "Confusions":
        """Make confusions from the weighted candidates of each character."""
        group_of = np.full(CODE_POINTS, NONE, np.int32)
        keys = sorted(sets)
        group_of[[ord(key) for key in keys]] = np.arange(len(keys))
        return cls.of_groups(group_of, [{ord(key): weight for key, weight in sets[each].items()} for each in keys])

    @classmethod
    def of_alike(cls, groups: Iterable[str]) -> "Confusions":
        """Make confusions from groups of interchangeable characters; a character may be in several groups."""
        sets: dict[str, dict[str, int]] = {}
        for group in groups:
            for character in group:
                sets.setdefault(character, {}).update(dict.fromkeys(group.replace(character, ""), 1))
        return cls.of_sets({character: others for character, others in sets.items() if others})

    def with_traditional(self) -> "Confusions":
        """Return a copy in which a traditional character without a group is in the group of its simplified form."""
        folded = self.group_of[READINGS_2026.folding]
        return replace(self, group_of=np.where(self.group_of == NONE, folded, self.group_of))

    def candidates(self, character: str) -> str:
        """Return the characters that may replace this one, in order of code points."""
        group = int(self.group_of[ord(character)])
        if group == NONE:
            return ""
        return "".join(map(chr, self.members[self.starts[group] : self.starts[group + 1]])).replace(character, "")

    def places(self, codes: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return int64[k], the positions of characters that have candidates."""
        groups = self.group_of[codes]
        sizes = np.where(groups == NONE, 0, self.starts[groups + 1] - self.starts[groups]) - (self.own[codes] != NONE)
        return np.flatnonzero(sizes > 0)

    def drawn(self, codes: NDArray[np.uint32], rng: Random) -> NDArray[np.uint32]:
        """Return a random candidate for each character, by weight. codes: uint32[n], all with candidates."""
        groups, own = self.group_of[codes], self.own[codes]
        sums = np.concatenate([np.zeros(1, np.int64), self.ends])
        first, last = sums[self.starts[groups]], sums[self.starts[groups + 1]]
        is_member = own != NONE
        own_first, own_last = np.where(is_member, sums[own], last), np.where(is_member, sums[own + 1], last)
        points = first + draws.below(rng, last - first - (own_last - own_first))
        points += np.where(points >= own_first, own_last - own_first, 0)
        return self.members[np.searchsorted(self.ends, points, side="right")]
