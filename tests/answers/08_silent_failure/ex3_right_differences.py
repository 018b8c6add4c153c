def alarm(history: list[dict]) -> bool:
    """By what changed from one snapshot to the next."""
    first, now = history[0], history[-1]
    if now["failed"] or now["unknown"] or now["rejected"]:
        return True
    for earlier, later in zip(history, history[1:]):
        if later["charges"] + later["refused"] < earlier["orders"]:
            return True
        if later["heartbeats"] - earlier["heartbeats"] > 1:
            return True
        both = earlier["oldest"].keys() & later["oldest"].keys()
        if any(earlier["oldest"][name] == later["oldest"][name] for name in both):
            return True
        if earlier["oldest_unacked"] == later["oldest_unacked"] is not None:
            return True
    beats = [snapshot["heartbeat"] for snapshot in history[-3:]]
    stands_still = len(beats) == 3 and beats[0] == beats[1] == beats[2]
    return stands_still or first["heartbeats"] > 1
