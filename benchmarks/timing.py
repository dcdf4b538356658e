"""Seconds of rival functions, taken in turns so that a noisy machine is noisy for all of them."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, sleep
from typing import Any, TypeAlias

import numpy as np

Job: TypeAlias = Callable[[], Any]


REST = 0.05  # seconds for which the threads of a product wait, spinning, for the next one


def seconds(job: Job) -> float:
    sleep(REST)
    start = perf_counter()
    job()
    return perf_counter() - start


def race(*jobs: Job, repeats: int = 7) -> list[float]:
    """The least seconds of each job, after one round that compiles and warms up."""
    for job in jobs:
        job()
    laps = [[seconds(job) for job in jobs] for _ in range(repeats)]
    return [min(times) for times in zip(*laps, strict=True)]


def exponent(sizes: list[int], times: list[float]) -> float:
    """e of times ~ sizes^e, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
