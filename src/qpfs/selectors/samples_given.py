"""What a fit is given for its samples besides X and y: weights, covariates and groups, checked together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sklearn.utils import check_consistent_length

from qpfs.arrays import IndexArray
from qpfs.codes import Columns, Discretizer, Target
from qpfs.codes.covariates import Covariates
from qpfs.codes.weights import Weights
from qpfs.information import Measure, Shuffles
from qpfs.selectors.adjusting import adjusted, check_exchangeable, checked_covariates
from qpfs.selectors.chance import grouped
from qpfs.selectors.sample_weights import rows_of, weights_of_samples

if TYPE_CHECKING:
    from qpfs.selectors.selector import Settings


@dataclass(frozen=True, eq=False)
class SamplesGiven:
    """The weights, covariates and groups of the samples with positive weight, where they are given."""

    rows: IndexArray | None = None  # the samples with positive weight; None: all
    weights: Weights | None = None  # None: all are 1
    covariates: Covariates | None = None  # what features are adjusted for
    groups: IndexArray | None = None  # which samples belong together

    @classmethod
    def of(
        cls, settings: Settings, y: Any, n_samples: int, sample_weight: Any, covariates: Any, groups: Any
    ) -> SamplesGiven:
        """The given values, checked; raises ValueError if they are invalid."""
        check_consistent_length(y, range(n_samples))
        known = None if covariates is None else checked_covariates(covariates, n_samples)
        together = None if groups is None else grouped(groups, n_samples)
        given = weights_of_samples(sample_weight, settings, y, n_samples)
        if given.rows is not None:
            known = known and known.part(given.rows)
            # Groups are numbered as if samples of weight 0 were absent, so shuffles do not depend on those.
            together = None if together is None else grouped(together[given.rows], len(given.rows))
        return cls(given.rows, given.weights, known, together)

    def taken(self, columns: Columns, y: Any) -> tuple[Columns, Any]:
        """The columns, with their weights, and the target of these samples."""
        if self.rows is not None:
            columns, y = columns.at(self.rows), rows_of(y, self.rows)
        return columns if self.weights is None else columns.weighted(self.weights), y

    def measure(self, measure: Measure, rule: Discretizer) -> Measure:
        """A measure, adjusted for the covariates; raises ValueError if it cannot be adjusted."""
        return measure if self.covariates is None else adjusted(measure, self.covariates, rule, self.weights)

    def shuffles(self, target: Target, measure: Measure, *, used: bool = True) -> Shuffles:
        """The shuffles of the target under independence; if they are used, ValueError if there are none."""
        if self.covariates is None or not self.covariates.varying:
            return Shuffles(target, self.groups)
        found = Shuffles(target, self.groups, measure.strata)
        if used:
            check_exchangeable(found, self.covariates)
        return found


UNTOLD = SamplesGiven()  # nothing is given
