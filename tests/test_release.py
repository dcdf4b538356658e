"""What a release says of itself agrees: version, citation, changelog, recipe, workflows, forms."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import qpfs

yaml = pytest.importorskip("yaml")  # which Dask brings along
ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = yaml.safe_load((ROOT / "conda" / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))
RENAMED = {}  # requirements that have another name as conda packages


def spelled(requirement):
    """A requirement without spaces, as pip and conda may both write it."""
    return requirement.replace(" ", "").lower()


def test_the_changelog_begins_with_this_version_and_its_date():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d[^]]*)\] - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    assert released[0] == (qpfs.__version__, str(CITATION["date-released"]))
    assert text.index("## [Unreleased]") < text.index(f"## [{qpfs.__version__}]")


def test_the_citation_is_of_this_version():
    assert CITATION["version"] == qpfs.__version__
    assert CITATION["license"] == PROJECT["license"]
    assert {one["year"] for one in CITATION["references"]} == {2010, 2015}


def test_the_recipe_is_of_this_version_and_needs_what_the_package_needs():
    assert RECIPE["context"]["version"] == qpfs.__version__
    python, *needed = RECIPE["requirements"]["run"]
    assert spelled(python) == "python>=${{python_min}}"
    assert PROJECT["requires-python"] == f">={RECIPE['context']['python_min']}"
    named = [RENAMED.get(one, one) for one in PROJECT["dependencies"]]
    assert sorted(map(spelled, needed)) == sorted(map(spelled, named))
    assert RECIPE["build"]["python"]["entry_points"] == [
        f"{name} = {place}" for name, place in PROJECT["scripts"].items()
    ]
    assert RECIPE["about"]["license"] == PROJECT["license"]


def test_workflows_may_do_little_unless_a_job_asks_for_more():
    assert {path.stem for path in WORKFLOWS} == {"tests", "docs", "release"}
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert workflow["permissions"] == {"contents": "read"}, path
        assert "group" in workflow["concurrency"], path
        for name, job in workflow["jobs"].items():
            assert job["timeout-minutes"] <= 90, (path, name)
            for step in job["steps"]:
                if "uses" in step:
                    assert re.fullmatch(r"[\w/-]+@(v\d+|release/v\d+)", step["uses"]), (path, step)


def test_the_tests_run_on_every_system_and_python_that_is_promised():
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]
    assert {one.partition("-")[0] for one in matrix["os"]} == {"ubuntu", "macos", "windows"}
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == promised
    assert not any("make" in step.get("run", "") for step in jobs["test"]["steps"])  # Windows has none


def test_only_the_job_that_publishes_has_an_identity():
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "permissions" not in jobs["build"]
    assert jobs["publish"]["needs"] == "build"


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_something(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= set(form)
    asked = [one for one in form["body"] if one["type"] != "markdown"]
    assert any(one.get("validations", {}).get("required") for one in asked)
    assert len({one["id"] for one in asked}) == len(asked)


def test_links_between_the_documents_lead_somewhere():
    names = [*ROOT.glob("*.md"), ROOT / "docs/deprecation.md", ROOT / "docs/contrib.md"]
    for path in names:
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (path.parent / target).exists(), (path.name, target)
