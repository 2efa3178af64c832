"""Lets `python -m deploy.cli` run `zhuiwen`."""

from deploy.cli import main

if __name__ == "__main__":
    main()
