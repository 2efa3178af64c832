"""The rules of accounts: no HTML."""
