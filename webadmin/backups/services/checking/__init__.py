"""All that is stored, read again and held against its digests and against what one store says of another."""
