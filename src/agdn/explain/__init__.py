"""``agdn explain``: the neighbours, edges and hops that carried a prediction."""
