"""``python -m atleastonce``: the command line."""

from atleastonce.cli import main

if __name__ == "__main__":
    main()
