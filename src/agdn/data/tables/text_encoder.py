"""Free text -> dense features: TF-IDF weighted words, then a truncated singular value decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.sparse import csr_matrix

from agdn.data.tables.encoders import Rows

VOCABULARY_LIMIT = 50_000
RARE_DOCUMENTS = 1000  # from this many texts on, a word must occur in several to count
RANK_TOLERANCE = 1e-4  # of the largest singular value; directions below it are rounding noise
TOKEN = r"(?u)\b\w\w+\b"


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """Latent semantic features: ``tfidf(text) @ components.T``, scaled as a whole to unit mean square."""

    kind: ClassVar[Literal["text"]] = "text"
    words: tuple[str, ...]
    idf: np.ndarray  # (words,) float32
    components: np.ndarray  # (width, words) float32

    def __post_init__(self) -> None:
        if self.idf.shape != (len(self.words),) or self.components.shape[1:] != (len(self.words),):
            raise ValueError(f"text features of {len(self.words)} words need as many idf weights and components")

    @classmethod
    def fit(cls, texts: list[str], rows: Rows, *, width: int, seed: int) -> Self:
        """At most ``width`` features: fewer where the texts have fewer different words."""
        fitted = texts if rows is None else [texts[row] for row in rows]
        words, idf, weights = word_weights(fitted)
        components, _ = leading_directions(weights, width, seed)
        mean_square = float(np.square(weights @ components.T).mean()) if len(components) else 1.0
        return cls(words, idf, components / np.float32(np.sqrt(mean_square)))

    @property
    def width(self) -> int:
        return int(self.components.shape[0])

    def apply(self, texts: Sequence[str]) -> np.ndarray:
        if not self.words or not texts:
            return np.zeros((len(texts), self.width), dtype=np.float32)
        vectorizer = _vectorizer(vocabulary=self.words)
        vectorizer.idf_ = self.idf.astype(np.float64)
        weights = csr_matrix(vectorizer.transform(texts), dtype=np.float32)
        return np.ascontiguousarray(weights @ self.components.T, dtype=np.float32)


def word_weights(texts: Sequence[str], *, ngrams: int = 1) -> tuple[tuple[str, ...], np.ndarray, csr_matrix]:
    """The words that count, or runs of up to ``ngrams`` of them; their idf; and their TF-IDF weights, a row a text."""
    rare = 3 if len(texts) >= RARE_DOCUMENTS else 1
    vectorizer = _vectorizer(max_features=VOCABULARY_LIMIT, min_df=rare, ngram_range=(1, ngrams))
    try:
        weights = csr_matrix(vectorizer.fit_transform(texts), dtype=np.float32)
    except ValueError:  # no text has a word of two letters or more
        return (), np.empty(0, np.float32), csr_matrix(np.empty((len(texts), 0), np.float32))
    words = tuple(vectorizer.get_feature_names_out().tolist())
    return words, vectorizer.idf_.astype(np.float32), weights


def hashed_weights(texts: Sequence[str], *, ngrams: int, buckets: int, token: str = TOKEN) -> csr_matrix:
    """The same with as many columns as there are ``buckets``, which words share by chance: no vocabulary is kept."""
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

    options = {"ngram_range": (1, ngrams), "token_pattern": token, "alternate_sign": False, "norm": None}
    counts = HashingVectorizer(n_features=buckets, dtype=np.float32, **options).transform(texts)
    return csr_matrix(TfidfTransformer(sublinear_tf=True).fit_transform(counts), dtype=np.float32)


def _vectorizer(**options: Any) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(sublinear_tf=True, token_pattern=TOKEN, dtype=np.float64, **options)


def leading_directions(weights: csr_matrix, width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(width, words) right singular vectors and (width,) singular values; fewer where the rank is smaller."""
    from sklearn.utils.extmath import randomized_svd

    width = min(width, *weights.shape)
    if width == 0 or weights.nnz == 0:
        return np.empty((0, weights.shape[1]), dtype=np.float32), np.empty(0, dtype=np.float32)
    _, strength, components = randomized_svd(weights, n_components=width, n_iter=4, random_state=seed)
    kept = strength > RANK_TOLERANCE * strength[0]
    return np.asarray(components[kept], dtype=np.float32), np.asarray(strength[kept], dtype=np.float32)
