"""Encodes the sentences of texts as vectors: each sentence alone, and together with the next one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from matcher.reworded.record import TOKENIZER_SHA256, WEIGHTS_SHA256
from matcher.reworded.sentences import Units, fold_characters, sentence_units
from matcher.reworded.token_features import TokenFeatures
from matcher.reworded.weights import Floats, load_tokenizer, load_weights

DIMENSIONS = 512
_TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The sentences of a text, and their vectors of length 1.

    units    int32[n, 2]       offsets in the text as given
    singles  float32[n, 512]   the vector of each unit
    pairs    float32[n-1, 512] the vector of each unit together with the next; [0, 512] if there are fewer than two
    """

    units: Units
    singles: Floats
    pairs: Floats


class Encoder(Protocol):
    """Computes the vectors of sentences. Vectors of encoders with different identities must not be compared."""

    @property
    def identity(self) -> str:
        """The digests of weights and tokenizer, which determine the vectors."""
        ...

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the sentences of each text, with their vectors.

        Other texts in the same call affect only the last digits of the vectors.
        """
        ...


class UseEncoder:
    """The Universal Sentence Encoder, multilingual, version 3, on the CPU. For one thread at a time.

    Raises BadConfiguration on creation if the extra `reworded` is not installed.
    """

    def __init__(self) -> None:
        self._weights, self._tokenize = load_weights(), load_tokenizer()
        self._features = TokenFeatures(self._weights)

    @property
    def identity(self) -> str:
        return f"use-multilingual-3 {WEIGHTS_SHA256[:16]} {TOKENIZER_SHA256[:16]}"

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        units = [sentence_units(text) for text in texts]
        sentences = [
            sentence for text, places in zip(texts, units, strict=True) for sentence in _encoder_sentences(text, places)
        ]
        tokens = self._tokenize(sentences)
        sums = self._features.sums(tokens)
        lengths = np.array([len(sentence) for sentence in tokens], np.float32)
        ends = np.cumsum([len(places) for places in units])
        parts = zip(units, np.split(sums, ends[:-1]), np.split(lengths, ends[:-1]), strict=True)
        return [self._encode_units(*part) for part in parts]

    def _encode_units(self, units: Units, sums: Floats, lengths: Floats) -> Encoded:
        """Encode sentences and pairs of neighbours.

        A pair has the features of both sentences, so the beginning and end marks between them count twice.
        """
        if not len(units):
            no_vectors = np.zeros((0, DIMENSIONS), np.float32)
            return Encoded(units, no_vectors, no_vectors)
        windows = np.concatenate([sums, sums[:-1] + sums[1:]])
        vectors = self._apply_head(windows, np.concatenate([lengths, lengths[:-1] + lengths[1:]]))
        return Encoded(units, vectors[: len(units)], vectors[len(units) :])

    def _apply_head(self, sums: Floats, lengths: Floats) -> Floats:
        weight, bias = self._weights.cnn
        mean = sums @ weight
        mean += lengths[:, None] * bias
        mean /= np.sqrt(lengths)[:, None]
        head = self._weights.head
        first = mean @ head["p1"]
        first += np.maximum(mean @ head["d0"], 0) @ head["d1"]
        np.maximum(first, 0, out=first)
        vectors = first @ head["p3"]
        vectors += np.maximum(first @ head["d2"], 0) @ head["d3"]
        np.tanh(vectors, out=vectors)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + _TINY
        return np.asarray(vectors, np.float32)


def _encoder_sentences(text: str, units: Units) -> list[str]:
    """Return the sentences as the encoder reads them: with simplified characters and without line breaks."""
    plain = fold_characters(text)
    return [plain[start:end].replace("\n", "") for start, end in units.tolist()]
