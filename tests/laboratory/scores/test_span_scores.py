import random

import pytest

from core.text import TextRange
from laboratory.edits.edited import Passage
from laboratory.scores.span_scores import span_score


def passage(page: tuple[int, int], work: tuple[int, int], work_id: str = "w") -> Passage:
    return Passage(work_id, TextRange(*page), TextRange(*work))


def characters(each: Passage) -> set[tuple[str, int]]:
    """A passage as the paper has it: a set of characters, those of the page and those of the work."""
    page = {("", place) for place in range(each.page.start, each.page.end)}
    return page | {(each.work_id, place) for place in range(each.work.start, each.work.end)}


def common_characters(case: Passage, detection: Passage) -> set[tuple[str, int]]:
    common = characters(case) & characters(detection)
    is_met = case.work_id == detection.work_id and len({side for side, _ in common}) == 2
    return common if is_met else set()


@pytest.mark.parametrize("seed", range(60))
def test_the_intervals_agree_with_sets_of_characters(seed):
    rng = random.Random(seed)

    def draw_passages() -> list[Passage]:
        starts = [(rng.randrange(60), rng.randrange(60), rng.choice("ab")) for _ in range(rng.randrange(6))]
        return [
            passage((page, page + rng.randint(1, 30)), (work, work + rng.randint(1, 30)), work_id)
            for page, work, work_id in starts
        ]

    cases, detections = draw_passages(), draw_passages()
    score = span_score(cases, detections)
    everything = [common_characters(case, detection) for case in cases for detection in detections]
    assert score.met == len(set().union(*everything))
    assert score.detected == len(set().union(*map(characters, detections)))
    assert score.true == len(set().union(*map(characters, cases)))
    assert score.pieces == tuple(
        count for case in cases if (count := sum(bool(common_characters(case, detection)) for detection in detections))
    )
    for detection, share in zip(detections, score.precisions, strict=True):
        own = set().union(*(common_characters(case, detection) for case in cases))
        assert share == pytest.approx(len(own) / detection.chars)
    for case, share in zip(cases, score.recalls, strict=True):
        own = set().union(*(common_characters(case, detection) for detection in detections))
        assert share == pytest.approx(len(own) / case.chars)
