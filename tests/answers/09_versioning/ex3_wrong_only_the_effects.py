# rejected by: ex3-five
def broken(messages, old, new):
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    return effects(before) == effects(after)


def effects(seen):
    charges = sorted((charge["customer"], charge["amount"]) for charge in seen["charges"])
    return charges, sorted((mail["to"], mail["subject"]) for mail in seen["mails"])
