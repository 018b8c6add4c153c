"""The ends of a cell after which no other cell of its run can be believed."""

#: A kernel that met its limit of memory ("exhausted") keeps the traceback, and with it
#: what filled the memory: the next exercise would suffer from it.
FATAL = frozenset({"timeout", "died", "flood", "exhausted"})
