"""Models by name: the options that each takes, and how one is built from them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_type_hints

from torch import nn

from agdn.models.agdn import AGDN, ConvOptions
from agdn.models.appnp import APPNP
from agdn.models.chebnet import ChebNet
from agdn.models.dagnn import DAGNN
from agdn.models.dcnn import DCNN
from agdn.models.deeper_gcn import DeeperGCN
from agdn.models.gat import GAT
from agdn.models.gatv2 import GATv2
from agdn.models.gcn import GCN
from agdn.models.gcnii import GCNII
from agdn.models.gprgnn import GPRGNN
from agdn.models.heuristics import AdamicAdar, CommonNeighbours, Katz, PersonalisedPageRank, ResourceAllocation
from agdn.models.identity import Identity
from agdn.models.jknet import JKNet
from agdn.models.label_propagation import LabelPropagation
from agdn.models.linear_autoencoder import LinearAutoencoder
from agdn.models.magna import MAGNA
from agdn.models.mixhop import MixHop
from agdn.models.mlp import MLP
from agdn.models.ngcn import NGCN
from agdn.models.presets import PRESETS
from agdn.models.rev_agdn import RevAGDN
from agdn.models.rev_gat import RevGAT
from agdn.models.rev_gnn import RevGNN
from agdn.models.sage import GraphSAGE
from agdn.models.sagn import SAGN
from agdn.models.seal import SEAL
from agdn.models.sgc import SGC
from agdn.models.sign import SIGN
from agdn.models.ssgc import SSGC
from agdn.models.tagcn import TAGCN
from agdn.models.unimp import UniMP
from agdn.nn.conv import AGDNConv
from agdn.part import unknown_name

MODELS: dict[str, type[nn.Module]] = {
    "AGDN": AGDN,
    "APPNP": APPNP,
    "ChebNet": ChebNet,
    "DAGNN": DAGNN,
    "DCNN": DCNN,
    "DeeperGCN": DeeperGCN,
    "GAT": GAT,
    "GATv2": GATv2,
    "GCN": GCN,
    "GPRGNN": GPRGNN,
    "GCNII": GCNII,
    "GraphSAGE": GraphSAGE,
    "JKNet": JKNet,
    "LabelPropagation": LabelPropagation,
    "MixHop": MixHop,
    "MLP": MLP,
    "NGCN": NGCN,
    "SAGN": SAGN,
    "SGC": SGC,
    "SIGN": SIGN,
    "SSGC": SSGC,
    "TAGCN": TAGCN,
    "MAGNA": MAGNA,
    "RevAGDN": RevAGDN,
    "RevGAT": RevGAT,
    "RevGNN": RevGNN,
    "UniMP": UniMP,
}
HEURISTICS: dict[str, type[nn.Module]] = {
    "AdamicAdar": AdamicAdar,
    "CommonNeighbours": CommonNeighbours,
    "Katz": Katz,
    "LinearAutoencoder": LinearAutoencoder,
    "PersonalisedPageRank": PersonalisedPageRank,
    "ResourceAllocation": ResourceAllocation,
}
"""What scores pairs of nodes by the graph alone."""
PAIR_MODELS: dict[str, type[nn.Module]] = {**HEURISTICS, "SEAL": SEAL}
"""What scores pairs of nodes without an encoder and a decoder."""
EVERY_MODEL: dict[str, type[nn.Module]] = {**MODELS, "Identity": Identity, **PAIR_MODELS}
"""The models of nodes, and what is for links alone."""
OF_LAYERS = ("AGDN", "RevAGDN")
"""The models that take every option of :class:`agdn.AGDNConv` beside their own."""
IN_PARTS = (
    "AGDN", "APPNP", "ChebNet", "DAGNN", "GAT", "GATv2", "GCN", "GCNII", "GPRGNN", "GraphSAGE", "JKNet", "MAGNA",
    "MixHop", "MLP", "RevAGDN", "RevGAT", "SGC", "SSGC", "TAGCN",
)  # fmt: skip
"""The models whose operators ask a part of a graph for its halo, so that several processes share one graph."""
FROM_DATA = ("in_channels", "out_channels", "features")


def option_types(name: str) -> dict[str, Any]:
    """The options of a model with their types, without those that the data decides."""
    if name not in EVERY_MODEL:
        raise ValueError(unknown_name("model", name, sorted(EVERY_MODEL)))
    constructor = EVERY_MODEL[name].__init__
    hints = {**get_type_hints(constructor), **(get_type_hints(ConvOptions) if name in OF_LAYERS else {})}
    kinds = {parameter.name: parameter.kind for parameter in inspect.signature(constructor).parameters.values()}
    keywords = [key for key in hints if kinds.get(key) is not inspect.Parameter.VAR_KEYWORD]
    return {key: hints[key] for key in keywords if key not in (*FROM_DATA, "return", "self")}


def option_defaults(name: str) -> dict[str, Any]:
    """What a model takes where nothing is said; options without a default are not in it."""
    signatures = [EVERY_MODEL[name].__init__, *([AGDNConv.__init__] if name in OF_LAYERS else [])]
    known = option_types(name)
    defaults: dict[str, Any] = {}
    for signature in signatures:
        for parameter in inspect.signature(signature).parameters.values():
            if parameter.name in known and parameter.default is not parameter.empty:
                defaults.setdefault(parameter.name, parameter.default)
    return defaults


def expanded(options: Mapping[str, Any]) -> dict[str, Any]:
    """``{"name": "AGDN", "preset": "arxiv", ...}`` with the preset written out; what is said beside it wins."""
    spelt = dict(options)
    preset = spelt.pop("preset", None)
    if preset is None:
        return spelt
    if spelt.get("name") != "AGDN":
        raise ValueError(f"presets are option sets of AGDN; {spelt.get('name')} has none")
    if preset not in PRESETS:
        raise ValueError(unknown_name("preset", str(preset), sorted(PRESETS)))
    return {**PRESETS[preset], **spelt}


def build_model(options: Mapping[str, Any], *, in_channels: int, out_channels: int) -> nn.Module:
    """The model that ``options`` describe: its ``name``, perhaps a ``preset``, and its constructor's own options."""
    chosen = expanded(options)
    name = str(chosen.pop("name", ""))
    known = option_types(name)
    for option in chosen:
        if option not in known:
            raise ValueError(unknown_name(f"option of {name}", option, sorted(known)))
    for option, value in chosen.items():
        if option.endswith("dropout") and not 0 <= value < 1:
            raise ValueError(f"{option} of {name} must lie in [0, 1), got {value}")
    if "hidden_channels" in known and "hidden_channels" not in chosen:
        raise ValueError(f"{name} needs hidden_channels, the width of its hidden layers")
    return EVERY_MODEL[name](in_channels=in_channels, out_channels=out_channels, **chosen)
