"""The parts that the laws are tested on: a new part is tested by being listed here."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.naive import codes as naive_codes
from tests.naive import information as naive

from qpfs import information
from qpfs.codes import DISCRETIZERS, AsCodes, EqualFrequency, EqualWidth, ThreeSegments, encode, standardize
from qpfs.codes.scores import score
from qpfs.engines import Serial
from qpfs.information import FeatureTable

TILE = 1 << 22


@dataclass(frozen=True)
class Rule:
    """A discretiser, its slow twin, and how many levels of integers it keeps as they are."""

    make: Any
    naive: Any
    keeps: int

    def edges(self, column):
        if naive_codes.few_integers(column, self.keeps):
            return naive_codes.as_codes(column)
        return self.naive(column)


def beside(part, name):
    """What the file of a part that another package brings has for the laws: its slow twin, an example."""
    return getattr(sys.modules[getattr(part, "__module__", type(part).__module__)], name)


RULES = {
    "three segments": Rule(ThreeSegments, naive_codes.three_segments, 3),
    "three narrow segments": Rule(
        partial(ThreeSegments, 0.5), partial(naive_codes.three_segments, n_sigma=0.5), 3
    ),
    "equal width": Rule(EqualWidth, partial(naive_codes.equal_width, n_bins=5), 5),
    "two of equal width": Rule(partial(EqualWidth, 2), partial(naive_codes.equal_width, n_bins=2), 2),
    "equal frequency": Rule(EqualFrequency, partial(naive_codes.equal_frequency, n_bins=5), 5),
    "seven of equal frequency": Rule(
        partial(EqualFrequency, 7), partial(naive_codes.equal_frequency, n_bins=7), 7
    ),
    "as codes": Rule(partial(AsCodes, 254), naive_codes.as_codes, 254),
} | {name: Rule(rule, beside(rule, "twin"), rule().bins) for name, rule in DISCRETIZERS.others.items()}


PACK = {
    "levels": lambda columns, engine, tile_bytes: encode(columns, AsCodes(), engine, tile_bytes)[0],
    "numbers": standardize,
    "scores": lambda columns, engine, tile_bytes: score(columns, 32, 1, engine)[0],
}


@dataclass(frozen=True)
class SharedBy:
    """A measure, and its slow twins: of two features, and of a feature and the target."""

    measure: Any
    naive: Any
    relevance: Any

    @property
    def counted(self):
        """Made of counts alone: the names of the levels say nothing."""
        return self.measure.form.name == "levels"

    def table(self, columns, engine=None, tile_bytes=TILE):
        store = PACK[self.measure.form.name](columns, engine or Serial(), tile_bytes)
        return FeatureTable(store, self.measure.on(columns.n_samples), engine)


def twins(name, measure):
    return naive.TWINS[name] if name in naive.TWINS else 2 * (beside(measure, "twin"),)


MEASURES = {name: SharedBy(one, *twins(name, one)) for name, one in information.MEASURES.items()}
