"""Real Celery workers: fast to start, struck anywhere, telling what they did."""
