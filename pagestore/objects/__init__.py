"""Bytes by key, written once: core.ports.ObjectStore in a folder and in any S3-compatible store."""
