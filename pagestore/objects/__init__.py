"""Stores bytes by key, each written once: core.ports.ObjectStore in a folder and in S3-compatible stores."""
