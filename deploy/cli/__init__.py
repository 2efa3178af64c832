"""The command line. A module contains one or several commands, or a group of subcommands (`GROUP`)."""

from deploy.cli.app import main

__all__ = ["main"]
