"""Reference faces as drawn for tests: drawn once for all tests and all their runs in this checkout.

What lies there is found by a digest of all that has a part in it, code and faces among them, so a change is drawn anew.
Run as `python -m tests.support.machine_cache`, it draws what tests ask for; or the first of them would.
"""

from pathlib import Path

from crawler.obfuscation.reference_fonts import ReferenceFonts, free_fonts

MACHINE_CACHE = Path(__file__).parents[2] / ".pytest_cache" / "references"
ONE_FACE, TWO_FACES = (ReferenceFonts(free_fonts()[:most], MACHINE_CACHE) for most in (1, 2))


if __name__ == "__main__":
    for each in (ONE_FACE, TWO_FACES):
        each.index  # noqa: B018 - drawn when it is asked for
