"""Bytes by key, written once: core.ports.ObjectStore in a folder, in memory and in any S3-compatible store."""
