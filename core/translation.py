"""Marks strings that are translated where they are shown; the admin's catalogue has them (`make messages`)."""


def gettext_noop(text: str) -> str:
    """Return `text` unchanged; the call marks it for `makemessages`."""
    return text
