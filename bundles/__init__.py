"""Evidence that stands alone: what a bundle holds, how it is stamped, exported and verified.

Steps: `bundle.make` -> `days.proof_of` (Merkle tree) -> `authority.Authority` (RFC 3161) -> `export.write` ->
`verify.check_file`.
Nothing here knows a database, a framework or the network: `authority` is given a client (`ports.Client`).
"""
