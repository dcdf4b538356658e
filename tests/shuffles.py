"""Fewer shuffles for p values where slow tests are left out: how many there are is no road of its own."""

from __future__ import annotations

import os
from importlib import import_module

FEWER = {"DRAWS": 99, "GROUPED": 199}
SAID = "QPFS_TESTS_FEWER_SHUFFLES"  # to processes that the tests start


def shuffle_less(patch):
    """In this process, and in those that it starts from now on."""
    patch.setenv(SAID, "1")
    for name, n in FEWER.items():
        patch.setattr(import_module("qpfs.information.significance"), name, n)


def shuffle_as_said():
    """In a process that was started for tests."""
    if SAID in os.environ:
        vars(import_module("qpfs.information.significance")).update(FEWER)
