"""Evidence that stands alone: what a bundle holds, how it is stamped, exported and verified.

Steps: `bundle.make` -> `days.proof_of` (Merkle tree) -> `authority.Authority` (RFC 3161) -> `export.write` ->
`verify.check_file`.
Nothing here knows a database or a framework, and only `authority` uses the network.
"""
