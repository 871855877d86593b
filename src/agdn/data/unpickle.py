"""The one unpickler: reads the pickles that two legacy formats are made of, and can run nothing.

A pickle names callables and asks for them to be called. Here every name leads to one of a few stand-ins that only
write down what they were given; real arrays are made from them afterwards, when all sizes have been checked. The
machine knows the opcodes of those formats alone, and no file makes it hold much more memory than it has bytes.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from agdn.data.errors import DataError
from agdn.data.plain_objects import ArrayStandIn, CsrStandIn, DTypeStandIn, StandIn, StorageStandIn, TensorStandIn

MAX_OPCODES = 20_000_000
MAX_DEPTH = 20
SLACK = 2**20

STORAGE_DTYPES = {
    "FloatStorage": "<f4",
    "DoubleStorage": "<f8",
    "HalfStorage": "<f2",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "<?",
}

OPCODES = (
    *(pickle.PROTO, pickle.STOP, pickle.MARK, pickle.GLOBAL, pickle.REDUCE, pickle.NEWOBJ, pickle.BUILD),
    *(pickle.EMPTY_TUPLE, pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3),
    *(pickle.EMPTY_LIST, pickle.APPEND, pickle.APPENDS, pickle.EMPTY_DICT, pickle.SETITEM, pickle.SETITEMS),
    *(pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE, pickle.BININT, pickle.BININT1, pickle.BININT2, pickle.LONG1),
    *(pickle.BINFLOAT, pickle.BINSTRING, pickle.SHORT_BINSTRING, pickle.BINUNICODE, pickle.BINBYTES),
    *(pickle.SHORT_BINBYTES, pickle.BINPUT, pickle.LONG_BINPUT, pickle.BINGET, pickle.LONG_BINGET, pickle.BINPERSID),
)


class Marker:
    """A name that a file may mention as an argument, but not call."""

    def __init__(self, name: str) -> None:
        self.name = name


NDARRAY, LIST = Marker("numpy.ndarray"), Marker("list")
STORAGES = {name: Marker(name) for name in STORAGE_DTYPES}


class BoundedReader:
    """A stream that refuses to be asked for more than it holds, or too often."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self.stream = stream
        self.left = size
        self.calls = 0
        self.budget = 2 * size + SLACK

    def read(self, count: int) -> bytes:
        self.calls += 1
        if count > self.left or self.calls > MAX_OPCODES:
            raise pickle.UnpicklingError("it is cut off or announces more than it holds")
        self.left -= count
        return self.stream.read(count)

    def readline(self) -> bytes:
        line = self.stream.readline(min(self.left, 256))
        self.left -= len(line)
        return line

    def spend(self, count: int) -> None:
        """Account for memory that the file asks for; a file that asks for more than it can fill is refused."""
        self.budget -= count
        if self.budget < 0:
            raise pickle.UnpicklingError("it asks for far more memory than it has bytes")


class PlainUnpickler(pickle._Unpickler):
    """Python's own pickle machine, with the opcodes and names above and nothing else.

    It is the pure-Python one on purpose: the C one sizes its memo by a number in the file and cannot have opcodes
    taken away.
    """

    stack: list[Any]
    append: Callable[[Any], None]
    pop_mark: Callable[[], list[Any]]
    dispatch: ClassVar[dict[int, Callable[[Any], None]]] = {op[0]: pickle._Unpickler.dispatch[op[0]] for op in OPCODES}

    def __init__(self, reader: BoundedReader) -> None:
        super().__init__(reader, encoding="latin1")
        self.reader = reader
        self.storages: dict[str, StorageStandIn] = {}

    def find_class(self, module: str, name: str) -> Any:
        names: dict[tuple[str, str], Any] = {
            ("numpy.core.multiarray", "_reconstruct"): self._array,
            ("numpy._core.multiarray", "_reconstruct"): self._array,
            ("numpy", "ndarray"): NDARRAY,
            ("numpy", "dtype"): DTypeStandIn,
            ("scipy.sparse.csr", "csr_matrix"): CsrStandIn,
            ("scipy.sparse._csr", "csr_matrix"): CsrStandIn,
            ("_codecs", "encode"): self._encode,
            ("collections", "defaultdict"): self._dict,
            ("collections", "OrderedDict"): self._dict,
            ("__builtin__", "list"): LIST,
            ("builtins", "list"): LIST,
            ("torch._utils", "_rebuild_tensor_v2"): TensorStandIn,
            **{("torch", storage): marker for storage, marker in STORAGES.items()},
        }
        if (module, name) not in names:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}, which no data file needs")
        return names[module, name]

    def persistent_load(self, pid: Any) -> StorageStandIn:
        """Torch's reference to a storage: ("storage", torch.LongStorage, key, device, number of elements, ...)."""
        kind, storage_type, key, _, numel = pid[:5]
        if kind != "storage" or not isinstance(storage_type, Marker) or type(key) is not str or type(numel) is not int:
            raise pickle.UnpicklingError("it refers to something that is not a tensor storage")
        storage = StorageStandIn(STORAGE_DTYPES[storage_type.name], numel)
        known = self.storages.setdefault(key, storage)
        if (known.dtype, known.numel) != (storage.dtype, storage.numel):
            raise pickle.UnpicklingError(f"it describes storage {key} in two ways")
        return known

    def _array(self, subtype: Any, shape: Any, typecode: Any) -> ArrayStandIn:
        if subtype is not NDARRAY:
            raise pickle.UnpicklingError("it holds an array of a type of its own")
        return ArrayStandIn()

    def _encode(self, text: str, codec: str) -> bytes:
        if codec != "latin1":
            raise pickle.UnpicklingError("it encodes bytes in another way than NumPy does")
        self.reader.spend(len(text))
        return text.encode("latin1")

    def _dict(self, factory: Any = LIST) -> dict[Any, Any]:
        if factory is not LIST:
            raise pickle.UnpicklingError("it holds a dictionary with a default other than a list")
        return {}

    def _load_newobj(self) -> None:
        arguments, kind = self.stack.pop(), self.stack.pop()
        if kind is not CsrStandIn or arguments != ():
            raise pickle.UnpicklingError("it makes an object that is not a sparse matrix")
        self.append(CsrStandIn())

    def _load_build(self) -> None:
        state, instance = self.stack.pop(), self.stack[-1]
        if not isinstance(instance, StandIn):
            raise pickle.UnpicklingError("it sets the state of something that is not an array")
        instance.__setstate__(state)

    def _load_setitems(self) -> None:
        self._fill(self.pop_mark())

    def _load_setitem(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._fill([key, value])

    def _fill(self, items: list[Any]) -> None:
        mapping = self.stack[-1]
        if type(mapping) is not dict or not all(type(key) in (str, int) for key in items[::2]):
            raise pickle.UnpicklingError("it holds a dictionary whose keys are not names or numbers")
        mapping.update(zip(items[::2], items[1::2], strict=True))

    dispatch[pickle.NEWOBJ[0]] = _load_newobj
    dispatch[pickle.BUILD[0]] = _load_build
    dispatch[pickle.SETITEMS[0]] = _load_setitems
    dispatch[pickle.SETITEM[0]] = _load_setitem


def materialised(value: Any, reader: BoundedReader) -> Any:
    """The value with every stand-in replaced by its array; containers become plain lists, tuples and dictionaries."""
    done: dict[int, Any] = {}
    open_containers: set[int] = set()

    def visit(item: Any, depth: int) -> Any:
        if item is None or type(item) in (str, bytes, int, float, bool):
            return item
        if id(item) in done:
            return done[id(item)]
        if id(item) in open_containers or depth > MAX_DEPTH:
            raise pickle.UnpicklingError("it holds a container inside itself")
        open_containers.add(id(item))
        if isinstance(item, StandIn):
            result = item.plain(reader.spend)
        elif type(item) is dict:
            result = {key: visit(child, depth + 1) for key, child in item.items()}
        elif type(item) in (list, tuple):
            result = type(item)(visit(child, depth + 1) for child in item)
        else:
            raise pickle.UnpicklingError("it holds a name where data should be")
        open_containers.discard(id(item))
        done[id(item)] = result
        return result

    return visit(value, 0)


def read_pickle(path: Path) -> Any:
    """The arrays, sparse matrices and plain containers of a Planetoid file."""
    with refusing(path), path.open("rb") as stream:
        reader = BoundedReader(stream, path.stat().st_size)
        return materialised(PlainUnpickler(reader).load(), reader)


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turns whatever a malformed pickle can raise into one sentence about the file."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path} is missing") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}") from None
    except (pickle.UnpicklingError, DataError) as error:
        raise DataError(f"{path} was refused: {error}; fetch the file again from its publisher") from None
    except Exception:
        raise DataError(f"{path} was refused: it is damaged or of another format; fetch it again") from None
