"""The methods that the command knows, their parameters as options, and the selectors that these make."""

from __future__ import annotations

import atexit
import gc
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from qpfs.cli import options as o
from qpfs.cli.signatures import MethodParameter, first_parameter, parameters_of
from qpfs.messages import NOT_GIVEN, Parameter, UsageError, invalid, message_of, spelled
from qpfs.methods import METHODS, RIVALS
from qpfs.rules import DISCRETIZERS, RULES, UNDISCRETISED
from qpfs.wording import listed

if TYPE_CHECKING:
    from qpfs.codes import Discretizer
    from qpfs.data import Problem, Reading
    from qpfs.selectors import FeatureSelector

RENAMED = {  # parameters that have another name in the command than in Python
    "n_features_to_select": "top",
    "discretizer": "levels",
    "target_discretizer": "target-levels",
    "random_state": "seed",
    "n_jobs": "jobs",
    "file_format": "format",
    "sample_weight": "weights",
    "covariates": "adjust",
}
OTHER_NAMES = {  # further names of options: those of a part of Python, of another command, of version 0.1
    "top": ("n-features",),
    "check": ("cv", "folds"),
    "cv": ("check", "folds"),
    "inner-cv": ("inner-folds",),
    "estimator": ("classifier",),
}
# Options that a command has for all methods; methods without them ignore them.
SHARED = ("random_state", "n_jobs")
# What can be typed where Python takes a dictionary.
TYPED = {"class_weight": "; for example balanced, or ill=2,well=1"}
HINTS = {  # what can be typed where Python takes an object
    "discretizer": f": {o.LEVELS}",
    "target_discretizer": "; rules as for --levels, by default equal-frequency:5",
}
LISTS = ("keep", "exclude")  # options that may be given several times
Typed: TypeAlias = str | bool | list[str] | None  # what is typed for a parameter; None or nothing: not given
MARKS = re.compile(r":\w+:`~?(?:qpfs\.)?([^`]*)`|`+([^`]*)`+")  # of a docstring


def option(parameter: str) -> str:
    """The option of the command for a parameter."""
    return "--" + RENAMED.get(parameter, parameter).replace("_", "-").lower()


def other_names(name: str) -> list[str]:
    """What an option is called elsewhere: in Python, in another command, in an earlier version."""
    in_python = [one for one, here in RENAMED.items() if here == name]
    return [*(one.replace("_", "-") for one in in_python), *OTHER_NAMES.get(name, ())]


def method_options() -> dict[str, Any]:
    """An option for each parameter of any method, as Typer takes it."""
    owners: dict[str, dict[str, MethodParameter]] = {}
    for method in METHODS:
        for name, parameter in parameters_of(method).items():
            owners.setdefault(name, {})[method] = parameter
    return {name: option_for(found) for name, found in owners.items() if name not in SHARED}


def option_for(owners: dict[str, MethodParameter]) -> Any:
    """The option of a parameter that some methods have; the first of them describes it."""
    one = next(iter(owners.values()))
    flag, is_flag = option(one.name), one.kinds == {"bool"}
    kind: Any = bool if is_flag else list[str] if one.name in LISTS else str
    said = o.option(
        "" if is_flag else metavar(one),
        f"{help_text(one)} ({owned_by(list(owners))}){default_text(owners)}",
        f"{flag}/--no-{flag[2:]}" if one.default is True else flag,
        panel=None if one.name == "n_features_to_select" else o.METHOD,
        show_default=False,
    )
    return Annotated[kind | None, said]


def metavar(parameter: MethodParameter) -> str:
    """The word for the value in the help."""
    if parameter.name in HINTS:
        return "RULE"
    if parameter.name in LISTS:
        return "FEATURE"
    if parameter.is_list:
        return "NUMBERS"
    return "NUMBER" if "float" in parameter.kinds else "N" if "int" in parameter.kinds else "NAME"


def help_text(parameter: MethodParameter) -> str:
    """The docstring's description for a terminal: without markup, with parameters as options."""
    known = {name for method in METHODS for name in parameters_of(method)}
    text = parameter.text
    words = [word for word in parameter.words() if f'"{word}"' in parameter.kind]
    if not all(word in text for word in words):
        text = f"{text.rstrip('.')}: {', '.join(words)}."
    text = f"{text.rstrip('.')}{TYPED[parameter.name]}." if parameter.name in TYPED else text
    if parameter.name in HINTS:
        text = f"{text.rstrip('.')}{HINTS[parameter.name]}."
    text = MARKS.sub(lambda one: option(one[2]) if one[2] in known else one[1] or one[2], text)
    return text.replace('"', "").replace("None", "none").replace("[", r"\[")


def owned_by(methods: list[str]) -> str:
    """The methods that have a parameter, or all but those that do not, whichever is shorter."""
    others = [name for name in METHODS if name not in methods]
    if not others:
        return "all methods"
    return ", ".join(methods) if len(methods) <= len(others) else f"all but {', '.join(others)}"


def default_text(owners: dict[str, MethodParameter]) -> str:
    """The default, if there is one to show; methods with another default are named."""
    usual = next(iter(owners.values())).default
    texts = [] if usual is None or isinstance(usual, bool) else [f"{usual}"]
    texts += [f"{one.default} ({name})" for name, one in owners.items() if one.default != usual]
    return rf" [dim]\[default: {', '.join(texts)}][/dim]" if texts else ""


@dataclass(frozen=True)
class Chosen:
    """A method and its parameters, as far as they can be checked before it is imported."""

    name: str
    given: dict[str, object]

    def selector(self) -> FeatureSelector:
        """The selector; raises UsageError, before anything is read, if a parameter makes no sense."""
        with importing():
            kind = METHODS[self.name].selector
        rules = {name: rule_named(str(text)) for name, text in self.given.items() if name in HINTS and text}
        made: FeatureSelector = kind(**self.given | rules)
        try:
            made.check()
        except (ValueError, TypeError) as error:
            raise UsageError(message_of(error)) from error
        check_levels(made, list(rules))
        return made


@contextmanager
def importing() -> Iterator[None]:
    """Slow imports without the garbage collector, which would scan the modules again and again."""
    if "sklearn" in sys.modules:
        yield
        return
    gc.disable()  # saves a sixth of the time
    try:
        yield
    finally:
        gc.freeze()  # nor does it scan them later,
        gc.enable()
        atexit.register(gc.freeze)  # or when the process ends


def chosen(text: str, typed: Mapping[str, Typed], shared: Mapping[str, object]) -> Chosen:
    """The method in a text such as `ikma:radius=0.9,n_first=20`, with further options and shared ones."""
    name, _, rest = text.partition(":")
    if name not in METHODS:
        other = " is a method of another package, for `qpfs compare`" * (name in RIVALS)
        raise UsageError(f"--method {text}{other}; expected one of {', '.join(METHODS)}.")
    known = parameters_of(name)
    names = {option(one)[2:].replace("-", "_"): one for one in known}
    inside = together((names.get(key, key), value) for key, value in pairs_in(rest, text))
    beside = {key: value for key, value in typed.items() if value is not None and value != []}
    for key in beside:
        if key not in known:
            raise not_for(name, key)
        if key in inside:
            raise UsageError(
                Parameter(key, beside[key]), f" and --method {text} both set {key}; leave one of them out."
            )
    for key in inside:
        if key not in known:
            raise UsageError(
                f"--method {text}: {key!r} is not a parameter of {name}; it has {', '.join(names)}."
            )
    given = {key: value_of(known[key], value) for key, value in beside.items()}
    check_given(name, given, inside | given)
    with typed_after(text):
        found = {key: value_of(known[key], value) for key, value in inside.items()}
        check_given(name, found, found | given)
    given |= found
    return Chosen(name, {key: value for key, value in shared.items() if key in known} | given)


def together(pairs: Iterable[tuple[str, str]]) -> dict[str, str | list[str]]:
    """Parameters by name; for those that may be given several times, all values."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = [*found.get(key, ()), value] if key in LISTS else value
    return found


@contextmanager
def typed_after(text: str) -> Iterator[None]:
    """A context in which errors spell a parameter as it is typed after the colon of a method."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        raise UsageError(f"--method {text}: {spelled(error, after_colon)}") from error


def after_colon(parameter: Parameter) -> str:
    """A parameter as it is typed after the colon of a method: `top=5`."""
    name = RENAMED.get(parameter.name, parameter.name).replace("-", "_")
    return name if parameter.value is NOT_GIVEN else f"{name}={parameter.value}"


def pairs_in(text: str, whole: str) -> list[tuple[str, str]]:
    """The parameters in a text such as `radius=0.9,n-first=20`."""
    found = []
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"--method {whole}: {part!r} has no value; write {part}=VALUE.")
        found.append((key.replace("-", "_"), value))
    return found


def value_of(parameter: MethodParameter, typed: str | bool | list[str]) -> object:
    """The value of the text that was typed for a parameter."""
    if not isinstance(typed, str):
        return typed
    try:
        if parameter.name == "class_weight" and "=" in typed:
            return class_weights(typed)
        value = parameter.value(typed)
        if parameter.name in HINTS and value is not None:
            check_rule(typed)
        return value
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(Parameter(parameter.name, typed), f"; expected {error}.") from None


def check_given(method: str, given: Mapping[str, object], all_given: Mapping[str, object]) -> None:
    """Raises UsageError for values that are wrong for any data, alone or beside the others."""
    if not given or method not in METHODS.ours:
        return
    # The selector would refuse them, too, but only after seconds of imports.
    from qpfs.checks import LIMITS, OF_METHODS, check_grouped

    limits = OF_METHODS.get(method, LIMITS)
    try:
        for name, value in given.items():
            if name in limits:
                limits[name](name, value)
        check_top(given.get("n_features_to_select"))
        check_grouped(given.get("at_most"), all_given.get("feature_groups"))
    except ValueError as error:
        raise UsageError(message_of(error)) from error
    rules, measure = [name for name in HINTS if given.get(name)], all_given.get("measure")
    if rules and measure in UNDISCRETISED:
        raise no_levels(rules[0], measure)


def check_top(wanted: object) -> None:
    """Raises ValueError for a number of features that no table can have."""
    from qpfs.checks import is_integer, unfit

    if wanted is not None and (wanted < 1 if is_integer(wanted) else not 0 < wanted <= 1):  # type: ignore[operator]
        expected = "an integer of at least 1, a fraction above 0 and at most 1, or none."
        raise unfit("n_features_to_select", wanted, expected)


def check_jobs(jobs: int) -> None:
    """Raises UsageError for a number of jobs that makes no sense; imports nothing for one that does."""
    if jobs < 1:
        from qpfs.checks import checked_n_jobs

        try:
            checked_n_jobs(jobs)
        except ValueError as error:
            raise UsageError(message_of(error)) from error


def class_weights(text: str) -> dict[object, float]:
    """The weights of classes in a text such as `ill=2,well=1`; raises ValueError for any other text."""
    found: dict[object, float] = {}
    for part in text.split(","):
        name, _, weight = part.rpartition("=")
        label: object = name
        for kind in (float, int):  # a class that is a whole number is one
            with suppress(ValueError):
                label = kind(name)
        try:
            found[label] = float(weight)
        except ValueError:
            raise ValueError("balanced, none, or classes and their weights: ill=2,well=1") from None
    return found


def check_rule(text: str) -> None:
    """Raises ValueError, whose text is what was expected, for an unknown name of a discretiser."""
    name = text.partition(":")[0]
    if name not in (names := DISCRETIZERS.names):
        raise ValueError(f"{listed(names, 'or')}, possibly with a number: equal-width:5")
    if name in RULES:
        number_of_rule(text)  # raises UsageError for a number that is wrong for one of ours


def check_levels(selector: FeatureSelector, rules: list[str]) -> None:
    """Raises UsageError if a discretiser is given to a measure that does not use levels."""
    from qpfs.selectors.parameters import usual_measure

    measure = (selector._settings().measure or usual_measure(None)) if rules else None
    if measure is not None and measure.form.name != "levels":
        raise no_levels(rules[0], measure.name)


def no_levels(rule: str, measure: object) -> UsageError:
    """The error that a discretiser is given to a measure that does not use levels."""
    return UsageError(
        f"{option(rule)} is not for --measure {measure}, which does not discretise; leave it out, or add "
        "--measure mi."
    )


def not_for(method: str, parameter: str) -> UsageError:
    """The error that a method does not have a parameter, with the methods that do."""
    others = [name for name in METHODS if parameter in parameters_of(name)]
    owners = f"it belongs to {', '.join(others)}" if others else "no method has it"
    return UsageError(f"{option(parameter)} is not for --method {method}: {owners}.")


def rule_named(text: str) -> Discretizer:
    """The discretiser that a text such as `equal-width:5` names; the number is its first parameter."""
    name = text.partition(":")[0]
    if name not in DISCRETIZERS:
        raise UsageError(
            f"{text!r} is not a discretisation rule; expected one of {', '.join(DISCRETIZERS)}, possibly "
            "with a number: equal-width:5."
        )
    found: Discretizer = DISCRETIZERS[name](*number_of_rule(text))
    try:
        found.check()
    except ValueError as error:
        # Its parameter has no option of its own, so it keeps its name.
        raise UsageError(f"{text!r} is not a discretisation rule: {error}") from error
    return found


def number_of_rule(text: str) -> list[Any]:
    """The number in a text such as `equal-width:5`, if there is one; raises UsageError if it is wrong."""
    from qpfs.checks import OF_RULES

    name, _, typed = text.partition(":")
    if not typed:
        return []
    parameter, usual = first_parameter(name)
    if not isinstance(usual, (int, float)):
        raise UsageError(f"{text!r} is not a discretisation rule: {name} takes no number.")
    try:
        number = type(usual)(typed)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is not a discretisation rule: {typed!r} is not a number for {name}."
        ) from error
    try:
        if name in RULES:
            OF_RULES[parameter](parameter, number)
    except ValueError as error:
        # Its parameter has no option of its own, so it keeps its name.
        raise UsageError(f"{text!r} is not a discretisation rule: {error}") from error
    return [number]


def rule_words(rule: Discretizer | None) -> str:
    """How numbers are discretised, in words; None is the default discretiser."""
    from qpfs.codes.discretizers import USUAL_RULE

    return str((rule or USUAL_RULE).words())


def named_selectors(texts: list[str], shared: Mapping[str, object]) -> dict[str, tuple[str, FeatureSelector]]:
    """The method and the selector of each text; all get the shared options."""
    if len(set(texts)) < len(texts):
        raise UsageError(f"--method names {texts!r}; expected each once.")
    found = {}
    for text, one in [(text, chosen(text, {}, shared)) for text in texts]:
        with typed_after(text):
            found[text] = one.name, one.selector()
    return found


def find_features(selector: FeatureSelector, problem: Problem, reading: Reading) -> None:
    """Sets the kept and excluded features of a selector to their positions in a table."""
    from qpfs.codes import columns_of
    from qpfs.selectors.given_features import Names, as_list
    from qpfs.selectors.parameters import checked_n_features, usual_measure
    from qpfs.selectors.restrictions import Restrictions

    # Features that are not there, or more than there are, are refused before anything takes long.
    try:
        names = problem.names
        if not hasattr(selector, "keep"):
            checked_n_features(selector.n_features_to_select, len(names))
            return
        check_no_other_role(selector, problem, reading)
        if problem.kept:
            known = () if selector.keep is None else as_list(selector.keep)
            selector.set_params(keep=[*known, *problem.kept])
        asked = Restrictions.of(selector, Names(names, len(names)))
        asked.n_select(selector.n_features_to_select)
        asked.check_measure(selector._settings().measure or usual_measure(columns_of(problem.X).form))
        places = {"keep": asked.keep, "exclude": asked.exclude}
        selector.set_params(**{name: some.tolist() for name, some in places.items() if len(some)})
        if asked.groups is not None:
            selector.set_params(feature_groups=asked.groups.each())
    except ValueError as error:
        raise UsageError(message_of(error)) from error


def check_no_other_role(selector: FeatureSelector, problem: Problem, reading: Reading) -> None:
    """Raises ValueError if a kept or excluded feature is a column with another role."""
    from qpfs.selectors.given_features import as_list

    used: dict[str | None, str] = dict.fromkeys(problem.covariates, "is adjusted for (--adjust)")
    used |= {reading.groups: "has the groups (--groups)", reading.weights: "has the weights (--weights)"}
    used |= {reading.index: "names the samples (--index)"}
    used |= dict.fromkeys((problem.target_name, *reading.targets), "is the target")
    for parameter in ("keep", "exclude"):
        given = getattr(selector, parameter)
        for name in [] if given is None else as_list(given):
            if isinstance(name, str) and name not in problem.names and name in used:
                what = f", but {name!r} {used[name]} and thus not a feature; leave it out here."
                raise invalid(Parameter(parameter, name), what)


def scaled_first(method: str, selector: FeatureSelector, X: Any) -> Any:
    """The selector, after a scaler to [-1, 1] if the method needs one."""
    if not METHODS[method].scaled:
        return selector
    from qpfs.evaluation.named_methods import after_scaler

    return after_scaler(selector, X)


def needs_values(method: str) -> UsageError:
    """The error that a method needs the values, which a store does not hold."""
    return UsageError(f"--method {method} needs the values, but a store holds none; name the table itself.")


def table_for(method: str, X: Any) -> Any:
    """The table, if the method can use it: linear models take no text, and only our measures take a store."""
    from qpfs.codes import table_kind
    from qpfs.codes.frame_columns import is_frame

    scaled = method in METHODS and METHODS[method].scaled
    if (scaled or method not in METHODS) and not table_kind(X).has_numbers:
        raise needs_values(method)
    if scaled and is_frame(X):
        text = [repr(field.name) for field in X.schema if str(field.type) == "string"]
        raise UsageError(
            f"--method {method} needs numbers, but {', '.join(text[:5])} hold text; leave them out with "
            "--drop, or use another method."
        )
    return X
