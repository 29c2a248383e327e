"""The routeaudit command."""
