"""Compiles the kernels of fingerprint and matcher at installation, so that workers do not compile while pages wait.

Run as `python -m matcher.warm_up`. The machine code is stored next to the modules, or in NUMBA_CACHE_DIR.
"""

from core.ids import WorkTextId
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher

FIRST, LAST = 0x4E00, 0x9000  # enough different characters for a text without repetitions
# A text in disorder is reordered only if its pairs of characters are those of Chinese.
CHINESE = (
    "天还没有亮，渡口的灯先亮了。老周把船从芦苇里撑出来，水面上浮着一层薄雾，他看不清对岸，只听见有人在那边喊他的名字。"
    "他答应了一声，把烟袋别在腰上，慢慢地摇起橹来。这条河他走了四十年，哪里水深，哪里有石头，他闭着眼睛也知道。"
    "可是今天不一样，昨天夜里下了一场大雨，上游的桥被冲断了，河水比平时高出许多，浪打在船头上，船身不停地摇晃。"
    "他想起儿子临走的时候说过的话：等桥修好了，就不用再撑船了。现在桥没有了，大家又要坐他的船过河，他心里说不清是高兴还是难过。"
)


def warm_up() -> bool:
    """Match a page that has every kind of edit with a work, and return whether the work was found."""
    work = "".join(map(chr, range(FIRST, LAST, 7)))
    page = f"{work[:900]}（wǒ men） \u200b{work[940:1500]}\ue000{work[1400:1100:-1]}{work[1501:]}"
    fingerprint_text(page[::-1])  # in disorder: other orders are tried
    fingerprint_text("wo men yi qi lai shuo hua " * 5)
    fingerprint_text("".join(CHINESE[start : start + 2][::-1] for start in range(0, len(CHINESE), 2)))
    fingerprint_text("".join(map("".join, zip(CHINESE, work, strict=False))))  # every second character is foreign
    index, corpus = MemoryIndex(), MemoryCorpus()
    corpus[WorkTextId("work")] = WorkEntry(work, fingerprint_text(work))
    corpus[WorkTextId("part")] = WorkEntry(work[200:700], fingerprint_text(work[200:700]))  # another carrier
    for text_id, entry in corpus.items():
        index.add(text_id, entry.fingerprint)
    matches = Matcher(index, corpus).match(page, fingerprint_text(page))
    return bool(matches) and len(matches[0].spans[0].changes) > 0


if __name__ == "__main__":
    warm_up()
