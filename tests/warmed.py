"""Imported by a process that forks: everything is imported, and kernels are at hand, before it does."""

from tests.fuzz.server import warm

warm()
