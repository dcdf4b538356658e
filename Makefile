# make demo: the main job on built-in data.  make test: the tests.  Both do all the set-up.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export MPLBACKEND := Agg

.PHONY: demo test test-all check bench clean

demo: $(VENV)/.installed
	$(BIN)/qpfs select wdbc --top 10 --stability 20 --out demo --force

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-all: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2

check: $(VENV)/.installed-check $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell src tests docs benchmarks examples *.md
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 -m "not slow"

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-%: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	touch $@
