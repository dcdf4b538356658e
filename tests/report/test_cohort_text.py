"""What is said of several cohorts: no more than so few of them carry."""

from __future__ import annotations

from qpfs.report.cohort_text import cohort_words


def cohort(name, n=40, score=0.1, n_common=2):
    return {"name": name, "n": n, "score": score, "all_features": 0.2, "n_common": n_common}


def feature(name, rank=1, agree=True):
    return {"feature": name, "index": 0, "rank": rank, "n": 1, "selected": [], "agree": agree, "effects": []}


def words(cohorts, features=(), index=0.5, within=True, failed=None, **more):
    method = {"name": "qpfs", "title": "QPFS", "failed": failed}
    facts = {"size": 3, "within": within, "cohorts": cohorts, "features": list(features), "n_in_all": 1}
    record = {
        "comparison": {"protocol": {"text": ""}, "methods": [method]},
        "cohorts": {**facts, "index": index, "jaccard": [], **more},
    }
    return " ".join(cohort_words(record)).replace("\N{NO-BREAK SPACE}", " ")


def test_errors_agreement_and_directions():
    three = [cohort("a"), cohort("b", score=0.25), cohort("c")]
    said = words(three, [feature("f", agree=False), feature("g"), feature("h", None, agree=False)])
    assert "the error on each is: a 10.0 %, b 25.0 %, c 10.0 %." in said
    assert "selects 3 features; 1 of them are in all 3 (stability 0.50, commonly called intermediate" in said
    assert "The direction of “f” is not the same in all cohorts." in said
    assert "mostly what the larger" not in said
    assert "Two cohorts" not in said
    assert "Every selected feature has the same direction" in words(three, [feature("g")])


def test_limits_of_two_and_of_unequal_cohorts():
    said = words([cohort("a", 120), cohort("b", 40)])
    assert "are in both" in said
    assert "Two cohorts are only one pair" in said
    assert "a has 120 of 160 samples, b 40: the selection on all together depends mostly" in said
    assert "may seem relevant" in words([cohort("a"), cohort("b")], within=False)


def test_what_could_not_be_tested_says_why():
    one = words([cohort("a"), cohort("b", score=None)])
    assert "b could not be tested: the others have one class only." in one
    none = [cohort("a", score=None, n_common=None), cohort("b", score=None)]
    assert "No cohort could be tested: it broke." in words(none, failed="it broke", index=None)
    assert "Fewer than two cohorts can select on their own" in words(none, index=None)
