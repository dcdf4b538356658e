"""Which versions are the oldest is read from one place."""

from __future__ import annotations

import re

from tests.oldest import oldest


def test_every_requirement_is_at_its_oldest():
    found = oldest()
    assert {"numpy==2.0", "anndata==0.11", "dask[array]==2025.4"} < {*found}
    assert all(re.fullmatch(r"[\w-]+(\[\w+\])?==\d+(\.\d+)*", one) for one in found), found
    names = [re.split(r"\W*==", one)[0].split("[")[0] for one in found]
    assert len(set(names)) == len(names)  # no two parts of pyproject.toml begin at different versions
