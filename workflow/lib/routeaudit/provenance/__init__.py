"""Where every artifact came from: hashing, records, ledger, verification, lineage."""
