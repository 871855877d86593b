import torch
from scipy.sparse import csr_array
from torch import Tensor
from torch.nn.functional import normalize

from agdn.embedding.word_encoder import WordEncoder

WEIGHTS = csr_array(torch.tensor([[0.5, 0, 1.0, 0], [0, 0.3, 0, 0], [0, 0, 0, 0], [0.2, 0.4, 0, 0.8]]).numpy())


def encoder(*, hidden: int = 0, word_dropout: float = 0.0) -> WordEncoder:
    options = {"lr": 0.1, "layer_lr": 0.01, "generator": torch.Generator().manual_seed(1)}
    return WordEncoder(WEIGHTS, torch.randn(4, 6), hidden=hidden, word_dropout=word_dropout, **options)


def dense(made: WordEncoder, table: Tensor) -> Tensor:
    """The equation, for all texts."""
    v = normalize(torch.from_numpy(WEIGHTS.toarray()).double() @ table) * 6**0.5
    if made.layer is None:
        return normalize(v)
    first, last = made.layer[0], made.layer[2]
    inner = (v @ first.weight.double().T + first.bias.double()).relu()
    return normalize(v + inner @ last.weight.double().T + last.bias.double())


def test_an_untrained_encoder_is_the_table_it_starts_from() -> None:
    for hidden in (0, 5):
        made = encoder(hidden=hidden)
        expected = normalize(torch.from_numpy(WEIGHTS.toarray()) @ made.vectors.table)
        torch.testing.assert_close(made.encode(), expected)
    assert made.encode()[2].abs().sum() == 0  # a text without a word


def test_training_sees_what_encoding_gives() -> None:
    made, rows = encoder(hidden=5), torch.tensor([3, 0])
    made.layer[2].weight.data.normal_()
    torch.testing.assert_close(made.forward(rows).detach(), made.encode()[rows])
    torch.testing.assert_close(made.encode().double(), dense(made, made.vectors.table.double()))


def test_words_move_against_their_gradient() -> None:
    made, rows = encoder(hidden=5), torch.tensor([3, 0])
    made.layer[2].weight.data.normal_()
    table = made.vectors.table.double().requires_grad_()
    gradient, before = torch.randn(2, 6), made.vectors.table.clone()
    dense(made, table)[rows].backward(gradient.double())
    layer = [parameter.clone() for parameter in made.layer.parameters()]
    made.backward(made.forward(rows), gradient, rate=0.5)
    rate = 0.1 * 0.5 / (table.grad.square().mean(1, keepdim=True) + 1e-10).sqrt()
    torch.testing.assert_close(made.vectors.table.double(), before.double() - rate * table.grad, rtol=1e-4, atol=1e-5)
    assert any(not torch.equal(*pair) for pair in zip(layer, made.layer.parameters(), strict=True))


def test_dropped_words_are_not_seen() -> None:
    made = encoder(word_dropout=0.5)
    rows = torch.zeros(200, dtype=torch.int64)
    kinds = {tuple(row) for row in made.forward(rows).detach().mul(1000).round().tolist()}
    assert len(kinds) == 4  # either word, both, or none
