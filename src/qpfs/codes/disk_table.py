"""An encoded table of levels or scores, which the `fit` of a selector takes in place of X."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np

from qpfs.arrays import AnyArray, FloatArray, IndexArray
from qpfs.checks import unfit
from qpfs.codes.columns import Columns, NumberColumns
from qpfs.codes.discretizers import DISCRETIZERS, Discretizer
from qpfs.codes.disk import MEMORY, MappedStore, mapped
from qpfs.codes.disk_format import StoreError
from qpfs.codes.encoding import Coding, Rule
from qpfs.codes.forms import LEVELS, Form, Levels, Scores
from qpfs.codes.restricting import restricted, restricted_scores
from qpfs.codes.store import MemoryStore, Store
from qpfs.engines import Engine
from qpfs.messages import Message, Parameter, invalid

CALLS = (0, 1, 2)  # copies of an allele: the only numbers of genotypes
SHELF, CACHE = 4, 4  # shares of the budget for transposed blocks, and for columns of Q


@dataclass(frozen=True, eq=False)
class About:
    """What an encoded table knows besides its features."""

    names: Sequence[str] | None = None  # of the features; None: they have no names
    targets: Mapping[str, AnyArray] = field(default_factory=dict)
    samples: Sequence[str] | None = None
    groups: AnyArray | None = None
    source: str | None = None
    checksum: str | None = None
    format: str | None = None
    notes: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)  # how the source was read; not in the file


class EncodedTable(Columns):
    """An encoded table, opened by :func:`qpfs.open_store`; a selector's ``fit`` takes it in place of X.

    It holds levels, or the scores that ``measure="rank"`` uses, as of the time of encoding: a selector's own
    ``discretizer`` must be None, or the same. It holds no numbers, so ``measure="correlation"``, FGM, GDM,
    and searches that fit a model reject it with an error.

    Attributes
    ----------
    shape : tuple of int
        Samples and features.
    names : sequence of str or None
        The names of the features, if they have names.
    y : ndarray or None
        The target that was stored with the table, the first if there are several.
    targets : dict
        All stored targets by name.
    samples, groups : sequence of str, ndarray, or None
        The names of the samples, and which belong together.
    form : Form
        How it was encoded; its `name` is "levels", or "scores", which also has a `degree`.
    rule : discretiser
        How numbers were discretised; for scores only its `max_categories` is used.
    blocks : sequence
        The packed features, mapped into memory on demand.
    path : Path or None
        The file; None for a part of a table.
    memory : int
        Bytes that a fit may keep of what it computes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_breast_cancer
    >>> from qpfs import QPFS, open_store, write_store
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_store(X, Path(folder) / "wdbc.qpfs", y)
    ...     table = open_store(path)
    ...     list(QPFS(2).fit(table, table.y).get_feature_names_out())
    ['worst texture', 'worst perimeter']
    """

    ndim = 2
    has_numbers = False

    def __init__(
        self,
        store: Any,
        coding: Coding,
        rule: Discretizer,
        about: About,
        memory: int = MEMORY,
        form: Levels | Scores = LEVELS,
    ) -> None:
        self.store = store
        self.form: Levels | Scores = form
        self.n_samples, self.n_features = int(store.n_samples), int(store.n_features)
        self.numeric = np.ones(self.n_features, bool)  # True where the column held numbers
        self.numeric[list(coding.labels)] = False
        self.coding = coding
        self.rule = rule
        self.about = about
        self.names, self.samples = about.names, about.samples
        self.targets, self.groups = about.targets, about.groups
        self.y: AnyArray | None = next(iter(about.targets.values()), None)
        self.memory = memory
        self.cache_bytes = memory // CACHE
        self.elsewhere = self.path is not None

    def __repr__(self) -> str:
        where = "" if self.path is None else f" in {str(self.path)!r}"
        return f"EncodedTable({self.n_samples} samples, {self.n_features} features{where})"

    @property
    def path(self) -> Path | None:
        return self.store.file.path if isinstance(self.store, MappedStore) else None

    @property
    def mark(self) -> str:
        """A checksum that identifies the content of the file."""
        return f"crc32:{self.store.file.mark}"

    @property
    def content(self) -> list[AnyArray]:
        """Arrays that identify the table's content."""
        if self.path is not None:
            return [np.array(self.mark)]
        return [np.asarray(getattr(block, one.name)) for block in self.blocks for one in fields(block)]

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_samples, self.n_features

    def __len__(self) -> int:
        return self.n_samples

    @property
    def nbytes(self) -> int:
        """The bytes of the packed features."""
        if self.form.name == Scores.name:
            return 2 * self.n_samples * sum(block.n_levels * len(block.features) for block in self.blocks)
        return int((self.coding.n_levels - 1).clip(0).sum()) * 8 * -(-self.n_samples // 64)

    @property
    def blocks(self) -> Sequence[Any]:
        blocks: Sequence[Any] = self.store.blocks
        return blocks

    def check_same(self) -> None:
        """Raises StoreError if the file has been changed since it was opened."""
        if self.path is not None:
            self.store.file.check_same()

    def name(self, feature: int) -> str:
        return f"column {feature}" if self.names is None else f"column {self.names[feature]!r}"

    def one(self, feature: int) -> FloatArray | None:
        """The scores of a column, which have the ties of its numbers; None for levels."""
        blocks = self.store.pick(np.array([feature])) if self.form.name == Scores.name else ()
        if not blocks or not self.numeric[feature]:
            return None
        found: FloatArray = blocks[0].in_order(np.zeros(1, bool))[:, 0]
        return found

    @staticmethod
    def takes(table: Any) -> bool:
        return isinstance(table, EncodedTable)

    @classmethod
    def of(cls, table: Any) -> Self:
        found: Self = table
        return found

    @classmethod
    def checked(cls, estimator: Any, table: Any, *, reset: bool, min_samples: int) -> Self:
        table.check_same()
        if table.n_samples < min_samples or table.n_features < 1:
            raise ValueError(
                f"{table!r} is too small: expected at least {min_samples} samples and 1 feature."
            )
        if reset:
            estimator.n_features_in_ = table.n_features
            if table.names is not None:
                estimator.feature_names_in_ = np.array(list(table.names), object)
        return cls.of(table)

    @staticmethod
    def possible_numbers(table: Any) -> Sequence[int]:
        return CALLS if table.about.format == "bed" else ()

    def packed(self, form: Form, rule: Rule, engine: Engine | None) -> tuple[Store, Coding | None]:
        """The stored features; raises TypeError if they are of another form."""
        cut = form.name == self.form.name == LEVELS.name
        if not cut and form.plain != self.form:
            self.refuse_form(form)
        store, coding = self.store, self.coding
        if self.weights is not None and not cut:  # ranks depend on the weights
            self._check_room(self.n_samples)
            store, coding = restricted_scores(store, coding, np.arange(self.n_samples), self.weights)
        return form.over(store), coding if cut or coding.labels else None

    def refuse_form(self, form: Form) -> NoReturn:
        """Raises TypeError, since the table is encoded for another measure."""
        if form.name == LEVELS.name:
            raise TypeError(
                Message(
                    "This table was encoded as scores of ranks, for ",
                    Parameter("measure", "rank"),
                    " alone, and this needs levels (as all other measures, JMI and CMIM do). Use ",
                    Parameter("measure", "rank"),
                    ", or encode the data again without it (write_store or `qpfs encode`, no measure).",
                )
            )
        if form.name != Scores.name:
            self.refuse_numbers()
        if isinstance(self.form, Scores):
            raise TypeError(
                f"This table was encoded for the measure Rank({self.form.degree}), but another degree is "
                "requested. Use that one, or encode the data again."
            )
        raise TypeError(
            Message(
                "This table was encoded as levels, and ",
                Parameter("measure", "rank"),
                " needs scores of ranks. Use another measure, or encode the data again (write_store or `qpfs "
                "encode`) with ",
                Parameter("measure", "rank"),
                ".",
            )
        )

    def learned(self, rule: Rule) -> Coding:
        self.refuse_numbers()

    def with_numbers(self) -> NumberColumns:
        self.refuse_numbers()

    def __array__(self, *_: Any, **__: Any) -> AnyArray:
        self.refuse_numbers()

    def refuse_numbers(self) -> NoReturn:
        """Raises TypeError, since the table holds no numbers."""
        raise TypeError(
            Message(
                f"An encoded table holds {self.form.name}, not numbers, and this needs numbers (as ",
                Parameter("measure", "correlation"),
                " or a function, FGM, GDM, scorers, searches and classifiers do). Give the table it was made "
                "from.",
            )
        )

    def rule_for(self, asked: Any, usual: Any) -> Any:
        """The rule that discretised the numbers; raises ValueError if another is requested."""
        same = asked is None or described(asked) == described(self.rule)
        if not same and not (
            self.form.name == Scores.name and asked.max_categories == self.rule.max_categories
        ):
            # An error, not a note: the result would be another than the parameters say (decision 0011).
            raise invalid(
                Parameter("discretizer", asked),
                f", but the table was encoded with {self.rule!r}; leave ",
                Parameter("discretizer"),
                " out, or encode the data again with the other.",
            )
        return made(described(self.rule))

    def __getitem__(self, key: Any) -> EncodedTable:
        """Some rows, ``table[rows]``, or some columns, ``table[:, columns]``, in memory."""
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        columns = slice(None) if columns is Ellipsis else columns
        if isinstance(rows, slice) and rows == slice(None) and not isinstance(columns, (int, str)):
            return self.some_columns(np.arange(self.n_features)[columns])
        if isinstance(columns, slice) and columns == slice(None) and not isinstance(rows, (int, str)):
            return self.some_rows(np.arange(self.n_samples)[rows])
        raise TypeError("Index an encoded table by rows, table[rows], or by columns, table[:, columns].")

    def some_columns(self, features: IndexArray) -> EncodedTable:
        """The table of some distinct features, in memory."""
        if len(np.unique(features)) < len(features):
            raise ValueError("Some columns are named more than once; name each once.")
        place = np.full(self.n_features, -1, np.intp)
        place[features] = np.arange(len(features))
        blocks = [block.numbered(place[block.features]) for block in self.store.pick(features)]
        names = None if self.names is None else [self.names[i] for i in features.tolist()]
        return EncodedTable(
            MemoryStore(blocks, self.n_samples, len(features)),
            some_codings(self.coding, features),
            self.rule,
            replace(self.about, names=names),
            self.memory,
            self.form,
        )

    def some_rows(self, rows: IndexArray) -> EncodedTable:
        """The table of some samples, in memory: with the levels of the whole, or with scores ranked again.

        Levels without a sample are removed.
        """
        self._check_room(len(rows))
        restrict = restricted_scores if self.form.name == Scores.name else restricted
        store, coding = restrict(self.store, self.coding, rows)
        return EncodedTable(store, coding, self.rule, self._about_rows(rows), self.memory, self.form)

    def _check_room(self, n_rows: int) -> None:
        """Raises ValueError if so many samples exceed the memory limit."""
        needed = self.nbytes * n_rows // max(self.n_samples, 1)
        if needed > self.memory:
            raise invalid(
                f"{n_rows} of {self.n_samples} samples take about {needed / 1e6:.0f} MB, but the "
                "table was opened with ",
                Parameter("memory", self.memory),
                "; open it with more.",
            )

    def _about_rows(self, rows: IndexArray) -> About:
        return replace(
            self.about,
            targets={name: values[rows] for name, values in self.targets.items()},
            samples=None if self.samples is None else [self.samples[i] for i in rows.tolist()],
            groups=None if self.groups is None else self.groups[rows],
        )

    def __reduce__(self) -> Any:
        if self.path is None:
            return EncodedTable, (self.store, self.coding, self.rule, self.about, self.memory, self.form)
        return table_in, (self.store, self.memory)


def some_codings(coding: Coding, features: IndexArray) -> Coding:
    """How some columns were discretised, renumbered from 0."""
    number = {feature: place for place, feature in enumerate(features.tolist())}
    return Coding(
        np.arange(len(features)),
        coding.edges[:, features],
        coding.n_levels[features],
        coding.occurs[:, features],
        {number[f]: labels for f, labels in coding.labels.items() if f in number},
        {number[f]: n for f, n in coding.merged.items() if f in number},
    )


def described(rule: Discretizer) -> dict[str, Any]:
    """A rule as plain data; raises ValueError for one without a name to restore it by."""
    name = getattr(rule, "name", "")
    if DISCRETIZERS.get(name) is not type(rule):
        raise ValueError(f"{rule!r} cannot be kept in a store; use one of {', '.join(DISCRETIZERS)}.")
    parameters = {
        key: value.item() if isinstance(value, np.generic) else value
        for key, value in rule.get_params().items()
    }
    return {"name": name, "parameters": parameters}


def made(description: Mapping[str, Any]) -> Discretizer:
    """The rule of a description; raises ValueError if it is not known."""
    kind, parameters = DISCRETIZERS.get(description["name"]), description["parameters"]
    if kind is None or set(parameters) != set(kind().get_params()):
        raise ValueError(
            f"{str(description)[:200]} is not a known rule; use one of {', '.join(DISCRETIZERS)}."
        )
    rule: Discretizer = kind(**parameters)
    rule.check()
    return rule


def open_store(
    path: str | os.PathLike[str], *, verify: bool = True, memory: int | None = None
) -> EncodedTable:
    """A table that was encoded into a file, for the ``fit`` of a selector.

    The packed features are memory-mapped from the file, so the operating system can reclaim their memory. The
    file may come from an untrusted source: its directory and sections are checked completely before they are
    used, and each block of features at its first use, whatever `verify` is. The file must not be changed
    while the table is in use.

    Parameters
    ----------
    path : str or path
        A file written by :func:`write_store` or ``qpfs encode``.
    verify : bool, default=True
        Whether to read all of it once and compare checksums (128 MB take a twentieth of a second, once
        they are in memory). If not, packed features are read on demand, and damage that does not change any
        count is not noticed; the checksums of everything else are always compared.
    memory : int or None, default=None
        About how many bytes of intermediate results a fit may keep; None is a gigabyte. Less is slower and
        gives the same result.

    Returns
    -------
    table : EncodedTable
        With `shape`, `names`, `y`; a pickle of it keeps the name of the file, not the data.

    See Also
    --------
    write_store : Writes such a file from a table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from qpfs import MaxRel, open_store, write_store
    >>> X, y = np.random.default_rng(0).normal(size=(60, 500)), np.arange(60) % 2
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = open_store(write_store(X, Path(folder) / "noise.qpfs", y))
    ...     bool((MaxRel(5).fit(table, y).order_ == MaxRel(5, measure="mi").fit(X, y).order_).all())
    True
    """
    budget = MEMORY if memory is None else checked_memory(memory)
    table = table_in(mapped(path, budget // SHELF, verify=verify), budget)
    if verify:
        for _ in table.blocks:  # each is checked at first use
            pass
    return table


def checked_memory(memory: Any) -> int:
    if not isinstance(memory, (int, np.integer)) or isinstance(memory, bool) or memory < 1 << 20:
        raise unfit("memory", memory, "a number of bytes, at least 1048576 (1 MB).")
    return int(memory)


def table_in(store: MappedStore, memory: int) -> EncodedTable:
    """The table that a store's file holds."""
    file = store.file
    facts = file.facts
    try:
        rule = made(facts["rule"])
    except ValueError as error:
        raise StoreError(f"{file.path} was not encoded by a rule of this version of qpfs: {error}") from error
    coding = Coding(
        np.arange(store.n_features),
        file.section("edges").T,
        file.section("levels").astype(np.intp),
        file.section("occurs").T,
        {int(feature): tuple(labels) for feature, labels in facts["labels"].items()},
        {int(feature): n for feature, n in facts["merged"].items()},
    )
    about = About(
        file.texts("names") if file.has("names") else None,
        {name: file.values(f"target {i}") for i, name in enumerate(facts["targets"])},
        file.texts("samples") if file.has("samples") else None,
        file.values("groups") if file.has("groups") else None,
        facts["source"],
        facts["checksum"],
        facts["format"],
        tuple(facts["notes"]),
    )
    return EncodedTable(store, coding, rule, about, memory, file.layout.form)
