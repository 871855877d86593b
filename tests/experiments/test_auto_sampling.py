from pathlib import Path

import pytest

import agdn
from agdn.experiments.auto_sampling import kept
from agdn.experiments.experiment import Experiment
from agdn.experiments.sampling import RandomParts
from agdn.training import memory_estimate
from small_runs import small

AUTO = small("sampling=auto", "data.options={num_nodes: 1500}", "training.epochs=2")


def with_free_memory(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(memory_estimate, "available", lambda device: size)


def test_what_fits_is_taken_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_free_memory(monkeypatch, 10**10)
    run = Experiment(AUTO, 0, tmp_path).run()
    choice = kept(tmp_path)
    assert choice is not None
    assert choice.sampling is None
    assert choice.inference_memory is None
    plain = Experiment(AUTO.model_copy(update={"sampling": None}), 0, tmp_path / "plain").run()
    assert run.scores == plain.scores


def test_what_does_not_fit_is_divided_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needed = _needed(Experiment(AUTO.model_copy(update={"sampling": None}), 0, tmp_path / "none"))
    with_free_memory(monkeypatch, needed // 3)
    run = Experiment(AUTO, 0, tmp_path / "run").run(label="here")
    choice = kept(tmp_path / "run")
    assert choice is not None
    assert isinstance(choice.sampling, RandomParts)
    assert choice.sampling.parts in (4, 8)
    assert f"trains in {choice.sampling.parts} random parts" in capsys.readouterr().err
    assert any("random parts" in note for note in run.notes)
    assert agdn.load(run).evaluate() == run.scores


def test_evaluation_goes_layer_by_layer_where_it_must(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_free_memory(monkeypatch, 200_000)
    run = Experiment(AUTO, 0, tmp_path).run()
    choice = kept(tmp_path)
    assert choice is not None
    assert choice.inference_memory == 60_000
    loaded = agdn.load(run)
    assert loaded.inference_memory == 60_000
    assert loaded.evaluate() == run.scores


def test_a_run_goes_on_with_what_it_began_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = _needed(Experiment(AUTO.model_copy(update={"sampling": None}), 0, tmp_path / "none"))
    with_free_memory(monkeypatch, needed // 3)
    Experiment(AUTO, 0, tmp_path / "run").run()
    before = kept(tmp_path / "run")
    (tmp_path / "run" / "result.json").unlink()
    with_free_memory(monkeypatch, 10**10)
    built = Experiment(AUTO, 0, tmp_path / "run").assemble()
    assert built.choice == before
    assert built.inputs.sampler is not None


def _needed(experiment: Experiment) -> int:
    built = experiment.assemble()
    return memory_estimate.estimate(built.model, built.inputs, experiment.config.training)
