"""Calls that do what no call may, so that tests can see it noticed."""

from __future__ import annotations

import ctypes
import sys
import time


def crash():
    ctypes.string_at(8)


def hang():
    time.sleep(60)


def fail():
    raise RuntimeError("on purpose")


def grow():
    bytearray(2 << 30)


def mute():
    sys.exit(1)


def foreign():
    sys.exit("ValueError: an Error that is not ours")


def talk():
    sys.stderr.write("qpfs: one thing\n")
    sys.exit("qpfs: and another")
