"""The methods the command knows, and the selector that a method and its options make."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from qpfs.methods import METHODS

PARAMETERS = {  # what the command calls otherwise than the selectors
    "top": "n_features_to_select",
    "levels": "discretizer",
    "target_levels": "target_discretizer",
    "seed": "random_state",
    "jobs": "n_jobs",
    "c": "C",
}
NAMES = {parameter: name for name, parameter in PARAMETERS.items()}
EVERYWHERE = {"n_features_to_select", "random_state", "n_jobs"}  # a method without them does without


def option(parameter: str) -> str:
    """What the command calls a parameter."""
    return "--" + NAMES.get(parameter, parameter).replace("_", "-")


def given_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a command that are parameters of some method, by the names of the parameters."""
    known = {name for method in METHODS for name in parameters_of(method)}
    named = {PARAMETERS.get(name, name): value for name, value in options.items()}
    return {name: value for name, value in named.items() if name in known}


def parameters_of(method: str) -> list[str]:
    """The parameters that a method's selector takes."""
    return list(inspect.signature(METHODS[method].selector).parameters)


def selector_for(method: str, given: dict[str, Any]) -> Any:
    """The selector of a method, with the parameters that were given; None is not given."""
    known = parameters_of(method)
    wanted = {name: value for name, value in given.items() if value is not None}
    for name in wanted:
        if name not in known and name not in EVERYWHERE:
            raise usage_error(method, name)
    fitting: dict[str, Any] = {
        name: READ.get(name, as_given)(value) for name, value in wanted.items() if name in known
    }
    selector = checked(METHODS[method].selector(**fitting))
    check_levels(selector, fitting)
    return selector


def check_levels(selector: Any, given: dict[str, Any]) -> None:
    """Raises UsageError for a rule for levels where the measure has none."""
    from qpfs.data import UsageError
    from qpfs.selectors.parameters import usual_measure

    rules = [name for name in ("discretizer", "target_discretizer") if name in given]
    measure = (selector._settings().measure or usual_measure(None)) if rules else None
    if measure is not None and measure.form.name != "levels":
        raise UsageError(
            f"{option(rules[0])} is not for --measure {measure.name}, which has no levels; leave it out, or "
            "add --measure mi."
        )


def checked(selector: Any) -> Any:
    """The selector; raises UsageError, before anything is read, if a parameter makes no sense."""
    from qpfs.data import UsageError

    try:
        selector.check()
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error
    return selector


def usage_error(method: str, parameter: str) -> Exception:
    """That a method does not have a parameter, and which have it."""
    from qpfs.data import UsageError

    others = [name for name in METHODS if parameter in parameters_of(name)]
    owners = f"it belongs to {', '.join(others)}" if others else "no method has it"
    return UsageError(f"{option(parameter)} is not for --method {method}: {owners}.")


def levels(text: Any) -> Any:
    """The discretiser that a text such as `equal-width:5` names; the number is its first parameter."""
    from qpfs.codes.discretizers import DISCRETIZERS
    from qpfs.data import UsageError

    text = str(text)
    name, _, number = text.partition(":")
    if name not in DISCRETIZERS:
        raise UsageError(
            f"{text!r} is no rule for levels; expected {', '.join(DISCRETIZERS)}, with a number if you like: "
            "equal-width:5."
        )
    rule = DISCRETIZERS[name]
    try:
        usual = next(iter(inspect.signature(rule).parameters.values())).default
        found = rule(*([type(usual)(number)] if number else []))
    except ValueError as error:
        raise UsageError(f"{text!r} is no rule for levels: {number!r} is no number of {name}.") from error
    try:
        found.check()
    except ValueError as error:
        raise UsageError(f"{text!r} is no rule for levels: {error}") from error
    return found


def rule_words(rule: Any) -> str:
    """How numbers are cut, in words; None is the usual way."""
    from qpfs.codes.discretizers import USUAL_RULE

    return str((rule or USUAL_RULE).words())


def auto_or_number(name: str) -> Callable[[Any], str | float]:
    """What reads the value of an option that is auto or a number."""

    def read(value: Any) -> str | float:
        from qpfs.data import UsageError

        try:
            return "auto" if value == "auto" else float(value)
        except ValueError:
            raise UsageError(f"{option(name)} {value}; expected auto or a number from 0 to 1.") from None

    return read


def as_given(value: Any) -> Any:
    return value


READ: dict[str, Callable[[Any], Any]] = {
    "discretizer": levels,
    "target_discretizer": levels,
    "theta": auto_or_number("theta"),
    "radius": auto_or_number("radius"),
}


def method_in(text: str) -> tuple[str, dict[str, Any]]:
    """The method and parameters in a text such as `ikma:radius=0.9,n_first=20`."""
    from qpfs.data import UsageError

    name, _, rest = text.partition(":")
    if name not in METHODS:
        raise UsageError(f"--method {text}; expected one of {', '.join(METHODS)}.")
    pairs = [part.partition("=") for part in rest.split(",") if part]
    named = {
        PARAMETERS.get(key.replace("-", "_"), key.replace("-", "_")): value_in(value)
        for key, _, value in pairs
    }
    for key in named:
        if key not in parameters_of(name):
            known = ", ".join(NAMES.get(one, one) for one in parameters_of(name))
            raise UsageError(f"--method {text}: {key!r} is no parameter of {name}; it has {known}.")
    return name, named


def named_selectors(texts: list[str], shared: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """The method and the selector of each text, which is its name; all get what is shared."""
    from qpfs.data import UsageError

    if len(set(texts)) < len(texts):
        raise UsageError(f"--method names {texts!r}; expected each once.")
    found = {}
    for text in texts:
        name, given = method_in(text)
        found[text] = name, selector_for(name, shared | given)
    return found


def value_in(text: str) -> Any:
    """The number, truth value or word that a text is."""
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def scaled_first(method: str, selector: Any, X: Any) -> Any:
    """The selector, if need be after columns are scaled to [-1, 1]; zeros of a sparse X are kept."""
    if not METHODS[method].scaled:
        return selector
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

    from qpfs.codes.sparse_columns import is_sparse

    return make_pipeline(MaxAbsScaler() if is_sparse(X) else MinMaxScaler((-1, 1)), selector)


def table_for(method: str, X: Any) -> Any:
    """The table as a method takes it: the linear machines take no text."""
    from qpfs.codes import table_kind
    from qpfs.codes.frame_columns import is_frame
    from qpfs.data import UsageError

    if METHODS[method].scaled and not table_kind(X).has_numbers:
        raise UsageError(f"--method {method} takes numbers, and a store holds none; name the table itself.")
    if METHODS[method].scaled and is_frame(X):
        text = [repr(field.name) for field in X.schema if str(field.type) == "string"]
        raise UsageError(
            f"--method {method} takes numbers only, but {', '.join(text[:5])} hold text; leave them out with "
            "--drop, or use another method."
        )
    return X
