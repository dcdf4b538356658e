# make demo: the main job on built-in data.  make test: the tests.  Both do all the set-up.
PYTHON ?= python3
ifeq ($(origin PYTHON),file)
VENV ?= .venv
else  # another Python has an environment of its own
VENV ?= .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
OLDEST := .venv-oldest
MINUTES ?= 30
SEED ?= 0
FORMAT ?= csv
PYTHONS ?= python3.11 python3.12 python3.13
BIN := $(VENV)/bin
# A worker keeps to neighbouring tests, which share what is set up for them.
TWO := -n 2 --dist worksteal
QUICK := $(TWO) -m "not slow"
export MPLBACKEND := Agg
# Tests start many processes, and each would compile every module.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo docs paper paper-quick test test-all test-oldest check dist dist-test bench fuzz fuzz-guided clean

demo: $(VENV)/.installed
	$(BIN)/qpfs select wdbc --top 10 --stability 20 --out demo --force

# The publication's tables and figures: hours, or a first look in minutes; started again it goes on.
# QPFS_DATA names the folder with its data sets (reproduction/README.md); without one there is WDBC alone.
# docs/paper.md is replaced only if no data set was missing.
paper: $(VENV)/.installed
	$(BIN)/python -m reproduction --out paper --page docs/paper.md

paper-quick: $(VENV)/.installed
	$(BIN)/python -m reproduction --quick --out paper-quick

test: $(VENV)/.installed-test
	$(BIN)/python -m tests.kernels
	$(BIN)/python -m pytest $(QUICK)

test-all: $(VENV)/.installed-test
	$(BIN)/python -m tests.kernels
	$(BIN)/python -m pytest $(TWO)

# The oldest versions of everything; what newer ones deprecate is no fault of theirs.
test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m tests.kernels
	$(OLDEST)/bin/python -m pytest $(QUICK) \
		-W default::DeprecationWarning -W default::PendingDeprecationWarning -W default::FutureWarning

check: $(VENV)/.installed-check $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell src reproduction tests docs benchmarks *.md
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.kernels
	$(BIN)/python -m pytest $(QUICK)

# The site, in build/docs/index.html. It needs no network; QPFS_DOCS_INTERSPHINX=1 asks for links to other sites.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/docs
	$(BIN)/python docs/_extensions/built_links.py build/docs

fuzz: $(VENV)/.installed-test
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --seed $(SEED)

# One reader, by inputs that reach new lines of it.
fuzz-guided: $(VENV)/.installed-test $(VENV)/.installed-fuzz
	$(BIN)/python -m tests.fuzz.guided $(FORMAT) -max_total_time=$$((60 * $(MINUTES))) -seed=$$(($(SEED) + 1))

# What is released, in dist/: the source and the wheel that is built from it.
dist: $(VENV)/.installed-dist
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/check-wheel-contents dist

# The wheel in empty environments of these Pythons, and with the oldest versions of what it needs.
dist-test: dist
	$(PYTHON) tests/released.py dist $(PYTHONS)

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .venv-* $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf $(addprefix docs/,api auto_gallery auto_tutorials sg_execution_times.rst)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(OLDEST)/.installed: pyproject.toml tests/oldest.py
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "Python 3.11 is needed; set PYTHON=python3.11")'
	$(PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python tests/oldest.py > $(OLDEST)/oldest.txt
	$(OLDEST)/bin/python -m pip install --quiet --only-binary :all: --requirement $(OLDEST)/oldest.txt --editable .
	touch $@

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-%: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --editable '.[$*]'
	touch $@
