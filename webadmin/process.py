"""`python -m webadmin.process MODULE ARGUMENT…`: sets up Django without the admin, then runs `main` of the module."""

import os
import sys
from importlib import import_module

import django


def set_up() -> None:
    """Set up Django without the admin, so that models can be imported. Safe to repeat."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webadmin.worker_settings")
    django.setup()


if __name__ == "__main__":
    set_up()
    sys.exit(import_module(sys.argv[1]).main(sys.argv[2:]))
