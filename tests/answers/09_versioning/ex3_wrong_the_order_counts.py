# rejected by: ex3-harmless
def broken(messages, old, new):
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    parts = zip(told(before), told(after))
    return all(one == other for one, other in parts) and kept(before, after)


def told(seen):
    mails = [(mail["to"], mail["subject"]) for mail in seen["mails"]]
    return seen["state"], seen["charges"], mails


def kept(before, after):
    old, new = before["result"], after["result"]
    if isinstance(old, dict) and isinstance(new, dict):
        return all(new.get(key) == value for key, value in old.items())
    return old == new
