"""The kinds of batches: the same cases for the same kind and number."""

from __future__ import annotations

import traceback

from tests.fuzz import crafted, files, fits, kills


def fitted(number, examples):
    """Fits as the others count: how many ended how."""
    found = fits.fuzz(number, examples)
    return {
        "cases": found.cases,
        "fits": found.fits,
        **{f"with {name} checked": n for name, n in found.seen.items()},
    }


KINDS = {  # what makes a batch, and how many cases take about half a minute
    "fits": (fitted, 100),
    "files": (files.fuzz, 25),
    "kills": (kills.fuzz, 10),
    "stores": (crafted.fuzz_stores, 25),
    "records": (crafted.fuzz_records, 25),
}


def tried(kind, number):
    """What a batch tried, and what went wrong; empty if nothing did."""
    fuzz, examples = KINDS[kind]
    try:
        return fuzz(number, examples), ""
    except Exception:
        return {"failed batches": 1}, traceback.format_exc()
