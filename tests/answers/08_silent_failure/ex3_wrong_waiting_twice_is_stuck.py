# rejected by: ex3-calm
# Calm is: "a message waits, or is held by a worker, in one snapshot, and not in the next;
# there it may be another one": a queue with another message in each of two snapshots rings
# here.
def alarm(history: list[dict]) -> bool:
    now, before = history[-1], history[-2] if len(history) > 1 else None
    lost = now["failed"] + now["unknown"] + now["rejected"]
    held = now["oldest_unacked"]
    stuck = held is not None and held < now["slot"]
    # A queue that is not empty in two snapshots; the messages may be others.
    stuck = stuck or (before and before["waiting"].keys() & now["waiting"].keys())
    undone = before and now["charges"] + now["refused"] < before["orders"]
    quiet = now["slot"] - now["heartbeat"] > 1
    doubled = now["heartbeats"] > len(history)
    return bool(lost or stuck or undone or quiet or doubled)
