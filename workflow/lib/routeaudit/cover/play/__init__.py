"""Playing tasks out in ToolSandbox: a world behind a pipe, roles that act in it, plays as a table."""
