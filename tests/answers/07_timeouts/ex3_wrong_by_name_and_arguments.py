# rejected by: ex3-busy
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = set()
    for worker, answer in answers.items():
        calls = sorted((item["name"], str(item["args"])) for item in answer["active"])
        last, since = seen.get(worker, (None, now))
        seen[worker] = calls, (since if calls == last else now)
        full = len(calls) == answer["stats"]["pool"]["max-concurrency"]
        if full and now - seen[worker][1] >= 600:
            found.add(worker)
    return found
