"""Runs `zhuiwen` for `python -m deploy.cli`."""

from deploy.cli import main

if __name__ == "__main__":
    main()
