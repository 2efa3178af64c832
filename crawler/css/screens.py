"""The ordinary screens that a page is judged for. A set of them is an int with one bit for each of `SCREENS`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen of a reader. doubts_hold: the answer where only a browser knows (containers, other features)."""

    width_px: int
    height_px: int
    doubts_hold: bool = False


DESKTOP_PX = 1280
# One for each class that the breakpoints of Bootstrap (576, 768, 992, 1200, 1400) and Tailwind (640 to 1536) part: a
# telephone upright and lying, a tablet upright and lying, and three desktops. 360 x 800, 1280 x 800 and 1920 x 1080 are
# the usual telephone, laptop and desktop.
_SIZES = ((360, 800), (640, 360), (768, 1024), (1024, 768), (DESKTOP_PX, 800), (1536, 864), (1920, 1080))
SCREENS = tuple(Screen(*size, doubts_hold=doubt) for doubt in (False, True) for size in _SIZES)
DESKTOP = next(number for number, screen in enumerate(SCREENS) if screen.width_px == DESKTOP_PX)
WIDEST_PX = max(screen.width_px for screen in SCREENS)
ALL_SCREENS = (1 << len(SCREENS)) - 1
IN_DOUBT = sum(1 << number for number, screen in enumerate(SCREENS) if screen.doubts_hold)
