"""Parts by name: our own, and those that installed packages register.

A package registers a part as an entry point, in a group that each registry names:

    [project.entry-points."qpfs.measures"]
    gini = "my_package:GINI"

The part is then known by that name to the estimators, the command and the report, as if it were our own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PartWarning(UserWarning):
    """A part that an installed package registers cannot be loaded."""


class Places(Mapping[str, Any]):
    """Parts by their place, such as "package.module:Class": each is imported on first use."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = places

    def __getitem__(self, name: str) -> Any:
        module, _, attribute = self.places[name].partition(":")
        return getattr(import_module(module), attribute)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def registered(group: str) -> Any:
    """The entry points that installed packages have in a group; none of them is loaded."""
    return every_point().select(group=group)


@cache
def every_point() -> Any:
    """All entry points of installed packages, for which the metadata of all of them are read."""
    from importlib.metadata import entry_points  # takes as long to import as all of `qpfs --help`

    return entry_points()


@cache
def version_of(package: str) -> str:
    """The version of an installed package; its metadata are read only once, which takes milliseconds."""
    from importlib.metadata import version

    return version(package)


class Registry(Mapping[str, T], Generic[T]):
    """The parts of one kind, ours first; those of other packages are looked up on first use."""

    def __init__(self, group: str, ours: Mapping[str, T]) -> None:
        self.group = group
        self.ours = ours

    @cached_property
    def others(self) -> dict[str, T]:
        """The parts of installed packages; those that cannot be loaded are left out, with a warning."""
        found: dict[str, T] = {}
        for point in registered(self.group):
            try:
                if point.name in self.ours:
                    raise ValueError("that name is taken")
                found[point.name] = point.load()
            except Exception as error:  # the code of another package can raise anything
                warnings.warn(
                    f"{point.name!r}, registered under {self.group} as {point.value}, is left out: "
                    f"{type(error).__name__}: {error}. Mend or remove the package that brings it.",
                    PartWarning,
                    stacklevel=2,
                )
        return found

    @property
    def names(self) -> list[str]:
        """All names, whether their parts can be loaded or not; nothing is loaded."""
        return list(dict.fromkeys([*self.ours, *(point.name for point in registered(self.group))]))

    def __getitem__(self, name: str) -> T:
        return self.ours[name] if name in self.ours else self.others[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from self.others

    def __len__(self) -> int:
        return len(self.ours) + len(self.others)
