# make demo and make test each set up what they need, on a machine with Python 3.11 or newer and make. Where a package has
# no wheel for the machine (docs/install.md), pip also wants a C compiler.

PYTHON ?= python3
VENV := .venv

# Hundreds of processes that the tests start would each compile what they import, if nothing may be kept of it.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

.PHONY: demo test fast golden test-slow test-laws test-browser bench lint sizes fmt ui lock pictures dist wheels wheel-test bundle site clean

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

# Writes anew what is generated and compared: results of queries, the digest of the schema, the schemas of internal
# tools, the stub of the typed methods, and what calls cost (tests/budgets.toml). The difference is part of the review.
golden: $(VENV)/dev
	$(BIN)/python -m pytest -q tests/golden --update-golden

# What is long, and the cases that `make test` leaves out where it tries a sample.
test-slow: $(VENV)/dev
	$(BIN)/$(PYTEST) -m slow

# The laws with many more examples each; it takes as long as the slow sweeps, and CI does not run it yet.
test-laws: $(VENV)/dev
	KEEPGRAPH_SWEEP=1 $(BIN)/$(PYTEST) -m law

# The page in a real browser, headless: it wants a chromium, and for the check of accessibility `npm --prefix ui ci`.
test-browser: $(VENV)/dev
	$(BIN)/python -m pytest -q -m browser tests/browser

# The pictures of the documents, of the graph of the demo, in a headless chromium.
pictures: $(VENV)/dev
	$(BIN)/python tests/browser/pictures.py

# The page anew from its source; nobody else needs Node.
ui:
	npm --prefix ui ci --ignore-scripts --no-audit --no-fund
	npm --prefix ui run build

bench: $(VENV)/dev
	$(BIN)/python tests/benchmarks/run.py $(ARGS)

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy
	$(BIN)/python -m cogapp --check README.md docs/*.md
	@$(BIN)/python tests/code_size.py

# The table of the lines of code in docs/architecture.md, from which `make lint` prints what grew.
sizes: $(VENV)/dev
	$(BIN)/python tests/code_size.py --write

fmt: $(VENV)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m cogapp -r README.md docs/*.md

# The wheel as a user gets it: installed in an environment of its own, with no checkout in sight. What a wheel can lack is
# a file: all of the package are looked for, and the commands, the server, the page and each tool are tried. How they
# behave, `make test` shows.
ALONE := $(CURDIR)/$(VENV)-wheel
ALONE_TESTS := $(addprefix tests/integration/test_,cli.py server.py offline.py install.py page_server.py transfer.py \
	profiles.py vocabulary_sets.py vault.py encryption.py) tests/unit/test_installation.py

wheel-test: wheels
	rm -rf $(ALONE)
	$(PYTHON) -m venv $(ALONE)
	$(ALONE)/bin/python -m pip --disable-pip-version-check -qq install "$$(ls $(CURDIR)/dist/keepgraph-*.whl)[dev,meaning]" dist/keepgraph_minilm-*.whl
	cd src && find keepgraph -type f -not -name '*.pyc' | while read -r file; do \
		test -f $(ALONE)/lib/python*/site-packages/$$file || { echo "The wheel has no $$file"; exit 1; }; done
	mkdir $(ALONE)/away
	cp -r tests pyproject.toml $(ALONE)/away
	cd $(ALONE)/away && $(ALONE)/bin/kg demo
	cd $(ALONE)/away && $(ALONE)/bin/kg --db meaning.db remember "The licence for Atlas is on its way."
	cd $(ALONE)/away && $(ALONE)/bin/kg --db meaning.db search "when does the permit arrive" | grep "by meaning)$$"
	cd $(ALONE)/away && $(ALONE)/bin/$(PYTEST) $(ALONE_TESTS)
	rm -rf $(ALONE)

# What is released: the two wheels, and the bundle. docs/install.md has the lines that install them.
dist: wheels bundle

wheels: $(VENV)/light
	rm -rf dist
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	cp $(MODEL) dist

# What Claude Desktop installs with a click, for this platform and this Python.
bundle: $(VENV)/light
	$(BIN)/python packaging/mcpb/build.py

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# The package with the files of the model, which is ours and comes from no index; built once.
MODEL_VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' packaging/minilm/pyproject.toml)
MODEL := build/packages/keepgraph_minilm-$(MODEL_VERSION)-py3-none-any.whl

MODEL_SOURCES := build.py pyproject.toml source.txt SHA256SUMS README.md LICENSE NOTICE keepgraph_minilm/__init__.py

# What is installed is locked, with hashes, for every platform (ADR 0054); `make lock` writes the locks anew.
LOCKS := packaging/locks
LOCKED := $(PIP) install --no-deps --require-hashes
OURS := $(PIP) install --no-deps --no-build-isolation

$(MODEL): $(VENV)/bin/python $(addprefix packaging/minilm/,$(MODEL_SOURCES))
	$(LOCKED) -r $(LOCKS)/build.txt
	$(BIN)/python packaging/minilm/build.py --into build/packages
	@touch $@

$(VENV)/light: $(VENV)/bin/python $(MODEL) pyproject.toml $(LOCKS)/light.txt $(LOCKS)/build.txt
	$(LOCKED) -r $(LOCKS)/build.txt -r $(LOCKS)/light.txt
	$(OURS) -e . $(MODEL)
	@touch $@

# PyTorch is not in the lock: which of its builds is right depends on the machine. All that it needs besides is.
$(VENV)/dev: $(VENV)/bin/python $(MODEL) pyproject.toml constraints.txt $(LOCKS)/dev.txt
	$(LOCKED) -r $(LOCKS)/dev.txt
	$(PIP) install -c constraints.txt torch
	$(OURS) -e . $(MODEL)
	@touch $@ $(VENV)/light

lock: $(VENV)/bin/python
	$(PIP) install "uv>=0.5"
	$(BIN)/python $(LOCKS)/lock.py

# The documents as a site in build/site, with an environment of its own.
SITE := $(CURDIR)/$(VENV)-site

$(SITE)/done: $(LOCKS)/site.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip --disable-pip-version-check -qq install --no-deps --require-hashes -r $(LOCKS)/site.txt
	@touch $@

site: $(SITE)/done
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV)-site $(VENV) $(VENV)-wheel dist build demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
