"""The options that several commands have, as the fields of dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qpfs.messages import UsageError
from qpfs.rules import rule_list

if TYPE_CHECKING:
    from qpfs.data import Reading

DATA = "What to read"
METHOD = "Parameters of the method"
RESULT = "What to do with the result"

FILES = "A file (CSV, TSV, Parquet, Feather, npy, npz, svmlight, ARFF, mat, h5ad, bed; also compressed)"
OTHERS = "- for standard input, or the name of a data set: wdbc, digits, ... (qpfs datasets list)."
LEVELS = (
    f"{rule_list()}; a number after a colon is the rule's parameter: equal-frequency:3, three-segments:0.5"
)
Text = str | None
Texts = list[str] | None
EXAMPLE = "Parameters after a colon: ikma:radius=0.9,n_first=20."


def option(metavar: str, text: str, *names: str, panel: str | None = None, **more: Any) -> Any:
    """An option of Typer: the word for its value ("" for a flag), its help, its spellings."""
    return typer.Option(*names, metavar=metavar or None, help=text, rich_help_panel=panel, **more)


of_data, of_result = partial(option, panel=DATA), partial(option, panel=RESULT)


def argument(metavar: str, text: str) -> Any:
    """An argument of Typer."""
    return typer.Argument(metavar=metavar, help=text, show_default=False)


def to_write(text: str | Path) -> Path:
    """The path to write to; it also accepts a default, which is a path already."""
    if not str(text).strip():
        raise typer.BadParameter("it is empty; name a file or a folder (. is the current one).")
    return Path(text)


def integer(low: int, high: int | None = None) -> Callable[[str | int], int]:
    """A parser of integers from low to high; it also accepts a default, which is an integer already."""
    expected = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"

    def read(text: str | int) -> int:
        if not str(text).isdecimal() or int(text) < low or (high is not None and int(text) > high):
            raise typer.BadParameter(f"{text}, but it must be {expected}.")
        return int(text)

    return read


Seed = Annotated[int, option("N", "The seed of all random numbers.", parser=integer(0, 2**32 - 1))]
Jobs = Annotated[int, option("N", "Threads or processes, -1 for all; the result does not depend on it.")]
Plan = Annotated[
    bool, of_result("", "Only print what would be done, with the expected time and memory.", "--plan")
]
Json = Annotated[bool, of_result("", "Print the result as JSON instead of a table.", "--json")]
Force = Annotated[bool, of_result("", "Overwrite an earlier result.", "--force")]
Quiet = Annotated[bool, of_result("", "Print nothing on standard error but errors.", "--quiet", "-q")]
Folder = Annotated[
    Path | None, of_data("DIR", "The folder of data sets, each NAME.npz; by default QPFS_DATA.", "--data")
]


@dataclass(frozen=True, kw_only=True)
class RoleOptions:
    """The columns that are not features."""

    target: Annotated[
        Texts,
        of_data(
            "COLUMN",
            "The column to predict; named data sets have theirs. May be given several times, for several "
            "targets.",
        ),
    ] = None
    labels: Annotated[
        Texts,
        of_data(
            "FILE",
            "Another file with the target, or only with groups, weights or covariates; matched by the names "
            "of the samples, or else by their order.",
        ),
    ] = None
    drop: Annotated[Texts, of_data("COLUMN", "Leave out a column (or a pattern: 'id_*').")] = None
    groups: Annotated[
        Text,
        of_data(
            "COLUMN",
            "Samples with the same value here (a patient, a batch) stay in the same part wherever samples "
            "are split, and where the target is shuffled for p values; a column of DATA or of --labels.",
        ),
    ] = None
    strict: Annotated[
        bool,
        of_data(
            "", "Stop if a sample has no target, or a label no sample; else these are left out.", "--strict"
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """A table, and how it is read."""

    data: Annotated[str, argument("DATA", f"{FILES}, {OTHERS}")]
    features_in: Annotated[
        str, of_data("WHERE", "Where the features are: columns, or rows (as in many expression matrices).")
    ] = "columns"
    index: Annotated[Text, of_data("COLUMN", "The column that names the samples.")] = None
    missing: Annotated[Texts, of_data("TEXT", "A further text that marks a missing value, such as -999.")] = (
        None
    )
    categorical: Annotated[
        Texts, of_data("COLUMN", "A column (or pattern) whose numbers are categories.")
    ] = None
    layer: Annotated[Text, of_data("NAME", "The layer of an .h5ad file.")] = None
    names: Annotated[
        Text, of_data("COLUMN", "The var column of an .h5ad file that names the features, such as symbols.")
    ] = None
    exclude_where: Annotated[
        Texts, of_data("COLUMN", "Leave out the features for which this var column of an .h5ad file is true.")
    ] = None
    file_format: Annotated[
        Text, of_data("NAME", "The format of the file, if its content does not show it.", "--format")
    ] = None
    folder: Folder = None

    def reading(self) -> Reading:
        """How the table is to be read."""
        from qpfs.data import Reading

        return Reading(
            features_in=self.features_in,
            index=self.index,
            missing=tuple(self.missing or ()),
            categorical=tuple(self.categorical or ()),
            layer=self.layer,
            names=self.names,
            exclude_where=tuple(self.exclude_where or ()),
            format=self.file_format,
        )


@dataclass(frozen=True, kw_only=True)
class SourceOptions(TableOptions, RoleOptions):
    """A table with a target."""

    @property
    def sources(self) -> list[str]:
        """All tables."""
        return [self.data]

    @property
    def each(self) -> Sequence[SourceOptions]:
        """The options of each table."""
        return [self]

    def reading(self) -> Reading:
        """How the table is to be read."""
        drop, labels, targets = tuple(self.drop or ()), self.labels or [], self.target or []
        if len(labels) > 1:
            raise UsageError(f"--labels was given {len(labels)} times for one table; give it once.")
        first, further = (targets[0] if targets else None), tuple(targets[1:])
        found = replace(super().reading(), target=first, further=further)
        found = replace(found, labels=labels[0] if labels else None)
        return replace(found, drop=drop, groups=self.groups, strict=self.strict)


@dataclass(frozen=True, kw_only=True)
class AdjustedOptions(SourceOptions):
    """A table with a target, and the covariates that are adjusted for."""

    adjust: Annotated[
        Texts,
        of_data(
            "COLUMN",
            "Adjust for this covariate (batch, sex, age), which is then not a feature; a column of DATA or "
            "of --labels. Integers with at most 12 different values are categories, other numbers "
            "only with --categorical.",
        ),
    ] = None

    def reading(self) -> Reading:
        """How the table is to be read."""
        return replace(super().reading(), adjust=tuple(self.adjust or ()))


@dataclass(frozen=True, kw_only=True)
class StoreOptions(AdjustedOptions):
    """A table with a target, or one that was encoded."""

    data: Annotated[str, argument("DATA", f"{FILES}, a store that `qpfs encode` wrote, {OTHERS}")]
    weights: Annotated[
        Text,
        of_data(
            "COLUMN",
            "The weight of each sample: weight 2 counts as two copies, 0 leaves the sample out; a column of "
            "DATA or of --labels.",
        ),
    ] = None

    def reading(self) -> Reading:
        """How the table is to be read."""
        return replace(super().reading(), weights=self.weights)


@dataclass(frozen=True, kw_only=True)
class CohortOptions(StoreOptions):
    """A table with a target or one that was encoded, or several tables, each a cohort."""

    more: Annotated[
        Texts,
        argument(
            "MORE",
            "Further tables with the same target, each a cohort: relevance is computed within cohorts. "
            "--labels is then given once, for all of them, or once for each.",
        ),
    ] = None
    keep_where: Annotated[
        Texts,
        of_data(
            "COLUMN",
            "Always select the features for which this var column of an .h5ad file is true, as --keep does.",
        ),
    ] = None

    def reading(self) -> Reading:
        """How the table is to be read."""
        return replace(super().reading(), keep_where=tuple(self.keep_where or ()))

    @property
    def sources(self) -> list[str]:
        return [self.data, *(self.more or ())]

    @property
    def each(self) -> Sequence[CohortOptions]:
        labels = self.labels or []
        if len(self.sources) == 1:
            return [self]
        own = [[one] for one in labels] if len(labels) == len(self.sources) else [labels] * len(self.sources)
        return [
            replace(self, data=one, more=None, labels=some or None)
            for one, some in zip(self.sources, own, strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """How a command writes its file."""

    force: Force = False
    quiet: Quiet = False


@dataclass(frozen=True, kw_only=True)
class ResultOptions(WriteOptions):
    """What is done with the result of a command that prints one."""

    as_json: Json = False
