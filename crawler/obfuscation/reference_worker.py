"""`python -m crawler.obfuscation.reference_worker FACE...`: draws the references and writes what is learned of them."""

import resource
import sys
from pathlib import Path

from crawler.obfuscation.reference_fonts import draw_references
from crawler.obfuscation.reference_store import write_numbers


def main() -> None:
    """Raises ValueError without faces."""
    # It reads what is trusted, and needs more than the process that starts it may take for a page.
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    write_numbers(sys.stdout.buffer, "", draw_references([Path(path) for path in sys.argv[1:]]))


if __name__ == "__main__":
    main()
