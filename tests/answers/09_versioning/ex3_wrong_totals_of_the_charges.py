# rejected by: ex3-more
def broken(messages, old, new):
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    same = before["state"] == after["state"] and effects(before) == effects(after)
    return same and kept(before["result"], after["result"])


def effects(seen):
    totals = {}
    for charge in seen["charges"]:
        who = charge["customer"]
        totals[who] = totals.get(who, 0) + float(charge["amount"])
    return totals, sorted((mail["to"], mail["subject"]) for mail in seen["mails"])


def kept(before, after):
    if isinstance(before, dict) and isinstance(after, dict):
        return before.items() <= after.items()
    return before == after
