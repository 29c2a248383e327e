"""What bad input gets: one message with the place, the expectation, the finding and a hint."""

from __future__ import annotations


class InputError(Exception):
    """Input that cannot be used, told so that its owner can mend it without reading our code.

    Parameters
    ----------
    where : the file and the row or key, for example ``tasks.jsonl:12, key 'question'``
    expected : what would have been accepted
    found : what was there instead
    hint : one thing to do about it
    """

    def __init__(self, where: str, expected: str, found: str, hint: str) -> None:
        super().__init__(where, expected, found, hint)
        self.where = where
        self.expected = expected
        self.found = found
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.where}\n  expected: {self.expected}\n  found:    {self.found}\n  hint:     {self.hint}"
