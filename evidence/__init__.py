"""Evidence that stands alone: what a bundle holds, how it is stamped, exported and verified.

Steps: `bundle.make` -> `days.Day` (Merkle tree) -> `authority.stamp` (RFC 3161) -> `export.write` -> `verify.check_file`.
Nothing here knows a database or a framework, and only `authority` uses the network.
"""
