"""From outcomes, frozen routes and the ledger to the result tables of a study."""
