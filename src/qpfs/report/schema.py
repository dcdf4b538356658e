"""What records hold, written down as data: of a record that was changed it is said where it is not so.

Fields that are not listed are not looked at, for later versions may add some. Lists that are drawn are at
most as long as a page can show, and whole numbers at most 2^53: a page takes bounded time and memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qpfs.kinds import (
    AMOUNT,
    COUNT,
    NUMBER,
    PLAIN,
    RANK,
    SHARE,
    TEXT,
    YES_NO,
    Also,
    Each,
    Fields,
    Maybe,
    MismatchError,
    Named,
    Row,
    number,
    one_of,
    whole,
)
from qpfs.report.agreements import (
    RECORD_ROUNDING,
    classes_agree,
    clusters_agree,
    drawn_how,
    interval_agrees,
    members_agree,
    methods_agree,
    ranks_agree,
    redundancy_agrees,
    scores_agree,
    selection_agrees,
)
from qpfs.report.cluster_tree import DRAWN_FATES

SELECTION, COMPARISON = "qpfs-selection/3", "qpfs-comparison/1"
DRAWN = 10_000  # entries of a list that all are drawn,
TOLD = 1_000  # or that have a table row or a picture each
PAIRED = 100  # entries that are drawn with each other
LEVELS = 256  # of a column: codes are bytes
CLASSES = 30  # told apart
LARGEST = 1e100  # error, of which a page can still write the digits


class RecordError(ValueError):
    """A record holds something else than this version writes; says where, and what was expected."""


def check_selection(record: Mapping[str, Any]) -> None:
    """Raises RecordError if something in a record of a selection is not as expected."""
    check_record(record, SELECTION_KIND)


def check_comparison(record: Mapping[str, Any]) -> None:
    """Raises RecordError if something in a record of a comparison is not as expected."""
    check_record(record, COMPARISON_KIND)


def check_record(record: Mapping[str, Any], kind: Also) -> None:
    try:
        kind.check(record)
    except MismatchError as wrong:
        raise RecordError(f"{wrong}; make the record anew.") from None


WHOLE = whole(-(2**53))
NEARLY_SHARE = number(0, 1, RECORD_ROUNDING)  # what was computed as one less something
INDEX = number(-1, 1, RECORD_ROUNDING)
ERROR = number(0, LARGEST)

TASK = one_of("classification", "regression")
NEAR = Fields(
    {"feature": TEXT, "index": COUNT, "distance": NEARLY_SHARE, "selected?": YES_NO, "rank?": Maybe(RANK)}
)
COLUMN_LEVELS = Fields(
    {
        "names": Each(TEXT, LEVELS),
        "counts": Maybe(Each(Each(COUNT, LEVELS), CLASSES)),
        "edges?": Each(Maybe(NUMBER), LEVELS),
        "labels?": Each(TEXT, LEVELS),
        "values?": Each(WHOLE, LEVELS),
    }
)
DISTRIBUTION = Fields(
    {
        "edges": Each(NUMBER, LEVELS),
        "integers": YES_NO,
        "counts": Each(Each(COUNT, LEVELS), CLASSES),
        "beyond": Row((COUNT, COUNT)),
        "missing": Each(COUNT, CLASSES),
    }
)
NORMAL_SCORES = Also(
    Fields(
        {
            "edges": Each(NUMBER, LEVELS),
            "counts": Each(COUNT, LEVELS),
            "tied": Each(COUNT, LEVELS),
            "n_values": COUNT,
            "largest": COUNT,
            "missing": Maybe(COUNT),
            "columns": RANK,
            "labels": YES_NO,
        }
    ),
    scores_agree,
)
FEATURE = Also(
    Fields(
        {
            "rank": RANK,
            "feature": TEXT,
            "index": COUNT,
            "weight": NUMBER,
            "relevance": Maybe(NUMBER),
            "cluster": Maybe(COUNT),
            "cluster_size": Maybe(RANK),
            "distance_to_representative": Maybe(NEARLY_SHARE),
            "members": Maybe(Each(NEAR, PAIRED)),
            "frequency": Maybe(NEARLY_SHARE),
            "alternatives": Maybe(Each(NEAR, PAIRED)),
            "levels": Maybe(COLUMN_LEVELS),
            "distribution": Maybe(DISTRIBUTION),
            "normal_scores?": Maybe(NORMAL_SCORES),
        }
    ),
    members_agree,
)
CLASS = Fields({"name": TEXT, "n": COUNT})
DATA = Also(
    Fields(
        {
            "source": Maybe(TEXT),
            "format": Maybe(TEXT),
            "checksum": Maybe(TEXT),
            "target": Maybe(TEXT),
            "task": TASK,
            "targets?": Each(Fields({"name": TEXT, "task": TASK, "n_classes": COUNT}), TOLD),
            "classes": Each(CLASS, CLASSES),
            "n_classes": COUNT,
            "n_samples": COUNT,
            "n_features": COUNT,
            "n_constant": COUNT,
            "notes": Each(TEXT, DRAWN),
            "store?": Maybe(
                Fields({"source": Maybe(TEXT), "format": Maybe(TEXT), "levels?": TEXT, "scores?": TEXT})
            ),
        }
    ),
    classes_agree,
)
ACCOUNT = Fields(
    {
        "text": TEXT,
        "references": Each(TEXT, PAIRED),
        "certainty": Each(TEXT, PAIRED),
        "repeats_little": YES_NO,
        "scored?": Maybe(TEXT),
        "ranked?": Maybe(TEXT),
        "distance": TEXT,
    }
)
METHOD = Fields(
    {
        "name": TEXT,
        "title": TEXT,
        "class": TEXT,
        "parameters": Named(PLAIN),
        "account": ACCOUNT,
        "seed?": Maybe(WHOLE),
        "chosen?": Named(PLAIN),
        "score?": Maybe(NUMBER),
    }
)
CERTIFICATE = Fields(
    {
        "theta?": SHARE,
        "theta_standard_error?": Maybe(AMOUNT),
        "objective?": Maybe(NUMBER),
        "gap?": NUMBER,
        "status?": Maybe(TEXT),
        "n_columns?": Maybe(COUNT),
    },
    others=PLAIN,
)
REDUNDANCY = Also(
    Fields(
        {
            "indices": Each(COUNT, PAIRED),
            "names": Each(TEXT, PAIRED),
            "values": Each(Each(SHARE, PAIRED), PAIRED),
            "measure": TEXT,
            "shared": TEXT,
        }
    ),
    redundancy_agrees,
)
WEIGHTS = Also(
    Fields(
        {
            "ranked": Each(Row((RANK, NUMBER, Maybe(NUMBER))), DRAWN),
            "n_positive": COUNT,
            "n_ranked": COUNT,
        }
    ),
    ranks_agree,
)
BAR = Fields(
    {
        "left": COUNT,
        "width": RANK,
        "fate": one_of(*DRAWN_FATES),
        "n_clusters": RANK,
        "representative": Maybe(TEXT),
        "radius": Maybe(NUMBER),
        "weight": Maybe(NUMBER),
    }
)
CLUSTERS = Also(
    Fields(
        {
            "n_features": RANK,
            "n_levels": COUNT,
            "n_rounds": COUNT,
            "radius": Maybe(NUMBER),
            "fates": Fields(dict.fromkeys(DRAWN_FATES, Fields({"clusters": COUNT, "features": COUNT}))),
            "levels": Each(Fields({"level": COUNT, "bars": Each(BAR, TOLD)}), PAIRED),
            "selected": Each(COUNT, PAIRED),
        }
    ),
    clusters_agree,
)
STABILITY = Also(
    Fields(
        {
            "index": Maybe(INDEX),
            "low?": Maybe(NUMBER),
            "high?": Maybe(NUMBER),
            "level?": SHARE,
            "n?": COUNT,
            "resample?": Maybe(TEXT),
            "seed?": Maybe(WHOLE),
            "fixed_levels?": Maybe(YES_NO),
        }
    ),
    drawn_how,
)

BOUNDS = {"low?": Maybe(ERROR), "high?": Maybe(ERROR)}
POINT = Also(Fields({"k": RANK, "error": ERROR, "n?": COUNT, **BOUNDS}), interval_agrees)
NESTED = Also(
    Fields({"error": Maybe(ERROR), **BOUNDS, "standard_error?": Maybe(AMOUNT), "k?": Each(COUNT)}),
    interval_agrees,
)
BASELINE = Also(
    Fields({"name": TEXT, "error?": Maybe(ERROR), **BOUNDS, "failed?": Maybe(TEXT)}), interval_agrees
)
REACHED = Fields({"k": RANK, "error": ERROR})
COMPARED = Fields(
    {
        "name": TEXT,
        "title": TEXT,
        "class?": TEXT,
        "parameters?": PLAIN,
        "failed?": Maybe(TEXT),
        "curve?": Each(POINT, DRAWN),
        "nested?": Maybe(NESTED),
        "best?": Maybe(REACHED),
        "smallest?": Maybe(REACHED),
        "ranked?": Maybe(Fields({"fewest": COUNT, "most": COUNT})),
        "seconds?": Maybe(Fields({"median": AMOUNT, "low?": Maybe(AMOUNT), "high?": Maybe(AMOUNT)})),
        "memory_mb?": Maybe(AMOUNT),
        "memory_note?": Maybe(TEXT),
        "stability?": Maybe(
            Also(
                Fields(
                    {
                        "index": Maybe(INDEX),
                        "low?": Maybe(NUMBER),
                        "high?": Maybe(NUMBER),
                        "size?": Maybe(COUNT),
                    }
                ),
                interval_agrees,
            )
        ),
        "often?": Each(Fields({"feature": TEXT, "share": NEARLY_SHARE, "index?": COUNT}), TOLD),
        "notes?": Each(TEXT),
        "style?": COUNT,
    }
)
PROTOCOL = Fields(
    {
        "text": TEXT,
        **dict.fromkeys(("outer?", "inner?", "repeats?", "estimator?", "scoring?", "groups?"), PLAIN),
        "sizes?": Maybe(Each(RANK)),
        "level?": Maybe(SHARE),
    }
)
COMPARISON_KIND = Also(
    Fields(
        {
            "schema?": one_of(COMPARISON),
            "qpfs": Maybe(TEXT),
            "created": TEXT,
            "command?": Maybe(TEXT),
            "data": Fields(
                {
                    **dict.fromkeys(("source?", "target?", "checksum?"), Maybe(TEXT)),
                    "task?": Maybe(TASK),
                    "n_samples": COUNT,
                    "n_features": COUNT,
                }
            ),
            "protocol": PROTOCOL,
            "methods": Each(COMPARED, TOLD),
            "baselines?": Maybe(Each(BASELINE, TOLD)),
            "versions?": Maybe(Named(Maybe(TEXT))),
            "seconds?": Named(Maybe(AMOUNT)),
        }
    ),
    methods_agree,
)


SELECTION_KIND = Also(
    Fields(
        {
            "schema": one_of(SELECTION),
            "qpfs": Maybe(TEXT),
            "created": TEXT,
            "command": Maybe(TEXT),
            "data": DATA,
            "method": METHOD,
            "certificate": CERTIFICATE,
            "n_weighted": COUNT,
            "n_selected": COUNT,
            "features": Each(FEATURE),
            "redundancy": Maybe(REDUNDANCY),
            "weights": WEIGHTS,
            "clusters": Maybe(CLUSTERS),
            "stability": Maybe(STABILITY),
            "comparison": Maybe(COMPARISON_KIND),
            "levels": Fields(
                {"rule": TEXT, "text": TEXT, "form?": one_of("levels", "numbers", "scores", "raw")}
            ),
            "versions": Named(Maybe(TEXT)),
            "seconds": Named(Maybe(AMOUNT)),
        }
    ),
    selection_agrees,
)
