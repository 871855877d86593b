from pathlib import Path
from typing import Any

import pytest

from agdn.experiments.checking import checked
from agdn.experiments.experiment import Experiment
from agdn.experiments.load import load
from agdn.experiments.overrides import with_overrides
from agdn.sampling import Batch
from agdn.training import loop
from agdn.training.errors import TrainingError
from agdn.training.loop import fit
from agdn.training.state import State
from small_runs import SMALL, small

KINDS = [
    "{name: random_partition, parts: 3, evaluation_parts: 2, evaluation_views: 2}",
    "{name: cluster_partition, parts: 6, batch_parts: 2}",
    "{name: saint_walk, roots: 20, length: 2, batches: 3, normalise: true, coverage: 5}",
    "{name: saint_node, nodes: 60, batches: 3}",
    "{name: saint_edge, edges: 60, batches: 3, normalise: true, coverage: 5}",
    "{name: neighbours, fanouts: [5, 5, 3, 3], batch_size: 20}",
    "{name: egos, fanouts: 4, hops: 2, batch_size: 20, replace: true}",
]


NODES = ("sampling={name: nodes, batch_size: 20}", "model={name: SAGN, hidden_channels: 8}")


@pytest.mark.parametrize("changes", [*((f"sampling={kind}",) for kind in KINDS), NODES])
def test_a_run_trains_with_every_sampler_and_repeats(changes: tuple[str, ...], tmp_path: Path) -> None:
    config = small(*changes, "training.epochs=2")
    first, second = (Experiment(config, 0, tmp_path / name).run() for name in "ab")
    other = Experiment(config, 1, tmp_path / "c").run()
    files = [(run.folder / "model.safetensors").read_bytes() for run in (first, second, other)]
    assert files[0] == files[1] != files[2]
    assert first.scores == second.scores
    assert load(first).evaluate() == first.scores


@pytest.mark.parametrize("model", ["{name: SIGN, hidden_channels: 8}", "SGC"])
@pytest.mark.parametrize("setting", ["transductive", "inductive"])
def test_one_batch_of_all_training_nodes_is_the_step_on_the_whole_graph(
    model: str, setting: str, tmp_path: Path
) -> None:
    options = (f"model={model}", f"task.setting={setting}", "training.epochs=3", "training.optimizer.lr=0.02")
    whole = Experiment(small(*options), 0, tmp_path / "whole").run()
    batches = Experiment(small(*options, "sampling={name: nodes, batch_size: 10000}"), 0, tmp_path / "nodes").run()
    assert batches.scores == whole.scores
    smaller = Experiment(small(*options, "sampling={name: nodes, batch_size: 7}"), 0, tmp_path / "smaller").run()
    assert smaller.score("train") >= whole.score("train")


def test_batches_of_nodes_take_no_labels_as_input() -> None:
    with pytest.raises(ValueError, match="sampling=nodes knows no labels as input"):
        small(*NODES, "task.labels.mask_rate=0.5")


def test_steps_learn(tmp_path: Path) -> None:
    options = ("training.epochs=40", "training.optimizer.lr=0.05")
    whole = Experiment(small(*options), 0, tmp_path / "whole").run()
    parts = Experiment(small(*options, "sampling={name: random_partition, parts: 2}"), 0, tmp_path / "parts").run()
    assert parts.score("train") > 0.6
    assert parts.score("train") > whole.score("train") - 0.15


class Stopped(Exception):
    pass


@pytest.mark.parametrize("stop_after", [1, 2, 5, 8])
def test_an_epoch_that_ends_in_its_middle_goes_on_to_the_same_bytes(
    stop_after: int, tmp_path: Path, monkeypatch
) -> None:
    config = small("sampling={name: random_partition, parts: 4}", "training.epochs=3", "training.ema_decay=0.9")
    undisturbed = Experiment(config, 0, tmp_path / "whole").run()
    steps = 0

    def step(state: State, *of_step: Any) -> None:
        nonlocal steps
        if steps == stop_after:
            raise Stopped
        steps += 1
        usual(state, *of_step)

    usual = loop._step
    again = Experiment(config, 0, tmp_path / "again")
    with monkeypatch.context() as patched:
        patched.setattr(loop, "_step", step)
        with pytest.raises(Stopped):
            again.run(checkpoint_seconds=0)
    saved = sorted(path.name for path in (tmp_path / "again" / "checkpoint").glob("*.json"))
    epoch, rest = divmod(stop_after, 4)
    assert f"epoch-{epoch:08d}{f'-step-{rest:08d}' if rest else ''}.json" in saved
    resumed = again.run(resume=True)
    files = [(run.folder / "model.safetensors").read_bytes() for run in (undisturbed, resumed)]
    assert files[0] == files[1]
    rows = [(run.folder / "metrics.jsonl").read_text().splitlines() for run in (undisturbed, resumed)]
    assert len(rows[0]) == len(rows[1]) == 3


def test_an_epoch_without_a_single_training_node_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    built = Experiment(small("sampling={name: saint_node, nodes: 1, batches: 1}"), 0, Path()).assemble()
    outside = built.task.split.test
    batch = Batch(built.inputs.train.graph.subgraph(outside), outside, len(outside))
    monkeypatch.setattr(built.inputs.sampler, "batch", lambda epoch, index: batch)
    with pytest.raises(TrainingError, match="no training step"):
        next(fit(built.model, built.task, built.inputs, small().training))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("sampling={name: random_part, parts: 3}", "sampling"),
        ("sampling={name: random_partition, parts: 0}", "sampling.parts"),
        ("sampling={name: neighbours, fanouts: 5, batch: 3}", "batch"),
        ("sampling=nodes", "sampling=nodes is for models that propagate before they learn: .*SAGN, SGC, SIGN"),
    ],
)
def test_wrong_sections_are_named(change: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        checked(with_overrides(SMALL, [change]), "small")
