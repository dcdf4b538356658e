"""What is compiled before a fit is what the fit needs."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from qpfs import write_store

CODE = """
import sys
from numba.core.dispatcher import Dispatcher
from qpfs import IKMAQPFS, QPFS, open_store
from qpfs.cli.plan import warm_up

def compiled():
    modules = [module for name, module in sys.modules.items() if name.startswith(("qpfs.codes", "qpfs.info"))]
    found = {one for module in modules for one in vars(module).values() if isinstance(one, Dispatcher)}
    return {(kernel.py_func.__name__, signature) for kernel in found for signature in kernel.signatures}

table = open_store(sys.argv[1])
for selector in (QPFS(), IKMAQPFS()):
    warm_up(selector, table, table.y)
    before = compiled()
    selector.fit(table, table.y)
    print(sorted(name for name, _ in compiled() - before), len(before) > 5)
"""


@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.int8, marks=pytest.mark.slow)])
def test_the_kernels_of_a_store_are_ready_before_it_is_fitted(tmp_path, dtype):
    X = (3 * np.random.default_rng(0).normal(size=(300, 2500))).astype(dtype)
    write_store(X, tmp_path / "a.qpfs", np.arange(300) % 2)
    run = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "a.qpfs")], capture_output=True, text=True, check=True
    )
    assert run.stdout.splitlines() == ["[] True", "[] True"]
