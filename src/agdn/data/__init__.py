"""Files in the world -> Dataset, or one clear sentence why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agdn.data.checks import check_dataset as check_dataset
    from agdn.data.dataset import Dataset as Dataset
    from agdn.data.dataset import EdgeSplit as EdgeSplit
    from agdn.data.dataset import NodeSplit as NodeSplit
    from agdn.data.errors import DataError as DataError
    from agdn.data.names import dataset_names as dataset_names
    from agdn.data.names import load_dataset as load_dataset
    from agdn.data.readers.arrays import from_arrays as from_arrays
    from agdn.data.readers.pyg import from_pyg as from_pyg
    from agdn.data.readers.pyg import to_pyg as to_pyg
    from agdn.data.tables import import_tables as import_tables

EXPORTS = {
    "Dataset": "agdn.data.dataset",
    "NodeSplit": "agdn.data.dataset",
    "EdgeSplit": "agdn.data.dataset",
    "DataError": "agdn.data.errors",
    "load_dataset": "agdn.data.names",
    "dataset_names": "agdn.data.names",
    "from_arrays": "agdn.data.readers.arrays",
    "from_pyg": "agdn.data.readers.pyg",
    "to_pyg": "agdn.data.readers.pyg",
    "check_dataset": "agdn.data.checks",
    "import_tables": "agdn.data.tables",
}
__all__ = list(EXPORTS)


def __getattr__(name: str) -> Any:
    """Exports are imported when they are first asked for: importing the package stays quick."""
    if name not in EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(EXPORTS[name]), name)
