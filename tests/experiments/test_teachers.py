from pathlib import Path

import pytest
import torch

import agdn
from agdn.experiments.experiment import Experiment
from agdn.experiments.jobs import side_by_side
from agdn.experiments.result import Run
from agdn.experiments.run import run_all
from agdn.experiments.run_folder import read_config
from small_runs import small

STUDENT = ["name=student", "task.distillation={alpha: 0.5, temperature: 1.0, teacher: small}"]


def test_the_teacher_is_trained_first_once_and_seed_by_seed(tmp_path: Path) -> None:
    ended: list[Run] = []
    run_all([small(*STUDENT)], seeds=2, out=tmp_path, jobs=1, progress=False, finished=ended.append)
    assert [(run.name, run.seed) for run in ended] == [("small", 0), ("small", 1), ("student", 0), ("student", 1)]
    run_all([small()], seeds=2, out=tmp_path, jobs=1, progress=False, finished=ended.append)
    assert len(ended) == 4  # what the student needed is a run like any other
    assert read_config(tmp_path / "student" / "seed-0").task.distillation is not None
    assert agdn.load(tmp_path / "student" / "seed-1").evaluate()["test"]["accuracy"] == ended[3].score()


def test_both_in_one_call(tmp_path: Path) -> None:
    results = run_all([small(*STUDENT), small()], out=tmp_path, jobs=1, progress=False)
    assert [result.name for result in results] == ["student", "small"]


def test_the_loss_is_that_of_the_teachers_outputs(tmp_path: Path) -> None:
    (result,) = run_all([small()], out=tmp_path, jobs=1, progress=False)
    config = small("name=student", f"task.distillation={{alpha: 1.0, temperature: 1.0, runs: {tmp_path / 'small'}}}")
    built = Experiment(config, 0, tmp_path).assemble()
    teacher = agdn.load(result.runs[0])
    with torch.no_grad():
        q = teacher.outputs().softmax(1)
    torch.manual_seed(1)
    (loss,) = list(built.task.losses(built.model.eval(), built.inputs))
    with torch.no_grad():
        p = built.inputs.train.outputs(built.model).softmax(1)
    torch.testing.assert_close(loss.detach(), (q * (q / p).log()).mean(), rtol=1e-4, atol=1e-6)


def test_a_folder_without_the_seed_is_named(tmp_path: Path) -> None:
    run_all([small()], out=tmp_path, jobs=1, progress=False)
    config = small("name=student", f"task.distillation={{runs: {tmp_path / 'small'}}}")
    with pytest.raises(ValueError, match="no finished run of seed 3 to learn from"):
        run_all([config], seeds=[3], out=tmp_path, jobs=1, progress=False)


def test_labels_and_smoothing_from_training_to_predictions(tmp_path: Path) -> None:
    config = small("name=tricks", "task.labels={reuse: 1}", "task.correct_and_smooth={}", "task.loss=loge")
    (result,) = run_all([config], out=tmp_path, jobs=1, progress=False)
    (run,) = result.runs
    assert run.unfinished_scores is not None
    loaded = agdn.load(run)
    assert loaded.evaluate() == run.scores
    predicted = loaded.predict().columns["prediction"]
    outputs = loaded.outputs().argmax(1).tolist()
    assert [str(value) for value in outputs] == [str(value) for value in predicted]


def test_a_model_without_parameters_is_a_run_too(tmp_path: Path) -> None:
    config = small(
        "name=spread", "model={name: LabelPropagation, hops: 10}", "task.labels={mask_rate: 0}", "training.epochs=0"
    )
    (result,) = run_all([config], out=tmp_path, jobs=1, progress=False)
    assert result.runs[0].parameters == 0
    assert result.mean("train") == 1.0
    assert result.mean() > 0.5
    assert agdn.load(result.runs[0]).evaluate() == result.runs[0].scores


@pytest.mark.parametrize(
    "changes",
    [
        ["task.labels={reuse: 1}"],
        ["model={name: LabelPropagation, hops: 3}", "task.labels={mask_rate: 0}", "training.epochs=0"],
    ],
)
def test_how_many_fit_side_by_side_is_known_for_labels_as_input(tmp_path: Path, changes: list[str]) -> None:
    pending = [Experiment(small(*changes), seed, tmp_path / str(seed)) for seed in range(2)]
    assert 1 <= side_by_side(pending, None) <= 2
