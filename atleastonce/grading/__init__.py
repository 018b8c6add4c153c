"""Grading: labs from solutions, answers onto pristine labs, verdicts by nbval."""
