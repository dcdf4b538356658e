"""Methods by name, and their parameters as options."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from typer import BadParameter

import qpfs
from qpfs.cli.methods import NAMES, levels, method_in, parameters_of, selector_for
from qpfs.cli.options import to_write
from qpfs.cli.select import select
from qpfs.data import UsageError
from qpfs.methods import METHODS


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_is_an_option(method):
    options = set(inspect.signature(select).parameters)
    assert {NAMES.get(name, name) for name in parameters_of(method)} <= options


@pytest.mark.parametrize("method", METHODS)
def test_nothing_given_is_the_selector_as_it_comes(method):
    selector = selector_for(method, {"theta": None, "random_state": 0, "n_jobs": 1})
    assert type(selector) is METHODS[method].selector
    plain = type(selector)().get_params()
    assert {k: v for k, v in selector.get_params().items() if k != "n_jobs"} == {
        k: v for k, v in plain.items() if k != "n_jobs"
    }


def test_parameters_reach_the_selector():
    selector = selector_for(
        "ikma", {"radius": 0.7, "n_first": 9, "discretizer": "equal-width:4", "theta": "0.25"}
    )
    assert (selector.radius, selector.n_first, selector.theta) == (0.7, 9, 0.25)
    assert selector.discretizer.n_bins == 4


def test_a_parameter_of_another_method():
    with pytest.raises(
        UsageError, match=r"--radius is not for --method mrmr: it belongs to ikma, ikm, tlkm, interleaved\."
    ):
        selector_for("mrmr", {"radius": 0.5})
    with pytest.raises(UsageError, match=r"--levels is not for --method fgm"):
        selector_for("fgm", {"discretizer": "codes"})


def test_rules_for_levels():
    assert levels("three-segments").n_sigma == 1
    assert levels("three-segments:0.5").n_sigma == 0.5
    assert levels("equal-frequency:7").n_bins == 7
    assert levels("codes").max_categories == 32
    with pytest.raises(UsageError, match="no rule for levels"):
        levels("halves")
    with pytest.raises(UsageError, match="'many' is no number"):
        levels("equal-width:many")


def test_a_method_with_parameters_in_one_word():
    assert method_in("ikma:radius=0.9,n-first=20") == ("ikma", {"radius": 0.9, "n_first": 20})
    assert method_in("qpfs:theta=auto,levels=equal-width") == (
        "qpfs",
        {"theta": "auto", "discretizer": "equal-width"},
    )
    assert method_in("tlkm:repeat=true") == ("tlkm", {"repeat": True})
    for text, message in [
        ("magic", "expected one of"),
        ("mrmr:radius=1", "'radius' is no parameter"),
        ("qpfs:x", "'x'"),
    ]:
        with pytest.raises(UsageError, match=message):
            method_in(text)


def test_the_methods_are_the_public_ones():
    public = {name for name in qpfs.__all__ if hasattr(getattr(qpfs, name), "get_support")}
    searched = {name for name in public if name.endswith("CV")}
    assert {entry.class_name for entry in METHODS.values()} == public - searched


@pytest.mark.parametrize("measure", ["rank", "correlation"])
def test_a_measure_without_levels_takes_no_rule_for_them(measure):
    with pytest.raises(UsageError, match=f"--levels is not for --measure {measure}"):
        selector_for("qpfs", {"measure": measure, "discretizer": "equal-width:4"})


def test_a_default_is_a_path_already():
    assert to_write(Path("paper")) == to_write("paper") == Path("paper")
    with pytest.raises(BadParameter, match="it is empty"):
        to_write(" ")
