import sys
from pathlib import Path
from zlib import crc32

import pytest
import torch
from torch import Tensor, nn

from agdn.embedding import NeighbourTraining, Transformer, text_embedding
from agdn.embedding import transformer_encoder as room
from agdn.embedding.neighbour_training import train_on_neighbours
from agdn.embedding.transformer_encoder import TransformerEncoder, sentence_transformer
from small_texts import mean_rank, topic_texts


class TinyTransformer(nn.Module):
    """One layer of attention over hashed words, with the face of a sentence-transformers model."""

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.words = nn.Embedding(1500, width, padding_idx=0)
        self.layer = nn.TransformerEncoderLayer(width, 2, 2 * width, dropout=0.1, batch_first=True)

    def tokenize(self, texts: list[str]) -> dict[str, Tensor]:
        rows = [torch.tensor([1 + crc32(word.encode()) % 1499 for word in text.split()]) for text in texts]
        return {"input_ids": nn.utils.rnn.pad_sequence(rows, batch_first=True)}

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        ids = features["input_ids"]
        states = self.layer(self.words(ids), src_key_padding_mask=ids == 0)
        there = (ids != 0).unsqueeze(-1)
        return {**features, "sentence_embedding": (states * there).sum(1) / there.sum(1)}


def test_a_transformer_learns_to_tell_neighbours() -> None:
    texts, graph, held_out = topic_texts()
    encoder = TransformerEncoder(texts, TinyTransformer(), lr=1e-2)
    before = encoder.encode()
    assert before.shape == (len(texts), 16)
    torch.testing.assert_close(before.norm(dim=1), torch.ones(len(texts)))
    training = NeighbourTraining(epochs=8, batch=64, label_lr=0.2)
    losses = train_on_neighbours(encoder, graph, training, generator=torch.Generator().manual_seed(0))
    assert len(losses) == 2
    assert mean_rank(encoder.encode(), held_out) < 0.8 * mean_rank(before, held_out)


def test_rows_keep_their_order_when_texts_are_sorted_by_length() -> None:
    texts = ["one", "two words", "and three words", "four"]
    encoder = TransformerEncoder(texts, TinyTransformer().eval(), lr=1e-3)
    encoder.model.eval()
    one_by_one = torch.cat([encoder.forward(torch.tensor([row])) for row in range(4)]).detach()
    torch.testing.assert_close(encoder.encode(), one_by_one)


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "find_spec", lambda _: None)
    texts, graph, _ = topic_texts()
    with pytest.raises(ValueError, match=r"pip install 'agdn\[text\]'"):
        text_embedding(texts, graph, encoder=Transformer(model="somewhere"))
    assert "sentence_transformers" not in sys.modules


def test_a_model_of_sentence_transformers(tmp_path: Path) -> None:
    """A tiny BERT that is built here: saved, loaded from its folder, trained for a step."""
    pytest.importorskip("sentence_transformers", reason="the extra agdn[text] is not installed")
    from sentence_transformers import SentenceTransformer, models
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"word{number}" for number in range(20))]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(words), **size)).save_pretrained(tmp_path / "bert")
    BertTokenizerFast(vocab=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path / "bert")
    bert = models.Transformer(str(tmp_path / "bert"))
    SentenceTransformer(modules=[bert, models.Pooling(16)], device="cpu").save(str(tmp_path / "model"))
    texts = [f"word{node % 20} word{node % 5}" for node in range(40)]
    edges = torch.stack([torch.arange(40), (torch.arange(40) + 5) % 40])
    from agdn import Graph

    options = {"encoder": Transformer(model=str(tmp_path / "model"), lr=1e-3), "training": NeighbourTraining(epochs=1)}
    first, second = (text_embedding(texts, Graph(edges, 40), **options) for _ in range(2))
    assert first.shape == (40, 16)
    assert torch.equal(first, second)
    with pytest.raises(ValueError, match="is no model of sentence-transformers, in a folder or by name"):
        sentence_transformer(str(tmp_path))
