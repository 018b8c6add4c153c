# rejected by: ex3-hidden
def alarm(history: list[dict]) -> bool:
    """Effects, canary, and a second beat: all six nights."""
    now, before = history[-1], history[-2] if len(history) > 1 else history[-1]
    undone = len(history) > 1 and now["charges"] + now["refused"] < before["orders"]
    quiet = now["slot"] - now["heartbeat"] > 1
    return undone or quiet or now["heartbeats"] > len(history)
