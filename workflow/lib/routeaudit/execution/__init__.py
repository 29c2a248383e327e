"""Running requests on language models: backends, planning, journal, scheduling."""
