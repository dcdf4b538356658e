"""How to read a source."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase

from qpfs.checks import is_real, unfit
from qpfs.data.errors import UsageError
from qpfs.messages import Parameter


@dataclass(frozen=True)
class Reading:
    """How to read a file: the roles of its columns.

    Parameters
    ----------
    target : str or None
        The target, the column to predict: a column of a table, a column of ``obs`` of an ``.h5ad`` file, a
        key of an ``.npz`` or ``.mat`` file. Named data sets have a default target.
    further : tuple of str
        Further targets, used together with the first.
    labels : str, Path or None
        Another file with the target (delimited text, Parquet, Feather, ``.npy``): matched by sample name if
        both have names, which may be in any column of that file, else by order. Without `index`, a column
        that holds the names of that file is used as the index, with a note; if several could be meant, that
        is an error. Samples without a label, and labels without a sample, are left out with a note.
    strict : bool
        Whether samples without a label or target are an error instead of a note, and so is matching by order
        a file of labels with a column in which all values differ, as names do.
    features_in : {"columns", "rows"}
        Where the features are. With ``"rows"`` the first column names them and the header names the samples.
    drop : tuple of str
        Columns to leave out; ``*`` and ``?`` match any text and any character.
    index : str or None
        The column that names the samples.
    groups : str or None
        The column that defines which samples belong together; of the table, or of the file of labels.
    weights : str or None
        The column with the weight of each sample; of the table, or of the file of labels.
    adjust : tuple of str
        Covariates to adjust for (batch, sex, age), which are not features; columns of the table, or of the
        file of labels. Numbers of those that `categorical` names are labels.
    missing : tuple of str
        Values that mean "missing", also numbers, in addition to empty cells, NA, NaN and the like.
    categorical : tuple of str
        Columns whose numbers are labels; patterns as for `drop`.
    keep : tuple of str
        Further columns that are not features: other targets, which :func:`open_stream` passes on.
    layer : str or None
        The layer of an ``.h5ad`` file, in place of ``X``.
    names : str or None
        The column of ``var`` of an ``.h5ad`` file that names the features (such as gene symbols); repeated
        names are made unique, with a note.
    exclude_where : tuple of str
        Columns of ``var`` of an ``.h5ad`` file that are true for features to leave out, with a note.
    keep_where : tuple of str
        Columns of ``var`` of an ``.h5ad`` file that are true for features that must be selected.
    format : str or None
        The format of the file, if its content does not show it.

    Examples
    --------
    >>> from qpfs.data import Reading
    >>> Reading(target="ill", drop=("id", "note_*")).drop
    ('id', 'note_*')
    """

    target: str | None = None
    labels: str | None = None
    features_in: str = "columns"
    drop: tuple[str, ...] = ()
    index: str | None = None
    groups: str | None = None
    weights: str | None = None
    adjust: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    layer: str | None = None
    format: str | None = None
    strict: bool = False
    further: tuple[str, ...] = ()
    names: str | None = None
    exclude_where: tuple[str, ...] = ()
    keep_where: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for one in fields(self):
            given, several = getattr(self, one.name), isinstance(one.default, tuple)
            if several and isinstance(given, list):
                given = tuple(given)
            if one.name == "missing" and isinstance(given, tuple):
                given = tuple(str(mark) if is_real(mark) else mark for mark in given)
            if one.name == "labels" and isinstance(given, os.PathLike):
                given = os.fspath(given)
            object.__setattr__(self, one.name, given)
            check_kind(one.name, given, several=several)
        if self.features_in not in ("columns", "rows"):
            raise unfit("features_in", self.features_in, "'columns' or 'rows'.", UsageError)
        twice = next((name for name, times in Counter(self.targets).items() if times > 1), None)
        if twice is not None:
            raise UsageError(Parameter("target", twice), " is named twice; name each target once.")

    @property
    def targets(self) -> tuple[str, ...]:
        """All targets that were named."""
        return self.further if self.target is None else (self.target, *self.further)

    @property
    def beside(self) -> tuple[tuple[str, str], ...]:
        """The columns beside features and targets that were named, each with its parameter."""
        asked = (
            ("groups", self.groups),
            ("weights", self.weights),
            *(("adjust", one) for one in self.adjust),
        )
        return tuple((role, name) for role, name in asked if name is not None)

    @property
    def in_rows(self) -> bool:
        return self.features_in == "rows"


def check_kind(name: str, given: object, *, several: bool) -> None:
    """Raises UsageError if a field holds neither text, as expected, nor, if `several`, texts."""
    if several and not (isinstance(given, tuple) and all(isinstance(one, str) for one in given)):
        marks, names = "texts or numbers, such as [-999, 'unknown']", "texts, such as ['age', 'site']"
        raise unfit(name, given, f"a list of {marks if name == 'missing' else names}.", UsageError)
    if not several and not isinstance(given, str | bool | None):
        if name == "target" and isinstance(given, list | tuple) and len(given) > 1:
            other = Parameter("further", [*given[1:]])
            raise UsageError(Parameter(name, given), ", but it must be text; add ", other, ".")
        raise unfit(name, given, "text.", UsageError)


def matched(pattern: str, name: str) -> bool:
    """Whether a name is the pattern, or matches it with * and ? as wildcards."""
    return name == pattern or fnmatchcase(name, pattern)


def in_columns(what: str) -> UsageError:
    """The error for features_in="rows" with a format that has features in columns."""
    return UsageError(f"{what}; leave out ", Parameter("features_in", "rows"), ".")


def reject_annotated(reading: Reading, source: str, form: str) -> None:
    """Raises UsageError if options for .h5ad files are given for another file."""
    given = [name for name in ("layer", "names", "exclude_where", "keep_where") if getattr(reading, name)]
    if given and form != "h5ad":
        raise UsageError(Parameter(given[0]), f" is for .h5ad files, but {source!r} is not one.")
