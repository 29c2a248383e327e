"""ToolSandbox scenarios with five tool families as workers."""
