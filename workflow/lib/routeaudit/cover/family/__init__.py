"""Legal teams: enumeration and budget."""
