"""Whether two answers are the same: by rule where a rule decides, by a judging model where none does."""
