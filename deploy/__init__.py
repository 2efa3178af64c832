"""Command line, embedded services, demo: everything that puts the parts to work on a machine."""
