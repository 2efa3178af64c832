"""`python -m deploy.cli` is `zhuiwen`."""

from deploy.cli import main

if __name__ == "__main__":
    main()
