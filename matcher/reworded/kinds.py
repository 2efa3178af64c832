"""Works that are told by formulas: to name a page for one of them asks for more, and other alarms were measured."""

from dataclasses import replace

from core.matches import RewordedClass
from matcher.reworded.calibration import DEFAULT, FORMULAIC, RewordedCalibration, highest
from matcher.reworded.found import RewordedMatch
from matcher.reworded.record import CURRENT

FORMULAIC_KINDS = frozenset({"news", "other"})  # "other": lives, stations, articles of an encyclopedia


def calibration_of(kind: str) -> RewordedCalibration:
    """What is asked for of a work of that kind; of one that nobody named, what is asked for in general."""
    return FORMULAIC if kind in FORMULAIC_KINDS else DEFAULT


def for_kind(match: RewordedMatch, kind: str) -> RewordedMatch | None:
    """A match as it counts for a work of that kind, with the band that was measured of it; None where it does not."""
    if kind not in FORMULAIC_KINDS or match.found is not RewordedClass.REWORDED:
        return match
    if match.score < calibration_of(kind).min_score(match.found, match.standing_out):
        return None
    return replace(match, band=highest(CURRENT.formulaic_bands, match.score))
