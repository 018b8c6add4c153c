# rejected by: ex3-busy
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found, running = set(), {}
    for worker, answer in answers.items():
        first = {}
        for item in answer["active"]:
            key = worker, item["id"], item["time_start"]
            first[key] = seen.get(key, now)
        if first and all(now - at >= 600 for at in first.values()):
            found.add(worker)
        running |= first
    seen.clear()
    seen.update(running)
    return found
