"""Integrated gradients: complete, exact where the model is linear, and usable through PyG's own interface."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch_geometric.explain import Explainer

from agdn.explain.gradients import IntegratedGradients, Scored, gradients
from agdn.explain.held_network import held_network
from agdn.explain.question import Question, question
from agdn.explain.walk import walk
from agdn.graph import Graph
from agdn.models import AGDN, APPNP, GAT, GCN
from agdn.tasks.inputs import Signals
from agdn.tasks.output import NodeOutput

N, F, C = 8, 3, 3
REGRESSION = {"mode": "regression", "task_level": "node", "return_type": "raw"}


def signals() -> Signals:
    generator = torch.Generator().manual_seed(0)
    edges = torch.randint(N, (2, 20), generator=generator)
    return Signals(torch.randn(N, F, generator=generator, dtype=torch.float64), Graph(edges, N).with_self_loops())


def asked(model: nn.Module, given: Signals, node: int = 2) -> Question:
    with torch.no_grad():
        return question(node, given.outputs(model), NodeOutput("class"))


MODELS: dict[str, Any] = {
    "AGDN": lambda: AGDN(F, 4, C, 2, hops=2, norm="batch"),
    "HC": lambda: AGDN(F, 4, C, 1, hops=3, weighting="HC", transition="sym"),
    "GAT": lambda: GAT(F, 4, C, heads=2),
    "GCN": lambda: GCN(F, 4, C),
    "APPNP": lambda: APPNP(F, 4, C),
}


@pytest.mark.parametrize("build", MODELS.values(), ids=MODELS)
def test_parts_of_features_add_up_to_the_change_of_the_score(build: Any) -> None:
    torch.manual_seed(1)
    model, given = build().double().eval(), signals()
    about = asked(model, given)
    found = gradients(model, given, about, steps=32)
    with torch.no_grad():
        baseline = about.score(model(torch.zeros_like(given.x), given.graph))
    assert found.constant == pytest.approx(baseline)
    assert found.missing == pytest.approx(found.score - baseline - float(found.source.sum()))
    assert abs(found.missing) < 5e-3


@pytest.mark.parametrize("name", ["AGDN", "HC", "GAT", "GCN"])
def test_parts_of_edges_add_up_to_the_change_without_any(name: str) -> None:
    torch.manual_seed(1)
    model, given = MODELS[name]().double().eval(), signals()
    about = asked(model, given)
    found = gradients(model, given, about, steps=32)
    scored = Scored(model, given, about.direction)
    with torch.no_grad(), scored.masked_edges(torch.zeros(given.graph.num_edges, dtype=torch.float64)):
        without = float(scored(given.x, given.graph.edge_index)[about.node])
    assert found.flow is not None
    assert float(found.flow.sum()) == pytest.approx(found.score - without, abs=5e-3)


def test_where_a_network_is_linear_both_methods_say_the_same() -> None:
    torch.manual_seed(1)
    model, given = MODELS["HC"]().double().eval(), signals()
    about = asked(model, given)
    walked, integrated = walk(held_network(model, given), about), gradients(model, given, about, steps=1)
    torch.testing.assert_close(integrated.source, walked.source)


def test_edges_of_other_networks_are_not_told() -> None:
    model, given = MODELS["APPNP"]().double().eval(), signals()
    found = gradients(model, given, asked(model, given), steps=2)
    assert found.flow is None
    assert torch.equal(found.handed(given.graph), found.source)


def test_it_serves_pygs_explainer_for_classes_too() -> None:
    torch.manual_seed(1)
    given, linear = signals(), nn.Linear(F, C).double()

    class Model(nn.Module):
        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            return linear(x)

    config = {"mode": "multiclass_classification", "task_level": "node", "return_type": "raw"}
    options = {"explanation_type": "model", "model_config": config, "node_mask_type": "object"}
    explanation = Explainer(Model(), IntegratedGradients(4), **options)(given.x, given.graph.edge_index, index=3)
    top = int(linear(given.x)[3].argmax())
    assert float(explanation.node_mask[3]) == pytest.approx(float((linear.weight[top] @ given.x[3]).detach()))
    assert not bool(explanation.node_mask[:3].any())


def test_nodes_beyond_the_models_reach_are_not_heard() -> None:
    chain = Graph(torch.tensor([[0, 1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7]]), N)
    given = Signals(signals().x, chain.with_self_loops())
    torch.manual_seed(1)
    model = MODELS["GCN"]().double().eval()
    found = gradients(model, given, asked(model, given, 7), steps=2)
    assert found.reach == len(model.convs)
    assert found.distance.tolist() == [-1] * (N - 1 - found.reach) + list(range(found.reach, -1, -1))


@pytest.mark.parametrize("feature", [2.0, -2.0])
def test_a_no_is_explained_as_a_no(feature: float) -> None:
    """What lowers the score of a binary model speaks for its answer no."""

    class Model(nn.Module):
        def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
            return x

    config = {"mode": "binary_classification", "task_level": "node", "return_type": "raw"}
    options = {"explanation_type": "model", "model_config": config, "node_mask_type": "object"}
    x = torch.full((2, 1), feature)
    explanation = Explainer(Model(), IntegratedGradients(2), **options)(x, torch.tensor([[0], [1]]), index=1)
    assert float(explanation.node_mask[1]) == pytest.approx(2.0)


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(ValueError, match="steps must be at least 1, got 0"):
        IntegratedGradients(0)
    given = signals()
    with pytest.raises(ValueError, match="do not depend on node features"):
        gradients(Constant(), given, Question(0, torch.ones(1), "0", 0, NodeOutput("numeric")))
    scored = Scored(Constant(), given, torch.ones(1))
    explainer = Explainer(
        scored, IntegratedGradients(), explanation_type="model", model_config=REGRESSION, edge_mask_type="object"
    )
    with pytest.raises(ValueError, match="not in Constant"):
        explainer(given.x, given.graph.edge_index, index=0)
    explainer = Explainer(
        nn.Bilinear(1, 1, 1), IntegratedGradients(), explanation_type="model", model_config=REGRESSION,
        edge_mask_type="object",
    )  # fmt: skip
    explainer.get_prediction = lambda *a, **k: torch.ones(N, 1)  # type: ignore[method-assign]
    with pytest.raises(ValueError, match=r"needs a model with masked_edges.*not Bilinear"):
        explainer(given.x, given.graph.edge_index, index=0)


class Constant(nn.Module):
    def forward(self, x: torch.Tensor, graph: Graph) -> torch.Tensor:
        return torch.ones(len(x), 1, dtype=x.dtype)
