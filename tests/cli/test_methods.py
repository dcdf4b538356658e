"""Methods by name, and their parameters as options."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import qpfs as typed
from typer import BadParameter

import qpfs
from qpfs.cli.methods import chosen, method_options, option, rule_named
from qpfs.cli.options import to_write
from qpfs.cli.running import in_options
from qpfs.cli.signatures import described, imported, in_source, parameters_of
from qpfs.codes.discretizers import Discretizer
from qpfs.messages import UsageError
from qpfs.methods import METHODS
from qpfs.rules import DISCRETIZERS


def selector_for(method, **given):
    return chosen(method, given, {}).selector()


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_is_an_option_with_its_text(method):
    options = method_options()
    for name, parameter in parameters_of(method).items():
        assert name in options or name in ("random_state", "n_jobs")
        assert parameter.text, name


@pytest.mark.parametrize("method", METHODS.ours)
def test_what_the_source_says_is_what_python_says(method):
    """The signature and the docstring of a class, read without importing it, against `inspect`."""
    row = METHODS[method]
    signature, doc = in_source(row.home, row.class_name)
    expected, text = imported(row.selector)
    assert list(signature.items()) == list(expected.items())
    assert described(doc) == described(text)
    assert {*described(doc)} == {*signature}


def test_the_options_are_known_without_anything_heavy():
    heavy = ["numpy", "sklearn", "scipy", "numba", "pyarrow"]
    code = (
        "import sys\nfrom qpfs.cli.methods import method_options\nassert len(method_options()) > 20\n"
        f"sys.exit([name for name in {heavy!r} if name in sys.modules] or 0)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_docstring_in_parts():
    doc = """Does something.

    Parameters
    ----------
    a, b : int or None, default=None
        Both of them.

        More of them.
    c
        See :class:`qpfs.QPFS`.

    Returns
    -------
    d : int
        No parameter.
    """
    assert described(doc) == {
        "a": ("int or None", "Both of them."),
        "b": ("int or None", "Both of them."),
        "c": ("", "See :class:`qpfs.QPFS`."),
    }
    assert described("No section.") == {"": ("", "")}


def test_help_says_text_default_and_owners():
    text = " ".join(typed("select", "--help", COLUMNS="400").stdout.split())
    assert (
        "The number of parts that a cluster is split into, at least 2. (ikma, ikm, interleaved) [default: 50]"
        in text
    )
    assert "farther than --radius from each other" in text
    assert "(all but fgm, gdm)" in text
    assert "The loss of a sample on the wrong side of the margin: squared_hinge, logistic." in text


@pytest.mark.parametrize("method", METHODS)
def test_nothing_given_is_the_selector_as_it_comes(method):
    selector = chosen(method, {"theta": None}, {"random_state": 0, "n_jobs": 1}).selector()
    assert type(selector) is METHODS[method].selector
    plain = type(selector)().get_params()
    assert {k: v for k, v in selector.get_params().items() if k != "n_jobs"} == {
        k: v for k, v in plain.items() if k != "n_jobs"
    }


def test_parameters_reach_the_selector():
    selector = selector_for("ikma", radius="0.7", n_first="9", discretizer="equal-width:4", theta="0.25")
    assert (selector.radius, selector.n_first, selector.theta) == (0.7, 9, 0.25)
    assert selector.discretizer.n_bins == 4
    assert selector_for("ikma", n_first="auto").n_first == "auto"
    assert selector_for("tlkm", radius="none", n_first="none").get_params()["radius"] is None
    assert selector_for("qpfs", n_features_to_select="0.5").n_features_to_select == 0.5
    assert selector_for("qpfs", n_features_to_select="5").n_features_to_select == 5


def test_a_parameter_of_another_method():
    with pytest.raises(
        UsageError, match=r"--radius is not for --method mrmr: it belongs to ikma, ikm, tlkm, interleaved\."
    ):
        chosen("mrmr", {"radius": "0.5"}, {})
    with pytest.raises(UsageError, match=r"--levels is not for --method fgm"):
        chosen("fgm", {"discretizer": "codes"}, {})


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("qpfs", {"theta": "much"}, "--theta much; expected auto or a number in [0, 1]."),
        ("ikma", {"n_first": "2.5"}, "--n-first 2.5; expected auto or an integer."),
        ("ikma", {"init": "last"}, "--init last; expected leaders, relevance, first, random or farthest."),
        ("tlkm:repeat=maybe", {}, "--method tlkm:repeat=maybe: repeat=maybe; expected true or false."),
        ("qpfs:theta", {}, "--method qpfs:theta: 'theta' has no value; write theta=VALUE."),
        (
            "qpfs:measure=mi",
            {"measure": "rank"},
            "--measure rank and --method qpfs:measure=mi both set measure; leave one of them out.",
        ),
    ],
)
def test_what_makes_no_sense_is_said_in_the_words_of_the_command(method, given, message):
    with pytest.raises(UsageError) as said:
        chosen(method, given, {})
    assert in_options(said.value) == message


def test_parameters_are_checked_by_the_selector_and_spelled_by_the_command():
    with pytest.raises(UsageError) as said:
        selector_for("qpfs", theta="7")
    assert in_options(said.value).startswith("--theta 7.0, but it must be 'auto' or a number from 0 to 1")


def test_rules_for_levels():
    assert rule_named("three-segments").n_sigma == 1
    assert rule_named("three-segments:0.5").n_sigma == 0.5
    assert rule_named("equal-frequency:7").n_bins == 7
    assert rule_named("codes").max_categories == 32
    with pytest.raises(UsageError, match="not a discretisation rule"):
        rule_named("halves")
    with pytest.raises(UsageError, match="'many' is not a number"):
        rule_named("equal-width:many")


class Plain(Discretizer):
    """One of another package, without parameters."""


class Named(Discretizer):
    def __init__(self, kind="median", n=2):
        self.kind, self.n = kind, n


class Asking(Discretizer):
    def __init__(self, n):
        self.n = n


@pytest.mark.parametrize("rule", [Plain, Named, Asking])
def test_a_rule_whose_first_parameter_is_no_number_takes_none(monkeypatch, rule):
    monkeypatch.setitem(DISCRETIZERS.others, "other", rule)
    with pytest.raises(UsageError, match="'other:5' is not a discretisation rule: other takes no number"):
        rule_named("other:5")


def test_a_method_with_parameters_in_one_word():
    def parameters(text):
        return chosen(text, {}, {}).given

    assert parameters("ikma:radius=0.9,n-first=20") == {"radius": 0.9, "n_first": 20}
    assert parameters("qpfs:theta=auto,levels=equal-width") == {
        "theta": "auto",
        "discretizer": "equal-width",
    }
    assert parameters("fgm:c=2,n_features_to_select=3") == {"C": 2.0, "n_features_to_select": 3}
    assert parameters("tlkm:repeat=true,seed=3") == {"repeat": True, "random_state": 3}
    for text, message in [
        ("magic", "expected one of"),
        ("mrmr:radius=1", "'radius' is not a parameter"),
        ("qpfs:x=1", "'x'"),
    ]:
        with pytest.raises(UsageError, match=message):
            chosen(text, {}, {})


def test_the_methods_are_the_public_ones():
    public = {name for name in qpfs.__all__ if hasattr(getattr(qpfs, name), "get_support")}
    searched = {name for name in public if name.endswith("CV")}
    assert {entry.class_name for entry in METHODS.values()} == public - searched


@pytest.mark.parametrize("measure", ["rank", "correlation"])
def test_a_measure_without_levels_takes_no_rule_for_them(measure):
    with pytest.raises(UsageError, match=f"--levels is not for --measure {measure}"):
        selector_for("qpfs", measure=measure, discretizer="equal-width:4")


def test_names_of_options():
    assert option("n_features_to_select") == "--top"
    assert option("C") == "--c"
    assert option("n_first") == "--n-first"


def test_a_default_is_a_path_already():
    assert to_write(Path("paper")) == to_write("paper") == Path("paper")
    with pytest.raises(BadParameter, match="it is empty"):
        to_write(" ")
