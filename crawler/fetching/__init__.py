"""Requests and responses: the addresses that may be fetched, the limits of a fetch, and a record of each exchange."""
