# rejected by: ex3-busy
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = set()
    for worker, answer in answers.items():
        pids = {item["worker_pid"] for item in answer["active"]}
        old = [pid for pid in pids if now - seen.setdefault((worker, pid), now) >= 600]
        if len(old) == answer["stats"]["pool"]["max-concurrency"]:
            found.add(worker)
        for key in [key for key in seen if key[0] == worker and key[1] not in pids]:
            del seen[key]
    return found
