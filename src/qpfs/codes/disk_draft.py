"""A store that is being written, strip by strip; an interrupted run continues after its finished strips.

While a store is being written there is a folder beside it, `NAME.partial`, with what the run is about
(`key.json`), the blocks so far (`blocks`), and a file for each finished strip: a record of its features and
where its blocks end. Such a file appears once its blocks are on disk. At the end the records are appended to
the blocks, and the file is moved to its place in one step.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile

import numpy as np

from qpfs import npy
from qpfs.arrays import AnyArray, IndexArray
from qpfs.codes import disk_check
from qpfs.codes.discretizers import Discretizer
from qpfs.codes.disk_format import ALIGNED, Sections, StoreError, crc_of, finish_file, pad
from qpfs.codes.disk_layout import IN_PLANES, BlockLayout
from qpfs.codes.disk_table import About, described
from qpfs.codes.encoding import Coding, block_width
from qpfs.codes.readable import Readable, categories
from qpfs.codes.scores import READ_BYTES
from qpfs.engines import Engine
from qpfs.files import check_free, lies_at, locked, naming, umask, written_whole
from qpfs.messages import Message, Parameter
from qpfs.registry import version_of

STRIP_CELLS = 1 << 23  # about, of numbers that an interrupted run loses at most
USUAL_LEVELS = 3  # levels of a feature that strips are sized for, before any is discretised
STRIPS = "strip-*.npz"
RACES = 100  # times that another run may remove the file before it is an error
RECORDED = ("end", "blocks", "levels", "edges", "occurs", "labels")  # arrays of a strip, and maybe "columns"


class ColumnRange(Readable):
    """Consecutive columns of a table, numbered from 0."""

    def __init__(self, columns: Readable, start: int, stop: int) -> None:
        self.columns = columns
        self.start = start
        self.n_samples, self.n_features = columns.n_samples, stop - start
        self.numeric, self.integer = columns.numeric[start:stop], columns.integer[start:stop]
        self.row_wise = columns.row_wise

    def part(self, features: IndexArray, rows: slice) -> AnyArray:
        return self.columns.part(features + self.start, rows)

    def categories(self, feature: int) -> tuple[IndexArray, list[Any]]:
        return categories(self.columns, feature + self.start)

    def name(self, feature: int) -> str:
        return self.columns.name(feature + self.start)


class Draft:
    """A store that is being written, in a folder beside its final place."""

    def __init__(
        self,
        path: Path,
        columns: Readable,
        rule: Discretizer,
        about: About,
        *,
        layout: BlockLayout = IN_PLANES,
        room: int = READ_BYTES,
        force: bool,
        check: Callable[[], None],
    ) -> None:
        self.path = path
        self.force = force
        self.check = check
        self.columns = columns
        self.rule = rule
        self.layout = layout
        self.room = room  # bytes of columns that may be read together
        self.width = strip_width(columns.n_samples)
        self.n_strips = math.ceil(columns.n_features / self.width)
        self.folder = path.with_name(f"{path.name}.partial")
        self.resumes = about.checksum is not None
        self.key = key_of(columns, rule, layout, about, self.width)
        if self.folder.is_file():
            raise FileExistsError(f"{self.folder} is a file; a folder is needed there. Move the file away.")
        self.file: BinaryIO = taken(self.folder)
        self._check_free()
        try:
            self.n_done, end = self._begun()
            self.file.truncate(end)
            self.file.seek(end)
        except BaseException:
            self._leave(worth=True)
            raise

    def _check_free(self) -> None:
        """Raises FileExistsError if another run has finished in the meantime; its strips are removed."""
        try:
            check_free(self.path, force=self.force)
        except BaseException as error:  # that run leaves its strips to the one that has the folder
            self._leave(worth=not isinstance(error, FileExistsError))
            raise

    def _begun(self) -> tuple[int, int]:
        """The finished strips, and where their blocks end; unusable ones are overwritten."""
        key = self.folder / "key.json"
        ours = self.resumes and key.exists() and key.read_bytes() == self.key.encode()
        done, end = self._found() if ours else (0, ALIGNED)
        if done:
            return done, end
        if not ours and key.exists() and is_readable(self.strip(0)) and not self.force:
            raise FileExistsError(
                Message(
                    f"{self.folder} holds partial results of another run (with another source, or other "
                    "parameters); remove it, choose another file, or overwrite it with ",
                    Parameter("force", True),
                    ".",
                )
            )
        for strip in self.folder.glob(STRIPS):  # before the key makes them strips of this run
            strip.unlink()
        with written_whole(key) as staged:
            staged.write_bytes(self.key.encode())
        self.file.truncate(0)
        self.file.write(b"\0" * ALIGNED)
        return 0, ALIGNED

    def _found(self) -> tuple[int, int]:
        """The valid strips of an earlier run, and where they end."""
        done, end = 0, ALIGNED
        while (found := self._end_of(self.strip(done), done, end)) is not None:
            done, end = done + 1, found
        return done, end

    def _end_of(self, strip: Path, number: int, begin: int) -> int | None:
        """Where a strip's blocks end; None if the strip is missing or damaged."""
        try:
            known = load(strip)
            self._check(known, number, begin)
        except (StoreError, disk_check.UnsoundError, FileNotFoundError):
            return None
        return int(known["end"])

    def _check(self, known: dict[str, Any], number: int, begin: int) -> None:
        """Raises UnsoundError unless a strip is as it was written; its addresses are not trusted."""
        first, n_samples = number * self.width, self.columns.n_samples
        last = min(first + self.width, self.columns.n_features)
        disk_check.check_strip(known, first, last, self.layout)
        rows = known["blocks"].tolist()
        end = disk_check.check_blocks(map(tuple, rows), self.layout, n_samples, begin, self.file.seek(0, 2))
        disk_check.need(end == int(known["end"]), "its blocks end elsewhere")
        blocks = (self._block(row) for row in rows)
        disk_check.check_members(blocks, self.layout, known, n_samples, first)

    def _block(self, row: list[int]) -> tuple[IndexArray, AnyArray]:
        """The first two arrays of a block, after all of it has been checked."""
        offset, k, size, length, crc = row
        n_samples = self.columns.n_samples
        self.file.seek(offset)
        data = self.file.read(length)
        disk_check.need(crc_of(data) == crc, "a block is damaged")
        arrays = self.layout.views(data, 0, k, size, n_samples)
        self.layout.check_third(arrays, n_samples, 0)
        return arrays[:2]

    def strip(self, number: int) -> Path:
        return self.folder / STRIPS.replace("*", f"{number:06}")

    def add(self, number: int, engine: Engine | None) -> None:
        """Encodes a strip of features, and records it once it is on disk."""
        start = number * self.width
        part = ColumnRange(self.columns, start, min(start + self.width, self.columns.n_features))
        codings: list[Coding] = []
        blocks = []
        size_of = np.zeros(part.n_features, np.uint8)
        for full, parts in self.layout.encoded(part, self.rule, engine, self.room):
            codings += parts
            for block in full:
                size_of[block.features] = block.n_levels
            with naming(self.path):  # only errors of writing, not of reading the source
                blocks += [written(self.file, self.layout, block, start) for block in full]
        known = kept(part, Coding.joined(codings, part.n_features))
        known |= dict.fromkeys(self.layout.recorded, size_of)
        self.check()
        with naming(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())
            with written_whole(self.strip(number)) as staged, staged.open("wb") as file:
                np.savez(
                    file, end=self.file.tell(), blocks=np.array(blocks, np.int64).reshape(-1, 5), **known
                )

    def finish(self, about: About) -> None:
        """Appends the records of features and samples to the blocks, and moves the file to its place."""
        self.check()
        sections = Sections(self.file)
        strips = [self.strip(number) for number in range(self.n_strips)]
        n_edges = max((load(strip, "edges")["edges"].shape[1] for strip in strips), default=0)
        n = self.columns.n_features

        def of_strips(name: str) -> Callable[[], Iterator[AnyArray]]:
            return lambda: (load(strip, name)[name] for strip in strips)

        def widened_to(name: str, width: int, filling: Any) -> Callable[[], Iterator[AnyArray]]:
            return lambda: (widened(array, width, filling) for array in of_strips(name)())

        sections.pieces("levels", np.uint8, (n,), of_strips("levels"))
        sections.pieces("edges", np.float64, (n, n_edges), widened_to("edges", n_edges, np.nan))
        sections.pieces("occurs", np.bool_, (n, n_edges + 2), widened_to("occurs", n_edges + 2, False))
        for name in self.layout.recorded:
            sections.pieces(name, np.uint8, (n,), of_strips(name))
        sections.array("blocks", np.concatenate([load(strip, "blocks")["blocks"] for strip in strips]))
        write_about(sections, about)
        labels = [json.loads(str(load(strip, "labels")["labels"])) for strip in strips]
        finish_file(self.file, sections, facts_of(self, about, labels))
        self.file.flush()
        os.fsync(self.file.fileno())
        place = self.folder / "blocks"
        place.chmod(0o666 & ~umask())
        check_free(self.path, force=self.force)  # hours may have passed; the lock excludes only other runs
        if sys.platform == "win32":  # an open file cannot be moved there
            self.file.close()
        place.replace(self.path)

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Keeps the folder if a later run can continue from it; else removes it."""
        self._leave(worth=kind is not None and self.resumes and self._is_of_source())

    def _is_of_source(self) -> bool:
        """Whether the source is unchanged since the strips were written."""
        try:
            self.check()
        except Exception:
            return False
        return True

    def _leave(self, *, worth: bool) -> None:
        """Unlocks the folder, after removing it unless a later run can use its strips."""
        is_held = not self.file.closed and lies_at(self.file, self.folder / "blocks")
        if sys.platform == "win32":  # an open file cannot be removed there
            self.file.close()
        if worth and self.strip(0).exists():
            pass
        elif is_held:
            discard(self.folder)
        else:  # the lock moved with the file, and another run may have the folder by now
            clear(self.folder)
        with suppress(OSError):  # if writing failed before, it fails again here
            self.file.close()


def key_of(columns: Readable, rule: Discretizer, layout: BlockLayout, about: About, width: int) -> str:
    """All that determines the blocks of a run, as text."""
    names = None if about.names is None else json.dumps(list(about.names)).encode()
    return json.dumps(
        {
            "qpfs": version_of("qpfs"),
            "checksum": about.checksum,
            "format": about.format,
            "reading": dict(about.reading),
            "shape": [columns.n_samples, columns.n_features],
            "names": None if names is None else hashlib.sha256(names).hexdigest(),
            "targets": list(about.targets),
            "form": layout.facts(),
            "rule": described(rule),
            "width": width,
        }
    )


def taken(folder: Path) -> BinaryIO:
    """The locked file of blocks in a folder; both are made if they do not exist."""
    for _ in range(RACES):
        with suppress(FileExistsError):  # it was there, and another run removed it before `mkdir` looked
            folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):  # another run has just finished, and moved it
            return held(folder / "blocks")
    raise FileNotFoundError(errno.ENOENT, "another process removes it repeatedly", str(folder))


def held(path: Path) -> BinaryIO:
    """A file locked for this run, made if there is none; raises FileExistsError if another process has it."""
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+b")
    except OSError:
        with suppress(OSError):
            path.parent.rmdir()  # equivalent to a new file
        raise
    if locked(file) is False:
        file.close()
        raise FileExistsError(f"{path.parent} is being written by another run; wait for it.")
    if not lies_at(file, path):  # another process has moved it since it was opened
        file.close()
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return file


def clear(folder: Path) -> None:
    """Removes the remaining files in the folder of a run that has ended, unless another run has it."""
    if not folder.is_dir():
        return
    try:
        file = held(folder / "blocks")
    except (FileExistsError, FileNotFoundError):  # another run has it, or has removed it
        return
    except OSError:  # as on a full disk, where no other run can lock it either
        discard(folder)
        return
    with suppress(OSError), file:
        if sys.platform == "win32":  # an open file cannot be removed there
            file.close()
        discard(folder)


def discard(folder: Path) -> None:
    """Removes the files of a run from its folder, and the folder if it is then empty."""
    with suppress(OSError):
        # The blocks last: while they exist and are locked, no other run starts.
        for pattern in ("key.json", STRIPS, ".qpfs-*", "blocks"):
            for path in folder.glob(pattern):
                path.unlink()
        folder.rmdir()


def strip_width(n_samples: int) -> int:
    """The number of features that are written together: full blocks, and a bounded number of values."""
    # By the number of samples alone: a run that is continued ends with the same bytes (decision 0011).
    width = block_width(max(n_samples, 1), USUAL_LEVELS)
    return width * int(np.clip(STRIP_CELLS // (width * max(n_samples, 1)), 1, 8))


def written(file: BinaryIO, layout: BlockLayout, block: Any, start: int) -> tuple[int, int, int, int, int]:
    """Writes a block; returns its place, number of features, size, length and checksum."""
    offset, crc = pad(file), 0
    arrays = layout.arrays(block.numbered(block.features + start))
    for array, kind in zip(arrays, layout.types, strict=True):
        gap = b"\0" * (-file.tell() % ALIGNED)
        data = np.ascontiguousarray(array, kind).data.cast("B")
        file.write(gap)
        file.write(data)
        crc = crc_of(data, crc_of(gap, crc))
    return offset, len(block.features), block.n_levels, file.tell() - offset, crc


def kept(part: ColumnRange, coding: Coding) -> dict[str, Any]:
    """The record of the features of a strip, as arrays."""
    labels = {
        str(feature + part.start): [plain_label(label, part.name(feature)) for label in some]
        for feature, some in coding.labels.items()
    }
    merged = {str(feature + part.start): n for feature, n in coding.merged.items()}
    return {
        "levels": coding.n_levels.astype(np.uint8),
        "edges": np.ascontiguousarray(coding.edges.T),
        "occurs": np.ascontiguousarray(coding.occurs.T),
        "labels": json.dumps([labels, merged], allow_nan=False),
    }


def plain_label(label: Any, name: str) -> Any:
    """A label as a JSON value; raises ValueError for one that JSON would change."""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, (str, bool, int)) or (isinstance(plain, float) and math.isfinite(plain)):
        return plain
    raise ValueError(
        f"{name} has the label {plain!r}, a {type(plain).__name__}; a store keeps text, numbers and truth "
        "values. Convert the labels to text."
    )


def is_readable(strip: Path) -> bool:
    """Whether a strip has a record that can be opened."""
    try:
        return bool(load(strip))
    except (StoreError, FileNotFoundError):
        return False


def load(strip: Path, *names: str) -> dict[str, Any]:
    """The record of a strip, or some of it: reading all of it every time took 30 % of 30 small strips."""
    try:
        with npy.opened(strip) as known:
            if known.n_bytes > strip.stat().st_size:
                raise ValueError("it is compressed")
            every = (*RECORDED, *({"columns"} & known.declared.keys()))
            return {name: known[name] for name in names or every}
    except FileNotFoundError:
        raise
    except (
        OSError,
        ValueError,
        EOFError,
        KeyError,
        BadZipFile,
        zlib.error,
        RuntimeError,
        MemoryError,
    ) as error:
        raise StoreError(
            f"{strip} cannot be read ({error}); remove the folder {strip.parent}, and encode again."
        ) from error


def widened(array: AnyArray, width: int, filling: Any) -> AnyArray:
    """A strip's array, widened to the most edges of all strips; codes of missing values stay last."""
    more = np.full((len(array), width - array.shape[1]), filling, array.dtype)
    return np.concatenate([array, more], axis=1)


def write_about(sections: Sections, about: About) -> None:
    if about.names is not None:
        sections.texts("names", list(about.names))
    for place, values in enumerate(about.targets.values()):
        sections.values(f"target {place}", values)
    if about.samples is not None:
        sections.texts("samples", list(about.samples))
    if about.groups is not None:
        sections.values("groups", about.groups)


def facts_of(draft: Draft, about: About, labels: list[Any]) -> dict[str, Any]:
    """The facts of a store: everything that is not an array."""
    return {
        "qpfs": version_of("qpfs"),
        "n_samples": draft.columns.n_samples,
        "n_features": draft.columns.n_features,
        "form": draft.layout.facts(),
        "rule": described(draft.rule),
        "targets": list(about.targets),
        "source": about.source,
        "checksum": about.checksum,
        "format": about.format,
        "notes": list(about.notes),
        "labels": {feature: some for part, _ in labels for feature, some in part.items()},
        "merged": {feature: n for _, part in labels for feature, n in part.items()},
    }
