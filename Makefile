# Each target does its own set-up: a fresh machine needs Python 3.11 and make, nothing else.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check format docs clean

demo: $(READY)
	$(BIN)/agdn train digits/agdn digits/mlp digits/gcn digits/gat --seeds 0-2 --out runs/demo
	$(BIN)/agdn report runs/demo --out runs/demo/report.html

test: check
	$(BIN)/pytest -n auto

docs: $(READY)
	cd docs && ../$(BIN)/python -m options_page
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

check: $(READY)
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# torch goes in first and alone, so that the pinned build is taken and nothing else picks another one.
$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 is needed: set PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache
