"""Reading takes time in proportion to the input: no pattern goes back over what it has seen."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.apart import script

from qpfs.data import Reading, UnreadableError, UsageError, open_problem
from qpfs.data.reading import matched

# What a pattern is asked to do where it is used; one that is not listed is matched from the start.
ALL_PATTERNS = """
import importlib, pkgutil, re
import qpfs

SEARCHED = {"ZERO", "PLUS", "QUOTED", "CELL"}
LENGTH = 30_000  # the square of which takes minutes
UNITS = ["1", "0", " ", "a", "'", '"', ".", ",", "\\\\", "1,", "1.", "1e", "1 1:1 ", " 0", "'a", "',"]
UNITS += ["\\"a,", "\\\\'", "' ", "\\" ", "+1", "\\n", "\\n+", "k", "a:"]
STARTS = ["", "1 qid:", "@attribute '", "openml:", "1 1:", "1e"]

def patterns():
    for module in pkgutil.walk_packages(qpfs.__path__, "qpfs."):
        if "__main__" in module.name:
            continue
        try:
            found = vars(importlib.import_module(module.name))
        except ImportError:  # a package that is not installed
            continue
        yield from ((name, one) for name, one in found.items() if isinstance(one, re.Pattern))

seen = set()
for name, pattern in patterns():
    if (name, pattern.pattern) in seen:
        continue
    seen.add((name, pattern.pattern))
    for start in STARTS:
        for unit in UNITS:
            for end in ("x", "'"):
                text = (start + unit * (LENGTH // len(unit)) + end)
                text = text.encode() if isinstance(pattern.pattern, bytes) else text
                pattern.fullmatch(text)
                pattern.match(text)
                if name in SEARCHED:
                    for _ in pattern.finditer(text):
                        pass
print(len(seen), "patterns")
"""


def said(code, *arguments, seconds):
    """What a process says that may work for so many seconds; how busy the machine is does not count."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))\n"
    run = script(("" if sys.platform == "win32" else limit) + code, *arguments)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_every_pattern_is_linear():
    assert int(said(ALL_PATTERNS, seconds=120).split()[0]) >= 12


READ_ALL = """
import sys
from qpfs.data import Reading, UnreadableError, UsageError, open_problem

for path in sys.argv[1:]:
    try:
        print(open_problem(path, Reading(target="y")).n_samples, "samples")
    except (UnreadableError, UsageError) as error:
        print(str(error)[-60:])
"""


def test_a_long_run_of_digits_ends(tmp_path):
    texts = ["{}x\n0\n0\n0\n", "a,y\n{}x,u\n2,v\n", "a;y\n1;u\n{};v\n", "{} 1:2\n1 1:3\n", "a|y\n{}|1\n2|3\n"]
    paths = []
    for digits in (16_000, 200_000):
        for text in texts:
            paths.append(tmp_path / f"{len(paths)}.csv")
            paths[-1].write_text(text.format("1" * digits))
    lines = said(READ_ALL, *paths, seconds=60).splitlines()
    assert [line for line in lines if "samples" in line] == ["2 samples"] * 6


def test_a_long_line_of_decimal_commas_ends(tmp_path):
    (tmp_path / "a.csv").write_text("a;y\n1;u\n" + "1,5 " * 3_000_000)
    assert "cells" in said(READ_ALL, tmp_path / "a.csv", seconds=60)


def test_wildcards_do_not_go_back():
    assert not matched("*a" * 30 + "*b", "a" * 100_000)
    assert matched("*a" * 30 + "*", "a" * 100_000)


def test_numbers_too_long_for_integers_are_said(tmp_path):
    (tmp_path / "a.csv").write_text("1.5,2\n3,4\n5,6\n")
    with pytest.raises(UsageError, match="There is no column '9999"):
        open_problem(str(tmp_path / "a.csv"), Reading(target="9" * 5000))
    (tmp_path / "a.svm").write_text(f"1 {'9' * 5000}:1\n0 1:1\n")
    with pytest.raises(UnreadableError, match=r"a\.svm' cannot be read as svmlight"):
        open_problem(str(tmp_path / "a.svm"))


def test_a_wide_table_whose_text_shows_late_is_read_in_time(tmp_path):
    """Columns are asked one by one then, each in time proportional to its own cells."""
    n, m = 60, 8_000
    rows = np.arange(n * m).reshape(n, m) % 97
    lines = [",".join(map(str, row.tolist())) for row in rows]
    lines[40] = "z" + lines[40]
    (tmp_path / "a.csv").write_text("\n".join([",".join(f"g{j}" for j in range(m)), *lines]))
    code = (
        "import sys\nfrom qpfs.data import Reading, open_table\n"
        "print(open_table(sys.argv[1], Reading()).X.column(0).to_pylist()[40])"
    )
    assert said(code, tmp_path / "a.csv", seconds=60).strip() == f"z{rows[40, 0]}"
