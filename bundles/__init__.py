"""Evidence bundles: their format, time stamps and verification. Verification needs no other part of the product.

Steps: `bundle.make` -> `days.make_day_proof` (Merkle tree) -> `authority.Authority` (RFC 3161) -> export ->
`verification.check_file`. No database, framework or network: `authority` takes a client (`ports.Client`).
"""
