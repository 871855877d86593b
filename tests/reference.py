"""A dense, slow, obvious oracle of the paper's equations, in float64.

Everything here is an (N, N) matrix or a loop over nodes and hops; nothing is shared with the package.
"""

from __future__ import annotations

import torch
from torch import Tensor


def adjacency(edge_index: Tensor, num_nodes: int) -> Tensor:
    """A[i, j] = number of edges j -> i."""
    matrix = torch.zeros(num_nodes, num_nodes, dtype=torch.float64)
    for source, target in edge_index.t().tolist():
        matrix[target, source] += 1
    return matrix


def fixed_transition(kind: str, edge_index: Tensor, num_nodes: int) -> Tensor:
    a = adjacency(edge_index, num_nodes)
    into, out_of = a.sum(1).clamp(min=1), a.sum(0).clamp(min=1)
    return {
        "row": a / into[:, None],
        "col": a / out_of[None, :],
        "sym": a / (into[:, None] * out_of[None, :]).sqrt(),
    }[kind]


def attention_transition(kind: str, edge_index: Tensor, scores: Tensor, num_nodes: int) -> Tensor:
    """Dense matrix from one head's per-edge scores (E,) before LeakyReLU; repeated edges add up."""
    source, target = edge_index
    strength = torch.nn.functional.leaky_relu(scores, 0.2).exp()
    per_edge_in, per_edge_out = [], []
    for e in range(edge_index.size(1)):
        per_edge_in.append(strength[e] / strength[target == target[e]].sum())
        per_edge_out.append(strength[e] / strength[source == source[e]].sum())
    values = []
    for e, (j, i) in enumerate(edge_index.t().tolist()):
        if kind == "gat":
            value = per_edge_in[e]
        elif kind == "gat_col":
            value = per_edge_out[e]
        elif kind == "gat_sym":
            value = (per_edge_in[e].clamp(min=1e-9) * per_edge_out[e].clamp(min=1e-9)).sqrt()
        else:
            value = per_edge_in[e] * ((target == i).sum().double() / (source == j).sum()).sqrt()
        values.append(value)
    matrix = torch.zeros(num_nodes, num_nodes, dtype=torch.float64)
    return matrix.index_put((target, source), torch.stack(values), accumulate=True) if values else matrix


def hop_transform(hop: Tensor, norm: str | None, scale, offset, position) -> Tensor:  # type: ignore[no-untyped-def]
    """One head's hop (N, D)."""
    rows = []
    for row in hop:
        if norm == "layer":
            centred = row - row.mean()
            row = centred / ((centred**2).mean() + 1e-9).sqrt() * scale + offset
        elif norm == "l2":
            row = row / (row**2).sum().sqrt().clamp(min=1e-12) if bool((row != 0).any()) else row * 0
        rows.append(row if position is None else row + position)
    return torch.stack(rows)


def activate(logits: Tensor, activation: str) -> Tensor:
    """(N, K) logits."""
    if activation == "leaky_relu":
        return torch.where(logits > 0, logits, 0.2 * logits)
    if activation == "relu":
        return logits.clamp(min=0)
    if activation == "sigmoid":
        return 1 / (1 + (-logits).exp())
    if activation == "standardize":
        low, high = logits.min(1, keepdim=True).values, logits.max(1, keepdim=True).values
        return (logits - low) / (high - low).clamp(min=1e-9)
    return logits


def hop_attention(query: Tensor, hops: list[Tensor], b_query: Tensor, b_key: Tensor, activation: str) -> Tensor:
    """(N, K) weights of one head."""
    logits = torch.stack([query @ b_query + hop @ b_key for hop in hops], dim=1)
    strength = activate(logits, activation).exp()
    return strength / strength.sum(1, keepdim=True)


def dense_layer(conv, x: Tensor, edge_index: Tensor, edge_attr: Tensor | None = None) -> Tensor:  # type: ignore[no-untyped-def]
    """An AGDN layer in eval mode, from the conv's parameters alone: (N, H, D) without flattening or bias."""
    num_nodes, heads, channels = x.size(0), conv.heads, conv.out_channels
    transformed = (x @ conv.transform.weight.t()).view(num_nodes, heads, channels)
    outputs = []
    for h in range(heads):
        matrix = _dense_transition(conv.transition, h, x, transformed[:, h], edge_index, edge_attr)
        hops = [transformed[:, h]]
        for _ in range(conv.hops):
            hops.append(matrix @ hops[-1])
        outputs.append(_combined(conv, h, [hops[k] for k in conv.used_hops]))
    out = torch.stack(outputs, dim=1)
    if conv.residual is not None:
        out = out + conv.residual(x).view(num_nodes, heads, channels)
    return out


def _dense_transition(transition, h, x, z, edge_index, edge_attr):  # type: ignore[no-untyped-def]
    if transition.kind in ("row", "col", "sym"):
        return fixed_transition(transition.kind, edge_index, x.size(0))
    features = x if transition.score_space == "input" else z
    source, target = edge_index
    scores = features[source] @ transition.source_query[h]
    query = transition.source_query if transition.share_query else transition.target_query
    if query is not None:
        scores = scores + features[target] @ query[h]
    if transition.edge_encoder is not None:
        hidden = (edge_attr @ transition.edge_encoder.weight.t() + transition.edge_encoder.bias).clamp(min=0)
        scores = scores + hidden @ transition.edge_query[h]
    elif transition.edge_query is not None:
        scores = scores + (edge_attr @ transition.edge_transform[h].t()) @ transition.edge_query[h]
    return attention_transition(transition.kind, edge_index, scores, x.size(0))


def _combined(conv, h: int, used: list[Tensor]) -> Tensor:  # type: ignore[no-untyped-def]
    transform, weighting = conv.hop_transform, conv.weighting
    pick = lambda tensor, row: None if tensor is None else tensor[row, h]  # noqa: E731
    used = [
        hop_transform(
            hop, transform.norm, pick(transform.scale, r), pick(transform.offset, r), pick(transform.position, r)
        )
        for r, hop in enumerate(used)
    ]
    weighted = used[-(conv.hops + 1 - weighting.first_hop) :]
    theta = [torch.ones((), dtype=torch.float64) for _ in weighted]
    if hasattr(weighting, "coefficients"):
        theta = list(weighting.coefficients)
    kernel = weighting.convolution.kernel if hasattr(weighting, "convolution") else getattr(weighting, "kernel", None)
    if kernel is not None:
        theta = [kernel[k, h] for k in range(len(weighted))]
    if hasattr(weighting, "query"):
        asked = used[conv.used_hops.index(weighting.query_hop)]
        alpha = hop_attention(asked, weighted, weighting.query[h], weighting.key[h], weighting.activation)
        if weighting.log_scale is not None:
            alpha = alpha * weighting.log_scale[h].exp()
        theta = [alpha[:, k : k + 1] * t for k, t in enumerate(theta)]
    return sum(t * hop for t, hop in zip(theta, weighted, strict=True))
