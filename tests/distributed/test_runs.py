"""A run on several ranks is the run of one process: its losses, scores, files, and what happens when it is stopped."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agdn.data.store import save
from agdn.distributed.part_store import open_part, read_partition
from agdn.distributed.world import World
from agdn.experiments.config import Config
from agdn.experiments.experiment import Experiment
from agdn.experiments.partitioning import partition_dataset
from agdn.experiments.prepare import prepared_dataset
from agdn.experiments.together import Sharing
from parted_runs import first_mistake, late, losses, resumed, run_all_of, stopped
from ranks import on_ranks
from small_runs import small

DROPOUT = "model={name: AGDN, hidden_channels: 4, num_layers: 2, hops: 2, dropout: 0.3, input_dropout: 0.2, " \
    "edge_dropout: 0.2, attn_dropout: 0.1, diffusion_dropout: 0.1, transition: gat_sym, norm: batch}"  # fmt: skip
CONFIGS = {
    "plain": small(DROPOUT),
    "random": small(DROPOUT, "distributed.partition=random"),
    "without training nodes": small(DROPOUT),
    "labels": small(DROPOUT, "task.labels={mask_rate: 0.5, reuse: 1}", "task.class_weights=balanced"),
    "consistency": small("task.consistency={passes: 2}", "task.label_smoothing=0.1", "training.ema_decay=0.9"),
    "inductive": small(DROPOUT, "task.setting=inductive", "training.clip_norm=0.5"),
    "smoothed": small("task.correct_and_smooth={}", "model={name: GCN, hidden_channels: 4, num_layers: 2}"),
    "words": small("data={name: digits}", "model={name: GAT, hidden_channels: 4, num_layers: 2, dropout: 0.4}"),
}


def _json(config: Config) -> str:
    return config.model_dump_json()


def test_losses_and_scores_are_those_of_one_process(tmp_path: Path) -> None:
    contents = {name: _json(config) for name, config in CONFIGS.items()}
    answers = on_ranks(run_all_of, 2, contents, str(tmp_path / "two"), ["without training nodes"])
    for name, config in CONFIGS.items():
        run = Experiment(config, 0, tmp_path / "one" / name).run()
        expected = losses(tmp_path / "one" / name)
        assert losses(tmp_path / "two" / name) == pytest.approx(expected, rel=1e-4), name
        assert answers[0][name] == answers[1][name]
        assert answers[0][name]["ranks"] == 2
        assert answers[0][name]["nodes"] == run.dataset["nodes"]
        for part, scores in run.scores.items():
            assert answers[0][name]["scores"][part] == pytest.approx(scores, abs=0.02), name
        assert {path.name for path in (tmp_path / "two" / name).iterdir()} >= {"config.yaml", "result.json"}


def test_a_signal_to_one_rank_stops_all_and_any_number_goes_on(tmp_path: Path) -> None:
    config = CONFIGS["plain"]
    content, folder = _json(config), tmp_path / "run"
    assert on_ranks(stopped, 2, content, str(folder), 2) == [[15, 3, 0]] * 2
    Experiment(config, 0, tmp_path / "whole").run()
    with pytest.warns(UserWarning, match="ranks = 2, resumed with ranks = 1"):
        alone = Experiment(config, 0, folder).run(resume=True)
    assert losses(folder) == pytest.approx(losses(tmp_path / "whole"), rel=1e-4)
    assert alone.ranks == 1


def test_batches_are_dealt_out_and_a_stop_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    content = _json(small(DROPOUT, "sampling={name: random_partition, parts: 5}", "training.epochs=3"))
    whole = on_ranks(run_all_of, 2, {"run": content}, str(tmp_path / "whole"), [])
    assert on_ranks(stopped, 2, content, str(tmp_path / "run"), 1, 1) == [[15, 1, 2]] * 2
    again = on_ranks(resumed, 2, content, str(tmp_path / "run"))
    assert again[0]["scores"] == whole[0]["run"]["scores"]
    assert losses(tmp_path / "run") == losses(tmp_path / "whole" / "run")
    weights = [(tmp_path / place / "model.safetensors").read_bytes() for place in ("run", "whole/run")]
    assert weights[0] == weights[1]


def test_a_late_rank_is_named_and_mistakes_are_everybodys() -> None:
    said = on_ranks(late, 2, timeout=4)
    assert "rank 0 failed at 'a test'" in said[0]
    assert "rank 1" in said[0].split(":", 1)[1]
    answers = on_ranks(first_mistake, 2)
    shared = ["a mistake of rank 0", "a mistake of rank 1", "a mistake of rank 0", "0"]
    assert answers[0] == [*shared, "[[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]"]
    assert answers[1] == [*shared, "none"]


def test_a_dataset_in_parts_trains_as_the_whole(tmp_path: Path) -> None:
    config = CONFIGS["plain"]
    dataset = prepared_dataset(config.data, 0)
    save(dataset, tmp_path / "stored", key="a test")
    partition_dataset(str(tmp_path / "stored"), 2, tmp_path / "parts", how="metis", changes=["self_loops=add"])
    record = read_partition(tmp_path / "parts")
    assert sum(part.nodes for part in record.parts) == record.nodes == 120
    in_parts = config.model_copy(update={"data": config.data.model_copy(update={"name": str(tmp_path / "parts")})})
    changed = in_parts.model_copy(update={"data": in_parts.data.model_copy(update={"options": {}})})
    on_ranks(run_all_of, 2, {"run": _json(changed)}, str(tmp_path), [])
    Experiment(config, 0, tmp_path / "one").run()
    assert losses(tmp_path / "run") == pytest.approx(losses(tmp_path / "one"), rel=1e-4)
    shutil.rmtree(tmp_path / "parts" / "part-1")
    assert open_part(tmp_path / "parts", 0, 2).graph.num_nodes == record.parts[0].nodes  # another part is not needed
    with pytest.raises(ValueError, match="has 2 parts, but 3 processes were started"):
        open_part(tmp_path / "parts", 0, 3)
    with pytest.raises(ValueError, match="stored in parts; train on it with as many processes"):
        Experiment(changed, 0, tmp_path / "alone").run()
    other = changed.model_copy(update={"data": changed.data.model_copy(update={"self_loops": "keep"})})
    with pytest.raises(ValueError, match=r"made with data\.self_loops = 'add', but the recipe says 'keep'"):
        Experiment(other, 0, tmp_path / "other").assemble(sharing=Sharing(World(0, 2), "graph"))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (["distributed.mode=parts"], "name a sampler in sampling, or use mode=graph"),
        (["distributed.mode=graph", "sampling={name: random_partition, parts: 2}"], "leave sampling out"),
        (["sampling={name: auto}"], "name a sampler, or leave it out"),
        (["model={name: UniMP, hidden_channels: 4}"], "UniMP does not train on a graph in parts"),
        (["inference_memory=1GB"], "inference_memory is for one process"),
    ],
)
def test_what_cannot_be_shared_is_told(changes: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Sharing.of(small(*changes), World(0, 2))
