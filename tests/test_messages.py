"""Messages that name parameters, in the words of whoever reads them."""

import pickle

import pytest

from qpfs import QPFS
from qpfs.checks import check_integer
from qpfs.cli.running import as_option, in_options
from qpfs.data import Reading, UsageError
from qpfs.messages import Message, Parameter, message_of


@pytest.mark.parametrize(
    ("parameter", "python", "command"),
    [
        (Parameter("target"), "target", "--target"),
        (Parameter("index", "column 1"), "index='column 1'", "--index 'column 1'"),
        (Parameter("n_features_to_select", 5), "n_features_to_select=5", "--top 5"),
        (Parameter("force", True), "force=True", "--force"),
        (Parameter("n_jobs", None), "n_jobs=None", "no --jobs"),
    ],
)
def test_each_reader_has_a_spelling(parameter, python, command):
    assert (str(Message(parameter)), as_option(parameter)) == (python, command)


def test_values_are_never_taken_for_parameters():
    column = "{target} n_jobs"
    message = Message(f"There is no column {column!r}; say ", Parameter("target"), ".")
    assert in_options(message) == "There is no column '{target} n_jobs'; say --target."


def test_messages_within_messages_are_spelled_too():
    inner = ValueError(Message("leave out ", Parameter("drop")))
    assert in_options(Message("in 'x.csv': ", message_of(inner))) == "in 'x.csv': leave out --drop"
    assert in_options(ValueError("plain")) == in_options("plain") == "plain"


def test_messages_travel_between_processes():
    error = pickle.loads(pickle.dumps(ValueError(Message("a ", Parameter("n_jobs", 0)))))
    assert (str(error), in_options(error)) == ("a n_jobs=0", "a --jobs 0")


def test_checks_of_parameters_are_spelled():
    with pytest.raises(ValueError, match="n_features_to_select=0, but it must be an integer") as raised:
        check_integer("n_features_to_select", 0, 1, 5)
    assert in_options(raised.value) == "--top 0, but it must be an integer from 1 to 5."


def test_a_python_caller_reads_parameters():
    with pytest.raises(UsageError, match="features_in='lines', but it must be 'columns' or 'rows'"):
        Reading(features_in="lines")
    with pytest.raises(ValueError, match="theta=2, but it must be"):
        QPFS(theta=2).check()
