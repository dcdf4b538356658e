"""Claims against the publication's own tables: the exceptions that anyone can read off them."""

from __future__ import annotations

import pytest
from reproduction import published
from reproduction.claims import CLAIMS, Claim, Requirement, compared, finding


def told(words):
    (claim,) = [one for one in CLAIMS if words in one.text]
    return claim, finding(claim, published.number)


def exceptions(words):
    claim, _ = told(words)
    return {one.label for one in claim.comparisons(published.number) if not one.holds}


def test_tlkm_is_worse_than_qpfs_in_more_cases_than_it_says():
    found = exceptions("TLKM-QPFS performs better than QPFS in all cases")
    assert {label.split(" (")[0] for label in found} == {
        "WDBC 20",
        "Colon 10",
        "SRBCT 30",
        "Leukemia 10",
        "Leukemia 20",
        "USPS 10",
        "USPS 100",
    }


def test_ikma_is_not_always_better():
    found = {label.split(" (")[0] for label in exceptions("IKMA-QPFS performs significantly better")}
    assert {"Colon 50 against QPFS", "RAC 20 against QPFS", "MNIST 10 against FGM"} <= found
    assert {"USPS 10 against QPFS", "USPS 10 against GDM"} <= found
    assert "WDBC 10 against QPFS" not in found


def test_fgm_is_faster_on_rac():
    found = exceptions("three to five times faster than FGM and GDM")
    assert "RAC IKM-QPFS against FGM (31.03 against 0.55)" in found


def test_tlkm_is_as_fast_as_gdm_on_colon():
    found = exceptions("three to ten times slower than GDM")
    assert "Colon GDM against TLKM-QPFS (0.46 against 0.44)" in found


def test_qpfs_on_usps_is_not_ten_times_slower():
    assert any(label.startswith("USPS") for label in exceptions("orders of magnitude faster than QPFS"))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text[:30])
def test_every_claim_can_be_checked(claim):
    assert list(claim.comparisons(published.number))
    assert finding(claim, published.number).startswith("holds in ")


def test_a_number_that_is_missing_is_left_out():
    assert list(compared("a", "x", None, 1.0)) == []
    assert list(compared("a", "x", 2.0, 5.0, 3.0)) == [Requirement("a", "x", "2 against 5", False)]


def test_no_exception_is_left_out():
    _, said = told("IKMA-QPFS performs significantly better")
    assert "RAC: 20 against QPFS, 30 against QPFS, 50 against QPFS" in said
    assert "MNIST: 10 against FGM, 10 against GDM" in said


def broken(name, what):
    return Requirement(name, what, "2 against 1", False)


def test_findings_are_counted():
    claim = Claim("all", lambda _: [Requirement("a", "x", "1 against 2", True), broken("b", "y")])
    assert finding(claim, published.number) == "holds in 1 of 2; not: b y (2 against 1)"
    many = Claim("many", lambda _: [broken(name, f"{k}") for k in range(5) for name in "ab"])
    assert finding(many, published.number) == "holds in 0 of 10; not: a: 0, 1, 2, 3, 4; b: 0, 1, 2, 3, 4"
    assert finding(Claim("none", lambda _: []), published.number) == "no numbers"
