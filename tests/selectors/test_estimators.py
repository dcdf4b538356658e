"""The contract with scikit-learn."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from qpfs import CMIM, JMI, MRMR, QPFS, MaxRel, NystromQPFS

SELECTORS = [
    QPFS(),
    MaxRel(measure="rank"),
    MRMR(),
    JMI(1),
    CMIM(1),
    NystromQPFS(),
]
OTHERS = [
    QPFS(theta=0.5, n_features_to_select=1),
    QPFS(measure="correlation"),
    QPFS(measure="chi2"),
    QPFS(measure="rank"),
    MaxRel(),
    MRMR(1, scheme="quotient"),
    MRMR(1, scheme="nearest", measure="rank"),
    NystromQPFS(sampling_rate=0.5, diagonal_correction=True),
]


@parametrize_with_checks(SELECTORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(OTHERS)
def test_scikit_learn_contract_with_other_parameters(estimator, check):
    check(estimator)
