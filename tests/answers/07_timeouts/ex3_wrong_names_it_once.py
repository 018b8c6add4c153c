# rejected by: ex3-stuck
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found, told = set(), seen.setdefault("told", set())
    for worker, answer in answers.items():
        attempts = {(worker, item["id"], item["time_start"]) for item in answer["active"]}
        old = [one for one in attempts if now - seen.setdefault(one, now) >= 600]
        full = len(old) == answer["stats"]["pool"]["max-concurrency"]
        if full and worker not in told:
            found.add(worker)
            told.add(worker)
    return found
