def alarm(history: list[dict]) -> bool:
    """Nothing may be older than a slot; the work of two slots ago is done."""
    now = history[-1]
    slot = now["slot"]
    ages = [slot - since for since in now["oldest"].values()]
    if now["oldest_unacked"] is not None:
        ages.append(slot - now["oldest_unacked"])
    ages.append(slot - now["heartbeat"] - 1)
    done = now["charges"] + now["refused"]
    overdue = [s["orders"] for s in history if s["slot"] < slot - 1]
    checks = (
        max(ages) > 1,
        done < max(overdue, default=0),
        now["heartbeats"] > slot - history[0]["slot"] + 1,
        any(now[key] for key in ("failed", "unknown", "rejected")),
    )
    return any(checks)
