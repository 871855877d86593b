"""A training loop of your own: the pieces without the program around them."""

import torch

from agdn import AGDN, load_dataset
from agdn.tasks.node import NodeTask

torch.manual_seed(0)
dataset = load_dataset("digits")
graph, task = dataset.graph.with_self_loops(), NodeTask(dataset)
model = AGDN(dataset.x.size(1), 64, task.out_channels, num_layers=2, hops=8, dropout=0.5)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(1, 51):
    optimizer.zero_grad()
    loss = task.loss(model.train()(dataset.x, graph)[dataset.split.train], dataset.split.train)
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        with torch.no_grad():
            scores = task.score(model.eval()(dataset.x, graph)[dataset.split.test], dataset.split.test)
        print(f"epoch {epoch}: loss {loss:.3f}, test accuracy {100 * scores['accuracy']:.1f} %")
