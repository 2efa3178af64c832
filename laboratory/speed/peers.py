"""The contenders in fingerprinting: the product and the published libraries, each used as in its documentation.

All peers except simhash get 5-grams of characters and 128 permutations. The measured time includes cutting the text
into n-grams, which is also shown separately.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from itertools import count

from fingerprint.fingerprinting import fingerprint_text

PRODUCT = "zhuiwen"
GRAM_CHARS = 5
PERMUTATIONS = 128
SEED = 42
GAOYA_BANDS = 32
# Its fastest size (2026-11, of 250 up to a whole work of 100,000): 1.1 M characters/s with 500, 0.5 with whole works,
# for which it makes a table of 100 MB.
DATASKETCH_BATCH = 500

Make = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Contender:
    """A function that fingerprints a text. package: name of the library, "" for the product."""

    name: str
    package: str
    version: str
    make: Make


def grams(text: str) -> list[str]:
    """Return all runs of 5 characters, in order.

    >>> grams("一二三四五六")
    ['一二三四五', '二三四五六']
    """
    return [text[start : start + GRAM_CHARS] for start in range(len(text) - GRAM_CHARS + 1)]


def contenders() -> tuple[list[Contender], dict[str, str]]:
    """Return the product, the cutting into 5-grams and all installed peers, and by package why others are missing."""
    present = [Contender(PRODUCT, "", "", fingerprint_text), Contender("5-grams alone, no peer", "", "", grams)]
    absent = {}
    for package, makes in _PEERS.items():
        try:
            made = [Contender(name, package, metadata.version(package), make()) for name, make in makes.items()]
        except ImportError as error:
            absent[package] = f"is not installed here ({error})"
        except Exception as error:
            # Whatever a third-party library raises, the rest is measured.
            absent[package] = f"cannot be used here ({type(error).__name__}: {error})"
        else:
            present += made
    return present, absent


def _datasketch_batch() -> Make:
    min_hash = import_module("datasketch").MinHash

    def make(text: str) -> object:
        made = min_hash(num_perm=PERMUTATIONS)
        encoded = [gram.encode() for gram in grams(text)]
        for start in range(0, len(encoded), DATASKETCH_BATCH):
            made.update_batch(encoded[start : start + DATASKETCH_BATCH])
        return made

    return make


def _datasketch_single() -> Make:
    min_hash = import_module("datasketch").MinHash

    def make(text: str) -> object:
        made = min_hash(num_perm=PERMUTATIONS)
        for gram in grams(text):
            made.update(gram.encode())
        return made

    return make


def _rensa(name: str) -> Make:
    min_hash = getattr(import_module("rensa"), name)

    def make(text: str) -> object:
        made = min_hash(PERMUTATIONS, SEED)
        made.update(grams(text))
        return made.digest()

    return make


def _rensa_matrix() -> Make:
    min_hash = import_module("rensa").RMinHash
    return lambda text: min_hash.digest_matrix_from_token_sets([grams(text)], PERMUTATIONS, SEED)


def _gaoya() -> Make:
    """Return a function that makes signatures by adding to an index, because Python has no other access to them."""
    index = import_module("gaoya").minhash.MinHashStringIndex(
        hash_size=32,
        num_bands=GAOYA_BANDS,
        band_size=PERMUTATIONS // GAOYA_BANDS,
        analyzer="char",
        ngram_range=(GRAM_CHARS, GRAM_CHARS),
    )
    numbers = count()
    return lambda text: index.insert_document(next(numbers), text)


def _simhash() -> Make:
    made: Make = import_module("simhash").Simhash
    return made


_PEERS: dict[str, dict[str, Callable[[], Make]]] = {
    "datasketch": {
        "datasketch MinHash, update_batch": _datasketch_batch,
        "datasketch MinHash, update": _datasketch_single,
    },
    "rensa": {
        "rensa RMinHash": lambda: _rensa("RMinHash"),
        "rensa RMinHash, digest matrix": _rensa_matrix,
        "rensa CMinHash": lambda: _rensa("CMinHash"),
    },
    "gaoya": {"gaoya MinHash, into its index": _gaoya},
    "simhash": {"simhash, its own 4-grams": _simhash},
}
