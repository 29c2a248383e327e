"""Legal teams: enumeration, budget, precommitted draws."""
