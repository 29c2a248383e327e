"""The line between what a router may see and what it may not."""
