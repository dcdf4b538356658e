"""Peak memory: of a fit above its input, in a process of its own; of this process without pages of files."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import numpy as np

from qpfs.evaluation import measured
from qpfs.evaluation.measuring import status

INTERVAL = 0.005  # seconds between looks


def peak_above_input(selector: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Megabytes."""
    return measured(selector, X, y).megabytes


def anonymous_peak(job: Callable[[], Any]) -> float:
    """The most megabytes that this process holds while a job is done, pages of files not counted."""
    seen, done = [status("RssAnon")], Event()

    def look() -> None:
        while not done.wait(INTERVAL):
            seen.append(status("RssAnon"))

    watch = Thread(target=look)
    watch.start()
    try:
        job()
    finally:
        done.set()
        watch.join()
    return max(seen)
