"""Parts by name: our own, and those that installed packages bring.

A package registers a part as an entry point, in a group that each registry names:

    [project.entry-points."qpfs.measures"]
    gini = "my_package:GINI"

The part is then known by that name to the estimators, the command and the report, as if it were our own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Generic, TypeVar

T = TypeVar("T")


class PartWarning(UserWarning):
    """A part that an installed package registers cannot be had."""


class Registry(Mapping[str, T], Generic[T]):
    """The parts of one kind, ours first; what others bring is looked up once it is asked for."""

    def __init__(self, group: str, ours: Mapping[str, T]) -> None:
        self.group = group
        self.ours = ours

    @cached_property
    def others(self) -> dict[str, T]:
        """What installed packages bring; what cannot be loaded is said, and left out."""
        from importlib.metadata import entry_points  # takes as long to import as all of `qpfs --help`

        found: dict[str, T] = {}
        for point in entry_points(group=self.group):
            try:
                if point.name in self.ours:
                    raise ValueError("that name is taken")
                found[point.name] = point.load()
            except Exception as error:  # whatever the code of another package raises
                warnings.warn(
                    f"{point.name!r}, registered under {self.group} as {point.value}, is left out: "
                    f"{type(error).__name__}: {error}. Mend or remove the package that brings it.",
                    PartWarning,
                    stacklevel=2,
                )
        return found

    def __getitem__(self, name: str) -> T:
        return self.ours[name] if name in self.ours else self.others[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from self.others

    def __len__(self) -> int:
        return len(self.ours) + len(self.others)
