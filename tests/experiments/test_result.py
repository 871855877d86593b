import json
from pathlib import Path

import pytest

from agdn.experiments.result import Result, Run, group, paired_difference, read_run, runs_in, shown
from agdn.experiments.tables import as_markdown, results_table


def made(folder: Path, seed: int, test: float, *, name: str = "a", metric: str = "accuracy", dataset: str = "x") -> Run:
    scores = {part: {metric: test} for part in ("train", "valid", "test")}
    run = Run(
        folder=folder / name / f"seed-{seed}",
        name=name,
        seed=seed,
        metric=metric,
        higher_is_better=True,
        scores=scores,
        best_epoch=3,
        epochs=5,
        stopped_early=False,
        seconds=2.0,
        parameters=1234,
        dataset={"name": dataset},
        output={},
        versions={},
        threads=1,
    )
    run.folder.mkdir(parents=True)
    (run.folder / "result.json").write_text(run.model_dump_json())
    return run


def test_mean_and_unbiased_deviation(tmp_path: Path) -> None:
    result = Result("a", tuple(made(tmp_path, seed, score) for seed, score in enumerate((0.90, 0.92, 0.94))))
    assert result.mean() == pytest.approx(0.92)
    assert result.std() == pytest.approx(0.02)
    assert "92.00 ± 2.00" in result.table()
    assert Result("a", result.runs[:1]).std() is None
    assert result.to_json()["test"] == {"mean": pytest.approx(0.92), "std": pytest.approx(0.02)}
    json.dumps(result.to_json())


def test_paired_differences_are_over_common_seeds(tmp_path: Path) -> None:
    first = Result("a", tuple(made(tmp_path, seed, score) for seed, score in enumerate((0.9, 0.8, 0.7))))
    other = Result("b", tuple(made(tmp_path, seed, score, name="b") for seed, score in enumerate((0.8, 0.6))))
    mean, error, count = paired_difference(first, other)
    assert (mean, count) == (pytest.approx(0.15), 2)
    assert error == pytest.approx(0.05)
    header, rows = results_table([first, other])
    assert rows[0][header.index("first minus this")] == ""
    assert rows[1][header.index("first minus this")] == "15.00 ± 5.00"
    assert as_markdown(header, rows).count("\n") == 3


def test_results_on_different_data_are_not_compared(tmp_path: Path) -> None:
    first, other = (Result(name, (made(tmp_path, 0, 0.5, name=name, dataset=name),)) for name in ("a", "b"))
    assert paired_difference(first, other) is None
    assert "first minus this" not in results_table([first, other])[0]


def test_runs_are_found_by_seed(tmp_path: Path) -> None:
    runs = [made(tmp_path, seed, 0.5) for seed in (10, 2)]
    assert runs_in(tmp_path / "a") == runs[::-1]
    assert runs_in(runs[0].folder) == [runs[0]]
    assert [result.name for result in group([*runs, made(tmp_path, 1, 0.5, name="b")])] == ["a", "b"]


def test_numbers_in_their_own_unit() -> None:
    assert shown(0.5, 0.01, "accuracy") == "50.00 ± 1.00"
    assert shown(12.5, None, "mae") == "12.5000"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "is damaged: it is not the JSON"),
        ("[]", "is damaged: it is not the JSON"),
        ('{"format_version": 2}', "has format_version 2; this release reads 1"),
        ('{"format_version": 1}', "is damaged: name"),
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "result.json").write_text(content)
    with pytest.raises(ValueError, match=sentence):
        read_run(tmp_path)


def test_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no finished run"):
        read_run(tmp_path)
    with pytest.raises(ValueError, match="holds no finished run"):
        runs_in(tmp_path)
    with pytest.raises(ValueError, match="there is no run folder"):
        runs_in(tmp_path / "nowhere")
