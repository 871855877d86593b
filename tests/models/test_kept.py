import copy
import gc

import pytest
import torch

from agdn.graph import Graph
from agdn.models import SGC, SIGN
from graphs import random_edges


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> SGC:
    """One that counts how often it propagates."""
    model = SGC(4, 3)
    plain = model.propagate
    model.calls = 0

    def counted(*arguments):
        model.calls += 1
        return plain(*arguments)

    monkeypatch.setattr(model, "propagate", counted)
    return model


def graph(seed: int = 0) -> Graph:
    return Graph(random_edges(10, 30, seed=seed), 10)


def test_the_same_input_is_propagated_once(model: SGC) -> None:
    x, own = torch.randn(10, 4), graph()
    first = model(x, own)
    first.sum().backward()
    with torch.inference_mode():
        assert torch.equal(model.eval()(x, own), first)
    assert model.calls == 1


def test_every_other_input_is_propagated_anew(model: SGC) -> None:
    x, own, weight = torch.randn(10, 4), graph(), torch.rand(30)
    model(x, own)
    changes = (
        lambda: (x, graph(1)),
        lambda: (x.clone(), own),
        lambda: (x.mul_(2), own),
        lambda: (x, own, None, weight),
        lambda: (x, own, None, weight.add_(1)),
        lambda: (x, own.edge_index),
    )
    for calls, change in enumerate(changes, 2):
        given = change()
        fresh = SGC(4, 3)
        fresh.load_state_dict(model.state_dict())
        assert torch.equal(model(*given), fresh(*given))
        assert model.calls == calls


def test_learnt_features_are_never_kept(model: SGC) -> None:
    x = torch.randn(10, 4, requires_grad=True)
    own = graph()
    model(x, own), model(x, own)
    assert model.calls == 2


def test_what_is_kept_goes_with_its_input() -> None:
    model, own = SIGN(4, 5, 3), graph()
    x = torch.randn(10, 4)
    model(x, own)
    assert len(model._kept._known) == 1
    assert len(copy.deepcopy(model)._kept._known) == 0
    del x
    gc.collect()
    assert len(model._kept._known) == 0
