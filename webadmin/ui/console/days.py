"""Days as a user writes them."""

from datetime import date

from core.errors import BadInput


def parse_day(option: str, text: str) -> date | None:
    """Return the day that an option names; None for "". Raises BadInput for what is none."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadInput("cli.no-day", option=option, text=text) from error
