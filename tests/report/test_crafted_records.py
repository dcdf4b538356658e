"""Records that someone changed: a page of our own markup alone, or one sentence that says where."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from tests.cli.command import qpfs
from tests.report.crafting import ABC, MARK, bases, crafted_records

from qpfs.report import RecordError, comparison_page, selection_page

TABLE = f"{','.join(ABC)},y\n" + "1,2,3,4,5,6,7,8,x\n2,1,3,4,5,6,7,8,z\n" * 5


def test_the_same_seed_gives_the_same_records():
    first, again, other = (list(itertools.islice(crafted_records(seed), 5)) for seed in (1, 1, 2))
    assert first == again != other


def test_what_is_changed_was_sound_before():
    for name, record in bases():
        page = comparison_page if name == "comparison" else selection_page
        assert is_ours(page(record)), name


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_a_changed_record_is_a_page_or_one_sentence(seed):
    ends = set()
    for done, text in itertools.islice(crafted_records(seed), 80):
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            continue
        page, refusal = page_or_refusal(record)
        assert page is None or is_ours(page), done
        assert refusal is None or (len(refusal) < 400 and len(refusal.splitlines()) == 1), done
        ends.add("a page" if page else "refused")
    assert ends == {"a page", "refused"}


def page_or_refusal(record):
    draw = comparison_page if isinstance(record, dict) and "protocol" in record else selection_page
    try:
        return draw(record), None
    except RecordError as error:
        return None, str(error)


@pytest.mark.parametrize("job", ["report", "apply"])
def test_the_command_says_one_line(tmp_path, job):
    (tmp_path / "a.csv").write_text(TABLE)
    arguments = ["a.csv", "--out", "out.csv"] if job == "apply" else ["--out", "out.html"]
    codes = set()
    for done, text in itertools.islice(crafted_records(len(job)), 25):
        (tmp_path / "r.json").write_text(text)
        run = qpfs(job, "r.json", *arguments, "--force", cwd=tmp_path)
        codes.add(run.returncode)
        assert run.returncode in (0, 2), done
        assert len(run.stderr.splitlines()) == 1, done
        assert "\x1b" not in run.stderr, done
        assert run.returncode == 0 or run.stderr.startswith("qpfs: r.json "), done
    assert codes == {0, 2}


def is_ours(html):
    """Whether the page holds no tag that came from a record."""
    tags = set(re.findall(r"<\s*/?\s*([\w-]+)", html))
    return html.count("<script") == 1 and not tags & {MARK, "img"} and "onload=" not in outside_texts(html)


def outside_texts(html):
    """The tags of a page, without what stands in quotes in them."""
    return " ".join(re.sub(r'"[^"]*"', "", tag) for tag in re.findall(r"<[^<>]*>", html))
