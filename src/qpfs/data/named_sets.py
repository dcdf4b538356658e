"""A data set by its name: built in, in the data folder, in the cache, or of OpenML."""

from __future__ import annotations

import os
import re
import shutil
import warnings
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pyarrow as pa

from qpfs import npy
from qpfs.arrays import AnyArray
from qpfs.data.catalogue import BUILT_IN, Entry, entry, known
from qpfs.data.downloads import Tick, cache_folder, downloaded, is_address
from qpfs.data.errors import UnreadableError, UsageError
from qpfs.data.sheet import Sheet, of_matrix
from qpfs.data.stored import sha256_of_values
from qpfs.files import check_free, reject_link, written_whole

RETRIES = 2  # as for downloads
OPENML = re.compile(r"openml:(\d+)(?:#sha256=([0-9a-fA-F]{64}))?")


def fetch(name: str, folder: str | Path | None = None, *, tick: Tick | None = None) -> Path:
    """A file with a named data set, or the file at an address; made or fetched if it is not there yet.

    Parameters
    ----------
    name : str
        A built-in set, or one in the folder QPFS_DATA; ``openml:ID``; or an address that ends in
        ``#sha256=...``.
    folder : path or None
        Where to keep it; by default the folder QPFS_CACHE, or one in the user's cache.
    tick : callable or None
        Called with (bytes fetched, bytes in all, ""), from time to time while a file is fetched.

    Returns
    -------
    path : Path
        The file, which :func:`open_problem` reads. It is written completely or not at all.

    Examples
    --------
    >>> import tempfile
    >>> from qpfs.data import fetch, open_problem
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = fetch("iris", folder)
    ...     path.name, open_problem(str(path)).n_samples
    ('iris.npz', 150)
    """
    where = Path(folder) if folder is not None else cache_folder()
    if is_address(name):
        return downloaded(name, where, tick)
    if (numbered := OPENML.fullmatch(name)) is not None:
        path = where / f"openml-{numbered[1]}.npz"
        check_free(path, force=True)  # of that name is only what was fetched before
        return written(from_openml(name), path)
    if known(name) is None and (stored := stored_file(name)) is not None:
        return stored if folder is None else path_copied(stored, where / stored.name)
    found = entry(name)
    path = where / f"{found.name}.npz"
    reject_link(path)
    return with_shape_of(found, path) if path.exists() else written(built_in(found), path)


def with_shape_of(found: Entry, path: Path) -> Path:
    """The file of a set that is there already; raises UnreadableError if it is something else."""
    try:
        with npy.opened(path) as arrays:
            shape = arrays.declared["X"].shape
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise UnreadableError(
            f"{str(path)!r} exists, but is not an archive with an array X; remove it."
        ) from error
    if shape != (found.n_samples, found.n_features):
        expected = f"{found.n_samples} x {found.n_features}"
        raise UnreadableError(
            f"{str(path)!r} exists, but holds {' x '.join(map(str, shape))} instead of {expected}; remove it."
        )
    return path


def stored_file(name: str) -> Path | None:
    """NAME.npz in the data folder or in the cache, as given or in lower case; None if there is none."""
    if Path(name).name != name:  # somewhere else
        return None
    spelled = [f"{one}.npz" for one in (name, name.lower())]
    paths = [folder / one for folder in (*data_folder(), cache_folder()) for one in spelled]
    return next((path for path in paths if path.is_file()), None)


def stored_names() -> list[str]:
    """The data sets in the data folder; a built-in one is not read from there."""
    found = {path.stem for folder in data_folder() for path in folder.glob("*.npz")}
    return sorted(found - {*BUILT_IN})


def data_folder() -> list[Path]:
    """The folder that QPFS_DATA names, if it names one."""
    return [Path(named) for named in (os.environ.get("QPFS_DATA"),) if named]


def built_in(found: Entry) -> Sheet:
    """A set of scikit-learn."""
    from sklearn import datasets

    bunch: Any = getattr(datasets, found.loader)()
    y = bunch.target_names[bunch.target].astype(str) if "target_names" in bunch else bunch.target
    return of_matrix(bunch.data, list(map(str, bunch.feature_names)), beside={"target": y}, target="target")


def is_openml(source: str) -> bool:
    """Whether a source names a data set of OpenML."""
    return source.lower().startswith("openml:")


def from_openml(source: str) -> Sheet:
    """A set of OpenML by its number, which scikit-learn fetches, checks and keeps."""
    from sklearn.datasets import fetch_openml

    found = OPENML.fullmatch(source)
    if found is None:
        raise UsageError(
            f"{source!r} is not a data set of OpenML; write openml: and its number, as in openml:1510."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tries that fail before one succeeds
            bunch = fetch_openml(data_id=int(found[1]), as_frame=False, parser="liac-arff", n_retries=RETRIES)
    except (OSError, ValueError, KeyError) as error:
        why = " ".join(str(error).split()).rstrip(".")
        raise UnreadableError(
            f"{source!r} could not be fetched: {why}. Check the network and the number, and try again."
        ) from error
    if bunch.target is None:
        raise UnreadableError(f"{source!r} has no default target; download its file, and name the target.")
    sheet = of_bunch(bunch)
    check_values(sheet, found[2], source)
    return sheet


def of_bunch(bunch: Any) -> Sheet:
    """The sheet of a set of OpenML; nominal columns are labels again."""
    names = [str(name) for name in bunch.feature_names]
    labels = {
        names.index(name): pa.array([labels_[int(code)] if code == code else None for code in column])
        for name, labels_ in (bunch.categories or {}).items()
        if name in names
        for column in [np.asarray(bunch.data[:, names.index(name)], float)]
    }
    places = np.array([place for place in range(len(names)) if place not in labels], np.intp)
    target = str(bunch.target_names[0])
    y = np.asarray(bunch.target)
    return Sheet(
        names,
        bunch.data[:, places] if labels else bunch.data,
        places,
        labels,
        beside={target: y.astype(str) if y.dtype == object else y},
        target=target,
    )


def check_values(sheet: Sheet, wanted: str | None, source: str) -> None:
    """Raises UnreadableError if a checksum was given and the values have another."""
    found = checksum_of(sheet)
    if wanted is not None and found != f"sha256:{wanted.lower()}":
        raise UnreadableError(f"{source!r} has values with another checksum: {found}.")


def checksum_of(sheet: Sheet) -> str:
    """The checksum of the values of a sheet."""
    numbers = sheet.numbers.toarray() if hasattr(sheet.numbers, "toarray") else sheet.numbers
    return sha256_of_values(
        numbers,
        *(np.array(column.to_pylist(), str) for column in sheet.labels.values()),
        *sheet.beside.values(),
    )


def written(sheet: Sheet, path: Path) -> Path:
    """Writes a sheet of numbers as an archive of arrays, completely or not at all."""
    if sheet.labels or not isinstance(sheet.numbers, np.ndarray) or sheet.target is None:
        raise UnreadableError(
            f"{path.stem!r} is not all numbers; open it by its name instead of fetching it."
        )
    arrays: dict[str, AnyArray] = {"X": sheet.numbers, "y": sheet.beside[sheet.target]}
    if not sheet.numbered:
        arrays["feature_names"] = np.array(sheet.names, str)
    with written_whole(path) as staged, staged.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    return path


def path_copied(source: Path, path: Path) -> Path:
    check_free(path, force=False)
    with written_whole(path) as staged:
        shutil.copyfile(source, staged)
    return path
