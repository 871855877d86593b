"""Adaptive graph diffusion networks: multi-hop diffusion inside every layer, with learned hop weights."""

from typing import TYPE_CHECKING, Any

from agdn.graph import Graph
from agdn.models.agdn import AGDN
from agdn.nn.conv import AGDNConv
from agdn.ops.first_call import settle_vector_math

if TYPE_CHECKING:
    from agdn.data.names import load_dataset as load_dataset
    from agdn.estimators.classifier import AGDNClassifier as AGDNClassifier
    from agdn.estimators.regressor import AGDNRegressor as AGDNRegressor
    from agdn.experiments.load import load as load
    from agdn.experiments.run import run as run

__version__ = "0.1.0"

LAZY = {
    "AGDNClassifier": "agdn.estimators.classifier",
    "AGDNRegressor": "agdn.estimators.regressor",
    "load": "agdn.experiments.load",
    "load_dataset": "agdn.data.names",
    "run": "agdn.experiments.run",
}
__all__ = [
    "AGDN",
    "AGDNClassifier",
    "AGDNConv",
    "AGDNRegressor",
    "Graph",
    "__version__",
    "load",
    "load_dataset",
    "run",
]

settle_vector_math()


def __getattr__(name: str) -> Any:
    """What needs more than torch is imported when it is first asked for."""
    if name not in LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(LAZY[name]), name)
