# rejected by: ex3-silent
def alarm(history: list[dict]) -> bool:
    now = history[-1]
    return now["failed"] > 0 or now["slot"] - now["heartbeat"] > 1 or now["heartbeats"] > len(history)
