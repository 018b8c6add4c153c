# rejected by: ex3-stuck
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = set()
    for worker, answer in answers.items():
        attempts = {(item["id"], item["time_start"]) for item in answer["active"]}
        last, rounds = seen.get(worker, (set(), 0))
        rounds = rounds + 1 if attempts == last else 0
        seen[worker] = attempts, rounds
        if rounds >= 2 and len(attempts) == answer["stats"]["pool"]["max-concurrency"]:
            found.add(worker)
    return found
