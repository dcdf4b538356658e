"""The options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DATA = "What to read"
METHOD = "Parameters of the method"
RESULT = "What to do with the answer"

FILES = "A file (CSV, TSV, Parquet, Feather, npy, npz, svmlight, ARFF, mat, h5ad, bed; also gzipped)"
OTHERS = "- for standard input, or the name of a set: wdbc, digits, ... (qpfs datasets list)."
Table = Annotated[str, typer.Argument(metavar="DATA", help=f"{FILES}, {OTHERS}", show_default=False)]
Source = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help=f"{FILES}, a store that `qpfs encode` wrote, {OTHERS}", show_default=False
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="The column to be told about; named sets have theirs.", rich_help_panel=DATA
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Another file with the target, by name of sample or in order.",
        rich_help_panel=DATA,
    ),
]
FeaturesIn = Annotated[
    str,
    typer.Option(
        metavar="WHERE",
        help="Where features are: columns, or rows as in expression matrices.",
        rich_help_panel=DATA,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Leave out a column (or a pattern: 'id_*').", rich_help_panel=DATA),
]
Index = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The column that names the samples.", rich_help_panel=DATA),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Samples with the same value here (a patient, a batch) stay together when samples are drawn.",
        rich_help_panel=DATA,
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT", help="A further mark of a missing value, such as -999.", rich_help_panel=DATA
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="A column (or pattern) whose numbers are labels.", rich_help_panel=DATA
    ),
]
Layer = Annotated[
    str | None, typer.Option(metavar="NAME", help="The layer of an .h5ad file.", rich_help_panel=DATA)
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="What the file is, if its content does not tell.",
        rich_help_panel=DATA,
    ),
]

DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Where sets lie as NAME.npz; the environment's QPFS_DATA by default.",
        rich_help_panel=DATA,
    ),
]

MethodName = Annotated[
    str,
    typer.Option(
        help="How features are weighed; see below. Parameters as in ikma:radius=0.9,n_first=20.",
        metavar="NAME",
    ),
]
Top = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="How many features; by default all with positive weight."),
]
Seed = Annotated[
    int, typer.Option(metavar="N", min=0, max=2**32 - 1, help="For whatever is drawn at random.")
]
Jobs = Annotated[
    int, typer.Option(metavar="N", help="Threads or processes, -1 for all; the answer is the same.")
]
Memory = Annotated[
    str,
    typer.Option(metavar="SIZE", help="The most memory to take, such as 512MB or 4GB; at least 256MB."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Nothing on standard error but errors.", rich_help_panel=RESULT)
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an earlier result.", rich_help_panel=RESULT)]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="The result as JSON on standard output, in place of a table.", rich_help_panel=RESULT
    ),
]


def to_write(text: str | Path) -> Path:
    """A path that something is to be written to; a default is one already."""
    if not str(text).strip():
        raise typer.BadParameter("it is empty; name a file or a folder (. is the one you are in).")
    return Path(text)


Theta = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="How much relevance counts against redundancy: 0 to 1, or auto, which balances their means. "
        "(qpfs, nystrom, tlkm, ikm, ikma)",
        rich_help_panel=METHOD,
    ),
]
Measure = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What relevance and redundancy are measured by: rank (needs no levels), mi (mutual "
        "information), correlation, chi2, or auto: rank, but mi with --levels. "
        "(all but jmi, cmim, fgm, gdm)",
        rich_help_panel=METHOD,
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="How numbers are discretised for mi and chi2: equal-frequency:3, equal-width:5, three-segments "
        "(at mean ± 1 standard deviation), three-segments:0.5, or codes for integers as they are. "
        "(all but fgm, gdm)",
        rich_help_panel=METHOD,
    ),
]
TargetLevels = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="How a target that is a quantity is discretised; equal-frequency:5. (all but fgm, gdm)",
        rich_help_panel=METHOD,
    ),
]
ClustererName = Annotated[
    str | None,
    typer.Option(
        "--clusterer",
        metavar="NAME",
        help="What clusters features: kmeans or two-level-kmeans. (two-level, interleaved)",
        rich_help_panel=METHOD,
    ),
]
CriterionName = Annotated[
    str | None,
    typer.Option(
        "--criterion",
        metavar="NAME",
        help="The method that weighs what stands for a cluster; qpfs. (two-level, interleaved)",
        rich_help_panel=METHOD,
    ),
]
Discard = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Which clusters are discarded: careful, aggressive or never. (interleaved)",
        rich_help_panel=METHOD,
    ),
]
NKeep = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="How many clusters of a round keep their weight. (interleaved)",
        rich_help_panel=METHOD,
    ),
]
Radius = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="tau: clusters this narrow are not split; 0 (identical features only) to 1, or auto. "
        "(tlkm, ikm, ikma, interleaved)",
        rich_help_panel=METHOD,
    ),
]
NFirst = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="How many clusters at first. (tlkm, ikm, ikma, interleaved)", rich_help_panel=METHOD
    ),
]
NSplit = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Into how many parts a cluster is split. (ikm, ikma)", rich_help_panel=METHOD
    ),
]
MaxDepth = Annotated[
    int | None,
    typer.Option(metavar="N", help="The most rounds of splitting. (ikm, ikma)", rich_help_panel=METHOD),
]
NClusters = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="The most parts that a cluster is split into. (tlkm)", rich_help_panel=METHOD
    ),
]
Repeat = Annotated[
    bool | None,
    typer.Option(
        "--repeat", help="Split until every cluster is as narrow as tau. (tlkm)", rich_help_panel=METHOD
    ),
]
Init = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="Where clusters begin: leaders, relevance, first, random or farthest. (tlkm, ikm, ikma)",
        rich_help_panel=METHOD,
    ),
]
Representative = Annotated[
    str | None,
    typer.Option(
        metavar="RULE",
        help="Which member stands for a cluster: mean, literal or medoid. (tlkm, ikm, ikma)",
        rich_help_panel=METHOD,
    ),
]
ThetaScope = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="One theta for all programs (global), or one for each (local). (tlkm, ikm, ikma)",
        rich_help_panel=METHOD,
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="How features with weight are ranked: one by one, each the most relevant beyond the nearest "
        "before it (nearest), or by weight (weight). (qpfs, tlkm, ikm, ikma)",
        rich_help_panel=METHOD,
    ),
]
NStarts = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="From how many points the program is solved. (qpfs)", rich_help_panel=METHOD
    ),
]
SamplingRate = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="The share of columns that the rest is guessed from. (nystrom)",
        rich_help_panel=METHOD,
    ),
]
DiagonalCorrection = Annotated[
    bool | None,
    typer.Option("--diagonal-correction", help="Put the true diagonal in. (nystrom)", rich_help_panel=METHOD),
]
Scheme = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Relevance less mean redundancy (difference), divided by it (quotient), or less the "
        "redundancy with the nearest taken (nearest). (mrmr)",
        rich_help_panel=METHOD,
    ),
]
NPerStep = Annotated[
    int | None,
    typer.Option(metavar="N", help="How many features a step asks for. (fgm, gdm)", rich_help_panel=METHOD),
]
C = Annotated[
    float | None,
    typer.Option(
        "--c",
        metavar="NUMBER",
        help="How much an error costs the linear machine. (fgm, gdm)",
        rich_help_panel=METHOD,
    ),
]
MaxCorrelation = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Features of one step correlate no more than this. (gdm)",
        rich_help_panel=METHOD,
    ),
]
Loss = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What an error costs as it grows: squared_hinge or logistic. (fgm, gdm)",
        rich_help_panel=METHOD,
    ),
]
MaxIter = Annotated[
    int | None,
    typer.Option(metavar="N", help="The most steps that add features. (fgm, gdm)", rich_help_panel=METHOD),
]
Tol = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="How near to the best the machine is fitted. (fgm, gdm)",
        rich_help_panel=METHOD,
    ),
]
FitIntercept = Annotated[
    bool | None,
    typer.Option("--fit-intercept", help="Give the machine a constant. (fgm, gdm)", rich_help_panel=METHOD),
]
