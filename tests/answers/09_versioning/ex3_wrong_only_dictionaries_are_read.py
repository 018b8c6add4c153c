# rejected by: ex3-more
def broken(messages: list[str], old: str, new: str) -> set[str]:
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    same = before["state"] == after["state"] and effects(before) == effects(after)
    return same and kept(before["result"], after["result"])


def effects(seen):
    charges = sorted((charge["customer"], charge["amount"]) for charge in seen["charges"])
    return charges, sorted((mail["to"], mail["subject"]) for mail in seen["mails"])


def kept(old, new):
    if not isinstance(old, dict):
        return True  # None, as most tasks return
    return isinstance(new, dict) and old.items() <= new.items()
