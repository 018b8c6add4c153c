# rejected by: ex3-recovered
# Wrong: after a restart the same number stands for other attempts.
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = set()
    for worker, answer in answers.items():
        taken = sum(answer["stats"]["total"].values())
        if seen.get(worker, (None,))[0] != taken:
            seen[worker] = taken, now
        full = len(answer["active"]) == answer["stats"]["pool"]["max-concurrency"]
        if full and now - seen[worker][1] >= 600:
            found.add(worker)
    return found
