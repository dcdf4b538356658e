"""The public face is complete, and quick to import."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import qpfs


def test_every_public_name_is_there():
    for name in qpfs.__all__:
        assert getattr(qpfs, name).__doc__
        assert name in dir(qpfs)


def test_unknown_names_are_attribute_errors():
    assert not hasattr(qpfs, "no_such_name")


def test_import_leaves_the_heavy_libraries_alone():
    code = "import sys, qpfs, qpfs.cli; print([m for m in ('sklearn', 'numba', 'numpy') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_parameter_of_an_estimator_is_described_in_its_help():
    for name in qpfs.__all__:
        part = getattr(qpfs, name)
        if not hasattr(part, "get_params"):
            continue
        help_text = inspect.cleandoc(part.__doc__)  # Python 3.13 takes the indentation away, others do not
        assert not re.search(r"^\s*\{\w+\}$", help_text, re.MULTILINE), name
        for parameter in inspect.signature(part).parameters:
            assert re.search(rf"^{parameter} :", help_text, re.MULTILINE), (name, parameter)
