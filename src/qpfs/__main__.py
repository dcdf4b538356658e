"""`python -m qpfs`: the command."""

from __future__ import annotations

from qpfs.cli import main

if __name__ == "__main__":
    main()
