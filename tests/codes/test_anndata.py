"""AnnData objects as tables: cells x genes, with names for both."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import GroupKFold

from qpfs import FGM, IKMAQPFS, JMI, QPFS, QPFSCV, MaxRel
from qpfs.codes import columns_of, some_columns, some_rows
from qpfs.evaluation import error_curve

anndata = pytest.importorskip("anndata")
N, M = 60, 40
rng = np.random.default_rng(2)
COUNTS = rng.poisson(0.7, (N, M)).astype(np.float32)
KIND = pd.Categorical(np.where(COUNTS[:, 3] + COUNTS[:, 7] > 1, "T cell", "B cell"))
GENES = [f"ENSG{i:03}" for i in range(M)]
pytestmark = pytest.mark.filterwarnings("ignore:No feature is more relevant than chance")


def cells(X=COUNTS, **more):
    obs = pd.DataFrame(
        {"kind": KIND, "donor": np.arange(N) % 6, "age": rng.random(N)}, [f"c{i}" for i in range(N)]
    )
    return anndata.AnnData(X, obs, pd.DataFrame(index=GENES), **more)


def backed(kind, path):
    cells(kind(COUNTS)).write_h5ad(path)
    return anndata.read_h5ad(path, backed="r")


KINDS = {
    "dense": lambda path: cells(COUNTS),
    "by rows": lambda path: cells(sparse.csr_matrix(COUNTS)),
    "by columns": lambda path: cells(sparse.csc_matrix(COUNTS)),
    "a view": lambda path: cells(np.vstack([COUNTS, COUNTS])[:N])[:, :],
    "dense in a file": lambda path: backed(np.asarray, path / "a.h5ad"),
    "sparse in a file": lambda path: backed(sparse.csr_matrix, path / "a.h5ad"),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("measure", ["rank", "mi", "correlation"])
def test_the_answer_is_that_of_its_matrix(make, measure, tmp_path):
    table = make(tmp_path)
    found = QPFS(5, measure=measure).fit(table, "kind", groups="donor")
    plain = QPFS(5, measure=measure).fit(COUNTS, KIND, groups=np.arange(N) % 6)
    for name in ("scores_", "order_", "relevance_", "pvalues_"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))
    assert list(found.feature_names_in_) == GENES
    assert list(found.get_feature_names_out()) == [GENES[i] for i in np.flatnonzero(found.support_)]


def test_transform_gives_the_selected_genes_as_a_view():
    table = cells(sparse.csr_matrix(COUNTS))
    found = MaxRel(3).fit(table, "kind")
    part = found.transform(table)
    assert part.is_view
    assert list(part.var_names) == list(found.get_feature_names_out())
    assert list(part.obs["kind"]) == list(KIND)
    np.testing.assert_array_equal(part.X.toarray(), COUNTS[:, found.support_])
    few = table[:, [*part.var_names[::-1], "ENSG000"]]  # fewer genes, in another order
    np.testing.assert_array_equal(found.transform(few).X.toarray(), part.X.toarray())
    frame = found.set_output(transform="pandas").transform(table)
    assert list(frame.index) == list(table.obs_names)
    assert list(frame.columns) == list(part.var_names)
    assert found.set_output(transform="polars").transform(table).columns == list(part.var_names)


def test_what_is_not_as_in_fit_is_refused():
    table = cells()
    found = MaxRel(3).fit(table, "kind")
    first = found.get_feature_names_out()[0]
    with pytest.raises(ValueError, match=f"of these '{first}' is missing"):
        found.transform(table[:, [name for name in GENES if name != first]])
    with pytest.raises(ValueError, match="must be in the same order"):
        found.transform(table[:, GENES[::-1]])


MISTAKES = {
    "a column": (
        lambda: MaxRel(2).fit(cells(), "knd"),
        "y='knd', but obs .* did you mean 'kind'",
    ),
    "no column alike": (lambda: MaxRel(2).fit(cells(), "x"), "it has 'kind', 'donor' and 'age'"),
    "groups": (lambda: MaxRel(2).fit(cells(), "kind", groups="donr"), "groups='donr'.*did you mean 'donor'"),
    "no X": (
        lambda: MaxRel(2).fit(cells(None, layers={"raw": COUNTS}), "kind"),
        r"has no X; it has the layers 'raw'. To use a layer, pass AnnData\(adata.layers",
    ),
    "names": (
        lambda: MaxRel(2).fit(anndata.AnnData(COUNTS, var=pd.DataFrame(index=["a"] * M)), KIND),
        r"called 'a'; make names unique with adata.var_names_make_unique\(\)",
    ),
    "a column for an array": (lambda: MaxRel(2).fit(COUNTS, "kind"), "y is a str"),
}


@pytest.mark.filterwarnings("ignore:Variable names are not unique")
@pytest.mark.parametrize(("act", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_told(act, said):
    with pytest.raises(ValueError, match=said):
        act()


def test_a_machine_that_takes_none_says_so():
    with pytest.raises(TypeError, match="FGM takes no AnnData object"):
        FGM(2).fit(cells(), "kind")


def test_infinity_is_told_by_the_name_of_the_gene():
    X = COUNTS.copy()
    X[1, 5] = np.inf
    with pytest.raises(ValueError, match="column 'ENSG005'"):
        QPFS(2).fit(cells(X), "kind")


@pytest.mark.parametrize("selector", [JMI(3), IKMAQPFS(3)])
def test_methods_and_reports_take_it(selector):
    table = cells(sparse.csr_matrix(COUNTS))
    found = selector.fit(table, "kind")
    record = found.report(table).record
    assert record["features"][0]["feature"] in ("ENSG003", "ENSG007")
    assert record["features"][0]["effect"]["direction"] == "higher in T cell"


def test_searches_and_curves_take_it():
    table = cells(sparse.csr_matrix(COUNTS))
    search = QPFSCV(param_grid={}, n_features=[1, 2], cv=GroupKFold(3)).fit(table, "kind", "donor")
    plain = QPFSCV(param_grid={}, n_features=[1, 2], cv=GroupKFold(3)).fit(
        sparse.csr_matrix(COUNTS), KIND, np.arange(N) % 6
    )
    np.testing.assert_array_equal(search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])
    assert set(search.get_feature_names_out()) <= set(GENES)
    curve = error_curve(MaxRel(), table, "kind", cv=3, sizes=[1, 2])
    plain = error_curve(MaxRel(), COUNTS, KIND, cv=3, sizes=[1, 2])
    np.testing.assert_array_equal(curve.losses, plain.losses)


def test_some_rows_and_columns_are_tables_again():
    table = cells(sparse.csr_matrix(COUNTS))
    part = some_columns(some_rows(table, np.array([4, 2])), [5, 1])
    np.testing.assert_array_equal(columns_of(part).numbers(np.arange(2)), COUNTS[[4, 2]][:, [5, 1]])


def test_samples_in_another_order_are_warned_of():
    table = cells()
    with pytest.warns(UserWarning, match="indices of X and y hold the same labels"):
        MaxRel(2).fit(table, table.obs["kind"][::-1])


def test_the_package_is_not_needed(monkeypatch):
    monkeypatch.delitem(sys.modules, "anndata")
    MaxRel(2).fit(COUNTS, KIND)
