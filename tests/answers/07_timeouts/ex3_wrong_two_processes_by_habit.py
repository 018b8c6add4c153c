# rejected by: ex3-last-process
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found, running = set(), {}
    for worker, answer in answers.items():
        key = worker, tuple(sorted(item["time_start"] for item in answer["active"]))
        running[key] = seen.get(key, now)
        if len(key[1]) == 2 and now - running[key] >= 600:  # our workers have two processes
            found.add(worker)
    seen.clear()
    seen.update(running)
    return found
