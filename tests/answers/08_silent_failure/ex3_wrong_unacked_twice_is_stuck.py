# rejected by: ex3-calm
def alarm(history: list[dict]) -> bool:
    now, before = history[-1], history[-2] if len(history) > 1 else None
    lost = now["failed"] + now["unknown"] + now["rejected"]
    busy = [snapshot["unacked"] > 0 for snapshot in history[-2:]]
    stuck = busy == [True, True] or any(s < now["slot"] for s in now["oldest"].values())
    undone = before and now["charges"] + now["refused"] < before["orders"]
    quiet = now["slot"] - now["heartbeat"] > 1
    doubled = now["heartbeats"] > len(history)
    return bool(lost or stuck or undone or quiet or doubled)
