"""How much a cross-fitted study depends on the deal of its folds and on the number of training tasks."""
