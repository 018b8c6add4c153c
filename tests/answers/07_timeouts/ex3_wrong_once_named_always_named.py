# rejected by: ex3-recovered
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = seen.setdefault("named", set())
    for worker, answer in answers.items():
        attempts = {(worker, item["id"], item["time_start"]) for item in answer["active"]}
        old = [one for one in attempts if now - seen.setdefault(one, now) >= 600]
        if len(old) == answer["stats"]["pool"]["max-concurrency"]:
            found.add(worker)
    return set(found)
