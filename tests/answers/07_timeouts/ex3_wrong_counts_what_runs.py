# rejected by: ex3-busy
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    return {
        worker
        for worker, answer in answers.items()
        if len(answer["active"]) >= answer["stats"]["pool"]["max-concurrency"]
    }
