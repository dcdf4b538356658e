"""The schema of records, written once: types for their readers, from which the checks of a record are made.

Fields that are not listed are ignored, since later versions may add some. Lists that are drawn are at most as
long as a page can show, and integers at most 2^53: a page takes bounded time and memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict, cast

from qpfs.kinds import (
    AMOUNT,
    COUNT,
    PLAIN,
    RANK,
    SHARE,
    Kind,
    MismatchError,
    Unchecked,
    kind_of,
    number,
    whole,
)
from qpfs.report import agreements
from qpfs.report.agreements import RECORD_ROUNDING

SELECTION, COMPARISON = SCHEMAS = "qpfs-selection/3", "qpfs-comparison/2"
DRAWN = 10_000  # entries of a list that all are drawn,
TOLD = 1_000  # or that have a table row or a picture each
PAIRED = 100  # entries that are drawn with each other
LEVELS = 256  # of a column: codes are bytes
CLASSES = 30  # shown separately
LARGEST = 1e100  # error or score whose digits a page can still show

Count: TypeAlias = Annotated[int, COUNT]
Rank: TypeAlias = Annotated[int, RANK]
Whole: TypeAlias = Annotated[int, whole(-(2**53))]
Share: TypeAlias = Annotated[float, SHARE]
Amount: TypeAlias = Annotated[float, AMOUNT]
NearlyShare: TypeAlias = Annotated[float, number(0, 1, RECORD_ROUNDING)]  # computed as 1 minus something
Index: TypeAlias = Annotated[float, number(-1, 1, RECORD_ROUNDING)]
Score: TypeAlias = Annotated[float, number(-LARGEST, LARGEST)]
Plain: TypeAlias = Annotated[object, PLAIN]
Task: TypeAlias = Literal["classification", "regression"]
Form: TypeAlias = Literal["levels", "numbers", "scores", "raw"]
Counts: TypeAlias = Annotated[list[Annotated[list[Count], LEVELS]], CLASSES]  # of each class


class RecordError(ValueError):
    """A record is not as this version writes it; the message gives the place and what was expected."""


class NearRecord(TypedDict):
    feature: str
    index: Count
    distance: NearlyShare
    selected: NotRequired[bool]
    rank: NotRequired[Rank | None]
    frequency: NotRequired[NearlyShare]
    near: NotRequired[bool]


class LevelsRecord(TypedDict):
    names: Annotated[list[str], LEVELS]
    counts: Counts | None
    edges: NotRequired[Annotated[list[float | None], LEVELS]]
    labels: NotRequired[Annotated[list[str], LEVELS]]
    values: NotRequired[Annotated[list[Whole], LEVELS]]


class TiedRecord(TypedDict):
    value: float
    counts: Annotated[list[Count], CLASSES]


class DistributionRecord(TypedDict):
    edges: Annotated[list[float], LEVELS]
    integers: bool
    counts: Counts
    beyond: tuple[Count, Count]
    missing: Annotated[list[Count], CLASSES]
    tied: NotRequired[TiedRecord]


class ScoresRecord(TypedDict):
    edges: Annotated[list[float], LEVELS]
    counts: Annotated[list[Count], LEVELS]
    tied: Annotated[list[Count], LEVELS]
    n_values: Count
    largest: Count
    missing: Count | None
    columns: Rank
    labels: bool


class EffectRecord(TypedDict):
    measure: str  # auc, eta2, rho or cramers_v; a later version may have others
    size: Index
    direction: str | None
    n: NotRequired[Count]  # samples it is based on, if not on all


class FeatureRecord(TypedDict):
    rank: Rank
    feature: str
    index: Count
    columns: NotRequired[list[str]]  # of a group that is one feature
    kept: NotRequired[bool]  # if some features were kept: whether this is one of them
    weight: float
    relevance: float | None
    pvalue: NotRequired[NearlyShare | None]
    qvalue: NotRequired[NearlyShare | None]
    effect: NotRequired[EffectRecord | None]
    cluster: Count | None
    cluster_size: Rank | None
    distance_to_representative: NearlyShare | None
    members: Annotated[list[NearRecord], PAIRED] | None
    frequency: NearlyShare | None
    instead: NotRequired[Annotated[list[NearRecord], PAIRED] | None]
    alternatives: Annotated[list[NearRecord], PAIRED] | None
    levels: LevelsRecord | None
    distribution: DistributionRecord | None
    normal_scores: NotRequired[ScoresRecord | None]


class ClassRecord(TypedDict):
    name: str
    n: Count


class TargetRecord(TypedDict):
    name: str
    task: Task
    n_classes: Count
    weight: NotRequired[Amount]  # if relevance is the mean over targets; else they are used jointly


class StoreRecord(TypedDict):
    source: str | None
    format: str | None
    levels: NotRequired[str]
    scores: NotRequired[str]


class SampleWeightsRecord(TypedDict):
    sum: float
    effective: float  # the number of equal weights with the same information
    digits: Count  # binary digits of the largest
    rounded: bool


class CovariateRecord(TypedDict):
    name: str
    n_categories: Count | None


class LabelsRecord(TypedDict):
    source: str
    checksum: str


class DataRecord(TypedDict):
    source: str | None
    format: str | None
    checksum: str | None
    labels: NotRequired[Annotated[list[LabelsRecord], TOLD]]  # files of labels
    target: str | None
    task: Task
    targets: NotRequired[Annotated[list[TargetRecord], TOLD]]
    classes: Annotated[list[ClassRecord], CLASSES]
    n_classes: Count
    taken: NotRequired[Annotated[list[str], PAIRED]]
    n_samples: Count
    n_features: Count
    n_constant: Count
    weights: NotRequired[SampleWeightsRecord]
    adjusted: NotRequired[Annotated[list[CovariateRecord], TOLD]]
    n_reflecting: NotRequired[Count]
    notes: Annotated[list[str], DRAWN]
    store: NotRequired[StoreRecord | None]


class AccountRecord(TypedDict):
    text: str
    references: Annotated[list[str], PAIRED]
    certainty: Annotated[list[str], PAIRED]
    repeats_little: bool
    scored: NotRequired[str | None]
    ranked: NotRequired[str | None]
    distance: str


MethodRecord = TypedDict(
    "MethodRecord",
    {
        "name": str,
        "title": str,
        "class": str,
        "parameters": dict[str, Plain],
        "account": AccountRecord,
        "seed": NotRequired[Whole | None],
        "chosen": NotRequired[dict[str, Plain]],
        "score": NotRequired[float | None],
    },
)


class CertificateRecord(TypedDict):
    theta: NotRequired[Share]
    theta_standard_error: NotRequired[Amount | None]
    objective: NotRequired[float | None]
    gap: NotRequired[float]
    status: NotRequired[str | None]
    n_columns: NotRequired[Count | None]


class RedundancyRecord(TypedDict):
    indices: Annotated[list[Count], PAIRED]
    names: Annotated[list[str], PAIRED]
    values: Annotated[list[Annotated[list[Share], PAIRED]], PAIRED]
    measure: str
    shared: str


class ReasonRecord(TypedDict):
    reason: str
    n: Rank


class LeftRecord(TypedDict):
    feature: str
    index: Count
    rank: Rank | None
    relevance: float | None
    frequency: NearlyShare | None
    effect: EffectRecord | None
    reason: str


class LeftOutRecord(TypedDict):
    reasons: Annotated[list[ReasonRecord], PAIRED]
    features: Annotated[list[LeftRecord], PAIRED]


class WeightsRecord(TypedDict):
    ranked: Annotated[list[tuple[Rank, float, float | None]], DRAWN]  # rank, weight, relevance
    n_positive: Count
    n_ranked: Count
    names: NotRequired[Annotated[list[str], DRAWN]]  # of the first ranks


class BarRecord(TypedDict):
    left: Count
    width: Rank
    fate: Literal["split", "kept", "discarded"]
    n_clusters: Rank
    representative: str | None
    radius: float | None
    weight: float | None


class LevelRecord(TypedDict):
    level: Count
    bars: Annotated[list[BarRecord], TOLD]


class FateRecord(TypedDict):
    clusters: Count
    features: Count


class FatesRecord(TypedDict):
    split: FateRecord
    kept: FateRecord
    discarded: FateRecord


class ClustersRecord(TypedDict):
    n_features: Rank
    n_levels: Count
    n_rounds: Count
    radius: float | None
    fates: FatesRecord
    levels: Annotated[list[LevelRecord], PAIRED]
    selected: Annotated[list[Count], PAIRED]


class IndexRecord(TypedDict):
    index: Index | None
    low: NotRequired[float | None]
    high: NotRequired[float | None]


class ClusterStability(IndexRecord):
    n: Count
    text: str


class OftenRecord(TypedDict):
    feature: str
    share: NearlyShare
    index: NotRequired[Count]
    rank: NotRequired[Rank | None]  # of a selected one


class StabilityRecord(IndexRecord):
    confidence: NotRequired[Share]
    n: NotRequired[Count]
    n_asked: NotRequired[Count]
    n_empty: NotRequired[Count]  # resamples in which nothing was selected
    n_different: NotRequired[Count | None]
    resample: NotRequired[str | None]
    overlap: NotRequired[NearlyShare | None]
    units: NotRequired[Literal["samples", "groups"]]
    clusters: NotRequired[ClusterStability | None]
    often: NotRequired[Annotated[list[OftenRecord], PAIRED]]
    n_often: NotRequired[Count]
    seed: NotRequired[Whole | None]
    fixed_levels: NotRequired[bool | None]


class CohortRecord(TypedDict):
    name: str
    n: Count
    score: Score | None  # on it, after selection and training on the others
    all_features: Score | None
    n_common: Count | None  # number of the features selected on all together that it alone selects
    source: NotRequired[str | None]
    format: NotRequired[str | None]
    checksum: NotRequired[str | None]
    n_features: NotRequired[Count]


class CohortFeatureRecord(TypedDict):
    feature: str
    index: Count
    rank: Rank | None  # on all cohorts together
    n: Count  # number of cohorts that alone select it
    selected: Annotated[list[bool], PAIRED]
    agree: bool | None
    effects: Annotated[list[EffectRecord | None], PAIRED]


class CohortsRecord(TypedDict):
    size: Rank
    within: bool
    cohorts: Annotated[list[CohortRecord], PAIRED]
    features: Annotated[list[CohortFeatureRecord], DRAWN]
    n_in_all: Count
    index: Index | None
    jaccard: Annotated[list[Annotated[list[Share | None], PAIRED]], PAIRED]
    notes: NotRequired[Annotated[list[str], PAIRED]]


class SizedStability(IndexRecord):
    size: NotRequired[Count | None]


class BoundsRecord(TypedDict):
    low: NotRequired[Score | None]
    high: NotRequired[Score | None]


class PointRecord(BoundsRecord):
    k: Rank
    score: Score
    n: NotRequired[Count]


class NestedRecord(BoundsRecord):
    score: Score | None
    standard_error: NotRequired[Amount | None]
    k: NotRequired[list[Count]]


class BaselineRecord(BoundsRecord):
    name: str
    score: NotRequired[Score | None]
    failed: NotRequired[str | None]


class ExtentRecord(TypedDict):
    fewest: Count
    most: Count


class SecondsRecord(TypedDict):
    median: Amount
    low: NotRequired[Amount | None]
    high: NotRequired[Amount | None]


ComparedRecord = TypedDict(
    "ComparedRecord",
    {
        "name": str,
        "title": str,
        "class": NotRequired[str],
        "parameters": NotRequired[Plain],
        "references": NotRequired[Annotated[list[str], PAIRED] | None],
        "failed": NotRequired[str | None],
        "curve": NotRequired[Annotated[list[PointRecord], DRAWN]],
        "nested": NotRequired[NestedRecord | None],
        "best": NotRequired[PointRecord | None],
        "smallest": NotRequired[PointRecord | None],
        "ranked": NotRequired[ExtentRecord | None],
        "seconds": NotRequired[SecondsRecord | None],
        "memory_mb": NotRequired[Amount | None],
        "memory_note": NotRequired[str | None],
        "stability": NotRequired[SizedStability | None],
        "often": NotRequired[Annotated[list[OftenRecord], TOLD]],
        "notes": NotRequired[list[str]],
        "style": NotRequired[Count],
    },
)


class ScoringRecord(TypedDict):
    name: str
    greater_is_better: bool


class ProtocolRecord(TypedDict):
    text: str
    stability: NotRequired[str | None]  # which stability is meant
    outer: NotRequired[Plain]
    inner: NotRequired[Plain]
    estimator: NotRequired[Plain]
    scoring: NotRequired[ScoringRecord | None]
    groups: NotRequired[Plain]
    sizes: NotRequired[list[Rank] | None]
    confidence: NotRequired[Share | None]


class ComparedDataRecord(TypedDict):
    source: NotRequired[str | None]
    target: NotRequired[str | None]
    checksum: NotRequired[str | None]
    task: NotRequired[Task | None]
    n_samples: Count
    n_features: Count


class ComparisonRecord(TypedDict):
    schema: NotRequired[Literal["qpfs-comparison/2"]]
    qpfs: str | None
    created: str
    command: NotRequired[str | None]
    data: ComparedDataRecord
    protocol: ProtocolRecord
    methods: Annotated[list[ComparedRecord], TOLD]
    baselines: NotRequired[Annotated[list[BaselineRecord], TOLD] | None]
    guessing: NotRequired[BaselineRecord | None]  # the error rate without any feature
    versions: NotRequired[dict[str, str | None] | None]
    seconds: NotRequired[dict[str, Amount | None]]


class ChanceRecord(TypedDict):
    """Whether the features are more relevant than chance."""

    test: str  # the source of p values
    level: Share  # that q values are compared with
    n_tested: Count
    n_significant: Count
    n_doubtful: NotRequired[Count]  # selected features that are not
    n_shuffled: Count  # features whose p values come from shuffles, since counts are small
    smallest_q: NearlyShare
    n_permutations: Count  # for family-wise p values
    n_familywise: Count | None  # features with such a p value of at most the level
    line: Amount | None  # the relevance that chance reaches, for the most features
    warning: str | None  # the warning that nothing is above chance


class CuttingRecord(TypedDict):
    rule: str
    text: str
    form: NotRequired[Form]


class SelectionRecord(TypedDict):
    schema: Literal["qpfs-selection/3"]
    qpfs: str | None
    created: str
    command: str | None
    cautions: NotRequired[Annotated[list[str], PAIRED]]
    data: DataRecord
    method: MethodRecord
    certificate: CertificateRecord
    n_weighted: Count
    n_selected: Count
    n_choices: NotRequired[Count]  # features and groups that are one, where there are such groups
    features: list[FeatureRecord]
    left_out: NotRequired[LeftOutRecord | None]
    redundancy: RedundancyRecord | None
    weights: WeightsRecord
    chance: NotRequired[ChanceRecord | None]
    clusters: ClustersRecord | None
    stability: StabilityRecord | None
    comparison: ComparisonRecord | None
    cohorts: NotRequired[CohortsRecord | None]
    levels: CuttingRecord
    versions: dict[str, str | None]
    seconds: dict[str, Amount | None]


RULES: dict[object, Callable[[Any], None]] = {  # how the parts of each must agree
    ScoresRecord: agreements.scores_agree,
    FeatureRecord: agreements.members_agree,
    DataRecord: agreements.classes_agree,
    CertificateRecord: PLAIN.check,  # its other fields are shown unchanged
    RedundancyRecord: agreements.redundancy_agrees,
    WeightsRecord: agreements.ranks_agree,
    ClustersRecord: agreements.clusters_agree,
    ClusterStability: agreements.interval_agrees,
    StabilityRecord: agreements.drawn_how,
    PointRecord: agreements.interval_agrees,
    NestedRecord: agreements.interval_agrees,
    BaselineRecord: agreements.interval_agrees,
    SizedStability: agreements.interval_agrees,
    ComparisonRecord: agreements.methods_agree,
    CohortsRecord: agreements.cohorts_agree,
    SelectionRecord: agreements.selection_agrees,
}


@cache
def kind_for(record: type) -> Kind:
    """The kind of plain data of a type; cached, since it is slow to build."""
    return kind_of(record, RULES)


def check_selection(record: Unchecked) -> SelectionRecord:
    """The record of a selection; raises RecordError if something in it is not as expected."""
    return cast(SelectionRecord, checked(record, kind_for(SelectionRecord)))


def check_comparison(record: Unchecked) -> ComparisonRecord:
    """The record of a comparison; raises RecordError if something in it is not as expected."""
    return cast(ComparisonRecord, checked(record, kind_for(ComparisonRecord)))


def checked(record: Unchecked, kind: Kind) -> Unchecked:
    try:
        kind.check(record)
    except MismatchError as wrong:
        raise RecordError(f"{wrong}; make the record again.") from None
    return record
