"""Seconds of rival functions, taken in turns so that a noisy machine is noisy for all of them."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time, sleep
from typing import Any, TypeAlias

import numpy as np

Job: TypeAlias = Callable[[], Any]


REST = 0.05  # seconds for which the threads of a product wait, spinning, for the next one


def seconds(job: Job, clock: Callable[[], float] = perf_counter) -> float:
    sleep(REST)
    start = clock()
    job()
    return clock() - start


def race(*jobs: Job, repeats: int = 7, clock: Callable[[], float] = perf_counter) -> list[float]:
    """The least seconds of each job, after one round that compiles and warms up."""
    for job in jobs:
        job()
    laps = [[seconds(job, clock) for job in jobs] for _ in range(repeats)]
    return [min(times) for times in zip(*laps, strict=True)]


def cpu_race(*jobs: Job, repeats: int) -> list[float]:
    """The least seconds of CPU, of all threads, that each job takes."""
    return race(*jobs, repeats=repeats, clock=process_time)


def exponent(sizes: list[int], times: list[float]) -> float:
    """e of times ~ sizes^e, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
