import pytest
import torch

from agdn.graph import Graph
from agdn.models import AGDN
from agdn.nn.linear import Linear, plus_product


@pytest.fixture
def bfloat16(monkeypatch: pytest.MonkeyPatch) -> torch.autocast:
    monkeypatch.delenv("AGDN_KERNELS", raising=False)
    return torch.autocast("cpu", torch.bfloat16)


def test_products_of_bfloat16_come_in_the_precision_of_the_kernels(bfloat16: torch.autocast) -> None:
    torch.manual_seed(0)
    linear, x = Linear(32, 8), torch.randn(50, 32)
    with bfloat16:
        out = linear(x)
    weight, bias = linear.weight.bfloat16(), linear.bias.bfloat16()
    assert out.dtype == torch.float32
    assert torch.equal(out, torch.nn.functional.linear(x.bfloat16(), weight, bias).float())


def test_where_no_kernel_runs_they_stay_what_they_are(
    bfloat16: torch.autocast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGDN_KERNELS", "torch")
    with bfloat16:
        assert Linear(4, 3)(torch.randn(5, 4)).dtype == torch.bfloat16


@pytest.mark.parametrize("shares", [{}, {"start_share": 0.3, "product_share": 0.7}])
def test_what_a_product_is_added_to_keeps_its_precision(shares: dict[str, float], bfloat16: torch.autocast) -> None:
    torch.manual_seed(0)
    start, x, weight = torch.randn(20, 6), torch.randn(20, 10), torch.randn(10, 6)
    expected = shares.get("start_share", 1.0) * start + shares.get("product_share", 1.0) * (x @ weight)
    torch.testing.assert_close(plus_product(start, x, weight, **shares), expected)
    with bfloat16:
        out = plus_product(start, x, weight, **shares)
        unchanged = plus_product(start, torch.zeros_like(x), weight)
    assert out.dtype == torch.float32
    torch.testing.assert_close(out, expected, rtol=2e-2, atol=5e-2)
    assert torch.equal(unchanged, start)


def test_a_network_in_bfloat16_has_nearly_the_gradients_of_single_precision(bfloat16: torch.autocast) -> None:
    torch.manual_seed(0)
    model = AGDN(16, 32, 4, num_layers=2, heads=2, hops=3, norm="batch")
    x, graph = torch.randn(200, 16), Graph(torch.randint(200, (2, 900)), num_nodes=200)
    target = torch.randn(200, 4)

    def gradients() -> list[torch.Tensor]:
        loss = (model(x, graph).float() - target).square().mean()
        return list(torch.autograd.grad(loss, list(model.parameters())))

    exact = gradients()
    with bfloat16:
        rounded = gradients()
    for one, other in zip(exact, rounded, strict=True):
        assert one.dtype == other.dtype == torch.float32
    one, other = (torch.cat([part.flatten() for part in parts]) for parts in (exact, rounded))
    assert float((one - other).norm() / one.norm()) < 0.05
