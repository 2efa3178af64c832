"""Backup, restore, and checks of the stores."""
