"""`python -m crawler.obfuscation.reference_worker FACE...`: draws the references and writes what is learned of them."""

import sys
from pathlib import Path

from crawler.obfuscation.reference_fonts import draw_references
from crawler.obfuscation.reference_store import write_numbers


def main() -> None:
    """Raises ValueError without faces."""
    write_numbers(sys.stdout.buffer, "", draw_references([Path(path) for path in sys.argv[1:]]))


if __name__ == "__main__":
    main()
