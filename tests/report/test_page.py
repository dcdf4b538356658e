"""The page in a real browser: what it shows, what it lets a person do, and what it never does.

The fixture `opened` fails a test if the page asks for anything, reports anything, or runs a probe.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_diabetes, load_digits
from tests.conftest import latent_factors
from tests.published import IKMAQPFS, MRMR, QPFS, MaxRel
from tests.report.selections import HOSTILE, PROBE, SELECTORS, hostile, named, record_of_wdbc, wdbc

from qpfs.report import RecordError, comparison_page, selection_page, selection_record
from qpfs.report.comparison import completed
from qpfs.report.names import shown
from qpfs.report.pictures.weight_fall import caption
from qpfs.report.verdict import grounds, verdict

SIZE = 2_000_000


def comparison(**changes):
    """A record of two methods compared, made up."""
    curve = [{"k": k, "score": 0.3 / k, "low": 0.2 / k, "high": 0.4 / k, "n": 20} for k in (1, 2, 5, 10, 50)]
    method = {
        "name": "qpfs",
        "title": "QPFS",
        "parameters": {},
        "curve": curve,
        "nested": {"score": 0.05, "low": 0.03, "high": 0.08},
        "best": {"k": 50, "score": 0.006},
        "smallest": {"k": 10, "score": 0.03},
        "seconds": {"median": 0.31, "low": 0.2, "high": 0.5},
        "memory_mb": 123.4,
        "stability": {"index": 0.61, "low": 0.5, "high": 0.7},
        "often": [{"feature": "<b>gene</b>", "share": 0.9}],
    }
    bare = dict.fromkeys(("nested", "best", "smallest", "seconds", "memory_mb", "stability"))
    other = {**method, **bare, "name": "mrmr", "title": "<i>mRMR</i>", "often": []}
    other["curve"] = [{**point, "low": None, "high": None} for point in curve]
    return {
        "schema": "qpfs-comparison/2",
        "qpfs": "1.0",
        "created": "2030-01-01T00:00:00+00:00",
        "command": "qpfs compare a.csv",
        "data": {"source": "a.csv", "target": "t", "n_samples": 9, "n_features": 50, "checksum": "sha256:00"},
        "protocol": {
            "text": "Ten folds <b>twice</b>.",
            **dict.fromkeys(("outer", "inner", "repeats", "estimator", "scoring", "groups")),
        },
        "methods": [method, other],
        "baselines": [{"name": "all features", "score": 0.09, "low": 0.05, "high": 0.1}],
        "versions": {"python": "3.12"},
        "seconds": {},
        **changes,
    }


@pytest.fixture(scope="module")
def record():
    X, y = wdbc()
    fitted = IKMAQPFS(8, radius=0.5, n_first=4).fit(X, y)
    return selection_record(
        fitted,
        X=X,
        data={"source": "wdbc.csv", "target": "diagnosis", "checksum": "sha256:00"},
        command="qpfs select wdbc.csv --target diagnosis",
        stability={
            "n": 20,
            "index": 0.7,
            "low": 0.6,
            "high": 0.8,
            "resample": "20 stratified random halves of the samples",
        },
        frequency=np.linspace(0, 1, 31),
        comparison=comparison(),
    )


@pytest.fixture(scope="module")
def html(record):
    return selection_page(record)


def column(page, table, place):
    return page.locator(
        f"#{table} > tbody:not([hidden]) > tr:first-child > :nth-child({place})"
    ).all_inner_texts()


def test_a_chosen_feature_that_is_never_selected_again_is_explained_in_its_row(opened):
    X, y = wdbc()
    fitted = QPFS(3).fit(X, y)
    stability = {"n": 6, "n_asked": 20, "index": 0.2, "low": None, "high": None, "resample": "6 halves"}
    frequency = np.where(fitted.support_, 0.0, 0.4)
    page = opened(selection_page(selection_record(fitted, X=X, stability=stability, frequency=frequency)))
    rows = page.locator("#features-table tr.row th").all_inner_texts()
    assert all("never selected in other draws of samples; its place was taken by “" in row for row in rows)
    assert "only 6 different ones exist" in page.locator(".sure").inner_text()
    assert page.locator("#stability .on-wide .bar.chosen").count() == 3
    page.locator("#features-table-filter").fill(X.columns[fitted.order_[0]])
    assert page.locator("#features-table-count").inner_text() == "1 of 3 shown"  # by names alone


def test_sections_stand_in_the_order_in_which_a_person_asks_and_say_what_the_record_says(
    opened, html, record
):
    page = opened(html)
    assert page.locator("main > section").evaluate_all("all => all.map(one => one.id)") == [
        "chosen",
        "error",
        "features",
        "stability",
        "left-out",
        "redundancy",
        "weights",
        "clusters",
        "solution",
        "levels",
        "methods",
        "repeat",
    ]
    assert page.locator("h1").inner_text() == "8 of 31 features selected"
    links = page.locator("nav a").evaluate_all("all => all.map(one => one.getAttribute('href').slice(1))")
    assert links == page.locator("main > section").evaluate_all("all => all.map(one => one.id)")
    # and the table says what the record says
    assert column(page, "features-table", 3) == [one["feature"] for one in record["features"]]
    weights = [float(text.split()[0]) for text in column(page, "features-table", 4)]
    np.testing.assert_allclose(weights, [one["weight"] for one in record["features"]], atol=5e-5)


def test_tables_sort(opened, html, record):
    page = opened(html)
    head = page.locator("#features-table th", has_text="relevance")
    values = {one["feature"]: one["relevance"] for one in record["features"]}
    falling = sorted(values, key=lambda name: -values[name])
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "features-table", 3) == falling
    head.get_by_role("button").press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, "features-table", 3) == falling[::-1]
    page.locator("#features-table th", has_text="feature").get_by_role("button").click()
    assert column(page, "features-table", 3) == sorted(values)
    assert head.get_attribute("aria-sort") is None


def test_numbers_sort_as_numbers(opened):
    X, y = latent_factors(60, 300)
    page = opened(selection_page(selection_record(MaxRel(120).fit(X, y))))
    page.locator("details.rest summary").click()
    page.locator("#rest-table th", has_text="rank").get_by_role("button").click()
    assert column(page, "rest-table", 1) == [str(n) for n in range(51, 121)]


def test_tables_filter(opened, html, record):
    page = opened(html)
    box, count = page.locator("#features-table-filter"), page.locator("#features-table-count")
    assert count.inner_text() == "8 of 8 shown"
    wanted = record["features"][0]["feature"]
    box.fill(wanted.upper())
    shown_names = column(page, "features-table", 3)
    assert wanted in shown_names
    assert count.inner_text() == f"{len(shown_names)} of 8 shown"
    box.fill("no such feature")
    assert count.inner_text() == "0 of 8 shown"
    box.fill("")
    assert count.inner_text() == "8 of 8 shown"


def test_a_filter_finds_names_and_not_what_is_behind_them(opened, html, record):
    page = opened(html)
    names = [one["feature"] for one in record["features"]]
    page.locator("#features-table-filter").fill("worst")
    assert column(page, "features-table", 3) == [name for name in names if "worst" in name]


def test_rows_expand_by_mouse_and_keyboard(opened, html, record):
    page = opened(html)
    button, panel = page.locator(".expand").first, page.locator("tr.details .panel").first
    assert not panel.is_visible()
    button.click()
    assert panel.is_visible()
    assert button.get_attribute("aria-expanded") == "true"
    best = record["features"][0]
    assert best["alternatives"][0]["feature"] in panel.inner_text()
    button.press("Enter")
    assert not panel.is_visible()
    assert button.get_attribute("aria-expanded") == "false"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_the_button_and_text_can_be_told_from_them(opened, html, scheme):
    page = opened(html, color_scheme=scheme)
    assert page.evaluate(CONTRAST) == []
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paper)
    assert (before == "rgb(255, 255, 255)") == (scheme == "light")
    page.locator("#theme").click()
    assert (page.evaluate(paper) == "rgb(255, 255, 255)") == (scheme == "dark")
    page.locator("#theme").click()
    assert page.evaluate(paper) == before


CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((c) => c / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!colour.endsWith(", 0)") && colour !== "transparent") return colour;
    }
    return getComputedStyle(document.body).backgroundColor;
  };
  return [...document.querySelectorAll("p, td, th, dt, dd, li, a, h1, h2, h3, button, label, summary, small")]
    .filter((one) => one.offsetParent && one.textContent.trim())
    .map((one) => [light(getComputedStyle(one).color), light(ground(one)), one.textContent.slice(0, 30)])
    .filter(([a, b]) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5);
}"""


def test_copying(opened, html):
    page = opened(html, permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-copy='methods-text']").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "IKMA-QPFS" in copied
    assert "arXiv:1505.01728" in copied


def test_copying_where_the_clipboard_is_refused(opened, html, record):
    page = opened(html)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.locator("[data-copy='command']").click()
    page.get_by_role("button", name=re.compile("Copied|Press")).wait_for()
    assert page.evaluate("getSelection().toString()").strip() == record["command"]


def test_the_command_breaks_between_arguments_and_is_copied_as_it_was(opened, record):
    command = "qpfs select cohort.qpfs --top 5 --out stored --method 'ikma'  --stability 20 --quiet"
    page = opened(
        selection_page({**record, "command": command}),
        width=420,
        permissions=["clipboard-read", "clipboard-write"],
    )
    lines = "all => all.map(one => Math.round(one.getBoundingClientRect().height))"
    assert len(set(page.locator("#command span:not(:empty)").evaluate_all(lines))) == 1
    page.locator("[data-copy='command']").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").strip() == command


PICTURES = ["weights", "error", "features", "clusters", "redundancy"]
SCREENS = [(1400, "light"), (420, "dark")]


@pytest.mark.parametrize(
    ("sections", "width", "scheme"),
    [
        pytest.param(some, *screen, marks=pytest.mark.slow if slow else ())
        for slow, parts in enumerate([(PICTURES[:3], PICTURES[3:]), (PICTURES[3:], PICTURES[:3])])
        for some, screen in zip(parts, SCREENS, strict=True)
    ],
)
def test_pictures_can_be_saved(opened, html, tmp_path, sections, width, scheme):
    page = opened(html, width, color_scheme=scheme)
    page.locator(".expand").first.click()
    for section in sections:
        check_saved(page, tmp_path, section, scheme)


def check_saved(page, tmp_path, section, scheme):
    figure = page.locator(f"#{section} [data-figure]").first
    label = figure.get_attribute("data-figure")
    saved = {}
    for kind in ("SVG", "PNG"):
        button = figure.get_by_role("button", name=f"Save “{label}” as {kind}")
        with page.expect_download() as download:
            button.press("Enter")
        saved[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[kind])
    slug = label.lower().replace(" ", "-")
    assert saved["SVG"].name == f"8-of-31-features-selected-wdbc-csv-{slug}.svg"
    text = saved["SVG"].read_text(encoding="utf-8")
    assert not re.search(r"var\(|class=|<style|href", text)
    svg = ElementTree.fromstring(text)
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    on_page = figure.locator("svg:visible")
    words = [one.text for one in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert words == on_page.locator("text").all_text_contents()
    with Image.open(saved["PNG"]) as image:
        assert image.size == tuple(round(3 * float(svg.get(side))) for side in ("width", "height"))
        colours = image.convert("RGB").getcolors(1 << 24)
        assert image.convert("RGB").getpixel((1, image.height - 2)) == (
            (255, 255, 255) if scheme == "light" else (17, 22, 29)
        )
    assert len(colours) > 20


def test_alternatives_stand_beside_the_distribution(opened, html):
    page = opened(html)
    page.locator(".expand").first.click()
    panel = page.locator(".panel").first
    picture, samples, others = (
        panel.locator(one).bounding_box() for one in (".wide-part", ".samples", ".others")
    )
    assert samples["x"] == picture["x"]
    assert others["x"] > picture["x"] + picture["width"]
    assert others["y"] == picture["y"]


def test_the_key_shows_what_is_drawn():
    X, y = wdbc()
    X["label"] = np.where(np.arange(len(X)) % 3, y, "other")
    fitted = QPFS(8).fit(X, y)
    assert "label" in fitted.get_feature_names_out()
    both = selection_page(selection_record(fitted, X=X))
    levels = selection_page(selection_record(fitted))
    outline, square = 'class="area k0"/></svg>', 'class="bar k0"/></svg>'
    key = [page.split('<ul class="key">')[1].split("</ul>")[0] for page in (both, levels)]
    assert [(outline in one, square in one) for one in key] == [(True, True), (False, True)]
    assert "how the values are spread in each class" in both
    assert "which share of each class is at each level" in levels


@pytest.fixture(scope="module")
def hostile_record():
    X, y = hostile()
    source = f"<script>{PROBE}</script>.csv"
    return selection_record(
        IKMAQPFS(radius=0.5).fit(X, y),
        X=X,
        data={"source": source, "target": f"<b>{PROBE}</b>", "checksum": source, "notes": [source]},
        command=f"qpfs select '{source}'",
        comparison=comparison(),
    )


@pytest.mark.parametrize("javascript", [True, False])
def test_hostile_names_are_text_and_run_nothing(opened, hostile_record, javascript):
    page = opened(selection_page(hostile_record), javascript=javascript)
    names = [one["feature"] for one in hostile_record["features"]]
    assert len(names) > 10
    found = page.locator("#features-table tr.row th bdi").all_text_contents()
    assert found == [shown(name) for name in names]
    legend = page.locator("#features .key bdi").all_text_contents()
    assert legend == [one["name"] for one in hostile_record["data"]["classes"]]
    assert hostile_record["data"]["source"] in page.title()
    assert hostile_record["data"]["source"] in page.locator(".over").inner_text()
    assert hostile_record["command"] == page.locator("#command").inner_text()
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, link, object").count() == 0


def test_a_name_that_turns_the_writing_around_does_not():
    assert shown("\u202eevil\u2066") == "evil"
    assert shown("\n \u200f") == "(blank)"
    assert [shown(name) for name in ("שלום", "a\tb", "<b>")] == ["שלום", "a b", "<b>"]


def test_hostile_comparisons(opened):
    page = opened(comparison_page(comparison()))
    assert page.locator("main > section").evaluate_all("all => all.map(one => one.id)") == [
        "",
        "error",
        "methods",
        "repeat",
    ]
    assert page.locator("#methods-table tbody th").all_inner_texts() == ["QPFS", "<i>mRMR</i>"]
    cells = page.locator("#methods-table tbody").first.locator("td").all_inner_texts()
    assert [cell.split("\n")[0] for cell in cells] == [
        "5.0\xa0%",
        "0.6\xa0%",
        "50",
        "10",
        "0.61",
        "0.31",
        "123",
    ]
    assert "Ten folds <b>twice</b>." in page.locator("#error").inner_text()


def test_methods_that_failed_and_what_was_not_measured(opened):
    record = comparison()
    bare = {"name": "fgm", "title": "FGM", "parameters": {}, "failed": "<b>no</b> classes"}
    record["methods"].append(bare)
    record["protocol"] = {
        "text": "Folds.",
        "outer": "5-fold cross-validation",
        "groups": False,
    }
    record["baselines"] = [{"name": "all features", "failed": "no"}]
    page = opened(comparison_page(record))
    assert (
        page.locator("#methods-table tbody").last.inner_text().split("\t")[-1] == "failed: <b>no</b> classes"
    )
    assert "5-fold cross-validation" in page.locator("#repeat").inner_text()
    for head in page.locator("#methods-table th button").all():
        head.click()
    record["methods"] = [bare]
    assert opened(comparison_page(record)).locator("#error svg").count() == 0


def nested(error, low, high):
    return {"score": error, "low": low, "high": high}


def three_methods():
    """QPFS is best, mRMR inside its interval and MaxRel outside, FGM failed."""
    record = comparison()
    first = record["methods"][0]
    record["methods"] = [
        {**first, "title": "MaxRel", "nested": nested(0.2, 0.15, 0.25)},
        {**first, "nested": nested(0.05, 0.03, 0.08), "ranked": {"fewest": 60, "most": 70}},
        {
            **first,
            "title": "mRMR",
            "nested": nested(0.08, 0.05, 0.1),
            "ranked": {"fewest": 1, "most": 4},
            "stability": {"index": 0.78, "low": 0.5, "high": 0.9, "size": 5},
        },
        {"name": "fgm", "title": "FGM", "parameters": {}, "failed": "three <b>classes</b>"},
    ]
    return record


def test_a_comparison_opens_with_its_answer(opened):
    page = opened(comparison_page(three_methods()))
    said = page.locator(".opening").inner_text().replace("\xa0", " ")
    assert "QPFS and mRMR do not differ clearly: error 5.0 % to 8.0 %" in said
    assert "The 95 % interval of the lowest error is 3.0 % to 8.0 % with QPFS" in said
    assert "mRMR (8.0 %) is not clearly worse" in said
    assert "MaxRel" not in said
    assert "With all features the error is 9.0 % (5.0 % to 10.0 %)." in said
    assert "3 of 4 methods compared; FGM failed: three <b>classes</b>." in said
    assert "qpfs\n1.0" in page.locator("#repeat").inner_text()
    heads = page.locator("#methods-table tbody th").all_inner_texts()
    assert heads == ["MaxRel", "QPFS", "mRMR\nranked 1 to 4", "FGM"]  # who ranks few features says so
    assert "0.78 (at 5)" in page.locator("#methods-table").inner_text()
    seen = page.locator("#error svg.wide .band").evaluate_all(
        "all => all.filter(one => getComputedStyle(one).fillOpacity > 0).map(one => one.classList[1])"
    )
    assert seen == ["k1"]  # only the band of the best method


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ((0.2, 0.05), "QPFS has the lowest error, 5.0 %, and 10 features are enough"),
        (
            (0.2, 0.15),
            "QPFS has the lowest error, 15.0 %, and 10 features are enough; with all features it is 9.0 %",
        ),
        ((0.05, 0.045), "QPFS and MaxRel do not differ clearly: error 4.5 % to 5.0 %"),
    ],
)
def test_a_headline_claims_what_intervals_allow(scores, words):
    record = three_methods()
    record["methods"] = record["methods"][:2]
    for method, score in zip(record["methods"], scores, strict=True):
        method["nested"] = nested(score, score - 0.01, score + 0.01)
    assert verdict(completed(record)).replace("\xa0", " ") == words


def test_of_scores_more_is_better():
    record = three_methods()
    record["protocol"] |= {"scoring": {"name": "roc_auc", "greater_is_better": True}}
    record["baselines"][0] |= {"score": 0.09}
    said = completed(record)
    assert (
        verdict(said)
        == "MaxRel has the highest roc_auc, 0.200, and 10 features are enough; 1 of 4 methods failed"
    )
    assert "All others are worse: their scores lie outside this interval." in grounds(said)
    assert "With all features the roc_auc is 0.090 (0.050 to 0.100)." in grounds(said)


def test_methods_that_tie_are_both_named():
    record = three_methods()
    other = record["methods"][2]
    other |= {"nested": nested(0.05, 0.04, 0.08), "smallest": {"k": 5, "score": 0.03}}
    tied = completed(record)
    said = verdict(tied).replace("\xa0", " ")
    lowest = "QPFS and mRMR have the lowest error, 5.0 %, and 10 and 5 features are enough"
    assert said == f"{lowest}; 1 of 4 methods failed"
    sure, *rest = [one.replace("\xa0", " ") for one in grounds(tied)]
    assert "3.0 % to 8.0 % with QPFS and 4.0 % to 8.0 % with mRMR" in sure
    assert not any("clearly worse" in one for one in rest)


def test_many_methods_are_counted():
    record = three_methods()
    qpfs, other = record["methods"][1:3]
    record["methods"] = [qpfs, *({**other, "title": f"mRMR {i}"} for i in range(14)), record["methods"][0]]
    words = "15 of 16 methods do not differ clearly: error 5.0 % to 8.0 %"
    assert verdict(completed(record)).replace("\xa0", " ") == words
    assert "mRMR 13 (8.0 %)" in " ".join(grounds(completed(record))).replace("\xa0", " ")
    record["methods"] = [{**qpfs, "title": f"QPFS {i}"} for i in range(6)]
    assert verdict(completed(record)).startswith("6 of 6 methods have the lowest error, 5.0")


def test_a_comparison_in_which_every_method_failed():
    record = three_methods()
    record["methods"] = [{**record["methods"][3], "title": f"FGM {i}"} for i in range(7)]
    said = verdict(completed(record))
    assert said.startswith("every method failed: FGM 0 (three <b>classes</b>), FGM 1 (")
    assert said.endswith(" and 2 more")


def test_a_point_of_one_feature_is_one():
    record = three_methods()
    record["methods"][1]["curve"] = [{"k": 1, "score": 0.1, "low": None, "high": None, "n": 3}]
    assert "QPFS, 1 feature: 10.0" in comparison_page(record)


def test_names_of_methods_are_whole(opened):
    record = three_methods()
    record["methods"][0]["title"] = "IKMA-QPFS (radius=0.6, n_first=4, representative=mean)"
    for width, kind in ((1400, "wide"), (420, "narrow")):
        picture = opened(comparison_page(record), width).locator(f"#error svg.{kind}")
        words = " ".join(picture.locator("text.label").all_text_contents())
        assert record["methods"][0]["title"] in words
        outside = picture.evaluate(
            "svg => [...svg.querySelectorAll('text')].filter(one => one.getBoundingClientRect().right"
            " > svg.getBoundingClientRect().right + 1).length"
        )
        assert outside == 0


def test_pictures_navigation_and_tables_fit_a_telephone_and_can_be_read(opened, html):
    page = opened(html, width=420)
    for section in ("redundancy", "weights", "clusters", "error"):
        picture = page.locator(f"#{section} svg.narrow")
        box = picture.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 420
        scale = box["width"] / float(picture.get_attribute("width"))
        assert scale > 0.95
        assert page.locator(f"#{section} .on-wide").is_hidden()
    for link in page.locator("nav a").all():
        box = link.bounding_box()
        assert box["x"] + box["width"] <= 420
    for table in ("#methods-table", "table.cuts"):
        part = page.locator(table).locator("..")
        assert part.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    page.locator(".expand").first.click()
    assert page.locator("table.counts thead th").first.is_visible()


def test_alternatives_that_are_chosen_or_far_are_marked(opened):
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    signal = y + rng.normal(0, 0.5, 200)
    X = np.c_[signal, signal + rng.normal(0, 0.05, 200), rng.normal(size=(200, 2))]
    record = selection_record(MaxRel(2).fit(X, y))
    first = record["features"][0]["alternatives"]
    assert first[0]["selected"]
    assert first[0]["rank"] == 2
    assert not first[1]["selected"]
    assert first[1]["rank"] in (3, 4)
    page = opened(selection_page(record))
    page.locator(".expand").first.click()
    near = page.locator("td.near").first.inner_text()
    assert "also selected, rank 2" in near
    assert f"distance {first[0]['distance']:.3f}" in near
    assert "a weak substitute" in page.locator("tr.details .nearby").first.inner_text()


def test_a_feature_beyond_the_radius_of_the_measure_does_not_stand_in(opened):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.arange(200) % 2
    X[:, 1] += X[:, 0]  # half of each is shared: less than the rank measure calls near
    record = selection_record(MaxRel(3, measure="rank").fit(X, y))
    found = {one["feature"]: one["alternatives"][0] for one in record["features"]}
    assert 0.4 < found["x0"]["distance"] < 0.7
    assert not found["x0"]["near"]
    page = opened(selection_page(record))
    assert page.locator("td.near").all_inner_texts() == ["none near"] * 3


def test_the_table_of_features_is_no_wider_than_the_page(opened, record):
    changed = [
        {
            **one,
            "frequency": 0.5,
            "effect": {"measure": "auc", "size": 0.77, "direction": "higher in a class", "n": 1234},
            "alternatives": [{**other, "distance": 0.1} for other in one["alternatives"]],
        }
        for one in record["features"]
    ]
    page = opened(selection_page({**record, "features": changed}), 1100)
    assert {"effect", "frequency", "nearest alternative"} <= set(
        page.locator("#features-table thead th").evaluate_all(
            "all => all.map(one => one.dataset.text ?? one.innerText)"
        )
    )
    for width in (900, 1100, 1200, 1300, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        inside, table = (
            page.locator(one).first.evaluate("one => one.getBoundingClientRect().width")
            for one in ("#features .scroll", "#features-table")
        )
        assert width == 900 or table <= inside + 1


def test_where_nothing_is_near_that_is_said(opened):
    X, y = np.random.default_rng(0).normal(size=(200, 3)), np.arange(200) % 2
    page = opened(selection_page(selection_record(MaxRel(2).fit(X, y))))
    assert page.locator("td.near").all_inner_texts() == ["none near"] * 2


def test_key_figures_and_numbers_among_the_facts_stay_on_one_line(opened, record):
    changed = {**record, "certificate": {**record["certificate"], "status": "stationary"}}
    page = opened(selection_page(changed), 1200)
    heights = "all => all.map(one => Math.round(one.getBoundingClientRect().height))"
    for width in (1200, 1300, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert len(set(page.locator(".figures dt").evaluate_all(heights))) == 1
    broken = page.locator("dl.facts dd.n bdi").evaluate_all(
        "all => all.filter(one => one.getClientRects().length > 1).length"
    )
    assert broken == 0
    assert page.locator("dl.facts dd.n").count() > 3


def test_closed_parts_are_not_printed(opened, html):
    page = opened(html)
    page.emulate_media(media="print")
    assert not page.locator("#redundancy details").is_visible()
    assert page.locator(".save:visible").count() == 0


def test_without_javascript_everything_is_there(opened, html, record):
    page = opened(html, javascript=False)
    for control in (".filter", ".expand", "#theme", "[data-copy]", ".save"):
        assert not page.locator(control).first.is_visible()
    assert column(page, "features-table", 3) == [one["feature"] for one in record["features"]]
    details = page.locator("tr.details details").first
    assert details.is_visible()
    details.locator("summary").click()
    assert record["features"][0]["alternatives"][0]["feature"] in details.inner_text()
    for section in ("redundancy", "weights", "clusters", "error"):
        assert page.locator(f"#{section} svg").last.is_visible()


@pytest.mark.parametrize("which", ["record", "hostile_record"])
def test_nothing_is_wider_than_a_telephone(opened, request, which):
    page = opened(selection_page(request.getfixturevalue(which)), width=420)
    for button in page.locator(".expand").all()[:3]:
        button.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert opened(comparison_page(comparison()), 420).evaluate("document.documentElement.scrollWidth") <= 420


def test_all_controls_can_be_reached_by_keyboard(opened, html):
    page = opened(html)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.evaluate(
        "reached = new Set(); document.addEventListener('focusin', (event) => reached.add(event.target))"
    )
    for _ in range(120):
        page.keyboard.press("Tab")
    missed = page.evaluate(
        "[...document.querySelectorAll('a, button, input, summary')].filter(one => one.offsetParent)"
        ".map((one, place) => (reached.has(one) ? -1 : place)).filter(place => place >= 0)"
    )
    assert set(missed) <= {0}  # the link that the first press had reached
    page.locator(".expand").first.focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_it_prints(opened, html):
    page = opened(html)
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12
    assert b"595" in pdf or b"594" in pdf  # the width of A4


def drawings(html):
    """The pictures of a page, as XML reads them: an error if a text was not escaped."""
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg\b.*?</svg>", html, re.DOTALL)]


@pytest.mark.parametrize("selector", SELECTORS, ids=named)
@pytest.mark.parametrize("with_data", [True, False])
def test_every_selector_has_a_page(selector, with_data):
    page = selection_page(record_of_wdbc(selector, with_data))
    assert len(page.encode()) < SIZE
    for picture in drawings(page):
        if picture.get("role") == "img":
            assert picture.find("title").text
            assert picture.find("desc").text


def test_pictures_are_well_formed_whatever_the_names(hostile_record):
    pictures = drawings(selection_page(hostile_record))
    assert len(pictures) > 2 * len(hostile_record["features"])
    words = " ".join(text for picture in pictures for text in picture.itertext())
    assert HOSTILE[0] in words


@pytest.mark.parametrize("n_selected", [1, 2, 2000])
def test_few_and_many_selected(opened, n_selected):
    X, y = latent_factors(60, 2100)
    page_text = selection_page(selection_record(MaxRel(n_selected).fit(X, y), X=X))
    assert len(page_text.encode()) < SIZE
    page = opened(page_text)
    assert page.locator("#features-table tr.row").count() == min(n_selected, 50)
    assert page.locator("#rest-table tbody tr").count() == max(min(n_selected, 1000) - 50, 0)
    told = "1,000 selected features after rank 1,000 are not listed here. All are in selection.csv"
    assert (told in page.locator("#features").inner_text()) == (n_selected == 2000)


def test_a_few_ranks_are_not_left_out():
    record = {"n_positive": 34, "ranked": []}
    assert caption({**record, "n_ranked": 47}, 20) == ""
    assert caption({**record, "n_ranked": 60}, 20) == "The 14 ranks after 46 are not drawn."
    captions = [caption({"n_positive": n, "n_ranked": m}, n) for n in range(1, 60) for m in range(n, 90)]
    assert not any(one.startswith("The 1 ") for one in captions)


def test_cuts_are_told_also_if_the_first_feature_has_none():
    X, y = wdbc()
    X.insert(0, "label", y)
    with pytest.warns(UserWarning, match="column 'label' alone nearly determines"):
        fitted = MaxRel(3).fit(X, y)
    record = selection_record(fitted, X=X)
    assert record["features"][0]["feature"] == "label"
    assert "thin lines mark the edges of its bins" in selection_page(record)


def test_a_column_that_tells_the_target_is_said_at_the_top(opened):
    X, y = wdbc()
    X["outcome <i>"] = (y == "benign") * 1.0
    with pytest.warns(UserWarning, match="column 'outcome <i>' alone nearly determines the target"):
        fitted = QPFS(4).fit(X, y)
    record = selection_record(fitted, X=X, data={"notes": ["some note"]})
    assert record["data"]["notes"] == [*record["cautions"], "some note"]
    page = opened(selection_page(record))
    (said,) = page.locator("#chosen .caution").all_inner_texts()
    assert said.startswith(
        "Caution. Column “outcome <i>” alone nearly determines the target. If it was derived"
    )
    assert page.locator("#chosen .caution").bounding_box()["y"] < page.locator("ol.first").bounding_box()["y"]
    assert page.locator(".sure .note").all_inner_texts() == ["Some note."]


def test_effects_and_reasons_are_shown(opened):
    X, y = wdbc()
    X.iloc[::5, X.columns.get_loc("worst texture")] = np.nan
    record = selection_record(QPFS(4).fit(X, y), X=X)
    page = opened(selection_page(record))
    for one, cell in zip(record["features"], column(page, "features-table", 7), strict=True):
        words = f"{one['effect']['direction']} AUC {one['effect']['size']:.2f}"
        assert " ".join(cell.split()).startswith(words)
        assert ("samples" in cell) == (one["feature"] == "worst texture")
    assert (
        "AUC is the probability that a sample of the named class"
        in page.locator("#features .lead").inner_text()
    )
    left = record["left_out"]
    rows = page.locator("#left-out tbody tr")
    assert rows.count() == len(left["features"]) == 20
    assert rows.locator("td.reason").all_inner_texts() == [one["reason"] for one in left["features"]]
    assert "27 features were not selected" in page.locator("#left-out .lead").inner_text()
    words = " ".join(page.locator("#left-out .key").inner_text().split())
    assert words == " ".join(f"{one['reason']} {one['n']}" for one in left["reasons"])


def test_a_record_without_effects_and_reasons_is_drawn(record):
    """As an earlier version wrote it."""
    less = {key: value for key, value in record.items() if key not in ("cautions", "left_out")}
    less["data"] = {key: value for key, value in less["data"].items() if key != "taken"}
    less["features"] = [{k: v for k, v in one.items() if k != "effect"} for one in less["features"]]
    page = selection_page(less)
    assert "left-out" not in page
    assert 'class="effect"' not in page


def test_a_page_of_fifty_thousand_features_stays_small(opened):
    X, y = latent_factors(30, 50_000)
    html = selection_page(selection_record(IKMAQPFS(60).fit(X, y), X=X))
    assert len(html.encode()) < SIZE
    page = opened(html)
    assert page.locator("h1").inner_text() == "60 of 50,000 features selected, none of them above chance"


def test_a_quantity_and_ten_classes(opened):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    page = opened(selection_page(selection_record(QPFS().fit(X, y), X=X)))
    assert page.locator("#features .key li").count() == 5
    X, y = load_digits(return_X_y=True)
    page = opened(selection_page(selection_record(MRMR(4).fit(X, y), X=X)))
    assert page.locator("#features .key li").count() == 10


def test_a_record_read_from_json_gives_the_same_page(record):
    import json

    assert selection_page(json.loads(json.dumps(record))) == selection_page(record)


def test_a_record_that_lacks_something_is_an_error_and_not_a_gap(record):
    with pytest.raises(RecordError, match=r"data\.source: expected, but it is missing"):
        selection_page({**record, "data": {}})
