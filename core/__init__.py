"""Records, ids, ports, messages, errors and settings that all packages share.

Only the settings need third-party packages.
"""
