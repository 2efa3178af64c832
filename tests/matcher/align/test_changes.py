"""The compiled walk from pairs to changes, against its definition over whole arrays."""

import numpy as np
import pytest

from core.matches import ChangeKind
from fingerprint.characters import Kind
from fingerprint.fuzzy import fuzzy_syllables
from fingerprint.readings import READINGS_2026
from fingerprint.stream import WILDCARD
from fingerprint.tables import TABLES_2026
from matcher.align.change_kernels import classify_changes
from matcher.align.changes import CHANGE_NUMBERS, KIND_NUMBERS, character_tables
from matcher.align.jump_alignment import align_with_jumps
from matcher.align.jump_cells import AlignmentSide
from matcher.align.token_agreement import TokenBounds
from matcher.align.token_alignment import REWRITTEN, align_tokens
from matcher.align.tokenized_text import find_sentence_starts, read_stretch
from matcher.calibration import DEFAULT
from tests.support.corpus_texts import shuffled_sentences, story, with_homophones
from tests.support.fingerprint_definition import are_alike, are_homophones, are_variants
from tests.support.matchers import sides_of

WORK = story(3)


def kinds_by_definition(page: np.ndarray, work: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """int32[n]: of pairs of code points and tokens, the number of the change, -1 for none."""

    def are_letters(codes: np.ndarray) -> np.ndarray:
        return np.isin(TABLES_2026.kinds[codes], [int(Kind.LATIN), int(Kind.FULL_WIDTH_LATIN)])

    agrees = ours == theirs
    fuzzy = fuzzy_syllables(READINGS_2026.names)
    are_confused = (fuzzy[np.minimum(ours, len(fuzzy) - 1)] == theirs[:, None]).any(axis=1)
    kinds = np.where(are_confused, KIND_NUMBERS[ChangeKind.HOMOPHONE], KIND_NUMBERS[ChangeKind.REPLACED])
    kinds[are_alike(page, work)] = KIND_NUMBERS[ChangeKind.SHAPE]
    kinds[agrees | are_homophones(page, work)] = KIND_NUMBERS[ChangeKind.HOMOPHONE]
    letters = are_letters(page)
    kinds[letters] = np.where(agrees[letters], KIND_NUMBERS[ChangeKind.PINYIN], KIND_NUMBERS[ChangeKind.REPLACED])
    kinds[letters & are_letters(work) & agrees] = -1
    kinds[are_variants(page, work)] = KIND_NUMBERS[ChangeKind.SCRIPT]
    kinds[ours == WILDCARD] = KIND_NUMBERS[ChangeKind.NOISE]
    kinds[(theirs == WILDCARD) | (page == work)] = -1
    return kinds


def join_pieces(rows: np.ndarray) -> np.ndarray:
    """Changes in order, those of one kind that touch on both sides made one."""
    found: list[list[int]] = []
    for kind, *place in rows[np.lexsort(rows.T[:0:-1])].tolist():
        if found and [found[-1][0], found[-1][2], found[-1][4]] == [kind, place[0], place[2]]:
            found[-1][2], found[-1][4] = place[1], place[3]
        else:
            found.append([kind, *place])
    return np.array(found, np.int32).reshape(-1, 5)


def obfuscate(kind: str) -> str:
    rng = np.random.default_rng(4)
    pieces = {
        "unedited": lambda: WORK,
        "homophones": lambda: with_homophones(WORK, 0.3, 5),
        "shuffled": lambda: shuffled_sentences(WORK, 7),
        "shapes and letters": lambda: (
            WORK.replace("已", "己").replace("的", "de").replace("末", "未").replace("人", "入")
        ),
        "traditional": lambda: WORK.translate(str.maketrans("来说这时们国门见", "來說這時們國門見")),
        "unreadable": lambda: "".join("\ue123" if rng.random() < 0.05 else character for character in WORK),
        "put in and left out": lambda: WORK[:200] + "收藏本站的网址以后每天都来看看吧" * 2 + WORK[200:400] + WORK[440:],
    }
    return pieces[kind]()


@pytest.mark.parametrize(
    "kind",
    ["unedited", "homophones", "shuffled", "shapes and letters", "traditional", "unreadable", "put in and left out"],
)
def test_changes_and_figures_are_those_of_the_definition(kind: str) -> None:
    text = obfuscate(kind)
    page, work = sides_of(text, WORK)
    tokens, others = page.fingerprint.tokens, work.fingerprint.tokens
    parts = page.part(0, tokens.size), work.part(0, others.size)
    sides = read_stretch(parts[0]), read_stretch(parts[1])
    tables = character_tables(page.fingerprint.algorithm)
    folding = tables.folding
    ours = AlignmentSide(tokens, folding[sides[0].codes], find_sentence_starts(parts[0]))
    theirs = AlignmentSide(others, folding[sides[1].codes], find_sentence_starts(parts[1]))
    whole = TokenBounds(0, tokens.size)
    runs, gaps, *_ = align_tokens(align_with_jumps(ours, page.near, theirs, tables, whole, DEFAULT.walk), 0)
    pairs = np.array([(here + n, there + n) for here, there, size in runs.tolist() for n in range(size)])
    found_changes = classify_changes(runs, gaps, *sides, tables, CHANGE_NUMBERS)
    changes, taken, agreed, totals, matched, same, longest = found_changes

    kinds = kinds_by_definition(
        sides[0].codes[pairs[:, 0]], sides[1].codes[pairs[:, 1]], tokens[pairs[:, 0]], others[pairs[:, 1]]
    )
    is_change = kinds >= 0
    of_pairs = np.stack([kinds, pairs[:, 0], pairs[:, 0] + 1, pairs[:, 1], pairs[:, 1] + 1], axis=1)[is_change]
    of_gaps = np.concatenate([CHANGE_NUMBERS.by_gap_kind[gaps[:, :1]], gaps[:, 1:]], axis=1)
    expected = join_pieces(np.concatenate([of_pairs, of_gaps]))
    assert np.array_equal(changes, expected)
    is_loose = np.isin(kinds, [KIND_NUMBERS[ChangeKind.REPLACED], KIND_NUMBERS[ChangeKind.NOISE]])
    assert matched == np.count_nonzero(~is_loose)
    assert agreed.tolist() == pairs[~is_loose, 1].tolist()
    assert same == np.count_nonzero(~is_change | (kinds == KIND_NUMBERS[ChangeKind.SCRIPT]))
    assert longest == _longest_run(pairs, is_change & (kinds != KIND_NUMBERS[ChangeKind.SCRIPT]))
    rewritten = gaps[gaps[:, 0] == REWRITTEN]
    places = [set(range(*row)) for row in taken.tolist()]
    assert set().union(*places) == set(pairs[:, 1].tolist()).union(*(range(*row[3:]) for row in rewritten.tolist()))
    sizes = np.maximum(expected[:, 2] - expected[:, 1], expected[:, 4] - expected[:, 3])
    for number, total in enumerate(totals.tolist()):
        rows = np.flatnonzero(expected[:, 0] == number)
        assert total == [rows.size, sizes[rows].sum(), rows[0] if rows.size else 0]


def _longest_run(pairs: np.ndarray, differs: np.ndarray) -> int:
    longest = run = 0
    for number, (here, there) in enumerate(pairs.tolist()):
        if differs[number]:
            run = 0
            continue
        is_next = number > 0 and pairs[number - 1].tolist() == [here - 1, there - 1]
        run = run + 1 if is_next else 1
        longest = max(longest, run)
    return longest
