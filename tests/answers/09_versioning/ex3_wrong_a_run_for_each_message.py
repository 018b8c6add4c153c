# rejected by: ex3-five
def broken(messages: list[str], old: str, new: str) -> set[str]:
    pairs = zip(worlds(old, messages), worlds(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    same = before["state"] == after["state"] and effects(before) == effects(after)
    return same and kept(before["result"], after["result"])


def effects(seen):
    charges = sorted((charge["customer"], charge["amount"]) for charge in seen["charges"])
    return charges, sorted((m["to"], m["subject"]) for m in seen["mails"])


def kept(old, new):
    if isinstance(old, dict):
        return isinstance(new, dict) and all(k in new and new[k] == v for k, v in old.items())
    return old == new


def worlds(release, messages):
    return [run(release, [message])[0] for message in messages]
