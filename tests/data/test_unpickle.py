"""The unpickler gives arrays and plain containers, and never calls what a file names."""

import os
import pickle
import re
import time
import tracemalloc
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import agdn
from agdn.data.errors import DataError
from agdn.data.unpickle import read_pickle


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "ind.set.x"
    path.write_bytes(content)
    return path


def dumped(tmp_path: Path, value: object) -> Path:
    return written(tmp_path, pickle.dumps(value, protocol=2))


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<i8", "|u1", "|b1", "<f2"])
def test_arrays_come_back_in_native_order(tmp_path: Path, dtype: str) -> None:
    array = np.arange(12).reshape(3, 4).astype(dtype)
    loaded = read_pickle(dumped(tmp_path, {"a": array, "b": np.asfortranarray(array)}))
    np.testing.assert_array_equal(loaded["a"], array)
    np.testing.assert_array_equal(loaded["b"], array)
    assert loaded["a"].dtype.isnative
    assert loaded["a"].flags.writeable


def test_sparse_matrices_and_neighbour_lists_come_back(tmp_path: Path) -> None:
    matrix = sparse.random(5, 7, density=0.4, format="csr", random_state=0)
    neighbours = defaultdict(list, {0: [1, 2], 1: [0]})
    loaded_matrix, loaded_lists = read_pickle(dumped(tmp_path, (matrix, neighbours)))
    np.testing.assert_array_equal(loaded_matrix.toarray(), matrix.toarray())
    assert loaded_lists == {0: [1, 2], 1: [0]}


def test_a_shared_list_stays_shared(tmp_path: Path) -> None:
    inner = [1]
    loaded = read_pickle(dumped(tmp_path, [inner, inner]))
    assert loaded == [[1], [1]]
    assert loaded[0] is loaded[1]


class Attack:
    def __init__(self, call: object, *arguments: object) -> None:
        self.call, self.arguments = call, arguments

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return self.call, self.arguments


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (os.system, ("touch {marker}",)),
        (eval, ("open({marker!r}, 'w')",)),
        (open, ("{marker}", "w")),
        (getattr, ("text", "join")),
        (np.load, ("{marker}",)),
        (np.memmap, ("{marker}", "uint8", "w+", 0, (4,))),
        (__import__, ("os",)),
        (sparse.csr_matrix, ((10**9, 10**9),)),
    ],
)
def test_a_call_is_refused_and_not_made(tmp_path: Path, call: object, arguments: tuple[object, ...]) -> None:
    marker = tmp_path / "marker"
    filled = [argument.format(marker=str(marker)) if isinstance(argument, str) else argument for argument in arguments]
    path = dumped(tmp_path, {"edge": Attack(call, *filled)})
    with pytest.raises(DataError, match=re.escape(str(path))):
        read_pickle(path)
    assert list(tmp_path.iterdir()) == [path]


def test_the_forbidden_name_is_in_the_message(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"asks for posix.system, which no data file needs"):
        read_pickle(dumped(tmp_path, Attack(os.system, "true")))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\x80\x02X\xff\xff\xff\x7fab.", id="string longer than the file"),
        pytest.param(b"\x80\x02cnumpy\nndarray\n.", id="a bare name"),
        pytest.param(b"\x80\x02cnumpy\ndtype\n}b.", id="state set on a class"),
        pytest.param(b"\x80\x02ccollections\ndefaultdict\n)\x81.", id="new object of another class"),
        pytest.param(b"\x80\x02]q\x00h\x00a.", id="list inside itself"),
        pytest.param(b"\x80\x02" + b"(" * 10_000, id="marks without end"),
        pytest.param(b"cos\nsystem\n(S'true'\ntR.", id="protocol 0"),
        pytest.param(b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f.", id="a frame of 2^63"),
        pytest.param(b"\x80\x02K\x01", id="no end"),
        pytest.param(b"", id="empty"),
    ],
)
def test_malformed_files_end_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError, match="refused"):
        read_pickle(written(tmp_path, content))


def test_a_huge_memo_index_takes_no_memory(tmp_path: Path) -> None:
    tracemalloc.start()
    assert read_pickle(written(tmp_path, b"\x80\x02]r\xff\xff\xff\x7f.")) == []
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()


def test_nested_tuples_as_keys_do_not_hang(tmp_path: Path) -> None:
    content = b"\x80\x02}" + b")" + b"q\x00h\x00\x86" * 60 + b"K\x01s."
    started = time.monotonic()
    with pytest.raises(DataError, match="keys are not names"):
        read_pickle(written(tmp_path, content))
    assert time.monotonic() - started < 1


def test_one_string_cannot_fill_many_arrays(tmp_path: Path) -> None:
    one_array = (
        b"cnumpy._core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R"
        b"(K\x01J\x00\x00\x02\x00\x85cnumpy\ndtype\nX\x02\x00\x00\x00f8K\x00K\x01\x87R"
        b"(K\x03X\x01\x00\x00\x00<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89h\x63tba"
    )
    megabyte = b"B" + (2**20).to_bytes(4, "little") + bytes(2**20) + b"q\x63"
    whole = b"\x80\x02" + megabyte + b"]" + 50 * one_array + b"."
    assert len(read_pickle(written(tmp_path, whole.replace(50 * one_array, one_array)))) == 1
    with pytest.raises(DataError, match="more memory than it has bytes"):
        read_pickle(written(tmp_path, whole))


@pytest.mark.parametrize("field", ["indices", "indptr"])
def test_sparse_matrices_with_wild_indices_are_refused(tmp_path: Path, field: str) -> None:
    matrix = sparse.random(5, 7, density=0.4, format="csr", random_state=0)
    getattr(matrix, field)[-1] = 10**6
    with pytest.raises(DataError, match="sparse matrix"):
        read_pickle(dumped(tmp_path, matrix))


def test_object_arrays_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="other than plain numbers"):
        read_pickle(dumped(tmp_path, np.array([{}, []], dtype=object)))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"ind.cora.x is missing"):
        read_pickle(tmp_path / "ind.cora.x")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_give_our_error_or_plain_data(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = written(tmp_path_factory.getbasetemp(), b"\x80\x02" + content)
    with suppress(DataError):
        assert_plain(read_pickle(path))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_files_give_our_error_or_plain_data(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    matrix = sparse.random(4, 4, density=0.5, format="csr", random_state=0)
    whole = bytearray(pickle.dumps((matrix, {0: [1]}, np.arange(3)), protocol=2))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = written(tmp_path_factory.getbasetemp(), bytes(whole))
    with suppress(DataError):
        assert_plain(read_pickle(path))


def assert_plain(value: object) -> None:
    assert type(value) in (type(None), bool, int, float, str, bytes, list, tuple, dict, np.ndarray, sparse.csr_matrix)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            assert_plain(item)


UNPICKLING = re.compile(
    r"\bpickle\.loads?\b|\w*Unpickler\b|allow_pickle\s*=\s*True|weights_only\s*=\s*False|torch\.load\(|"
    r"read_pickle\(|\b(import|from) (joblib|dill|cloudpickle|marshal|shelve)\b|(?<![.\w])(eval|exec)\(|"
    r"yaml\.(unsafe_)?load\(|shell\s*=\s*True"
)
ALLOWED = {
    "unpickle.py": ("_Unpickler", "PlainUnpickler", "read_pickle("),
    "torch_file.py": ("PlainUnpickler",),
    "planetoid.py": ("read_pickle(",),
}


def test_no_other_file_of_the_package_unpickles() -> None:
    found = []
    for path in sorted(Path(agdn.__path__[0]).rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            for match in UNPICKLING.finditer(line):
                if not any(match.group() in allowed for allowed in ALLOWED.get(path.name, ())):
                    found.append(f"{path.name}:{number}: {line.strip()}")
    assert found == []
