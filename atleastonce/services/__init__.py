"""Live services of one lab: real processes that can be crashed, frozen and cut."""
