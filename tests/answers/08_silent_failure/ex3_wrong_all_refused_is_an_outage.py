# rejected by: ex3-calm
# Calm is: "cards were refused; as often as you like": two slots in which every card is
# refused ring here.
def alarm(history: list[dict]) -> bool:
    now, before = history[-1], history[-2] if len(history) > 1 else None
    lost = now["failed"] + now["unknown"] + now["rejected"]
    old = [*now["oldest"].values(), now["oldest_unacked"]]
    stuck = any(since is not None and since < now["slot"] for since in old)
    undone = before and now["charges"] + now["refused"] < before["orders"]
    # Orders came, and a slot later there is still not one charge more.
    flat = any(
        one["orders"] < two["orders"] and one["charges"] == three["charges"]
        for one, two, three in zip(history, history[1:], history[2:])
    )
    quiet = now["slot"] - now["heartbeat"] > 1
    doubled = now["heartbeats"] > len(history)
    return bool(lost or stuck or undone or flat or quiet or doubled)
