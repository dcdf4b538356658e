"""The exact identity of a selector as one text: equal for equal code and values, and for nothing else.

A result on record is found again by the identity of what produced it. The name of a function is not enough:
two lambdas share theirs, and so does a function before and after it was edited. So a function is identified
by its code, its defaults, its closure and the global variables that it reads; an object by its class and what
pickle would keep of it; a class of the user by its members; anything that an installed package or Python
itself defines by its name and the version of the package. No address, path, line number or order of a set is
part of it: another process gives the same identity. Another version of Python compiles to other code, and
finds nothing on record.

Anything that cannot be identified in this way, such as an open file or a module of the user, is refused.
"""

from __future__ import annotations

import copyreg
import dis
import hashlib
import json
import pickle
import site
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from qpfs.evaluation.descriptions import checksum

# Builtins that hide what is read.
READS_ANYTHING = ("eval", "exec", "globals", "locals", "vars", "__import__")
NOT_CODE = {  # members of a class that do not affect what it does
    "__dict__",
    "__weakref__",
    "__doc__",
    "__module__",
    "__qualname__",
    "__firstlineno__",
    "__static_attributes__",
    "__annotations__",
    "__annotations_cache__",
    "__annotate__",
    "__annotate_func__",
    "__abstractmethods__",
    "_abc_impl",
    "__parameters__",
    "__orig_bases__",
    "__dataclass_fields__",  # their contents are in the methods made from them
    "__dataclass_params__",
}


CONTAINERS = (list, tuple, dict, MappingProxyType, set, frozenset)
WRAPPERS: dict[type, tuple[str, ...]] = {  # wrappers of functions, and the attributes that hold the functions
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget", "fset", "fdel"),
    cached_property: ("func",),
    type(cache(len)): ("__wrapped__",),
}


class NoIdentityError(ValueError):
    """A value that cannot be identified exactly."""


def identity(value: Any, what: str) -> str:
    """SHA-256 of everything that a value depends on; raises NoIdentityError if it cannot be identified."""
    try:
        told = Teller().tell(value)
        text = json.dumps(told, sort_keys=True)
    except RecursionError:
        raise refusal(what, "is nested too deeply") from None
    except NoIdentityError as error:
        raise refusal(what, str(error)) from None
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def refusal(what: str, why: str) -> NoIdentityError:
    return NoIdentityError(
        f"{what} {why}, so its results could be mistaken for those of another on record. Give "
        "functions and objects made of plain values, or leave records out."
    )


class Teller:
    """Describes values as JSON; a value that occurs again is described by its number."""

    def __init__(self) -> None:
        # Described before; kept alive, so that no other object gets their id.
        self._known: dict[tuple[int, bool], tuple[int, Any]] = {}
        self._open: list[int] = []  # containers that are being described, outermost first
        self._fitted = False  # whether fitted attributes of estimators are described, too

    def tell(self, value: Any) -> Any:
        """Plain values unchanged; for all others a mapping whose first key is their kind."""
        plain, told = plain_value(value)
        if plain:
            return told
        if type(value) in CONTAINERS:
            return self._container(value)
        if isinstance(value, MethodType):  # a new object at each access
            return {"method": [self.tell(value.__func__), self.tell(value.__self__)]}
        place = id(value), self._fitted
        if place in self._known:
            return {"again": self._known[place][0]}
        self._known[place] = len(self._known), value
        return self._tell(value)

    def _container(self, value: Any) -> Any:
        if id(value) in self._open:
            return {"within": len(self._open) - self._open.index(id(value))}
        self._open.append(id(value))
        if isinstance(value, Mapping):
            told = in_one_order([self.tell(key), self.tell(one)] for key, one in value.items())
        elif isinstance(value, (set, frozenset)):
            told = in_one_order(self.tell(one) for one in value)
        else:
            told = [self.tell(one) for one in value]
        self._open.pop()
        return {type(value).__name__: told}

    def _tell(self, value: Any) -> Any:
        if isinstance(value, (np.ndarray, np.memmap)) and type(value) in (np.ndarray, np.memmap):
            return self._array(value)
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, ModuleType):
            return self._module(value.__name__)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, FunctionType):
            return self._function(value)
        for kind, parts in WRAPPERS.items():
            if isinstance(value, kind):
                return {kind.__name__: [self.tell(getattr(value, part)) for part in parts]}
        return self._object(value)

    def _array(self, array: Any) -> Any:
        if array.dtype.kind in "biufcSUmM":
            return {"array": checksum(array)}
        return {
            "array": [list(array.shape), array.dtype.str, [self.tell(one) for one in array.ravel().tolist()]]
        }

    def _object(self, value: Any) -> Any:
        """An estimator by its parameters, any other object by what pickle would keep of it."""
        # An estimator with its own way of being cloned, such as a frozen one, may keep fitted attributes.
        if keeps_its_fit(value) and not self._fitted:
            self._fitted = True
            told = {"kept": self._object(value)}
            self._fitted = False
            return told
        if hasattr(value, "get_params") and not self._fitted:
            given = {name: one for name, one in value.get_params(deep=False).items() if name != "n_jobs"}
            return {"estimator": [self.tell(type(value)), self.tell(given)]}
        if hasattr(value, "py_func"):  # compiled by numba, which pickles it under a number drawn at random
            return {"compiled": [self._place(type(value)), self.tell(value.py_func)]}
        parts = reduced(value)
        if isinstance(parts, str):
            return self._place(value, parts)
        items = [list(part) if isinstance(part, Iterator) else part for part in parts]
        return {"object": [self.tell(one) for one in items]}

    def _place(self, value: Any, name: str | None = None) -> Any:
        """An object that an installed package defines, by its place there."""
        name = name or value.__qualname__
        module = pickle.whichmodule(value, name)  # type: ignore[attr-defined]
        if not installed(module):
            raise NoIdentityError(f"holds {module}.{name}, which has no readable code")
        return {"place": f"{module}.{name}", "version": version_of(module)}

    def _class(self, cls: type) -> Any:
        if found_there(cls):
            return self._place(cls)
        members = {name: one for name, one in vars(cls).items() if name not in NOT_CODE and not is_slot(one)}
        parents = [self.tell(one) for one in (type(cls), *cls.__bases__)]
        return {"class": [cls.__qualname__, parents, self.tell(members)]}

    def _function(self, function: FunctionType) -> Any:
        if found_there(function):
            return self._place(function)
        cells = [
            cell.cell_contents if filled(cell) else NotImplemented for cell in function.__closure__ or ()
        ]
        return {
            "function": [
                self.tell(function.__code__),
                self.tell(function.__defaults__),
                self.tell(function.__kwdefaults__),
                [self.tell(cell) for cell in cells],
                {name: self._read(name, function) for name in global_names(function.__code__)},
                [self._module(name) for name in imported_names(function.__code__)],
                self.tell(vars(function)),
            ]
        }

    def _read(self, name: str, function: FunctionType) -> Any:
        """A global variable that a function reads."""
        if name in function.__globals__:
            return self.tell(function.__globals__[name])
        if name in READS_ANYTHING:
            raise NoIdentityError(f"holds a function that calls {name}(), and may read anything")
        return {"builtin": name}

    def _code(self, code: CodeType) -> Any:
        """The instructions of a code object, without file and line."""
        return {
            "code": [
                code.co_code.hex(),
                code.co_exceptiontable.hex(),
                [self.tell(one) for one in code.co_consts],
                [list(code.co_names), list(code.co_varnames), list(code.co_freevars), list(code.co_cellvars)],
                [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags],
            ]
        }

    def _module(self, name: str) -> Any:
        if name.startswith(".") or not installed(name):
            raise NoIdentityError(
                f"holds a function that uses the module {name!r}, of which the parts used are not known "
                "(import these by name, at the top of its module)"
            )
        return {"module": name, "version": version_of(name)}


def keeps_its_fit(value: Any) -> bool:
    """Whether an object defines itself how scikit-learn clones it."""
    own = getattr(type(value), "__sklearn_clone__", None)
    return own is not None and own is not BaseEstimator.__sklearn_clone__


def plain_value(value: Any) -> tuple[bool, Any]:
    """Whether a value is a JSON value, or nearly one, and its description."""
    if isinstance(value, (np.bool_, np.integer, np.float64, np.float32, np.float16, np.str_)):
        value = value.item()
    if type(value) is int and abs(value) >= 2**63:
        return True, {"int": hex(value)}
    if value is None or type(value) in (bool, int, str):
        return True, value
    if type(value) is float:
        return True, value if np.isfinite(value) else {"float": repr(value)}
    if type(value) is complex or isinstance(value, np.generic):
        return True, {type(value).__name__: repr(value)}
    if type(value) is bytes:
        return True, {"bytes": value.hex()}
    if value is Ellipsis or value is NotImplemented:
        return True, {"constant": repr(value)}
    return False, None


def in_one_order(told: Any) -> list[Any]:
    return sorted(told, key=lambda one: json.dumps(one, sort_keys=True))


def reduced(value: Any) -> Any:
    """The parts that pickle would make of an object; raises NoIdentityError if it cannot."""
    try:
        registered = copyreg.dispatch_table.get(type(value))
        return registered(value) if registered is not None else value.__reduce_ex__(4)
    except NoIdentityError:
        raise
    except Exception as error:  # objects of the user can raise anything
        place = f"{type(value).__module__}.{type(value).__qualname__}"
        raise NoIdentityError(
            f"holds an object of the class {place}, which cannot be described as data ({error})"
        ) from error


def filled(cell: Any) -> bool:
    """Whether a variable in the closure of a function has a value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def is_slot(member: Any) -> bool:
    """Whether a member of a class is the place of an attribute, made by Python itself."""
    return type(member).__name__ in ("getset_descriptor", "member_descriptor")


def found_there(value: Any) -> bool:
    """Whether a class or function is the one that an installed package has under its name."""
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or not installed(module):
        return False
    found: Any = sys.modules.get(module)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


@cache
def installed(module: str) -> bool:
    """Whether a module belongs to Python, to this package, or to one that was installed."""
    root = module.partition(".")[0]
    if root == "qpfs" or root in sys.builtin_module_names or is_frozen(root):
        return True
    # Python's own are recognised by their place, too, since a file beside the script may have the same name.
    return any(folder in path.parents for path in places_of(root) for folder in package_folders())


def is_frozen(root: str) -> bool:
    """Whether a module is frozen into the Python executable, as os is."""
    spec = spec_of(root)
    return spec is not None and spec.origin == "frozen"


def spec_of(root: str) -> ModuleSpec | None:
    try:
        return find_spec(root)
    except (ImportError, ValueError):  # as of __main__
        return None


def places_of(root: str) -> list[Path]:
    """The files or folders that a package is read from."""
    spec = spec_of(root)
    if spec is None:
        return []
    folders = list(spec.submodule_search_locations or ())
    return [Path(one).resolve() for one in folders or [spec.origin or ""]]


@cache
def package_folders() -> list[Path]:
    """The folders of Python's own modules and of installed packages."""
    paths = [sysconfig.get_path(one) for one in ("stdlib", "platstdlib", "purelib", "platlib")]
    # Another environment's packages may be on the path, by PYTHONPATH or a .pth file.
    shared = [one for one in sys.path if Path(one).name in ("site-packages", "dist-packages")]
    found = [*paths, *site.getsitepackages(), *shared]
    return [Path(one).resolve() for one in dict.fromkeys([*found, site.getusersitepackages()])]


def version_of(module: str) -> str | None:
    """The version of an installed package; that of Python itself shows in its byte code."""
    found = getattr(sys.modules.get(module.partition(".")[0]), "__version__", None)
    return found if isinstance(found, str) else None


def instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a function, and of those defined in it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from instructions(constant)


def global_names(code: CodeType) -> list[str]:
    """The global variables that a function reads."""
    found = {one.argval for one in instructions(code) if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return sorted(found)


def imported_names(code: CodeType) -> list[str]:
    """The modules that a function imports when it runs; one named from its own package begins with a dot."""
    steps = list(instructions(code))
    places = [i for i, one in enumerate(steps) if one.opname == "IMPORT_NAME"]
    return sorted({"." * steps[i - 2].argval + steps[i].argval for i in places})
