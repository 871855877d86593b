"""Text features are scikit-learn's TF-IDF and SVD, fitted once and applied to anything."""

from __future__ import annotations

import numpy as np
import pytest

from agdn.data.tables.text_encoder import TextFeatures

TEXTS = [
    "graphs of nodes and edges",
    "nodes with many edges in graphs",
    "a kitchen with pots and pans",
    "pans and pots of a kitchen chef",
    "edges and nodes",
    "the chef cooks in pots",
]


def test_topics_come_apart() -> None:
    features = TextFeatures.fit(TEXTS, None, width=2, seed=0).apply(TEXTS)
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    similarity = unit @ unit.T
    assert similarity[0, 1] > similarity[0, 2]
    assert similarity[2, 3] > similarity[2, 4]
    assert np.square(features).mean() == pytest.approx(1.0, rel=1e-4)


def test_all_directions_keep_all_angles() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(sublinear_tf=True).fit_transform(TEXTS).toarray()
    features = TextFeatures.fit(TEXTS, None, width=99, seed=0).apply(TEXTS)
    gram = features @ features.T
    np.testing.assert_allclose(gram / gram[0, 0], weights @ weights.T / (weights @ weights.T)[0, 0], atol=1e-4)


def test_only_the_fitted_rows_give_words() -> None:
    encoder = TextFeatures.fit(TEXTS, np.array([0, 1]), width=2, seed=0)
    assert "kitchen" not in encoder.words
    assert not encoder.apply(["kitchen chef"]).any()


@pytest.mark.parametrize("texts", [["", ""], ["a", "! ?"]])
def test_texts_without_words_have_no_features(texts: list[str]) -> None:
    assert TextFeatures.fit(texts, None, width=4, seed=0).apply(texts).shape == (2, 0)


def test_the_same_seed_gives_the_same_bits() -> None:
    first, second = (TextFeatures.fit(TEXTS, None, width=3, seed=1).apply(TEXTS) for _ in range(2))
    np.testing.assert_array_equal(first, second)
