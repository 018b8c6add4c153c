# rejected by: ex3-silent
def alarm(history: list[dict]) -> bool:
    now = history[-1]
    return now["slot"] - now["heartbeat"] > 1
