"""A plain PyTorch loop over sampled batches: here with a PyG model, which takes ``batch.graph.edge_index``."""

import torch
import torch.nn.functional as F
from torch_geometric.nn import GraphSAGE

from agdn import load_dataset
from agdn.sampling import NeighbourSampler, RandomPartition, batches

torch.manual_seed(0)
dataset = load_dataset("digits")
x, y, split = dataset.x, dataset.y, dataset.split
train = NeighbourSampler(dataset.graph, split.train, (10, 10), batch_size=16)
parts = RandomPartition(dataset.graph, 3, fixed=True)
model = GraphSAGE(x.size(1), 64, num_layers=2, out_channels=10, dropout=0.5)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(20):
    model.train()
    for batch in batches(train, epoch):  # the next ones are made meanwhile
        optimizer.zero_grad()
        out = model(x[batch.nodes], batch.graph.edge_index)[: batch.num_seeds]
        F.cross_entropy(out, y[batch.seeds]).backward()
        optimizer.step()

model.eval()
predicted = torch.empty_like(y)
with torch.no_grad():
    for batch in batches(parts, 0):
        predicted[batch.nodes] = model(x[batch.nodes], batch.graph.edge_index).argmax(1)
accuracy = (predicted[split.test] == y[split.test]).float().mean()
print(f"test accuracy {100 * accuracy:.1f} %")
