def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = set()
    for worker, answer in answers.items():
        pool = answer["stats"]["pool"]
        taken = sum(answer["stats"]["total"].values()), sorted(pool["processes"])
        if seen.get(worker, (None,))[0] != taken:
            seen[worker] = taken, now
        full = len(answer["active"]) == pool["max-concurrency"]
        if full and now - seen[worker][1] >= 600:
            found.add(worker)
    return found
