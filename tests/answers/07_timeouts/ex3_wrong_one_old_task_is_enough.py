# rejected by: ex3-last-process
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found, running = set(), set()
    for worker, answer in answers.items():
        for item in answer["active"]:
            one = (worker, item["id"], item["time_start"])
            running.add(one)
            if now - seen.setdefault(one, now) >= 600:
                found.add(worker)
    for over in seen.keys() - running:
        del seen[over]
    return found
