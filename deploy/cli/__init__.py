"""The command line: one module for each command or group of commands, each with `register(app)`."""

from deploy.cli.app import main

__all__ = ["main"]
