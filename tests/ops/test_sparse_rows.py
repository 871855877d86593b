import copy

import pytest
import torch
from torch import Tensor, nn

from agdn.graph import Graph
from agdn.models import (
    AGDN,
    APPNP,
    DAGNN,
    DCNN,
    GAT,
    GCN,
    GPRGNN,
    MLP,
    NGCN,
    SGC,
    SIGN,
    SSGC,
    TAGCN,
    ChebNet,
    GraphSAGE,
    MixHop,
)
from agdn.nn.linear import Linear
from agdn.ops import dropout, plain_operators
from agdn.ops.kernels import buffers
from agdn.ops.sparse_rows import compact, is_sparse, product, select_rows, with_columns

N, F = 60, 50


def features(share: float = 0.04) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(N, F, generator=generator) * (torch.rand(N, F, generator=generator) < share)
    x[3] = 0  # a row without any
    return x


def graph() -> Graph:
    return Graph(torch.randint(N, (2, 300), generator=torch.Generator().manual_seed(1)), N).with_self_loops()


@pytest.mark.parametrize("plain", [False, True])
def test_product_and_its_gradient(plain: bool) -> None:
    x = features()
    weights = [torch.randn(F, 8, requires_grad=True, generator=torch.Generator().manual_seed(2)) for _ in range(2)]
    if plain:
        with plain_operators():
            ours = product(x.to_sparse_csr(), weights[0])
    else:
        ours = product(x.to_sparse_csr(), weights[0])
    theirs = x @ weights[1]
    torch.testing.assert_close(ours, theirs)
    for out in (ours, theirs):
        out.square().sum().backward()
    torch.testing.assert_close(weights[0].grad, weights[1].grad)


def test_values_that_change_in_place_count() -> None:
    x, weight = features().to_sparse_csr(), torch.randn(F, 8, requires_grad=True)
    for factor in (1, 2, 3):
        x.values().mul_(factor)
        torch.testing.assert_close(product(x, weight), x.to_dense() @ weight)
        (gradient,) = torch.autograd.grad(product(x, weight).sum(), weight)
        torch.testing.assert_close(gradient, x.to_dense().sum(0).unsqueeze(1).expand(F, 8))


def test_only_what_is_mostly_zeros_becomes_sparse() -> None:
    assert is_sparse(compact(features()))
    assert torch.equal(compact(features()).to_dense(), features())
    for x in (features(0.5), features()[:, :10], torch.zeros(0, 50)):
        assert compact(x) is x


def test_rows_can_be_selected() -> None:
    x, rows = features(), torch.tensor([5, 3, 59, 5, 0])
    assert torch.equal(select_rows(x.to_sparse_csr(), rows).to_dense(), x[rows])
    assert torch.equal(select_rows(x, rows), x[rows])
    nobody = torch.zeros(0, dtype=torch.int64)
    assert select_rows(x.to_sparse_csr(), nobody).shape == (0, F)


@pytest.mark.parametrize("chosen", [None, torch.tensor([5, 3, 59, 0])])
def test_columns_can_be_added(chosen: Tensor | None) -> None:
    x, weight = features(), torch.randn(F + 3, 8, generator=torch.Generator().manual_seed(2))
    given = compact(x) if chosen is None else select_rows(compact(x), chosen)
    expected = x if chosen is None else x[chosen]
    for columns in (torch.randn(len(expected), 3), torch.randn(len(expected), 3), torch.zeros(len(expected), 3)):
        full = with_columns(given, columns, chosen)
        assert is_sparse(full)
        assert torch.equal(full.to_dense(), torch.cat([expected, columns], dim=1))
        torch.testing.assert_close(product(full, weight), torch.cat([expected, columns], dim=1) @ weight)
    assert with_columns(given, torch.ones(len(expected), 1), chosen).shape == (len(expected), F + 1)


def test_added_columns_have_gradients() -> None:
    columns = torch.randn(N, 2, requires_grad=True)
    dense = torch.cat([features(), columns], dim=1)
    weight = torch.randn(F + 2, 4)
    (ours,) = torch.autograd.grad(product(with_columns(compact(features()), columns, None), weight).sum(), columns)
    (theirs,) = torch.autograd.grad((dense @ weight).sum(), columns)
    torch.testing.assert_close(ours, theirs)


def test_a_part_drops_what_the_whole_drops_of_added_columns() -> None:
    x, columns, rows = compact(features()), torch.ones(N, 4), torch.tensor([50, 3, 7, 3, 21])
    whole, part = with_columns(x, columns, None), with_columns(select_rows(x, rows), columns[rows], rows)
    torch.manual_seed(3)
    expected = dropout(whole, 0.5, True).to_dense()
    torch.manual_seed(3)
    assert torch.equal(dropout(part, 0.5, True, ids=rows).to_dense(), expected[rows])
    assert 0.3 < float((expected[:, F:] > 0).float().mean()) < 0.7


def test_dropout_keeps_a_share_of_the_entries_and_scales_them() -> None:
    x = (torch.rand(400, F) < 0.5).float().to_sparse_csr()
    dropped = dropout(x, 0.3, True)
    values = dropped.values()
    assert set(values.unique().tolist()) == {0.0, float(torch.tensor(1.0) / 0.7)}
    assert float((values > 0).float().mean()) == pytest.approx(0.7, abs=0.03)
    assert dropout(x, 0.3, False) is x
    assert torch.equal(dropped.col_indices(), x.col_indices())


MODELS: dict[str, nn.Module] = {
    "MLP": MLP(F, 8, 3),
    "GCN": GCN(F, 8, 3),
    "GAT": GAT(F, 8, 3),
    "GraphSAGE": GraphSAGE(F, 8, 3),
    "AGDN": AGDN(F, 8, 3, heads=2),
    "AGDN with an encoder": AGDN(F, 8, 3, encoder_channels=8),
    "AGDN with a norm of its input": AGDN(F, 8, 3, input_norm="batch"),
    "AGDN, residual with bias": AGDN(F, 8, 3, residual="bias"),
    "AGDN, scores of the input": AGDN(F, 8, 3, transition={"name": "gat_sym", "score_space": "input"}),
    "APPNP": APPNP(F, 8, 3),
    "ChebNet": ChebNet(F, 8, 3),
    "DAGNN": DAGNN(F, 8, 3),
    "DCNN": DCNN(F, 3),
    "GPRGNN": GPRGNN(F, 8, 3),
    "MixHop": MixHop(F, 8, 3),
    "NGCN": NGCN(F, 8, 3),
    "SGC": SGC(F, 3),
    "SIGN": SIGN(F, 8, 3),
    "SSGC": SSGC(F, 3),
    "TAGCN": TAGCN(F, 8, 3),
}


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_models_give_the_same_for_sparse_features(name: str, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr(buffers, "LARGE", 1)  # every state lies where those of wide networks do
    x = features()
    gradients = []
    for given in (x, compact(x)):
        model = copy.deepcopy(MODELS[name])
        out = model.train()(given, graph())
        out.square().sum().backward()
        gradients.append([p.grad.clone() for p in model.parameters() if p.grad is not None])
        with torch.no_grad():
            gradients[-1] += [out.detach(), model.eval()(given, graph())]
    # Gradients that cancel, as those of a bias in front of a batch norm, leave the rounding of the large ones.
    largest = max(float(tensor.abs().max()) for tensor in gradients[0])
    for mine, others in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, others, rtol=1e-4, atol=1e-6 * max(10.0, largest))


def test_linear_is_torchs() -> None:
    torch.manual_seed(0)
    ours = Linear(F, 4)
    torch.manual_seed(0)
    theirs = nn.Linear(F, 4)
    assert torch.equal(ours.weight, theirs.weight)
    assert torch.equal(ours(features()), theirs(features()))
    torch.testing.assert_close(ours(compact(features())), theirs(features()))
