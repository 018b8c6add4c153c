"""The shop's schema, step by step; made by ``makemigrations``."""
