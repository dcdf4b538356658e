"""A table -> a store on disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from qpfs.arrays import AnyArray
from qpfs.codes.discretizers import USUAL_RULE, Discretizer
from qpfs.codes.disk_draft import Draft
from qpfs.codes.disk_layout import IN_PLANES, BlockLayout, layout_for
from qpfs.codes.disk_table import About
from qpfs.codes.forms import LEVELS, Form, Scores
from qpfs.codes.readable import Readable
from qpfs.codes.scores import READ_BYTES
from qpfs.codes.tables import checked_columns
from qpfs.codes.values import first_missing, without_frame
from qpfs.engines import Engine, engine_for
from qpfs.files import check_apart, check_can_write, check_free, naming
from qpfs.messages import Parameter, invalid

Tick = Callable[[int, int, str], None]  # called with: features done, all features, no further text


def write_store(
    X: Any,
    path: str | os.PathLike[str],
    y: Any = None,
    *,
    measure: Any = None,
    discretizer: Discretizer | None = None,
    target_name: str = "target",
    samples: list[str] | None = None,
    groups: Any = None,
    force: bool = False,
    n_jobs: int | None = None,
) -> Path:
    """Discretise a table, pack it, and write it into a file for :func:`open_store`.

    With three levels a cell takes two bits; for ``measure="rank"``, which has no levels, scores of ranks are
    written, two bytes per number. An interrupted call leaves no incomplete file.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The features, as for a selector's ``fit``; a memory-mapped array is read piece by piece.
    path : str or path
        The file to write; by convention it ends in ``.qpfs``.
    y : array-like of shape (n_samples,) or None, default=None
        A target to keep with the table.
    measure : None, "rank" or measure, default=None
        The measure that the table will be used with: None is any measure that is computed from counts, which
        all use the same levels; "rank" or ``Rank(2)`` is that one alone.
    discretizer : discretiser or None, default=None
        How numbers are discretised; None is ``EqualFrequency(3)``. For scores only its `max_categories` is
        used.
    target_name : str, default="target"
        The name of the target.
    samples : list of str or None, default=None
        The names of the samples.
    groups : array-like of shape (n_samples,) or None, default=None
        Which samples belong together.
    force : bool, default=False
        Whether an existing file may be replaced.
    n_jobs : int or None, default=None
        Threads; the content of the file does not depend on it.

    Returns
    -------
    path : Path
        The file.

    See Also
    --------
    open_store : Opens the file for `fit`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from qpfs import open_store, write_store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = open_store(write_store(np.eye(9), Path(folder) / "eye.qpfs"))
    ...     table.shape, table.rule
    ((9, 9), EqualFrequency(n_bins=3))
    """
    layout = layout_for(form_for(measure))
    rule = USUAL_RULE if discretizer is None else discretizer
    rule.check()
    keeper = type(rule)(**rule.get_params())
    columns = checked_columns(keeper, X, reset=True).with_numbers()
    names = getattr(keeper, "feature_names_in_", None)
    about = About(
        None if names is None else names.tolist(),
        {} if y is None else {target_name: values_for(y, columns.n_samples, "y")},
        None if samples is None else names_for(samples, columns.n_samples),
        None if groups is None else values_for(groups, columns.n_samples, "groups"),
    )
    check_apart([Path(path)], mapped_files(X, y, samples, groups))
    with engine_for(n_jobs) as engine:
        write_columns(columns, rule, Path(path), about, layout=layout, engine=engine, force=force)
    return Path(path)


def form_for(measure: Any) -> Form:
    """The form in which features are stored for a measure; raises ValueError if there is none."""
    if measure is None:
        return LEVELS
    if isinstance(measure, str) and measure == "rank":
        return Scores(1)
    form: Form | None = getattr(measure, "form", None)
    if form is None:
        raise invalid(
            Parameter("measure", measure),
            ", but a table is encoded for ",
            Parameter("measure", "rank"),
            ", Rank(2), or by default all measures that are computed from counts.",
        )
    return form


def mapped_files(*arrays: Any) -> Iterator[str | None]:
    """The files that arrays, or the arrays they are views of, are memory-mapped from."""
    for array in arrays:
        while isinstance(array, np.ndarray):
            yield getattr(array, "filename", None)
            array = array.base


def values_for(values: Any, n_samples: int, what: str) -> AnyArray:
    """A value for each sample, checked to be stored without change."""
    values = without_frame(values, what)
    array = values if isinstance(values, np.ndarray) else np.asarray(values, object)
    if array.shape != (n_samples,):
        raise ValueError(
            f"{what} has the shape {array.shape}; expected a value for each of {n_samples} samples."
        )
    missing = first_missing(array.tolist())
    if missing is not None:
        raise ValueError(f"{what} has no value for sample {missing}; leave such samples out first.")
    kept = np.array(array.tolist()) if array.dtype == object else array  # typed, if all values are
    if kept.dtype.kind not in "biufU" or kept.tolist() != array.tolist():
        kinds = ", ".join(sorted({type(value).__name__ for value in array.tolist()}))
        raise ValueError(
            f"{what} holds values that a store cannot keep ({kinds}); convert all of them to numbers, or to "
            "text that does not end in \\0."
        )
    return kept


def names_for(samples: Any, n_samples: int) -> list[str]:
    names = list(without_frame(samples, "samples"))
    if len(names) != n_samples:
        raise ValueError(f"samples has {len(names)} names; expected one for each of {n_samples} samples.")
    missing = first_missing(names)
    if missing is not None:
        raise ValueError(f"samples has no name for sample {missing}; give each a name, or none at all.")
    return [str(name) for name in names]


def write_columns(
    columns: Readable,
    rule: Discretizer,
    path: Path,
    about: About,
    *,
    layout: BlockLayout = IN_PLANES,  # that of the form of the features
    room: int = READ_BYTES,  # bytes for columns that are read together
    engine: Engine | None = None,
    tick: Tick | None = None,
    force: bool = False,
    check: Callable[[], None] = lambda: None,  # before anything is kept; may raise for a changed source
) -> None:
    """Writes the store of a table; if the source has a checksum, it goes on where an earlier run stopped."""
    check_free(path, force=force)
    check_can_write(path.absolute().parent)
    with naming(path):
        begun = Draft(path, columns, rule, about, layout=layout, room=room, force=force, check=check)
    with begun as draft:
        for number in range(draft.n_done, draft.n_strips):
            if tick is not None:
                tick(number * draft.width, columns.n_features, "")
            draft.add(number, engine)
        with naming(path):
            draft.finish(about)
