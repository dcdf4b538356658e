"""What a kernel is compiled from, as a digest.

That is its function, the parts that it calls, the parts that these call, and the constants that all of them
name; and of the tables among its arguments the cells, which the loops of kernels ask for. It is read from
what was imported: files can be edited between their import and the first call of a kernel, and none of these
need be in the file of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from inspect import getmembers, isclass, isfunction
from types import CodeType, ModuleType
from typing import Any

import numpy as np

Text = tuple[Any, ...]  # its repr is the same in each process


def digest(kernel: Any, classes: Iterable[type]) -> str:
    """A digest of what a kernel is compiled from, given the classes of named tuples among its arguments."""
    classes = [*classes]
    left, found = [kernel, *(one for each in classes for _, one in getmembers(each, isfunction))], sha256()
    for one in left:  # which grows by the parts
        named = values_in(getattr(one, "py_func", one))
        left += [part for part in named.values() if hasattr(part, "py_func") and part not in left]
        found.update(repr(function_text(one, named)).encode())
    found.update(repr([class_text(one) for one in classes]).encode())
    return found.hexdigest()


def values_in(function: Any) -> dict[str, Any]:
    """What the names in a function stand for: globals, also of modules, what is around it, and defaults."""
    names, known = [*names_in(function.__code__)], function.__globals__
    found = {name: known[name] for name in names if name in known}
    for module in [one for one in found.values() if isinstance(one, ModuleType)]:
        of_module = vars(module)
        found |= {f"{module.__name__}.{name}": of_module[name] for name in names if name in of_module}
    around = [cell.cell_contents for cell in function.__closure__ or ()]
    found |= zip(function.__code__.co_freevars, around, strict=True)
    return found | {"defaults": function.__defaults__}


def names_in(code: CodeType) -> Iterator[str]:
    """The names in code, and in that of functions within it."""
    yield from code.co_names
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from names_in(one)


def function_text(one: Any, named: dict[str, Any]) -> Text:
    """A function, or a part with its options, and the constants that it names."""
    options = sorted(getattr(one, "targetoptions", {}).items())
    constants = [(name, constant_text(value)) for name, value in named.items() if is_constant(value)]
    return code_text(getattr(one, "py_func", one).__code__), options, constants


def code_text(code: CodeType) -> Text:
    """What code does, wherever in its file it is."""
    inner = [code_text(one) if isinstance(one, CodeType) else constant_text(one) for one in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, inner


def is_constant(value: Any) -> bool:
    """Whether a value becomes part of compiled code; a named tuple is made by the order of its fields."""
    if isinstance(value, tuple):
        return all(map(is_constant, value))
    scalar = isinstance(value, (int, float, complex, str, bytes, np.generic))
    return scalar or isinstance(value, np.ndarray) or is_named_tuple(value)


def constant_text(value: Any) -> Text:
    """A constant and its type; an array with all its numbers."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return class_text(value) if is_named_tuple(value) else (type(value).__name__, repr(value))


def is_named_tuple(value: Any) -> bool:
    return isclass(value) and issubclass(value, tuple) and hasattr(value, "_fields")


def class_text(one: Any) -> Text:
    return one.__module__, one.__qualname__, one._fields
