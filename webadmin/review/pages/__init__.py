"""Inbox, case, matter, page history and whole book; lists and forms that combine subjects."""
