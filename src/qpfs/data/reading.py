"""How a source is to be read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase

from qpfs.checks import unfit
from qpfs.data.errors import UsageError
from qpfs.messages import Message, Parameter


@dataclass(frozen=True)
class Reading:
    """How a file is to be read: which column is what.

    Parameters
    ----------
    target : str or None
        The column to be told about: a column of a table, a column of ``obs`` of an ``.h5ad`` file, a key of
        an ``.npz`` or ``.mat`` file. Named sets know theirs.
    further : tuple of str
        Further targets, to be told about together with the first; found as it is.
    labels : str or None
        Another file with the target: matched by sample name if both have names, else by order. Without
        `index`, a column that holds the names of that file is taken for it, with a note. Samples without a
        label, and labels without a sample, are left out with a note.
    strict : bool
        Whether samples without a label or target are an error in place of a note.
    features_in : {"columns", "rows"}
        Where the features are. With ``"rows"`` the first column names them and the header names the samples.
    drop : tuple of str
        Columns left out; ``*`` and ``?`` stand for any text and any character.
    index : str or None
        The column that names the samples.
    groups : str or None
        The column that says which samples belong together; of the table, or of the file of labels.
    weights : str or None
        The column that has the weight of each sample; of the table, or of the file of labels.
    adjust : tuple of str
        Columns that are no features and that features are adjusted for (batch, sex, age); of the table, or of
        the file of labels. Numbers of those that `categorical` names are labels.
    missing : tuple of str
        Values that mean "not known", besides empty cells, NA, NaN and the like.
    categorical : tuple of str
        Columns whose numbers are labels; patterns as for `drop`.
    keep : tuple of str
        Further columns that are no features: other targets, which :func:`open_stream` passes on.
    layer : str or None
        The layer of an ``.h5ad`` file, in place of ``X``.
    names : str or None
        The column of ``var`` of an ``.h5ad`` file that names the features (symbols of genes, say); names that
        repeat are made unique, with a note.
    exclude_where : tuple of str
        Columns of ``var`` of an ``.h5ad`` file that are true of features to be left out, with a note.
    keep_where : tuple of str
        Columns of ``var`` of an ``.h5ad`` file that are true of features that must be selected.
    format : str or None
        What the file is, where its content does not say.

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
        if self.features_in not in ("columns", "rows"):
            raise unfit("features_in", self.features_in, "'columns' or 'rows'.", UsageError)
        twice = next((name for name, times in Counter(self.targets).items() if times > 1), None)
        if twice is not None:
            raise UsageError(Message(Parameter("target", twice), " is named twice; name each target once."))

    @property
    def targets(self) -> tuple[str, ...]:
        """All targets that are asked for."""
        return self.further if self.target is None else (self.target, *self.further)

    @property
    def in_rows(self) -> bool:
        return self.features_in == "rows"


def matched(pattern: str, name: str) -> bool:
    """Whether a name is the pattern, or fits it with * and ? as wildcards."""
    return name == pattern or fnmatchcase(name, pattern)


def in_columns(what: str) -> UsageError:
    """That features are asked for in rows, of something that has them in columns."""
    return UsageError(Message(f"{what}; leave out ", Parameter("features_in", "rows"), "."))


def reject_annotated(reading: Reading, source: str, form: str) -> None:
    """Raises UsageError for what is asked of the layers and variables of an .h5ad file, if this is none."""
    given = [name for name in ("layer", "names", "exclude_where", "keep_where") if getattr(reading, name)]
    if given and form != "h5ad":
        raise UsageError(Message(Parameter(given[0]), f" is for .h5ad files, and {source!r} is none."))
