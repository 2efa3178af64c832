"""Proof of what stood on a page: bundles, digests, time stamps, and their verification without any database."""
