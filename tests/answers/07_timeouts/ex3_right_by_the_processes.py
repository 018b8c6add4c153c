def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = set()
    for worker, answer in answers.items():
        busy = {item["worker_pid"]: (item["id"], item["time_start"]) for item in answer["active"]}
        since = []
        for pid in answer["stats"]["pool"]["processes"]:
            last, at = seen.get((worker, pid), (None, now))
            seen[worker, pid] = (busy.get(pid), at if last == busy.get(pid) else now)
            since.append(seen[worker, pid][1] if pid in busy else now)
        if since and now - max(since) >= 600:
            found.add(worker)
    return found
