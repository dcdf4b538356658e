"""The oldest versions that `pyproject.toml` allows, as requirements for pip: `make test-oldest`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"


def oldest(pyproject: Path = PYPROJECT) -> list[str]:
    """Each requirement of the package and of its tests, at the version that it begins with."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    extras = [needed for name, needed in project["optional-dependencies"].items() if name not in TOOLS]
    return sorted({one.replace(">=", "==") for one in sum(extras, project["dependencies"])})


TOOLS = ("bench", "check", "dist", "docs", "fuzz")  # what no user needs

if __name__ == "__main__":
    sys.stdout.write("\n".join(oldest()) + "\n")
