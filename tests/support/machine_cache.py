"""Reference faces as drawn for tests: drawn once for all tests and all their runs in this checkout.

What lies there is found by a digest of all that has a part in it, code and faces among them, so a change is drawn anew.
"""

from pathlib import Path

MACHINE_CACHE = Path(__file__).parents[2] / ".pytest_cache" / "references"
