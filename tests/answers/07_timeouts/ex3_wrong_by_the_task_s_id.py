# rejected by: ex3-busy
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found, running = set(), set()
    for worker, answer in answers.items():
        ids = {item["id"] for item in answer["active"]}
        running |= ids
        old = [one for one in ids if now - seen.setdefault(one, now) >= 600]
        if len(old) == answer["stats"]["pool"]["max-concurrency"]:
            found.add(worker)
    for over in seen.keys() - running:
        del seen[over]
    return found
