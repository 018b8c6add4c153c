# rejected by: ex3-more
# "each of its keys must be there with an equal value": a value that is a dictionary is not
# equal when it has more keys (the tolerance is for the result's own keys).
def broken(messages: list[str], old: str, new: str) -> set[str]:
    pairs = zip(run(old, messages), run(new, messages))
    return {before["id"] for before, after in pairs if not alike(before, after)}


def alike(before, after):
    return (
        before["state"] == after["state"]
        and effects(before) == effects(after)
        and readable(before["result"], after["result"])
    )


def effects(seen):
    charges = sorted((charge["customer"], charge["amount"]) for charge in seen["charges"])
    return charges, sorted((mail["to"], mail["subject"]) for mail in seen["mails"])


def readable(before, after):
    """The same of what is within."""
    if isinstance(before, dict) and isinstance(after, dict):
        return all(key in after and readable(before[key], after[key]) for key in before)
    return before == after
