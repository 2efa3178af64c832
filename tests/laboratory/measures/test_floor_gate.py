import json
from pathlib import Path

import pytest

from laboratory.measures import floor
from laboratory.measures.floor import TOLERANCE, Quality

DIGESTS = {"works.jsonl": "a", "pages.jsonl": "b", "truth.jsonl": "c"}
FLOORS = Quality(DIGESTS, {"recall": 0.99, "precision": 1.0})


def quality(recall: float, precision: float = 1.0) -> Quality:
    return Quality(DIGESTS, {"recall": recall, "precision": precision})


def test_what_falls_is_named_with_both_figures():
    assert floor.below(FLOORS, quality(0.99)) == floor.below(FLOORS, quality(0.99 - TOLERANCE * 0.9)) == []
    assert floor.below(FLOORS, quality(0.97)) == ["recall is 0.9700, below its floor of 0.9900"]
    assert floor.below(FLOORS, Quality(DIGESTS, {"recall": 1.0})) == ["precision is not measured any more"]
    other = Quality({**DIGESTS, "pages.jsonl": "x"}, {"recall": 1.0, "precision": 1.0})
    (fault,) = floor.below(FLOORS, other)
    assert "pages.jsonl" in fault, "other cases are a fault whatever they measure"


def test_the_command_writes_checks_and_refuses(tmp_path, monkeypatch, capsys):
    measured = [quality(0.98)]
    monkeypatch.setattr(floor, "measured", lambda _texts: measured[0])
    path = tmp_path / "floors.json"
    arguments = ["--floors", str(path)]
    assert floor.main(arguments) == 2  # there are none yet
    assert floor.main([*arguments, "--update"]) == 0
    assert floor.main(arguments) == 0
    measured[0] = quality(0.9)
    assert floor.main(arguments) == 1
    assert floor.main([*arguments, "--update"]) == 1
    assert "below its floor of 0.9800" in capsys.readouterr().out
    assert json.loads(path.read_text("utf-8"))["floors"]["recall"] == 0.98
    assert floor.main([*arguments, "--update", "--allow-regression"]) == 0
    assert json.loads(path.read_text("utf-8"))["floors"]["recall"] == 0.9


@pytest.mark.usefixtures("long_computation")
def test_a_worse_matcher_falls_through_the_real_floor(monkeypatch):
    """The gate is only worth what it stops: half of what is reported is withheld, and it must say so."""
    real = floor.run

    def forgetful(*arguments):
        done = real(*arguments)
        for number, reports in enumerate(done.reports.values()):
            if number % 2:
                reports.clear()
        return done

    monkeypatch.setattr(floor, "run", forgetful)
    faults = floor.below(floor.read(floor.QUALITY / "floors.json"), floor.measured(Path(floor.QUALITY / "texts")))
    assert any(fault.startswith("overall recall") for fault in faults)
