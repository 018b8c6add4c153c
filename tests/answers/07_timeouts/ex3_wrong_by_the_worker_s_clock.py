# rejected by: ex3-stuck
import time


def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    found = set()
    for worker, answer in answers.items():
        ages = [time.time() - item["time_start"] for item in answer["active"]]
        full = len(ages) == answer["stats"]["pool"]["max-concurrency"]
        if full and min(ages) > 600:
            found.add(worker)
    return found
