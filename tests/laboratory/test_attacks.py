"""The laboratory's attacks: what becomes of one is told by what its own process says."""

import pytest

from laboratory.attacks import HELD, outcome_alone


@pytest.mark.usefixtures("processes")
def test_an_attack_that_held_is_told_from_one_that_did_not_end_well() -> None:
    assert outcome_alone("mail: a line without an end") == HELD
    assert "no such attack: none of them" in outcome_alone("none of them")
