# rejected by: ex3-five
def broken(messages, old, new):
    pairs = list(zip(run(old, messages), run(new, messages)))
    bad = {before["task"] for before, after in pairs if not alike(before, after)}
    return {before["id"] for before, _ in pairs if before["task"] in bad}


def alike(before, after):
    same = before["state"] == after["state"] and effects(before) == effects(after)
    return same and kept(before["result"], after["result"])


def effects(seen):
    charges = sorted((charge["customer"], charge["amount"]) for charge in seen["charges"])
    return charges, sorted((mail["to"], mail["subject"]) for mail in seen["mails"])


def kept(before, after):
    if isinstance(before, dict) and isinstance(after, dict):
        return before.items() <= after.items()
    return before == after
