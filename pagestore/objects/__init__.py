"""Bytes by key, written once: core.ports.ObjectStore in a folder and in S3-compatible stores."""
