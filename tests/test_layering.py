"""The rooms of the house, and who may enter whom."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "agdn"

BELOW_EXPERIMENTS = {
    *("graph", "part", "ops", "nn", "models", "data", "embedding", "sampling", "tasks", "training", "distributed"),
}
ALLOWED: dict[str, set[str]] = {
    "graph": set(),
    "part": set(),
    "ops": {"graph"},
    "nn": {"graph", "part", "ops"},
    "models": {"graph", "part", "ops", "nn"},
    "data": {"graph", "ops"},
    "embedding": {"graph", "ops", "data"},
    "sampling": {"graph", "ops"},
    "tasks": {"graph", "ops", "data", "sampling"},
    "training": {"graph", "ops", "data", "sampling", "tasks"},
    "distributed": {"graph", "ops", "nn", "data", "sampling", "tasks", "training"},
    "experiments": BELOW_EXPERIMENTS,
    "studies": BELOW_EXPERIMENTS | {"experiments", "report", "bench"},
    "explain": BELOW_EXPERIMENTS | {"experiments", "report"},
    "estimators": BELOW_EXPERIMENTS | {"experiments"},
    "search": BELOW_EXPERIMENTS | {"experiments"},
    "report": BELOW_EXPERIMENTS | {"experiments"},
    "bench": BELOW_EXPERIMENTS,
    "cli": BELOW_EXPERIMENTS | {"experiments", "studies", "explain", "search", "report", "bench"},
    "__init__": BELOW_EXPERIMENTS | {"estimators", "experiments"},
    "__main__": {"cli"},
}
FILES = sorted(SOURCE.rglob("*.py"))


def room_of(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def rooms_imported(file: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: write imports out in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        rooms |= {name.split(".")[1] for name in names if name.startswith("agdn.")}
    return rooms


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_follow_the_table(file: Path) -> None:
    room = room_of(file)
    assert room in ALLOWED, f"{room} is not in the table of rooms"
    forbidden = rooms_imported(file) - ALLOWED[room] - {room}
    assert not forbidden, f"{file.relative_to(SOURCE)} must not import {', '.join(sorted(forbidden))}"


def test_names_say_their_subject_and_files_stay_small() -> None:
    for file in FILES:
        assert file.stem not in {"utils", "util", "helpers", "common", "base", "misc"}, file
        assert len(file.read_text().splitlines()) <= 400, f"{file} holds more than one subject"
