# Everything happens in .venv; a second run does only what has changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SHARED ?= ../shared

.PHONY: demo test lint eval calibrate bench clean

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

bench: $(VENV)/.installed
	$(BIN)/python bench/ingest.py

clean:
	rm -rf $(VENV) build dist *.egg-info index_store/evals

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@
