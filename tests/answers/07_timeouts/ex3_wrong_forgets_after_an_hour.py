# rejected by: ex3-last-process
# Wrong: "go on to do so for as long as they run": after an hour it forgets an attempt that still runs, and is silent for 600 s.
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    for one, since in list(seen.items()):
        if now - since > 3_600:
            del seen[one]  # long over; seen must not grow for ever
    found = set()
    for worker, answer in answers.items():
        attempts = {(worker, item["id"], item["time_start"]) for item in answer["active"]}
        old = [one for one in attempts if now - seen.setdefault(one, now) >= 600]
        if len(old) == answer["stats"]["pool"]["max-concurrency"]:
            found.add(worker)
    return found
