"""What is learnt: losses, scores and how a model's outputs are read."""
