# Needs Python 3.11 or newer and nothing else: everything is installed into .venv.
# Another interpreter:  make PYTHON=python3.12 demo

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --progress-bar off
NEWS := grep --line-buffered -v '^Requirement already satisfied'
STEPS := 3
PYTEST := -n 3 --dist worksteal # some tests wait for browsers and other processes
SEED := $(shell date +%s)

# run a command while pyright, which takes one core, checks the types; both must succeed
types-beside = $(BIN)/pyright >$(VENV)/types.txt & types=$$!; $(1); done=$$?; \
  wait $$types || { cat $(VENV)/types.txt; exit 1; }; tail -n 1 $(VENV)/types.txt; exit $$done

# bash, so that a failure on the left of a pipe is a failure
SHELL := bash
.SHELLFLAGS := -o pipefail -c

# the tests start many processes; each would compile the package's sources again
unexport PYTHONDONTWRITEBYTECODE

# pyright runs the version that pip installed and does not look for a newer one
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test test-all release fuzz lint style bench docs notebooks clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.installed ## install qddot and the development tools into .venv

demo: STEPS := 3
demo: $(VENV)/.runtime ## write a page about a robot into build: the quickest look at qddot
	@echo "[3/$(STEPS)] writing a page about the robot panda, about half a minute ..."
	@mkdir -p build
	@$(BIN)/qddot report panda -o build/panda.html

test: style ## check the style and the types, and run the tests
	@$(call types-beside,$(BIN)/python -m pytest $(PYTEST))

test-all: style ## the same with the long attacks and make release, about an hour and a quarter
	@$(call types-beside,$(BIN)/python -m pytest $(PYTEST) -m '' --hypothesis-profile=all)
	@$(BIN)/python tests/baseline.py check
	@$(BIN)/python tests/mutations.py check
	@$(MAKE) --no-print-directory release

release: $(VENV)/.installed ## try the oldest and the newest dependencies, and the packages in a clean place
	@$(BIN)/python tests/release.py oldest newest packages

fuzz: $(VENV)/.installed ## run the random tests on new examples (SEED=n repeats those of a run)
	@echo "the seed of these examples: $(SEED)"
	$(BIN)/python -m pytest $(PYTEST) -m hypothesis --hypothesis-profile=fuzz --hypothesis-seed=$(SEED)

lint: style ## check the style (ruff) and the types (pyright)
	$(BIN)/pyright

style: $(VENV)/.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check

bench: $(VENV)/.installed ## measure the speed beside other packages, in the same run; five minutes
	@$(BIN)/python benchmarks/run.py

docs: $(VENV)/.installed ## check the documentation, run what it shows, build it into build/site
	$(BIN)/python docs/check.py
	@$(BIN)/python docs/build.py

notebooks: STEPS := 2
notebooks: $(VENV)/.runtime ## write the examples as Jupyter notebooks into build/notebooks
	@$(BIN)/python examples/to_notebooks.py build/notebooks

clean: ## remove .venv, build outputs and caches
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find src tests docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "qddot needs Python 3.11 or newer, but there is no '$(PYTHON)' here." >&2; \
	  echo "Install one, or name one: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "qddot needs Python 3.11 or newer, but '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name a newer one: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	@echo "[1/$(STEPS)] creating $(VENV) with $$($(PYTHON) --version 2>&1) ..."
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.created pyproject.toml
	@echo "[2/$(STEPS)] installing qddot and what it needs, about a minute ..."
	@$(PIP) -e . | $(NEWS)
	@touch $@

$(VENV)/.installed: $(VENV)/.runtime
	@echo "[3/$(STEPS)] installing the development tools and the packages qddot is compared with, about two minutes ..."
	@$(PIP) -e '.[test]' | $(NEWS)
	@touch $@
