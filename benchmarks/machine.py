"""Facts about the machine that the numbers depend on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np  # noqa: F401  (loads the BLAS that is asked about)
from threadpoolctl import threadpool_info

PACKAGES = ("numpy", "numba", "scipy", "scikit-learn")


def facts() -> dict[str, str]:
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "load": "{:.1f} {:.1f} {:.1f}".format(*os.getloadavg()),
        "system": platform.platform(),
        "python": platform.python_version(),
        "blas": ", ".join(sorted({blas_name(pool) for pool in threadpool_info()})),
        **{name: installed(name) or "absent" for name in PACKAGES},
    }


def processor() -> str:
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text().splitlines() if listing.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def blas_name(pool: dict[str, object]) -> str:
    return f"{pool['internal_api']} {pool.get('version')} ({pool.get('architecture', '')})"


def installed(package: str) -> str | None:
    """The version of a package, if it is here."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
