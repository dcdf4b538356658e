"""`python -m tests.fuzz [KIND ...] --minutes 30 --seed 0`: batches of every kind, until the time is up.

A batch is the same for the same kind and seed; only the moments of killed runs depend on the machine. What
fails is printed with the command that repeats it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import suppress
from itertools import count, islice, takewhile
from multiprocessing import get_context

from tests.fuzz.batches import KINDS, tried

DIED = {"failed batches": 1}, "a process died: of this batch, or of the one beside it"


def main():
    asked = arguments()
    end = time.monotonic() + 60 * asked.minutes
    numbers = islice(count(asked.seed), asked.batches)
    batches = ((kind, number) for number in numbers for kind in asked.kinds)
    in_time = takewhile(lambda _: time.monotonic() < end, batches)
    total, failed = {kind: Counter() for kind in asked.kinds}, 0
    with suppress(KeyboardInterrupt):  # what was tried until then is told
        for (kind, number), (outcome, wrong) in outcomes(in_time, asked.jobs):
            total[kind].update(outcome)
            if wrong:
                failed += 1
                repeat = f"python -m tests.fuzz {kind} --seed {number} --batches 1"
                say(f"{kind} {number}: {wrong}\nrepeat: {repeat}\n")
    for kind, outcome in total.items():
        say(f"{kind}: " + ", ".join(f"{n} {name}" for name, n in sorted(outcome.items())))
    say(f"seeds from {asked.seed}; {failed} batches failed")
    return int(failed > 0)


def outcomes(batches, jobs):
    """Each batch with what it tried and what went wrong, as they end; some at a time."""
    pool, running = new_pool(jobs), {}
    while True:
        running |= {pool.submit(tried, *batch): batch for batch in islice(batches, jobs - len(running))}
        if not running:
            return
        done = next(as_completed(running))
        if isinstance(done.exception(), BrokenProcessPool):
            yield from ((batch, DIED) for batch in running.values())
            pool, running = new_pool(jobs), {}
        else:
            yield running.pop(done), done.result()


def new_pool(jobs):
    return ProcessPoolExecutor(jobs, get_context("spawn"))


def arguments():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all if none is named"
    )
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first batch of each kind")
    parser.add_argument("--batches", type=int, help="of each kind; until the time is up if not given")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    if unknown := set(asked.kinds) - set(KINDS):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    asked.kinds = asked.kinds or [*KINDS]
    return asked


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
