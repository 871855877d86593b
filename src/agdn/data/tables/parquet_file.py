"""Parquet through the optional pyarrow, streamed by row group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agdn.data.errors import DataError
from agdn.data.tables.table_file import BATCH_ROWS, Batch, require_columns


class ParquetTable:
    """One file; numbers, dates and booleans become the text that a CSV would hold."""

    def __init__(self, path: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise DataError(f"{path} is Parquet, which needs pyarrow: pip install 'agdn[parquet]'") from None
        self.path = path
        self.name = str(path)
        self._arrow_errors = (pyarrow.ArrowException, OSError, ValueError)
        try:
            with pyarrow.parquet.ParquetFile(path) as file:
                self.columns = tuple(file.schema_arrow.names)
        except self._arrow_errors as error:
            raise DataError(f"{path} is not a whole Parquet file ({_first_line(error)})") from None
        if len(set(self.columns)) < len(self.columns):
            raise DataError(f"{path} has two columns of the same name; give every column a name of its own")

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        import pyarrow.parquet

        names = self.columns if columns is None else require_columns(self, columns)
        try:
            with pyarrow.parquet.ParquetFile(self.path) as file:
                total, row = max(file.metadata.num_rows, 1), 1
                for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=list(names)):
                    cells = {name: self._cells(name, batch.column(name)) for name in names}
                    if batch.num_rows:
                        yield Batch(row, cells, (row + batch.num_rows - 1) / total)
                    row += batch.num_rows
        except self._arrow_errors as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{self.path} cannot be read to its end ({_first_line(error)})") from None

    def _cells(self, name: str, values: Any) -> list[str]:
        import pyarrow

        if pyarrow.types.is_null(values.type):
            return [""] * len(values)
        try:
            cells: list[str] = values.cast(pyarrow.string()).fill_null("").to_pylist()
        except self._arrow_errors:
            raise DataError(
                f"{self.path}: column {name!r} holds {values.type}; numbers, text, dates or booleans are needed"
            ) from None
        return cells


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
