"""The user's own tables of nodes and edges -> Dataset, with the transforms that new rows need."""

from agdn.data.tables.importing import Imported, ImportRecord, import_tables
from agdn.data.tables.transforms import Transforms

__all__ = ["ImportRecord", "Imported", "Transforms", "import_tables"]
