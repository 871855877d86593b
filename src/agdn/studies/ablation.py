"""What each part is worth: one thing changed at a time, everything else equal, on the same seeds.

The reference is an AGDN of HA over K hops with the transition gat, residual and positional embedding, in the frame of a
set's GAT recipe: its data, task, training, width, heads, layers and dropouts, without dropout of edges, which is a row
of its own. GAT is the same network with the single hop 1: same class, activation, residual and skip, which published
comparisons do not hold equal.

PairNorm: Zhao and Akoglu, PairNorm: tackling oversmoothing in GNNs, ICLR 2020. DropEdge: Rong et al., DropEdge: towards
deep graph convolutional networks on node classification, ICLR 2020; it is ``edge_dropout`` with an exact count. The bag
of tricks: Wang et al., Bag of tricks for node classification with graph neural networks, 2021.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, PositiveInt

from agdn.experiments.recipes import read_recipe
from agdn.experiments.section import Section
from agdn.models.registry import expanded
from agdn.studies.ablation_page import ablation_page
from agdn.studies.study import Cell, Study, cell_of

NAME = "ablation"
REFERENCE = "AGDN"
FRAME = (
    "hidden_channels", "num_layers", "heads", "out_heads", "dropout", "input_dropout", "attn_dropout", "norm",
    "skip", "out_bias",
)  # fmt: skip


class Settings(Section):
    """Which sets, and what is changed.

    Attributes:
        recipes: A recipe a set: its data, task, training, width, heads, layers and dropouts (not of edges) are the
            frame.
        groups: Of the rows, which: ``network``, ``transition``, ``layer``, ``tricks``, ``smoothing``.
        hops: K of the reference.
        edge_share: Share of the edges that DropEdge leaves out.
    """

    recipes: tuple[str, ...] = Field(("cora/gat", "citeseer/gat", "pubmed/gat"), min_length=1)
    groups: tuple[str, ...] = Field(("network", "transition", "layer", "tricks", "smoothing"), min_length=1)
    hops: PositiveInt = 3
    edge_share: float = Field(0.3, gt=0, lt=1)


Change = dict[str, Any]


def variants(settings: Settings, reference: str) -> dict[str, dict[str, Change]]:
    """By group and row: what a row changes in the reference; ``reference`` is the name of its runs."""
    labels = {"mask_rate": 0.5}
    gat = {"hops": 1, "first_hop": 1, "weighting": "sum", "position": False}
    return {
        "network": {
            "GAT": {"model": gat},
            "GAT, no residual": {"model": {**gat, "residual": False}},
            "AGDN-HC": {"model": {"weighting": "HC"}},
            "AGDN-mean": {"model": {"weighting": "mean"}},
        },
        "transition": {
            "gat_sym": {"model": {"transition": "gat_sym"}},
            "gat_adj": {"model": {"transition": "gat_adj"}},
            "sym": {"model": {"transition": "sym"}},
        },
        "layer": {
            "no positional embedding": {"model": {"position": False}},
            "no residual": {"model": {"residual": False}},
            "hop norm layer": {"model": {"hop_norm": "layer"}},
            "hop norm l2": {"model": {"hop_norm": "l2"}},
        },
        "tricks": {
            "labels as input": {"task": {"labels": labels}},
            "labels as input and reused": {"task": {"labels": {**labels, "reuse": 1}}},
            "loge loss": {"task": {"loss": "loge"}},
            "no target query": {"model": {"transition": {"name": "gat", "target_query": False}}},
            "norm.adj": {"model": {"transition": {"name": "gat_adj", "scaled_scores": True}}},
            "self-distillation": {"task": {"distillation": {"alpha": 0.95, "temperature": 0.7, "teacher": reference}}},
            "correct and smooth": {"task": {"correct_and_smooth": {}}},
        },
        "smoothing": {
            "PairNorm": {"model": {"norm": "pair"}},
            "DropEdge": {"model": {"edge_dropout": settings.edge_share}},
        },
    }


def cells(settings: Settings, changes: Sequence[str]) -> list[Cell]:
    known = list(variants(settings, ""))
    for group in settings.groups:
        if group not in known:
            raise ValueError(f"the study {NAME} has no group {group!r}; choose from {', '.join(known)}")
    found = []
    for recipe in settings.recipes:
        base = read_recipe(recipe, changes)
        model = expanded(base.model)
        frame = {key: model[key] for key in FRAME if model.get(key) is not None}
        network = {
            "name": "AGDN", **frame, "hops": settings.hops, "transition": "gat", "weighting": "HA", "residual": True,
            "position": True,
        }  # fmt: skip
        first = cell_of(NAME, base, {"set": recipe, "row": REFERENCE}, network=network, shown={"row": REFERENCE})
        found.append(first)
        if "smoothing" in settings.groups and network["num_layers"] < 2:
            raise ValueError(f"PairNorm stands between layers, and {recipe} has one; leave out the group smoothing")
        rows = variants(settings, first.config.name)
        for group in settings.groups:
            for row, change in rows[group].items():
                own = {section: value for section, value in change.items() if section != "model"}
                other = {**network, **change.get("model", {})}
                facts = {"set": recipe, "group": group, "row": row}
                found.append(cell_of(NAME, base, facts, own, network=other, shown={"row": row}))
                if found[-1].config.model_copy(update={"name": first.config.name}) == first.config:
                    nothing = f"the row {row!r} of the study {NAME} changes nothing in {recipe}"
                    raise ValueError(f"{nothing}; leave out the group {group}")
    return found


STUDY = Study(
    name=NAME,
    summary="What each part of AGDN and each trick is worth: one change at a time, equal settings, paired tests.",
    settings=Settings,
    cells=cells,
    page=ablation_page,
    seeds="0-9",
    frame=FRAME,
)
