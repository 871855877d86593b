"""How it is learnt: a generator of epochs, and what wraps it."""
