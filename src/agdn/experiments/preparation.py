"""What is done to features and edges before a model sees them, in sentences for who uses it elsewhere."""

from __future__ import annotations

from agdn.experiments.config import Data

REVERSED = {
    "none": None,
    "merge": "every edge also runs backwards, and repeated edges are merged",
    "append": "every edge also runs backwards, and repeated edges stay",
}
LOOPS = {
    "keep": None,
    "add": "every node has exactly one self-loop",
    "remove": "no node has a self-loop",
}
SCALED = {"none": None, "row": "the features of every node are divided by their sum"}


def preparation(data: Data) -> list[str]:
    """In the order in which it is done."""
    walks = "nodes have features that random walks on these edges have learnt" if data.walks is not None else None
    diffused = None
    if data.diffusion is not None:
        diffused = f"the edges are those of a diffusion over them ({data.diffusion.name}), with its weights"
    ids = (
        "every node has a feature of its own, that is 1 for it and 0 for all others"
        if data.node_ids != "none"
        else None
    )
    steps = (SCALED[data.scaling], REVERSED[data.reverse_edges], LOOPS[data.self_loops], diffused, ids, walks)
    return [step for step in steps if step is not None]
