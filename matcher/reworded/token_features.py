"""The part of the network that processes tokens: for each sentence, it sums the features of its tokens.

The values that depend on a single token (its projection, and its contribution to the first convolution of each
neighbour) are computed once and cached. A text with known tokens then costs little more than the second convolutions.
"""

import numpy as np
from numpy.typing import NDArray

from matcher.reworded.weights import ORDERS, PARTS, Floats, Weights

WIDTH = 256  # of a convolution
EMBEDDING = 512
FEATURES = EMBEDDING + len(ORDERS) * WIDTH
LEFT = {2: 0, 3: 1, 5: 2}  # tokens before its own that a convolution sees
MOST_LEFT, MOST_RIGHT = 2, 2
# Tokens whose rows are cached, 13 kB each: 54 MB. In 8 M characters of novels and news the 4,096 commonest are 9 in 10.
CACHED_TOKENS = 4_096
# At once. Enough for each matrix to be read once, and few enough for the second-level cache of a core (2 MB or more).
BATCH_TOKENS = 512

Numbers = NDArray[np.int64]


class TokenFeatures:
    """Sums the features of the tokens in sentences, and caches the rows of tokens. For one thread at a time."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._slots: Numbers = np.full(weights.table.shape[0], -1, np.int64)
        self._used = 0
        size = CACHED_TOKENS + BATCH_TOKENS + 1  # the last row is the padding beyond the ends of a sentence
        self._projected = np.zeros((size, len(ORDERS) * WIDTH), np.float32)
        self._first = {order: np.zeros((order, size, WIDTH), np.float32) for order in ORDERS}

    def sums(self, sentences: list[list[int]]) -> Floats:
        """Return the sum of features of each sentence, float32[sentences, FEATURES]. Each has at least one token."""
        sums_of_sentences = np.empty((len(sentences), FEATURES), np.float32)
        start = 0
        while start < len(sentences):
            end, tokens = start + 1, len(sentences[start])
            while end < len(sentences) and tokens + len(sentences[end]) <= BATCH_TOKENS:
                tokens += len(sentences[end])
                end += 1
            sums_of_sentences[start:end] = self._sum_batch(sentences[start:end])
            start = end
        return sums_of_sentences

    def _sum_batch(self, sentences: list[list[int]]) -> Floats:
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        tokens = np.concatenate([np.array(sentence, np.int64) for sentence in sentences])
        starts = np.cumsum(lengths) - lengths
        features = np.empty((tokens.size, FEATURES), np.float32)
        features[:, :EMBEDDING] = self._embed_tokens(tokens)
        self._convolve_neighbours(tokens, _neighbour_indexes(starts, lengths), features)
        return self._normalized_sums(features, starts, lengths)

    def _embed_tokens(self, tokens: Numbers) -> Floats:
        part = tokens % PARTS
        vectors = self._weights.table[tokens].astype(np.float32)
        vectors *= self._weights.scale[part, None]
        vectors += self._weights.low[part, None]
        return vectors

    def _convolve_neighbours(self, tokens: Numbers, around: Numbers, features: Floats) -> None:
        """Fill the columns after the embedding.

        around: int64[tokens, 5], the result of `_neighbour_indexes`.
        """
        slots = np.append(self._look_up_slots(tokens), self._projected.shape[0] - 1)
        padded = np.zeros((tokens.size + 1, WIDTH), np.float32)
        for number, order in enumerate(ORDERS):
            columns = slice(number * WIDTH, (number + 1) * WIDTH)
            inputs = around[:, MOST_LEFT - LEFT[order] : MOST_LEFT - LEFT[order] + order]
            hidden = padded[:-1]
            hidden[:] = self._weights.first[number][1]
            for position in range(order):
                hidden += self._first[order][position].take(slots[inputs[:, position]], axis=0)
            np.maximum(hidden, 0, out=hidden)
            hidden += self._projected[slots[:-1], columns]
            weight, bias = self._weights.second[number]
            second = padded.take(inputs.ravel(), axis=0).reshape(tokens.size, order * WIDTH) @ weight
            second += bias
            np.maximum(second, 0, out=second)
            np.add(second, hidden, out=features[:, EMBEDDING + columns.start : EMBEDDING + columns.stop])

    def _look_up_slots(self, tokens: Numbers) -> Numbers:
        """Return the slot of each token. Computes missing rows, after clearing the cache if they do not fit."""
        unknown = np.unique(tokens[self._slots[tokens] < 0])
        if not unknown.size:
            return self._slots[tokens]
        if self._used + unknown.size > self._projected.shape[0] - 1:
            self._clear_rows(np.unique(tokens).size)
            unknown = np.unique(tokens)
        slots = np.arange(self._used, self._used + unknown.size)
        projected = self._project_embedding(self._embed_tokens(unknown))
        self._projected[slots] = projected
        for number, order in enumerate(ORDERS):
            projected_columns = projected[:, number * WIDTH : (number + 1) * WIDTH]
            weight = self._weights.first[number][0].reshape(order, WIDTH, WIDTH)
            for position in range(order):
                self._first[order][position, slots] = projected_columns @ weight[position]
        self._slots[unknown] = slots
        self._used += unknown.size
        return self._slots[tokens]

    def _clear_rows(self, min_slots: int) -> None:
        """Clear the cache, and enlarge it if it has fewer than `min_slots` slots."""
        self._slots[:] = -1
        self._used = 0
        if min_slots >= self._projected.shape[0]:
            size = min_slots + 1
            self._projected = np.zeros((size, len(ORDERS) * WIDTH), np.float32)
            self._first = {order: np.zeros((order, size, WIDTH), np.float32) for order in ORDERS}
        self._projected[-1] = 0
        for rows in self._first.values():
            rows[:, -1] = 0

    def _project_embedding(self, embedded: Floats) -> Floats:
        weight, bias = self._weights.projection
        projected = embedded @ weight
        projected += bias
        gain, shift = self._weights.projection_norm
        projected -= projected.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", projected, projected) / projected.shape[1]
        projected *= (gain / np.sqrt(variance + self._weights.epsilon)[:, None]).astype(np.float32)
        projected += shift
        return projected

    def _normalized_sums(self, features: Floats, starts: Numbers, lengths: Numbers) -> Floats:
        """Return the sum of each sentence's layer-normalized features; gain and shift are applied once, to the sums."""
        mean = features.mean(axis=1)
        square = np.einsum("ij,ij->i", features, features) / FEATURES
        inverse = 1 / np.sqrt(np.maximum(square - mean * mean, 0) + self._weights.epsilon)
        features *= inverse[:, None].astype(np.float32)
        sums = np.add.reduceat(features, starts, axis=0)
        sums -= np.add.reduceat(inverse * mean, starts)[:, None]
        gain, shift = self._weights.norm
        sums *= gain
        sums += lengths[:, None].astype(np.float32) * shift
        return sums


def _neighbour_indexes(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return the indexes of each token, its two predecessors and its two successors in the sentence, int64[tokens, 5].

    For missing neighbours, the index is the number of tokens.

    >>> _neighbour_indexes(np.array([0]), np.array([2])).tolist()
    [[2, 2, 0, 1, 2], [2, 0, 1, 2, 2]]
    """
    size = int(lengths.sum())
    indexes = np.arange(size)[:, None] + np.arange(-MOST_LEFT, MOST_RIGHT + 1)
    first, last = np.repeat(starts, lengths)[:, None], np.repeat(starts + lengths, lengths)[:, None]
    return np.where((indexes >= first) & (indexes < last), indexes, size)
