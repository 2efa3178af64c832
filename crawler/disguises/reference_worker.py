"""`python -m crawler.disguises.reference_worker FACE...`: draws the references and writes what is learned of them."""

import sys
from pathlib import Path

from crawler.disguises.reference_fonts import drawn_references
from crawler.disguises.reference_store import write_numbers


def main() -> None:
    """Raises ValueError without faces."""
    write_numbers(sys.stdout.buffer, "", drawn_references([Path(path) for path in sys.argv[1:]]))


if __name__ == "__main__":
    main()
