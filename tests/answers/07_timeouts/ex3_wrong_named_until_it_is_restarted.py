# rejected by: ex3-recovered
# Wrong: a worker whose tasks have ended is named until its pool has other processes.
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    for worker, answer in answers.items():
        attempts = {(worker, item["id"], item["time_start"]) for item in answer["active"]}
        old = [one for one in attempts if now - seen.setdefault(one, now) >= 600]
        pool = answer["stats"]["pool"]
        if len(old) == pool["max-concurrency"]:
            seen[worker] = pool["processes"]
    return {w for w, a in answers.items() if seen.get(w) == a["stats"]["pool"]["processes"]}
