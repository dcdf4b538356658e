"""Engines give every result, in the order of the tasks."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest
from tests import apart

from qpfs.engines import Serial, Threads, engine_for, local

ENGINES = [Serial, lambda: Threads(1), lambda: Threads(2), lambda: Threads(3)]
every_engine = pytest.mark.parametrize("make", ENGINES, ids=["serial", "1", "2", "3"])


@every_engine
def test_results_come_in_the_order_of_the_tasks(make):
    def late_first(task):
        time.sleep(0.01 * (task == 0))
        return task * task

    with make() as engine:
        assert list(engine.map(late_first, range(20))) == [n * n for n in range(20)]


@every_engine
def test_no_task_no_result(make):
    with make() as engine:
        assert list(engine.map(str, [])) == []


@every_engine
def test_an_engine_may_be_asked_again(make):
    with make() as engine:
        assert [list(engine.map(abs, (-n, n))) for n in range(3)] == [[0, 0], [1, 1], [2, 2]]


@every_engine
def test_the_first_error_comes_out(make):
    def fail(task):
        if task in (3, 7):
            raise ValueError(f"task {task}")
        return task

    with make() as engine, pytest.raises(ValueError, match="task 3"):
        list(engine.map(fail, range(10)))


def test_threads_work_at_the_same_time():
    together = threading.Barrier(2, timeout=10)
    with Threads(2) as engine:
        assert sorted(engine.map(lambda _: together.wait(), range(2))) == [0, 1]


def test_a_single_task_stays_in_the_thread_that_asks():
    before = threading.enumerate()
    with Threads(2) as engine:
        assert list(engine.map(lambda _: threading.current_thread(), [0])) == [threading.current_thread()]
        assert threading.enumerate() == before


def test_few_objects_that_take_long_are_made_together():
    """As blocks of a sparse table that is adjusted for covariates: six took 121 ms, one after another."""
    together = threading.Barrier(2, timeout=10)

    def made(source):
        time.sleep(0.01)
        return source if source == 0 else (source, together.wait())[0]

    with Threads(2) as engine:
        assert engine.hold(range(3), made).items == [0, 1, 2]


@every_engine
@pytest.mark.parametrize("n", [0, 1, 2, 40])
def test_objects_that_take_little_are_made_where_they_are_asked_for(make, n, monkeypatch):
    monkeypatch.setattr(local, "LITTLE", np.inf)  # whatever else this computer does
    with make() as engine:
        found = engine.hold(range(n), lambda source: (source, threading.current_thread())).items
    assert found == [(source, threading.current_thread()) for source in range(n)]


def test_what_was_not_begun_is_left_after_an_error():
    done = []

    def fail(task):
        done.append(task)
        if task == 0:
            raise ValueError("task 0")
        time.sleep(0.01)

    with Threads(2) as engine, pytest.raises(ValueError, match="task 0"):
        list(engine.map(fail, range(5_000)))
    assert len(done) < 5_000


def test_an_interrupt_comes_out_at_once():
    here, ours = threading.current_thread(), threading.Event()

    def task(_):
        if threading.current_thread() is here:
            ours.set()
            raise KeyboardInterrupt
        return ours.wait(10)

    with Threads(2) as engine, pytest.raises(KeyboardInterrupt):
        list(engine.map(task, range(6)))


def test_a_closed_engine_takes_no_tasks_and_has_none_running():
    begun, running = threading.Event(), []

    def task(number):
        running.append(number)
        begun.set()
        time.sleep(0.02)
        running.remove(number)

    with Threads(2) as engine:
        engine.map(task, range(50))
        assert begun.wait(10)
    assert not running
    with pytest.raises(RuntimeError, match="closed"):
        engine.map(abs, range(4))


def test_tasks_are_begun_before_results_are_read():
    begun = threading.Event()
    with Threads(2) as engine:
        results = engine.map(lambda _: begun.set(), range(2))
        assert begun.wait(10)
        assert list(engine.map(abs, range(-3, 0))) == [3, 2, 1]  # meanwhile the engine has other work
        assert len(list(results)) == 2


def test_tasks_may_have_tasks_shared():
    with Threads(2) as engine:

        def inner(n):
            return list(engine.map(lambda m: 10 * n + m, range(n)))

        for _ in range(50):
            begun = engine.map(inner, range(6))
            assert list(engine.map(inner, range(4))) == [[10 * n + m for m in range(n)] for n in range(4)]
            assert [len(one) for one in begun] == list(range(6))


@pytest.mark.timeout(60)
def test_a_closed_engine_ends_tasks_that_wait_for_tasks_of_their_own():
    begun, ended = threading.Event(), []

    def slow(number):
        begun.set()
        time.sleep(0.02)
        return number

    def inner(_):
        try:
            return list(engine.map(slow, range(50)))
        finally:
            ended.append(threading.current_thread())

    with Threads(2) as engine:
        engine.map(inner, range(3))  # nobody reads the results
        assert begun.wait(10)
    assert 1 <= len(ended) <= 3


def test_the_next_engine_gets_the_same_threads():
    def threads_of(engine):
        both = threading.Barrier(2, timeout=10)
        return set(engine.map(lambda _: (both.wait(), threading.current_thread())[1], range(2)))

    with Threads(2) as one:
        first = threads_of(one)
    with Threads(2) as one, Threads(2) as other:
        assert threads_of(one) == first
        assert threads_of(other) != first


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
def test_a_fork_has_threads_of_its_own():
    with Threads(2) as engine:
        list(engine.map(abs, range(4)))
    result = apart.script(
        "from qpfs.engines import Threads\n"
        "import os, threading\n"
        "def sums():\n"
        "    both = threading.Barrier(2, timeout=10)\n"
        "    with Threads(2) as engine:\n"
        "        return sum(engine.map(lambda n: (both.wait(), n)[1], range(2)))\n"
        "sums()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os._exit(sums())\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert result.stdout.split() == ["1"], result.stderr


@pytest.mark.parametrize(("n_jobs", "n_workers"), [(None, 1), (1, 1), (2, 2), (3, 3)])
def test_the_number_of_jobs_is_the_number_of_workers(n_jobs, n_workers):
    with engine_for(n_jobs) as engine:
        assert engine.n_workers == n_workers


def test_minus_one_is_every_core():
    with engine_for(-1) as every, engine_for(-2) as but_one:
        assert every.n_workers >= 1
        assert but_one.n_workers == max(every.n_workers - 1, 1)


def test_no_jobs_are_refused():
    with pytest.raises(ValueError, match="n_jobs"):
        engine_for(0)
