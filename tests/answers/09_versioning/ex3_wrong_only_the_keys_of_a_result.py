# rejected by: ex3-more
def broken(messages, old, new):
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    same = before["state"] == after["state"] and effects(before) == effects(after)
    return same and keys(before) <= keys(after)


def keys(seen):
    return set(seen["result"] or ())


def effects(seen):
    charges = sorted((charge["customer"], charge["amount"]) for charge in seen["charges"])
    return charges, sorted((mail["to"], mail["subject"]) for mail in seen["mails"])
