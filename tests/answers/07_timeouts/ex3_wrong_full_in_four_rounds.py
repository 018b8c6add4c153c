# rejected by: ex3-busy
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = set()
    for worker, answer in answers.items():
        full = len(answer["active"]) == answer["stats"]["pool"]["max-concurrency"]
        seen[worker] = seen.get(worker, 0) + 1 if full else 0
        if seen[worker] >= 4:
            found.add(worker)
    return found
