import json
from pathlib import Path

import pytest
import torch

from agdn.training import checkpoint_file
from agdn.training.checkpoint_file import read_record, read_tensors, require_same_tensors, write_record, write_tensors
from agdn.training.errors import CheckpointError
from agdn.training.generators import capture


def record(**changes: object) -> checkpoint_file.CheckpointRecord:
    fields: dict[str, object] = {
        "format": "agdn-checkpoint",
        "format_version": 1,
        "epoch": 3,
        "seconds": 1.5,
        "settings": {},
        "rate": {"full": 0.1, "best": None, "latest": None, "without_improvement": 0},
        "best": None,
        "optimizer": {"0": {"momentum_buffer": None}},
        "ema_steps": 0,
        "generators": capture()[0],
        "digests": {},
        **checkpoint_file.environment(),
    }
    return checkpoint_file.CheckpointRecord.model_validate({**fields, **changes})


def test_tensors_come_back_and_equal_ones_have_equal_bytes(tmp_path: Path) -> None:
    tensors = {"b": torch.rand(3, 2).t(), "a": torch.tensor(5), "c": torch.randint(255, (4,), dtype=torch.uint8)}
    digest = write_tensors(tmp_path / "one", tensors)
    assert write_tensors(tmp_path / "two", dict(reversed(tensors.items()))) == digest
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    for name, tensor in read_tensors(tmp_path / "one", digest).items():
        assert torch.equal(tensor, tensors[name])


def test_one_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "tensors"
    digest = write_tensors(path, {"a": torch.rand(3)})
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged"):
        read_tensors(path, digest)


@pytest.mark.parametrize("content", [b"", b"\xff" * 40, b"[]"])
def test_what_is_no_safetensors_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(CheckpointError, match="not a safetensors file"):
        read_tensors(tmp_path / "file")


def test_a_record_comes_back(tmp_path: Path) -> None:
    written = record(seconds=0.1 + 0.2)
    write_record(tmp_path / "record", written)
    assert read_record(tmp_path / "record") == written


def changed(path: Path, **changes: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_changed_record_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "record"
    write_record(path, record())
    changed(path, epoch=4)
    with pytest.raises(CheckpointError, match="not those that were saved"):
        read_record(path)


def test_another_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "record"
    write_record(path, record())
    changed(path, format_version=2)
    with pytest.raises(CheckpointError, match="format_version 2, but this release reads 1"):
        read_record(path)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "3", '{"digest": 1}', "[" * 100_000])
def test_what_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "record").write_text(content)
    with pytest.raises(CheckpointError, match="damaged"):
        read_record(tmp_path / "record")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for read in (read_record, read_tensors):
        with pytest.raises(CheckpointError, match="nowhere cannot be read"):
            read(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({}, "only the model has 'a'"),
        ({"a": torch.rand(2), "b": torch.rand(1)}, "only the file has 'b'"),
        ({"a": torch.rand(3)}, r"'a' is float32 \(3,\) in the file, float32 \(2,\) in the model"),
        ({"a": torch.ones(2, dtype=torch.long)}, "int64"),
    ],
)
def test_tensors_of_another_model(stored: dict[str, torch.Tensor], message: str) -> None:
    with pytest.raises(CheckpointError, match=message):
        require_same_tensors(Path("file"), stored, {"a": torch.rand(2)})
