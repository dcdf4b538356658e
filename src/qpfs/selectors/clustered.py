"""What the clustered methods share: like features are clustered, and those standing for a cluster weighed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from qpfs.clustering import (
    AtRandom,
    Clusterer,
    FirstCentres,
    Leaders,
    Literal,
    MacQueenVariant,
    NearestToMean,
    Representative,
    farthest,
    first,
    medoid,
    most_relevant,
)
from qpfs.codes.numbers import reject_labels
from qpfs.codes.validation import count
from qpfs.criteria import Criterion, Effort, QuadraticCriterion, Weighing, trade_off
from qpfs.selectors.account import Account, candidates, measure_words
from qpfs.selectors.alternatives import AlternativesMixin
from qpfs.selectors.parameters import checked_theta, chosen, flag, given_balance, number_between
from qpfs.selectors.problem import Problem
from qpfs.selectors.quadratic import REFERENCE as PROGRAM
from qpfs.selectors.quadratic import REPRESENTATIVES, mean_pairs, program_certainty, solved_text
from qpfs.selectors.selector import FeatureSelector
from qpfs.strategies import Outcome

REFERENCE = (
    "Prasad Y, Biswas KK. Integrating K-means with quadratic programming feature selection. "
    "arXiv:1505.01728, 2015."
)
DISTANCES = 600  # of each feature that a fit asks for, about, and what is done beside them
INITS = ("leaders", "relevance", "first", "random", "farthest")
STANDING = ("mean", "literal", "medoid")
SCOPES = ("global", "local")
LEADER_RADIUS = 0.8  # how far apart leaders are where nothing else says so
# An automatic theta looks at all pairs while that takes milliseconds, as the rest of a clustered method does;
# beyond, two dozen columns are most often enough for a standard error of two per cent.
EFFORT = Effort(affordable=1e9, aim=0.02, pilot=24)


class ClusteredSelector(AlternativesMixin, FeatureSelector):
    """Clusters like features, and weighs those that stand for a cluster."""

    random_state: Any

    @abstractmethod
    def _outcome(
        self, problem: Problem, criterion: Criterion, random_state: np.random.RandomState
    ) -> Outcome:
        """The clusters to be weighed at the end."""

    def _weigh(self, problem: Problem) -> Weighing:
        problem = replace(problem, effort=EFFORT)
        criterion = self._criterion(problem, check_random_state(self.random_state))
        found = self._outcome(problem, criterion, check_random_state(self.random_state))
        reject_nothing_kept(found)
        weighing = criterion.weigh(problem.table, problem.relevance, found.representatives, problem.tick)
        self._keep(weighing)
        self.labels_, self.representatives_ = found.labels, found.representatives
        self.radii_, self.radius_ = found.radii, found.radius
        self.rounds_, self.n_distances_ = found.rounds, found.n_distances
        return weighing

    def _shortage(self, n: int) -> str:
        return f"{n} stand for a cluster; those are selected. {self._advice()}"

    @abstractmethod
    def _advice(self) -> str:
        """Which parameter to move for more features."""


class ClusteredQPFS(ClusteredSelector):
    """What the three published methods share: k-means of features, and the program."""

    theta: float | str
    theta_scope: str
    init: str
    _title: str  # what the publication calls the method
    representative: str

    def _check_parameters(self) -> None:
        checked_theta(self.theta)
        chosen("theta_scope", self.theta_scope, dict.fromkeys(SCOPES))
        chosen("init", self.init, dict.fromkeys(INITS))
        chosen("representative", self.representative, dict.fromkeys(STANDING))

    def _criterion(self, problem: Problem, random_state: np.random.RandomState) -> Criterion:
        balance = given_balance(self.theta)
        if balance is None and self.theta_scope == "global":
            balance = trade_off(problem.table, problem.relevance, random_state, problem.effort)
        return QuadraticCriterion(balance, cache_bytes=problem.cache_bytes)

    def _outcome(
        self, problem: Problem, criterion: Criterion, random_state: np.random.RandomState
    ) -> Outcome:
        clusterer = feature_kmeans(
            problem, self.init, self._leader_radius(), self.representative, random_state
        )
        return self._strategy(clusterer, criterion).run(problem.table, problem.relevance, problem.tick)

    def account(self, chosen: Collection[str] = ()) -> Account:
        text = (
            f"Features were selected from {candidates(self)} by {self._title} [1]. {self._clustered_text()} "
            "The features that stand for a cluster were weighed by quadratic programming feature selection "
            "[2], which trades relevance to the target against redundancy, both measured by "
            f"{measure_words(self)}. {solved_text(self, self.theta, chosen)}"
        )
        certainty = program_certainty(self, self.theta, REPRESENTATIVES)
        return Account(text, (REFERENCE, PROGRAM), certainty)

    def _pairs(self, m: int, n_samples: float) -> float:
        return mean_pairs(self.theta, m, n_samples, EFFORT.affordable) + min(DISTANCES, m) * m

    @abstractmethod
    def _clustered_text(self) -> str:
        """How the clusters came about, as a paper says it."""

    @abstractmethod
    def _leader_radius(self) -> float:
        """How near to a leader another may not be."""

    @abstractmethod
    def _strategy(self, clusterer: Clusterer, criterion: Criterion) -> Any:
        """What is clustered and weighed, and when."""


def reject_nothing_kept(found: Outcome) -> None:
    if len(found.representatives) == 0:
        raise ValueError(
            "Every cluster was discarded: the criterion gave no weight to any representative, as where no "
            "feature says anything about the target by itself. Use another criterion, or discard='never'."
        )


def feature_kmeans(
    problem: Problem, init: str, radius: float, representative: str, random_state: np.random.RandomState
) -> MacQueenVariant:
    """The variant of MacQueen's k-means with the parts that the parameters name."""
    if representative == "literal":
        varying = problem.table.varying
        reject_labels(problem.columns, varying, "representative='literal'", ", or use representative='mean'")
    mean_rule = problem.rule.for_means()
    representatives: dict[str, Representative] = {
        "mean": NearestToMean(mean_rule),
        "literal": NearestToMean(mean_rule, Literal(problem.columns)),
        "medoid": medoid,
    }
    rank = random_state.permutation(problem.table.n_features)
    inits: dict[str, FirstCentres] = {
        "leaders": Leaders(radius),
        "relevance": most_relevant,
        "first": first,
        "random": AtRandom(rank),
        "farthest": farthest,
    }
    return MacQueenVariant(
        chosen("representative", representative, representatives), chosen("init", init, inits)
    )


def checked_refinement(selector: Any) -> None:
    """Raises ValueError for a parameter of interleaved clustering that makes no sense."""
    number_between("radius", selector.radius, 0.0, 1.0)
    count("n_first", selector.n_first, 1)
    count("n_split", selector.n_split, 2)
    if selector.max_levels is not None:
        count("max_levels", selector.max_levels, 1)


def checked_two_levels(selector: Any) -> None:
    """Raises ValueError for a parameter of two-level clustering that makes no sense."""
    count("n_clusters", selector.n_clusters, 1)
    if selector.n_first is not None:
        count("n_first", selector.n_first, 1)
    if selector.radius is not None:
        number_between("radius", selector.radius, 0.0, 1.0)
    flag("repeat", selector.repeat)
