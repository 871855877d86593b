import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import optuna
import pytest

from agdn.search import journal
from agdn.search.journal import opened

RECORDS = [{"op_code": 0, "name": "ä"}, {"op_code": 7, "intermediate_value": 0.5}, {"op_code": 6, "values": [1.0]}]


def written(path: Path) -> bytes:
    with opened(path) as file:
        file.append_logs(RECORDS[:1])
        file.append_logs(RECORDS[1:])
    return path.read_bytes()


def test_records_come_back(tmp_path: Path) -> None:
    path = tmp_path / "below" / "search.journal"
    assert len(written(path).splitlines()) == 3
    with opened(path) as file:
        assert file.read_logs(0) == RECORDS
        assert file.read_logs(2) == RECORDS[2:]


def test_a_torn_last_line_is_survived_wherever_it_is_torn(tmp_path: Path) -> None:
    path = tmp_path / "search.journal"
    content = written(path)
    ends = [position + 1 for position, byte in enumerate(content) if byte == ord("\n")]
    for length in range(len(content) + 1):
        path.write_bytes(content[:length])
        whole = sum(end - 1 <= length for end in ends)  # a line that lacks its end alone is whole
        with opened(path) as file:
            assert file.read_logs(0) == RECORDS[:whole], length
            file.append_logs(RECORDS[2:])
        lines = path.read_bytes().splitlines()
        assert [json.loads(line) for line in lines] == [*RECORDS[:whole], RECORDS[2]], length


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"model: {hops: 5}\n", 1),
        (b"no line end", 1),
        (b"[1]\n", 1),
        (b'{"op_code":1}\n\n{"op_code":1}\n', 2),
        (b'{"op_code":1}\n{"epoch": 3}\n', 2),
        (b"[" * 100_000 + b"\n", 1),
        (b"\xff\xfe\x00", 1),
    ],
)
def test_a_file_that_is_no_journal_is_left_as_it_is(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"line {line} is not of a search; give another --file"), opened(path):
        pass
    assert path.read_bytes() == content


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "search.journal"
    with opened(path), pytest.raises(ValueError, match="another process is searching with"), opened(path):
        pass
    with opened(path):
        pass


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "search.journal"
    script = (
        "import os, signal, sys; from pathlib import Path; from agdn.search.journal import opened\n"
        f"with opened(Path({str(path)!r})) as file:\n"
        "    file.append_logs([{'op_code': 1}]); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script], check=False)
    assert killed.returncode == -signal.SIGKILL
    with opened(path) as file:
        assert file.read_logs(0) == [{"op_code": 1}]


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "search.journal"
    before = written(path)
    with opened(path) as file:
        real = file._file

        class Half:
            def __getattr__(self, name: str) -> object:
                return getattr(real, name)

            def write(self, content: bytes) -> int:
                return int(real.write(content[:5]))

        file._file = Half()  # type: ignore[assignment]
        with pytest.raises(OSError, match="No space left") as raised:
            file.append_logs(RECORDS)
        assert raised.value.filename == str(path)
        file._file = real
        assert path.read_bytes() == before
        assert file.read_logs(0) == RECORDS


def test_ends_of_trials_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    with opened(tmp_path / "search.journal") as file:
        monkeypatch.setattr(journal.os, "fsync", synced.append)
        file.append_logs(RECORDS[1:2])
        assert not synced
        file.append_logs(RECORDS[2:])
        assert len(synced) == 1


def test_optuna_reads_it_too(tmp_path: Path) -> None:
    path = tmp_path / "search.journal"
    with opened(path) as file:
        study = optuna.create_study(storage=optuna.storages.JournalStorage(file), study_name="mine")
        study.tell(study.ask(), 1.5)
    theirs = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(os.fspath(path)))
    assert optuna.load_study(study_name="mine", storage=theirs).best_value == 1.5
