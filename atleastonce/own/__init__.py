"""The instruments on a project of one's own: its app, its tasks, throw-away services.

The project is imported in a process of its own (``helper``), after its variables were
set; the command line and the pytest fixtures ask that process (``client``).
"""
