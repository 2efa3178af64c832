"""Evidence bundles: their format, their timestamps and their verification, which needs no database or network.

Steps: `bundle.make` -> `days.make_day_proof` (Merkle tree) -> `authority.Authority` (RFC 3161) -> export ->
`verification.check_file`. The package uses no framework; `authority` takes an HTTP client (`ports.Client`).
"""
