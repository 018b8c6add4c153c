def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    rounds = seen.setdefault("rounds", [])
    rounds.append((now, {w: frozenset((i["id"], i["time_start"]) for i in a["active"]) for w, a in answers.items()}))
    rounds[:] = [(at, what) for at, what in rounds if now - at <= 800]
    found = set()
    for worker, answer in answers.items():
        always = frozenset.intersection(*(what.get(worker, frozenset()) for _, what in rounds))
        full = len(always) == answer["stats"]["pool"]["max-concurrency"]
        if full and now - rounds[0][0] >= 800:
            found.add(worker)
    return found
