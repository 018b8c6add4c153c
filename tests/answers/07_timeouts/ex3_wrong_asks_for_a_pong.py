# rejected by: ex3-stuck
def stuck(answers: dict[str, dict], now: float, seen: dict) -> set[str]:
    return {worker for worker, answer in answers.items() if answer["ping"] != {"ok": "pong"}}
