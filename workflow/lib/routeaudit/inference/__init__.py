"""One statistics engine: estimates, intervals, tests, multiplicity, bounds."""
