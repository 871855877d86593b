"""The columns of a table -> features of nodes and attributes of edges, by the roles that they have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from agdn.data.errors import DataError
from agdn.data.tables.options import ImportOptions
from agdn.data.tables.roles import ColumnRole, Role, given_roles, infer_roles
from agdn.data.tables.table_file import Table, require_columns
from agdn.data.tables.transforms import Transforms, Widths, fit

ID_NAMES = ("id", "node", "node_id", "nodeid")


@dataclass(frozen=True)
class Features:
    """What became of a table's columns; ``values`` is None where no column is used."""

    roles: tuple[ColumnRole, ...]
    transforms: Transforms | None
    values: Tensor | None


def id_column(nodes: Table, options: ImportOptions) -> str:
    """The column of ids: the one given, else one with a well-known name, else the first."""
    if options.id_column is not None:
        return require_columns(nodes, [options.id_column])[0]
    lower = {column.lower(): column for column in nodes.columns}
    return next((lower[known] for known in ID_NAMES if known in lower), nodes.columns[0])


def node_features(nodes: Table, options: ImportOptions, train: np.ndarray | None) -> Features:
    """Every column that is not an id, a target, a split or a time; numbers are scaled on the ``train`` rows."""
    own_id = id_column(nodes, options)
    taken = {own_id: "the id", **dict.fromkeys(options.target, "the target")}
    taken |= {name: "the split" for name in (options.split_column, options.time_column) if name is not None}
    told = _told(options)
    for column in told:
        if column in taken and column in nodes.columns and told[column] != "ignore":
            raise DataError(f"column {column!r} is {taken[column]} and cannot be a feature as well")
    only_edges = set(options.edge_features) - set(nodes.columns)
    told = {column: role for column, role in told.items() if column not in only_edges and column not in taken}
    columns = [column for column in nodes.columns if column not in taken]
    roles = infer_roles(nodes, columns, given=told, missing=options.missing)
    transforms, values = fit(
        nodes,
        roles,
        scale_rows=train,
        vocabulary_rows=train if options.vocabulary == "train" else None,
        widths=_widths(options),
        seed=options.seed,
        missing=options.missing,
        id_column=own_id,
    )
    return Features(tuple(roles), transforms, torch.from_numpy(values) if values.shape[1] else None)


def edge_features(edges: Table, options: ImportOptions, taken: set[str | None]) -> Features:
    """The columns that the options ask for, in the order of the file's edges; the others are listed as ignored."""
    require_columns(edges, options.edge_features)
    told = {column: role for column, role in _told(options).items() if column in options.edge_features}
    roles = infer_roles(edges, options.edge_features, given=told, missing=options.missing)
    unused = [column for column in edges.columns if column not in taken and column not in options.edge_features]
    listed = (*roles, *(ColumnRole(column, "ignore", "not asked for") for column in unused))
    if all(role.role == "ignore" for role in roles):
        return Features(listed, None, None)
    transforms, values = fit(
        edges,
        roles,
        scale_rows=None,
        vocabulary_rows=None,
        widths=_widths(options),
        seed=options.seed,
        missing=options.missing,
    )
    return Features(listed, transforms, torch.from_numpy(values))


def _told(options: ImportOptions) -> dict[str, Role]:
    return given_roles(
        numeric=options.numeric,
        date=options.date,
        categorical=options.categorical,
        text=options.text,
        ranked=options.ranked,
        ignore=options.ignore,
    )


def _widths(options: ImportOptions) -> Widths:
    return Widths(one_hot=options.one_hot_limit, hashed=options.hash_width, text=options.text_width)
