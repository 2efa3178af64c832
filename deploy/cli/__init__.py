"""The command line: one module for each verb or group of verbs, each with `register(app)`."""

from deploy.cli.app import main

__all__ = ["main"]
