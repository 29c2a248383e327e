"""Which cells are executed: the coverage regimes."""
