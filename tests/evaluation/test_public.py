"""The public face of the room is complete, and records need none of the heavy libraries."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

from qpfs import evaluation


def test_every_public_name_is_there():
    for name in evaluation.__all__:
        assert getattr(evaluation, name).__doc__
        assert name in dir(evaluation)
    assert not hasattr(evaluation, "no_such_name")


def test_help_describes_every_parameter():
    for name in evaluation.__all__:
        part = getattr(evaluation, name)
        if not inspect.isfunction(part) or not inspect.signature(part).parameters:
            continue
        said = inspect.getdoc(part).partition("Returns\n---")[0]
        assert not re.search(r"^\s*\{\w+\}$", said, re.MULTILINE), name
        if "Parameters\n---" in said:
            found = re.findall(r"^([\w, ]+) : .+\n {4}\S", said, re.MULTILINE)
            described = [one for some in found for one in some.split(", ")]
            assert sorted(described) == sorted(inspect.signature(part).parameters), name


def test_records_are_light():
    heavy = "[m for m in ('sklearn', 'numba', 'numpy') if m in sys.modules]"
    code = f"import sys; from qpfs.evaluation import Records; print({heavy})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
