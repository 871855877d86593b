"""Archives that mean harm are refused, and nothing of them is left anywhere."""

from __future__ import annotations

import contextlib
import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agdn.data.archive import Limits, unpack
from agdn.data.errors import DataError


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def tarred(path: Path, *entries: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as packed:
        for entry, content in entries:
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return path


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def assert_refused(archive: Path, sentence: str, **options: object) -> None:
    before = files_in(archive.parent)
    with pytest.raises(DataError, match=sentence):
        unpack(archive, archive.parent / "out", **options)
    assert files_in(archive.parent) == before
    assert not (archive.parent / "out").exists()


def test_zip_and_tar_unpack_whole(tmp_path: Path) -> None:
    zipped(tmp_path / "a.zip", **{"set/raw/x": b"1", "set/y": b"2"})
    assert unpack(tmp_path / "a.zip", tmp_path / "zip", top="set") == 2
    assert files_in(tmp_path / "zip") == {"raw/x": b"1", "y": b"2"}
    tarred(tmp_path / "a.tar.gz", (tarfile.TarInfo("raw/x"), b"1"))
    unpack(tmp_path / "a.tar.gz", tmp_path / "tar")
    assert files_in(tmp_path / "tar") == {"raw/x": b"1"}


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "..\\evil", "C:\\evil"])
def test_names_that_lead_out(tmp_path: Path, name: str) -> None:
    assert_refused(zipped(tmp_path / "a.zip", **{name: b"x"}), "leads out")


def test_a_tar_name_that_leads_out(tmp_path: Path) -> None:
    assert_refused(tarred(tmp_path / "a.tar.gz", (tarfile.TarInfo("../evil"), b"x")), "leads out")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_tar(tmp_path: Path, kind: bytes) -> None:
    entry = tarfile.TarInfo("link")
    entry.type, entry.linkname = kind, "/etc/passwd"
    assert_refused(tarred(tmp_path / "a.tar.gz", (entry, b"")), "link or device")


def test_links_in_zip(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr(link, "/etc/passwd")
    assert_refused(tmp_path / "a.zip", "link or device")


def test_a_bomb_by_ratio(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "a.zip", zeros=bytes(40 * 2**20))
    assert_refused(bomb, "swells past its cap", limits=Limits(ratio=100))


def test_a_bomb_by_total_of_many_members(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "a.zip", **{f"part{index}": bytes(1000) for index in range(20)})
    assert_refused(bomb, "swells past its cap", limits=Limits(total_bytes=10_000))
    assert_refused(bomb, "more than 5 files", limits=Limits(members=5))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicates(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as packed:
        packed.writestr("a", "1")
        packed.writestr("A", "2")
    assert_refused(tmp_path / "a.zip", "twice")


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_truncation(tmp_path: Path, cut: float) -> None:
    whole = zipped(tmp_path / "whole.zip", a=bytes(range(256)) * 400, b=b"2" * 1000).read_bytes()
    (tmp_path / "whole.zip").unlink()
    (tmp_path / "a.zip").write_bytes(whole[: int(len(whole) * cut)])
    assert_refused(tmp_path / "a.zip", "damaged")


def test_a_changed_byte(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", a=bytes(range(256)) * 40)
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(content)
    assert_refused(path, "damaged")


def test_a_file_where_a_folder_must_be(tmp_path: Path) -> None:
    assert_refused(zipped(tmp_path / "a.zip", **{"a": b"1", "a/b": b"2"}), "damaged")


def test_members_outside_the_expected_folder(tmp_path: Path) -> None:
    assert_refused(zipped(tmp_path / "a.zip", **{"arxiv/x": b"1", "other/y": b"2"}), "outside its folder", top="arxiv")


def test_an_empty_archive(tmp_path: Path) -> None:
    assert_refused(zipped(tmp_path / "a.zip"), "holds no file")


def test_a_target_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "work").write_text("years")
    with pytest.raises(DataError, match="is there already"):
        unpack(zipped(tmp_path / "a.zip", a=b"1"), tmp_path / "out")
    assert (tmp_path / "out" / "work").read_text() == "years"


@settings(max_examples=100, deadline=None)
@given(
    content=st.binary(max_size=400), flips=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=4)
)
def test_random_bytes_unpack_inside_or_not_at_all(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, flips: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    damaged = bytearray(zipped(folder / "a.zip", **{"x/y": content, "z": b"1"}).read_bytes()) if flips else content
    for place, value in flips:
        damaged[place % len(damaged)] = value
    (folder / "a.zip").write_bytes(damaged)
    with contextlib.suppress(DataError):
        unpack(folder / "a.zip", folder / "out")
    assert {path.name for path in folder.iterdir()} <= {"a.zip", "out"}
