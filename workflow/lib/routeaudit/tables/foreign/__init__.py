"""Tables of other people's making: one reader for every command that takes a user's file."""

from routeaudit.tables.foreign.header import Wanted
from routeaudit.tables.foreign.table import Foreign, read_foreign

__all__ = ["Foreign", "Wanted", "read_foreign"]
