# On a machine with Python 3.11 or newer, pip and make:
#   make demo    see it work, in a sandbox, with a daemon of its own; about a minute
#   make test    run every test; about five minutes
#   make check   ruff and mypy
#   make run     the daemon in the foreground, with its home in ~/.ash
#   make bench   measure speed
#   make recall DATA=file   measure what is found, beside the peers that `make peers` installs
#   make lives   measure what a search shows and withholds
#   make statements  measure what a new fact does to an older one
#   make models  fetch the better embedder, MiniLM, as demo, run and test do
#   make docs    write the generated reference anew
#   make clean   remove .venv and everything that was built
# PYTHON names another interpreter: make demo PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
# Two peers load an extension into SQLite, which many a Python was built without; Debian's can.
PEERS_PYTHON ?= $(or $(shell for python in $(PYTHON) /usr/bin/python3; do \
	$$python -c 'import sqlite3; sqlite3.Connection.enable_load_extension' 2>/dev/null && \
	echo $$python && break; done),$(PYTHON))
# What the benchmarks have in common: --models FOLDER, --write to keep the figures.
BENCH := $(if $(MODELS),--models $(MODELS)) $(if $(WRITE),--write)
# pip's own messages would bury what a person wants to see.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt

.DELETE_ON_ERROR:
.PHONY: help minilm-if-possible demo test check run bench recall lives statements peers models docs clean

help:
	@sed -n '/^#   make/s/^#   //p' Makefile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# A stamp for each of the two installations; pip runs again when what is to be installed changed.
$(VENV)/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	@touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/installed

demo: $(VENV)/installed minilm-if-possible
	$(BIN)/python sandbox/demo.py

# MiniLM belongs to the installation: every home that has no models of its own finds it there.
$(VENV)/models/minilm: | $(VENV)/installed
	ASH_MODELS=$(VENV)/models $(BIN)/ash model install minilm
	@touch $@

minilm-if-possible: | $(VENV)/installed
	@$(MAKE) --no-print-directory $(VENV)/models/minilm || \
		echo "MiniLM could not be had, so the built-in embedder serves: it finds words," \
			"hardly questions in other words. \"make models\" tries again."

test: $(VENV)/installed-dev $(VENV)/models/minilm
	ASH_MODELS=$(CURDIR)/$(VENV)/models $(BIN)/pytest

check: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

run: $(VENV)/installed minilm-if-possible
	$(BIN)/ashd serve

bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.run $(if $(QUICK),--quick) $(BENCH)

recall: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.recall.report $(DATA) \
		$(if $(CORRECTIONS),--corrections $(CORRECTIONS)) $(BENCH)

lives: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.recall.lives $(if $(DATA),--data $(DATA)) $(BENCH)

statements: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.statements.report $(BENCH)

peers: $(PEERS)/installed

$(PEERS)/installed: benchmarks/peers-requirements.txt
	$(PEERS_PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip --disable-pip-version-check install --quiet -r $<
	$(PEERS)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps \
		mcp-memory-service==12.4.0
	@touch $@

models: $(VENV)/models/minilm

docs: $(VENV)/installed-dev
	{ printf '# Your memory: ash-sb\n\n```text\n'; $(BIN)/ash-sb help agent; echo '```'; } > sandbox/agent.md
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) build *.egg-info sandbox/ash-sb.pyz .mypy_cache .ruff_cache .hypothesis
	find ashd ash_sb tests benchmarks sandbox -name __pycache__ -prune -exec rm -rf {} +
